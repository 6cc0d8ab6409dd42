import TestSupport
import Testing

@testable import Wire

struct JSONLinesTests {
  private func lines(_ chunks: [[UInt8]], limit: Int = 1 << 20) throws(JSONLines.Failure) -> [JSONLines.Line] {
    var reader = JSONLines(limit: limit)
    var lines: [JSONLines.Line] = []
    for chunk in chunks { try reader.feed(chunk) { lines.append($0) } }
    return lines
  }

  private static let stream = Array(
    ("{\"method\":\"a\"}\n{\"method\":\"é😀\"}\r\n\n\r\n  \nhello\n{\"id\":1,\n [{}] \n[info] up\n42\n\"x\"\n{\"id\":\"\\n\",\"result\":1}\n"
      + "{\"level\":\"info\"}\n\rjunk\r\r\n{\"method\":\"unfinished\"}").utf8)

  private static let expected: [JSONLines.Line] = [
    .message(.notification(method: "a", params: nil)), .message(.notification(method: "é😀", params: nil)),
    .junk("hello"), .junk("{\"id\":1,"), .malformed(.batch), .junk("[info] up"), .junk("42"), .junk("\"x\""),
    .message(.response(id: .string("\n"), result: 1)), .malformed(.invalid(id: nil)), .junk("\rjunk\r"),
  ]

  @Test func `lines are messages, what is wrongly one, and junk`() throws {
    #expect(try lines([Self.stream]) == Self.expected)
  }

