import TestSupport
import Testing

@testable import Wire

struct SSETests {
  private struct Event: Equatable {
    var type: String?
    var text: String
  }

  private func events(_ chunks: [[UInt8]]) throws(SSE.Failure) -> [Event] {
    var sse = SSE()
    var events: [Event] = []
    for chunk in chunks { try sse.feed(chunk) { events.append(Event(type: $0.type, text: $0.text)) } }
    return events
  }

  private func events(_ text: String) throws(SSE.Failure) -> [Event] { try events([Array(text.utf8)]) }

  @Test(arguments: [
    ("data: a\n\n", ["a"]), ("data:a\r\n\r\n", ["a"]), ("data: a\r\rdata: b\r\r", ["a", "b"]),
    ("data: a\ndata: b\n\n", ["a\nb"]), ("data:  a\n\n", [" a"]), ("data\n\n", [""]), ("data:\ndata:\n\n", ["\n"]),
    (": comment\n\ndata: a\n\n", ["a"]), ("\u{FEFF}data: a\n\n", ["a"]), ("\u{FEFF}\u{FEFF}data: a\n\n", []),
    ("data: unfinished", []), ("data: unfinished\n", []), ("dataset: x\n\n", []), ("event: x\n\n", []),
    ("data: a\r\n\ndata: b\n\r\n", ["a", "b"]), ("\n\n\ndata: a\n\n\n\n", ["a"]),
    ("data: {\"a\": \"é😀\"}\n\n", ["{\"a\": \"é😀\"}"]),
    (" data: a\n\n", ["a"]), (" \t \ndata: a\n\n", ["a"]), ("data: a:b\n\n", ["a:b"]), ("DATA: a\n\n", []),
  ])
  func `events are read as the standard says`(stream: String, expected: [String]) throws {
    #expect(try events(stream).map(\.text) == expected)
  }

  @Test(arguments: [
    ("data: {\"a\":1}\ndata: {\"b\":2}\ndata: [DONE]\n", ["{\"a\":1}", "{\"b\":2}", "[DONE]"]),
    ("data: {\"a\":1}\r\ndata: {\"b\":2}", ["{\"a\":1}", "{\"b\":2}"]),
    ("data: {\ndata: \"a\":\ndata: {}}\n\n", ["{\n\"a\":\n{}}"]), ("data: {\"a\":1}\ndata: b\n\n", ["{\"a\":1}\nb"]),
    ("data: {\"a\":1}\n{\"b\":2}\n\n", ["{\"a\":1}", "{\"b\":2}"]), ("data: {\"a\":", []), ("data: [DONE]", ["[DONE]"]),
    ("error: x\n\ndata: a\n\n", ["x", "a"]), ("error: {\"a\":1}", ["{\"a\":1}"]), ("{\"a\":1}", ["{\"a\":1}"]),
    ("data: {\"a\":1}\n{\"b\":2}", ["{\"a\":1}", "{\"b\":2}"]), ("error: x", ["x"]), ("event: error\ndata: x", ["x"]),
    ("event: error\ndata: x\n", ["x"]), ("error: {\"a\":", []), ("{\"a\":", []), ("event: error\ndata: {\"a\"", []),
  ])
  func `whole lines of JSON are events without a blank line`(stream: String, expected: [String]) throws {
    for pieces in [[Array(stream.utf8)], stream.utf8.map { [$0] }] {
      var sse = SSE()
      var found: [String] = []
      for piece in pieces { try sse.feed(piece) { found.append($0.text) } }
      sse.end { found.append($0.text) }
      #expect(found == expected)
    }
  }

  @Test(arguments: [
    ("data: a\n\nit broke\ndata: b\n\n", ["a", "it broke", "b"]), ("data: a\nit broke\n\n", ["a", "it broke"]),
    ("retry: x\nid: 1\nevent: y\n: z\ndata\n\n", [""]), ("it broke", ["it broke"]), ("data: it broke", ["it broke"]),
    ("data: it broke\n", ["it broke"]), ("data: [ERROR] a", ["[ERROR] a"]), ("data: [DON", []), ("data: [{", []),
    ("dat", []), ("event: x", []), ("[DONE]\n", ["[DONE]"]),
  ])
  func `unknown lines are handed out if they are wanted`(stream: String, expected: [String]) throws {
    for pieces in [[Array(stream.utf8)], stream.utf8.map { [$0] }] {
      var sse = SSE(handsOutUnknownLines: true)
      var found: [String] = []
      for piece in pieces { try sse.feed(piece) { found.append($0.text) } }
      sse.end { found.append($0.text) }
      #expect(found == expected)
    }
  }

