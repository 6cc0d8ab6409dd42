import Testing

@testable import Shell

@Suite struct TemplateTests {
  private func filled(_ text: String, _ values: [String: String] = ["a": "1", "b-2": "2", "ü": "3"]) -> String {
    Template(text).filled(with: values)
  }

  @Test(arguments: [
    ("${a}", "1"), ("x${a}y${a}${b-2}", "x1y12"), ("${ü}", "3"), ("${c}", ""), ("$${a}", "${a}"), ("$$${a}", "$${a}"),
    ("$$", "$$"), ("$a ${", "$a ${"), ("${}", "${}"), ("${1}", "${1}"), ("${a b}", "${a b}"), ("${a.b}", "${a.b}"),
    ("${a:-x}", "${a:-x}"), ("${a:=x}${a:?x}${a:+x}", "${a:=x}${a:?x}${a:+x}"), ("${a%x}${#a}", "${a%x}${#a}"),
    ("${a:x}", "1"), ("{a}", "{a}"), ("${a:x\ny}", "${a:x\ny}"), ("${-a}", "${-a}"),
    ("a\u{301}${a}\u{301}", "a\u{301}1\u{301}"),
  ]) func `places are filled in and all else stays`(text: String, expected: String) {
    #expect(filled(text) == expected)
  }

  @Test func `each place is there once, with its first default`() {
    let places = Template("${b} ${a:} ${b:x:y} ${b:z} $${c} ${d:- }").places
    #expect(places == [.init(name: "b", standard: "x:y"), .init(name: "a", standard: "")])
  }

  @Test func `a value is no template`() {
    #expect(filled("${a}", ["a": "${b}", "b": "x"]) == "${b}")
  }
}
