import Testing

@testable import Console

@Suite struct TypedAheadTests {
  @Test(arguments: [
    ("", ""), ("half a line", "half a line"), ("one\rtwo", "one\ntwo"), ("caf\u{e9}", "caf\u{e9}"),
    ("slipp\u{7F}ed", "sliped"), ("\u{7F}\u{7F}a", "a"), ("away\u{15}kept", "kept"), ("one\raway\u{15}two", "one\ntwo"),
    ("\u{1B}[Aup", "up"), ("\u{1B}[200~a\nb\u{1B}[201~c", "a\nbc"), ("a\u{1}b", "ab"),
    ("\u{1B}[200~a\rb\r\n\u{0}c\u{1B}[201~", "a\nb\nc"), ("one\r\u{7F}two", "one\ntwo"), ("a\u{1B}\rb", "a\nb"),
  ]) func `what was typed is text`(typed: String, text: String) {
    #expect(TypedAhead.text(of: Array(typed.utf8)) == text)
  }
}
