import Chat
import Testing
import Wire

@testable import Backends

struct ChatUIRequestTests {
  @Test func `a cookie is taken however it is pasted`() {
    for typed in ["hf-chat=abc", "Cookie: _ga=1; hf-chat=abc; other=1", " hf-chat=abc ", "abc"] {
      #expect(ChatUICookie(Secret(typed)).pair == "hf-chat=abc", "\(typed)")
    }
    #expect(ChatUICookie(Secret("vibecaas-chat=x")).name == "vibecaas-chat")
    // Base64 ends in the sign.
    #expect(ChatUICookie(Secret("YWJj=")).value == "YWJj=")
  }

  @Test func `a cookie that the server sets is a session, or another program's`() throws {
    #expect(try #require(ChatUICookie("vibecaas-chat=new; Path=/; HttpOnly; Secure")).isSession)
    for other in ["AWSALB=1; Path=/", "__cf_bm=1; HttpOnly", "hfChat-codeVerifier=1; HttpOnly"] {
      #expect(try !#require(ChatUICookie(other)).isSession)
    }
    #expect(ChatUICookie("hf-chat=; Max-Age=0") == nil)
  }

  @Test func `a form has the message as JSON and its files behind it`() {
    var body = ChatUIBody(["inputs": "hi"])
    body.attach(AttachedFile(path: "/tmp/a\"b.txt", name: "a\"b.txt", bytes: Array("one".utf8)))
    let (bytes, type) = body.encoded(boundary: "B")
    #expect(type == "multipart/form-data; boundary=B")
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(
      text == """
        --B\r\nContent-Disposition: form-data; name="data"\r\n\r\n{"inputs":"hi"}\r\n--B\r\n\
        Content-Disposition: form-data; name="files"; filename="base64;a%22b.txt"\r\n\
        Content-Type: text/plain\r\n\r\nb25l\r\n--B--\r\n
        """)
  }

  @Test func `a file that is too long is left out`() {
    var body = ChatUIBody([:])
    let bytes = [UInt8](repeating: 0, count: ChatUIBody.fileLimit + 1)
    body.attach(AttachedFile(path: "/tmp/big", name: "big", bytes: bytes))
    #expect(body.leftOut == ["big"])
  }

  @Test func `answers come out of their envelope`() {
    #expect(ChatUIAPI.opened(["json": [1], "meta": ["v": 1]]) == [1])
    #expect(ChatUIAPI.opened(["id": 1]) == ["id": 1])
  }
}