  @Test func `a byte-order mark at the start of a stream is no junk`() throws {
    let stream = Array("\u{FEFF}{\"method\":\"a\"}\r\n{\"method\":\"b\"}\r\n".utf8)
    #expect(
      try lines(stream.map { [$0] }) == [
        .message(.notification(method: "a", params: nil)), .message(.notification(method: "b", params: nil)),
      ])
  }

  @Test func `a stream cut anywhere gives the same lines`() throws {
    #expect(try lines(Self.stream.map { [$0] }) == Self.expected)
    for cut in 0...Self.stream.count {
      #expect(try lines([Array(Self.stream[..<cut]), Array(Self.stream[cut...])]) == Self.expected, "cut at \(cut)")
    }
  }

  @Test func `random streams give the same lines whole and in pieces`() throws {
    let seed = UInt64.random(in: 0...(.max))
    var random = SeededNumbers(seed: seed)
    let words = [
      "{\"method\":\"a\"}", "\n", "\r\n", "\r", "{", "}", "\"", "\\", "é", "id", ":1", " ", "[", "]", "\u{0}",
    ]
    for _ in 0..<300 {
      var stream = Array((0..<30).map { _ in words.randomElement(using: &random) ?? "" }.joined().utf8)
      if Bool.random(using: &random) { stream.insert(0xFF, at: Int.random(in: 0...stream.count, using: &random)) }
      var pieces: [[UInt8]] = []
      var rest = stream[...]
      while !rest.isEmpty {
        let piece = rest.prefix(Int.random(in: 1...7, using: &random))
        pieces.append(Array(piece))
        rest = rest.dropFirst(piece.count)
      }
      #expect(try lines(pieces) == lines([stream]), "seed \(seed)")
    }
  }

  @Test func `bytes that are no text do no harm`() throws {
    #expect(try lines([[0xFF, 0xFE, 0x0A]]) == [.junk("\u{FFFD}\u{FFFD}")])
    #expect(
      try lines([Array("{\"method\":\"".utf8) + [0xFF] + Array("\"}\n".utf8)])
        == [.message(.notification(method: "\u{FFFD}", params: nil))])
    let deep = String(repeating: "[", count: 100_000) + "\n"
    #expect(try lines([Array(deep.utf8)]).count == 1)
  }

  @Test(arguments: [
    #"{"jsonrpc":"2.0","id":7,"result":DEEP}"#, #"{"result":{"id":3,"a\\\"":DEEP},"x":"id","id" : 7 }"#,
    #"{"error":"\u00","id":7}"#, #"{"jsonrpc":"2.0","id":7}"#, #"{"jsonrpc":"2.0","id":7,"error":null}"#,
  ]) func `an answer that cannot be read says to what`(_ text: String) throws {
    let deep = String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)
    let line = text.replacing("DEEP", with: deep) + "\n"
    #expect(try lines([Array(line.utf8)]) == [.malformed(.unreadable(id: .int(7)))])
  }

  @Test(arguments: [
    #"{"id":7,"level":"info","broken"#, #"{"params":{"id":7,"result":1},"#, #"{"x":["id":7,"result":1}"#,
    #"{"result":1,"id":"#, #"{"result":1,"id":[7],"#, #"{"result":1,"id":"a\"#,
  ]) func `what is broken and no answer is junk`(_ text: String) throws {
    let next = "{\"method\":\"a\"}\n"
    #expect(
      try lines([Array((text + "\n" + next).utf8)]) == [.junk(text), .message(.notification(method: "a", params: nil))])
  }

  @Test func `a message over several lines is read`() throws {
    let message = JSONRPCMessage.notification(method: "a", params: ["b": [1, ["c": "d"]]])
    let printed = message.json.serialized(pretty: true) + "\r\n"
    let expected: [JSONLines.Line] = [.message(message), .junk("up"), .message(message)]
    #expect(try lines([Array((printed + "up\n" + printed).utf8)]) == expected)
    #expect(try lines(Array((printed + "up\n" + printed).utf8).map { [$0] }) == expected)
  }

  @Test func `a message over several lines that breaks off is reported before the next one`() throws {
    let line = "{\"method\":\"a\"}\n"
    let expected: [JSONLines.Line] = [
      .junk("{\n  \"method\": \"b\","), .message(.notification(method: "a", params: nil)),
    ]
    #expect(try lines([Array(("{\n  \"method\": \"b\",\n" + line).utf8)]) == expected)
    let endless = "{\"a\": [\n" + String(repeating: "1,\n", count: 300)
    #expect(try lines([Array((endless + line).utf8)]).last == expected.last)
  }

  @Test func `of long junk the start is kept`() throws {
    guard case .junk(let text) = try lines([[UInt8](repeating: 0x61, count: 5000) + [0x0A]]).first else {
      Issue.record("no junk")
      return
    }
    #expect(text.utf8.count == 400)
  }

  @Test(arguments: [1, 7, 4096])
  func `a line of the limit is taken, one byte more is not`(piece: Int) throws {
    func pieces(_ count: Int) -> [[UInt8]] {
      let bytes = [UInt8](repeating: 0x61, count: count) + [0x0A]
      return stride(from: 0, to: bytes.count, by: piece).map { Array(bytes[$0..<min($0 + piece, bytes.count)]) }
    }
    #expect(try lines(pieces(3000), limit: 3000).count == 1)
    #expect(throws: JSONLines.Failure.lineTooLong) { try lines(pieces(3001), limit: 3000) }
  }

  @Test func `a line without end is an error before its end`() throws {
    #expect(throws: JSONLines.Failure.lineTooLong) { try lines([[UInt8](repeating: 0x61, count: 3001)], limit: 3000) }
  }

  @Test func `a message is one line whatever is in it`() throws {
    let message = JSONRPCMessage.notification(method: "a", params: ["a\nb\r\u{2028}\u{85}": "\n"])
    let line = JSONLines.line(message)
    #expect(line.filter { $0 == 0x0A || $0 == 0x0D }.count == 1)
    #expect(try lines([line]) == [.message(message)])
  }

  @Test func `a long line in small pieces takes no more time than its bytes`() throws {
    var reader = JSONLines()
    var count = 0
    let start = processorTime()
    try reader.feed(Array("{\"method\":\"".utf8)) { _ in count += 1 }
    for _ in 0..<(7 << 10) { try reader.feed([UInt8](repeating: 0x61, count: 1024)) { _ in count += 1 } }
    try reader.feed(Array("\"}\n".utf8)) { _ in count += 1 }
    #expect(count == 1)
    // Seconds even without optimisation; looking at all of it again for each piece would take minutes.
    #expect(processorTime() - start < 30)
  }
}
