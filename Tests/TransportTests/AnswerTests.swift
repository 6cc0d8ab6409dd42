import TestSupport
import Testing

@testable import Transport

extension WithServer {
  @Suite struct AnswerTests {
    @Test func `the status, the headers and the body come as they were sent`() async throws {
      let scene = try Scene("401")
      let response = try await scene.get()
      #expect(response.status == 401)
      #expect(response[header: "content-type"] == "application/json")
      let text = await response.body.readToEnd().text
      #expect(text.contains("Invalid API key"))
      #expect(response[header: "Content-Length"] == String(text.utf8.count))
    }

    @Test func `a request leaves with its own headers and body and nothing it did not ask for`() async throws {
      let scene = try Scene("ok")
      let body = #"{"stream":true,"text":"Grüße 👋🏽"}"#
      _ = try await scene.ask {
        $0.headers = [("Authorization", "Bearer s3"), ("Content-Type", "application/json"), ("X-Empty", "")]
        $0.body = Array(body.utf8)
      }
      let sent = try #require(try scene.server.requests(containing: scene.key).first)
      #expect(sent.method == "POST")
      #expect(sent.body == body)
      var headers = sent.headers
      headers["host"] = nil
      #expect(
        headers == [
          "authorization": "Bearer s3", "content-type": "application/json", "x-empty": "",
          "content-length": String(body.utf8.count), "user-agent": "parley/1.2.3", "accept": "*/*",
          "accept-encoding": "identity",
        ])
    }

    @Test(arguments: [("DELETE", nil), ("PUT", "text"), ("POST", nil), ("POST", "")])
    func `any method is sent, with a body or without`(method: String, body: String?) async throws {
      let scene = try Scene("ok")
      _ = try await scene.http.send(HTTPRequest(method, scene.models, body: body.map { Array($0.utf8) }))
      let sent = try #require(try scene.server.requests(containing: scene.key).first)
      #expect(sent.method == method)
      #expect(sent.body == body ?? "")
      #expect(sent.headers["content-type"] == nil)
    }

    @Test func `a stream comes whole and ends with nil, again and again`() async throws {
      let body = try await Scene("ok").ask().body
      let (text, error) = await body.readToEnd()
      #expect(error == nil)
      #expect(text.hasPrefix("data: {"))
      #expect(text.hasSuffix("data: [DONE]\n\n"))
      #expect(try await body.next(timeout: 60) == nil)
    }

    @Test func `bytes that come one by one are not changed by joining`() async throws {
      let (text, error) = try await Scene("split").ask().body.readToEnd()
      #expect(error == nil)
      #expect(text.contains("Grüße "))
      #expect(text.contains("👋🏽 "))
      #expect(text.hasSuffix("data: [DONE]\n\n"))
    }

    @Test func `twenty thousand chunks come in order`() async throws {
      let (text, error) = try await Scene("many", argument: "20000").ask().body.readToEnd()
      #expect(error == nil)
      let words = text.split(separator: "\n").compactMap { line -> Int? in
        guard let start = line.range(of: "\"content\":\"word")?.upperBound else { return nil }
        return Int(line[start...].prefix { $0.isNumber })
      }
      #expect(words == (0..<20_000).map { $0 % 100 })
    }

    @Test func `interim responses are passed over`() async throws {
      let response = try await Scene("informational").get()
      #expect(response.status == 200)
      #expect(response[header: "Link"] == nil)
      #expect(await response.body.readToEnd().text.contains("scripted"))
    }

    @Test func `an end of the connection is the end of a body without a length`() async throws {
      let (text, error) = try await Scene("close").ask().body.readToEnd()
      #expect(error == nil)
      #expect(text.hasSuffix("data: [DONE]\n\n"))
    }

    @Test func `an answer without a body ends at once`() async throws {
      let response = try await Scene("empty").ask()
      #expect(response.status == 200)
      #expect(try await response.body.next(timeout: 60) == nil)
    }

    @Test(arguments: ["redirect", "redirect-other"])
    func `a redirect is handed over and not followed`(name: String) async throws {
      let scene = try Scene(name)
      let response = try await scene.get()
      #expect(response.status == 302)
      #expect(response[header: "location"]?.hasSuffix("/ok/v1/models") == true)
    }

    @Test func `a compressed answer is unpacked when it is welcome`() async throws {
      let scene = try Scene("gzip")
      #expect(try await scene.get().body.readToEnd().text.contains("\"scripted\""))
      let sent = try #require(try scene.server.requests(containing: scene.key).first)
      #expect(sent.headers["accept-encoding"]?.contains("gzip") == true)
    }

    @Test func `a compressed answer that was not asked for is unpacked`() async throws {
      let scene = try Scene("gzip")
      #expect(try await scene.get { $0.acceptsCompression = false }.body.readToEnd().text.contains("\"scripted\""))
      let sent = try #require(try scene.server.requests(containing: scene.key).first)
      #expect(sent.headers["accept-encoding"] == "identity")
    }

    @Test func `the second request uses the connection of the first`() async throws {
      let scene = try Scene("ok")
      for _ in 1...2 { _ = try await scene.get().body.readAll(timeout: 60) }
      let connections = try scene.server.requests(containing: scene.key).map(\.connection)
      #expect(connections.count == 2)
      #expect(Set(connections).count == 1)
    }

    @Test func `a body outlives the last other reference to its client`() async throws {
      let body = try await Scene("ok").ask().body
      #expect(await body.readToEnd().text.hasSuffix("data: [DONE]\n\n"))
    }

    @Test func `a reader that comes late finds a bounded part, and then all of it`() async throws {
      let size = 8 << 20
      let scene = try Scene("blob", argument: String(size))
      let body = try await scene.get().body
      // The server has all the time of these to fill our buffer.
      for _ in 1...20 { _ = try await Scene("ok").get().body.readAll(timeout: 60) }
      var bytes = try #require(try await body.next(timeout: 60))
      #expect(bytes.count <= Exchange.pauseLimit + (128 << 10))
      while let more = try await body.next(timeout: 60) { bytes += more }
      #expect(bytes == (0..<size).map { UInt8(truncatingIfNeeded: $0) })
    }

    @Test func `answers at the same time do not mix, whoever is cancelled among them`() async throws {
      let scene = try Scene("echo")
      let stream = try Scene("many")
      await withTaskGroup(of: String?.self) { group in
        for number in 0..<24 {
          group.addTask {
            if number.isMultiple(of: 3) {
              let response = try? await stream.http.send(HTTPRequest("POST", stream.completions, body: []))
              response?.body.cancel()
              return nil
            }
            let message = Array("{\"messages\":\"number-\(number)-\"}".utf8)
            let answer = try? await scene.http.send(HTTPRequest("POST", scene.completions, body: message))
            return await answer?.body.readToEnd().text.contains("number-\(number)-") == true ? nil : "\(number)"
          }
        }
        let mixed = await group.reduce(into: []) { list, number in list += number.map { [$0] } ?? [] }
        #expect(mixed == [])
      }
    }
  }
}
