import Testing

@testable import Console

struct KeyDecoderTests {
  @Test func `input split anywhere gives the same keys`() {
    let input = Array("aé日👍\r\u{1B}[A\u{1B}OH\u{1B}b\u{1B}[200~two\rlines\u{1B}[Ax\u{1B}[201~z\u{1B}[1;5C\u{1B}\r".utf8)
    let whole = keys(input)
    #expect(
      whole == [
        .scalar(0x61), .scalar(0xE9), .scalar(0x65E5), .scalar(0x1F44D), .scalar(0x0D),
        .sequence(Array("\u{1B}[A".utf8)),
        .sequence(Array("\u{1B}OH".utf8)), .scalar(0x1B), .scalar(0x62), .paste(Array("two\rlines\u{1B}[Ax".utf8)),
        .scalar(0x7A), .sequence(Array("\u{1B}[1;5C".utf8)), .sequence([0x1B, 0x0D]),
      ])
    for split in 1..<input.count {
      var decoder = KeyDecoder()
      var found: [Key] = []
      for part in [input[..<split], input[split...]] {
        decoder.append(part)
        while let key = decoder.next() { found.append(key) }
      }
      #expect(found == whole, "split at \(split)")
    }
  }

  @Test(arguments: [
    "\u{1B}]11;rgb:1e1e/1e1e/1e1e\u{1B}\\", "\u{1B}]10;rgb:ffff/ffff/ffff\u{7}", "\u{1B}]52;c;aGVsbG8=\u{7}",
    "\u{1B}]lmy — title\u{1B}\\", "\u{1B}P1+r544e=78\u{1B}\\", "\u{1B}P>|XTerm(379)\u{1B}\\", "\u{1B}P!|0000\u{1B}\\",
    "\u{1B}P0$r\u{1B}\\", "\u{1B}_Gi=1;OK\u{1B}\\",
  ])
  func `a reply of the terminal is no key, wherever it is cut`(_ reply: String) {
    let input = Array(("a" + reply + "b\r").utf8)
    for split in 1..<input.count {
      var decoder = KeyDecoder()
      var found: [Key] = []
      for part in [input[..<split], input[split...]] {
        decoder.append(part)
        while let key = decoder.next() { found.append(key) }
      }
      #expect(found == [.scalar(0x61), .scalar(0x62), .scalar(0x0D)], "split at \(split)")
    }
  }

  @Test func `a reply that is cut off ends at the next control character`() {
    #expect(keys(Array("\u{1B}]11;rgb:1e\rx".utf8)) == [.scalar(0x0D), .scalar(0x78)])
    #expect(
      keys(Array("\u{1B}]11;rgb:1e\u{1B}[Ax".utf8)) == [.sequence(Array("\u{1B}[A".utf8)), .scalar(0x78)])
  }

  @Test(arguments: ["]", "P", "_", "P1", "]1"]) func `keys with Alt that could begin a reply wait to be taken as keys`(
    _ typed: String
  ) {
    var decoder = KeyDecoder()
    decoder.append(Array(("\u{1B}" + typed).utf8))
    #expect(decoder.next() == nil)
    #expect(decoder.holdsPossibleReply)
    decoder.takePossibleReplyAsKeys()
    #expect(decoder.next() == .scalar(0x1B))
    for scalar in typed.unicodeScalars { #expect(decoder.next() == .scalar(scalar.value)) }
  }

  @Test(arguments: ["]x", "]x1;", "Pp", "P1x", "_x"]) func `keys with Alt that begin no reply act at once`(
    _ typed: String
  ) {
    #expect(keys(Array(("\u{1B}" + typed).utf8)).count >= typed.unicodeScalars.count)
  }

  @Test func `an end mark inside a paste does not end it`() {
    let input = "\u{1B}[200~safe\u{1B}[201~\rrm -rf /\r\u{1B}[201~next"
    #expect(keys(Array(input.utf8)).first == .paste(Array("safe\rrm -rf /\r".utf8)))
    #expect(keys(Array(input.utf8)).count == 5)
  }

  @Test func `two pastes one after the other stay two`() {
    let mark = ("\u{1B}[200~", "\u{1B}[201~")
    #expect(
      keys(Array((mark.0 + "a" + mark.1 + mark.0 + "b" + mark.1).utf8)) == [.paste([0x61]), .paste([0x62])])
  }

  @Test func `bytes that are no text and C1 controls are not keys`() {
    #expect(
      keys([0xFF, 0x61, 0xC3, 0x28, 0xC2, 0x81, 0xE2, 0x82, 0x62]) == [.scalar(0x61), .scalar(0x28), .scalar(0x62)])
  }

  @Test func `an escape alone waits to be taken`() {
    var decoder = KeyDecoder()
    decoder.append([0x1B])
    #expect(decoder.next() == nil)
    #expect(decoder.holdsLoneEscape)
    #expect(decoder.takeLoneEscape() == .scalar(0x1B))
    #expect(decoder.isEmpty)
  }

  @Test func `a paste of a megabyte arrives whole`() {
    var decoder = KeyDecoder()
    let body = [UInt8](repeating: 0x61, count: 1 << 20)
    decoder.append(Array("\u{1B}[200~".utf8))
    for start in stride(from: 0, to: body.count, by: 4096) {
      decoder.append(body[start..<start + 4096])
      #expect(decoder.next() == nil || start == 0)
    }
    decoder.append(Array("\u{1B}[201~".utf8))
    #expect(decoder.next() == .paste(body))
  }

  private func keys(_ input: [UInt8]) -> [Key] {
    var decoder = KeyDecoder()
    decoder.append(input)
    var keys: [Key] = []
    while let key = decoder.next() { keys.append(key) }
    return keys
  }
}