  @Test func `an event's type is its own`() throws {
    let stream =
      "event: error\ndata: a\n\ndata: b\n\nevent:\ndata: c\n\nevent: x\nevent: y\ndata: d\n\nevent: lost\n\ndata: e\n\n"
    #expect(
      try events(stream) == [
        Event(type: "error", text: "a"), Event(text: "b"), Event(text: "c"), Event(type: "y", text: "d"),
        Event(text: "e"),
      ])
  }

  @Test func `comments, ids and retries are kept`() throws {
    var sse = SSE()
    try sse.feed(Array(": one\n:\nid: 7\nid: a\0b\nretry: 250\nretry: 2x\nretry\n\n".utf8)) { _ in }
    #expect(sse.comments == 2)
    #expect(sse.lastEventID == "7")
    #expect(sse.retry == 250)
  }

  @Test func `a stream cut anywhere gives the same events`() throws {
    let stream = Array(
      "\u{FEFF}: hi\r\nevent: x\r\ndata: é\r\ndata: 😀\r\n\r\ndata: b\r\rid: 1\ndata:\n\n\ndata: [DONE]\n\ndata: x".utf8)
    let whole = try events([stream])
    #expect(whole.map(\.text) == ["é\n😀", "b", "", "[DONE]"])
    #expect(try events(stream.map { [$0] }) == whole)
    for cut in 0...stream.count {
      #expect(try events([Array(stream[..<cut]), Array(stream[cut...])]) == whole, "cut at \(cut)")
    }
  }

  @Test func `random streams give the same events whole and in pieces`() throws {
    var random = SeededNumbers(seed: 7)
    let words = [
      "data", ":", " ", "\n", "\r", "\r\n", "\n\n", "a", "event", "x", "\u{FEFF}", "é", "id: 3", "data: y\n",
    ]
    for _ in 0..<300 {
      let stream = Array((0..<40).map { _ in words.randomElement(using: &random) ?? "" }.joined().utf8)
      var pieces: [[UInt8]] = []
      var rest = stream[...]
      while !rest.isEmpty {
        let piece = rest.prefix(Int.random(in: 1...5, using: &random))
        pieces.append(Array(piece))
        rest = rest.dropFirst(piece.count)
      }
      #expect(try events(pieces) == events([stream]))
    }
  }

  @Test(arguments: [1, 1000, 1 << 21])
  func `a line without end is an error`(chunk: Int) {
    var sse = SSE()
    #expect(throws: SSE.Failure.lineTooLong) {
      var left = SSE.lineLimit + 1
      try sse.feed(Array("data:".utf8)) { _ in }
      while left > 0 {
        try sse.feed([UInt8](repeating: 0x61, count: min(chunk * 1000, left))) { _ in }
        left -= chunk * 1000
      }
    }
  }

  @Test func `a line of the limit is taken, one byte more is not`() throws {
    let longest = "data:" + String(repeating: "a", count: SSE.lineLimit - 5)
    #expect(try events(longest + "\n\n").count == 1)
    #expect(throws: SSE.Failure.lineTooLong) { try events(longest + "a\n\n") }
  }

  @Test func `an event without end is an error`() {
    let line = "data:" + String(repeating: "a", count: 1 << 19) + "\n"
    #expect(throws: SSE.Failure.eventTooLong) { try events(String(repeating: line, count: 9)) }
    #expect(throws: SSE.Failure.tooManyLines) { try events(String(repeating: "data\n", count: 4097)) }
  }

  @Test func `a long stream in single bytes is read to its end`() throws {
    var sse = SSE()
    var count = 0
    let event = Array("data: {\"choices\":[{\"delta\":{\"content\":\"word\"}}]}\n\n".utf8)
    for _ in 0..<4000 { for byte in event { try sse.feed([byte]) { _ in count += 1 } } }
    #expect(count == 4000)
  }
}
