import Testing

@testable import Wire

@Suite struct PercentEncodingTests {
  @Test(arguments: [
    ("a/b c", "a%2Fb%20c"), ("é", "%C3%A9"), ("-._~09azAZ", "-._~09azAZ"), ("%", "%25"), ("", ""),
  ])
  func `what is encoded comes back`(text: String, encoded: String) {
    #expect(text.percentEncoded == encoded)
    #expect(encoded.percentDecoded == text)
  }

  @Test(arguments: [("100%", "100%"), ("%4", "%4"), ("%zz", "%zz"), ("%+5", "%+5"), ("%41%", "A%"), ("%c3%a9", "é")])
  func `a sign without two digits behind it stays`(text: String, decoded: String) {
    #expect(text.percentDecoded == decoded)
  }
}
