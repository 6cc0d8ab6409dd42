import Testing
import Wire

@testable import Backends

struct ChatUILinesTests {
  private func lines(_ text: String, cutAt sizes: Int = .max) throws -> [ChatUILines.Line] {
    var (lines, found): (ChatUILines, [ChatUILines.Line]) = (ChatUILines(SecretMask()), [])
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      try lines.feed(Array(rest.prefix(sizes))) { found.append($0) }
      rest = rest.dropFirst(sizes)
    }
    lines.end { found.append($0) }
    return found
  }

  @Test(arguments: [1, 2, 7, .max])
  func `the same lines come however the bytes are cut`(size: Int) throws {
    let text =
      "{\"type\":\"stream\",\"token\":\"é漢\"}\n\n: alive\r\ndata: {\"type\":\"status\"}\nid: 3\nevent: update\n"
    let expected: [ChatUILines.Line] = [
      .update(["type": "stream", "token": "é漢"]), .update(["type": "status"]),
    ]
    #expect(try lines(text, cutAt: size) == expected)
  }

  @Test func `padding between objects is passed over`() throws {
    let text =
      "\0\0{\"a\":1}\n" + String(repeating: " ", count: 4096) + "{\"b\":2}\n" + String(repeating: " ", count: 4096)
    #expect(try lines(text) == [.update(["a": 1]), .update(["b": 2])])
  }

  @Test func `a last line needs no end`() throws { #expect(try lines("{\"a\":1}") == [.update(["a": 1])]) }

  @Test func `the end mark of event streams is one`() throws {
    #expect(try lines("data: {\"a\":1}\n\ndata: [DONE]\n\n") == [.update(["a": 1]), .end])
  }

  @Test func `what cannot be read is told by its start`() throws {
    #expect(try lines("<html>\n[1]\n{\"a\":1}\n") == [.unreadable("<html>"), .unreadable("[1]"), .update(["a": 1])])
  }

  @Test func `an error field is a failed status`() throws {
    #expect(
      try lines("error: {\"message\":\"no\"}\n") == [.update(["type": "status", "status": "error", "message": "no"])])
  }

  @Test func `a line without end is refused`() {
    var lines = ChatUILines(SecretMask())
    #expect(throws: ChatUILines.TooLong.self) {
      try lines.feed([UInt8](repeating: 0x20, count: ChatUILines.limit + 1)) { _ in }
    }
  }
}
