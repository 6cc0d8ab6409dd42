extension [UInt8] {
  /// How many of the bytes come before a character of UTF-8 that is not whole.
  package var wholeCharacters: Int {
    for back in 1...3 where back <= count {
      let byte = self[count - back]
      guard byte & 0xC0 != 0x80 else { continue }
      let length = byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 1
      return length > back ? count - back : count
    }
    return count
  }
}
