import Testing

@testable import Transport

@Suite struct HeadParserTests {
  private func heads(_ lines: [String]) throws(TransportError) -> [ResponseHead] {
    var parser = HeadParser()
    var heads: [ResponseHead] = []
    for line in lines {
      let head = Array(line.utf8).withUnsafeBufferPointer { bytes in
        Result { () throws(TransportError) in try parser.absorb(bytes) }
      }
      if let head = try head.get() { heads.append(head) }
    }
    return heads
  }

  @Test func `a head is the lines up to the empty one, of the last status that is not interim`() throws {
    let heads = try heads([
      "HTTP/1.1 103 Early Hints\r\n", "Link: a\r\n", "\r\n", "HTTP/1.1 200 OK\r\n", "A: 1\r\n", "b:2 \r\n", "A:\r\n",
      "\r\n", "Trailer: x\r\n", "\r\n",
    ])
    #expect(heads.map(\.status) == [200])
    #expect(heads[0].headers.map(\.name) == ["A", "b", "A"])
    #expect(heads[0].headers.map(\.value) == ["1", "2", ""])
  }

  @Test func `a folded value is one value`() throws {
    let heads = try heads(["HTTP/1.0 404\r\n", "A: one\r\n", "\t two\r\n", "B: 3\r\n", "\r\n"])
    #expect(heads[0].status == 404)
    #expect(heads[0].headers.map(\.value) == ["one two", "3"])
  }

  @Test func `lines without a colon, without a carriage return, and not of UTF-8 do no harm`() throws {
    let heads = try heads(["HTTP/2 200 \n", "nothing\n", ": no name\n", " \n", "A: \u{fffd}\n", "\n"])
    #expect(heads.count == 1)
  }

  @Test func `heads are limited together`() {
    let filler = "X: " + String(repeating: "x", count: 1000) + "\r\n"
    let lines = (0..<300).flatMap { _ in ["HTTP/1.1 100 Continue\r\n", filler, "\r\n"] }
    #expect(throws: TransportError.tooLarge(limit: 256 << 10)) { try heads(lines) }
  }
}
