import Testing

@testable import Backends

struct ACPAddressTests {
  @Test(arguments: [
    (ACPAddress(command: ["crow-cli", "acp"]), "acp:crow-cli acp"),
    (ACPAddress(command: ["fast-agent-acp", "--model", "passthrough"]), "acp:fast-agent-acp --model passthrough"),
    (
      ACPAddress(command: ["a", "--model", "x"], passing: ["KEY", "TOKEN"], folder: "/my work"),
      "acp:--env KEY --env TOKEN --cwd '/my work' -- a --model x"
    ), (ACPAddress(command: ["-odd"]), "acp:-- -odd"), (ACPAddress(command: ["--", "--"]), "acp:-- -- --"),
    (ACPAddress(command: ["it's", ""]), #"acp:'it'\''s' ''"#),
    (ACPAddress(command: ["a", "$HOME", "x;y"]), "acp:a '$HOME' 'x;y'"),
    (ACPAddress(command: ["é", "a\\b", "\"q\"", "l1\nl2", "~"]), "acp:é 'a\\b' '\"q\"' 'l1\nl2' '~'"),
    (ACPAddress(command: ["a", "\u{301}", "'\u{301}", "\u{345}"]), "acp:a '\u{301}' ''\\''\u{301}' \u{345}"),
    (ACPAddress(command: ["\u{345}x"]), "acp:\u{345}x"),
    (ACPAddress(command: ["a"], passing: [""], folder: ""), "acp:--env '' --cwd '' -- a"),
    (ACPAddress(command: ["a", "\t", "\r\n", " "]), "acp:a '\t' '\r\n' ' '"),
  ]) func `what is written is read again`(_ address: ACPAddress, _ url: String) {
    #expect(address.url.unicodeScalars.elementsEqual(url.unicodeScalars))
    #expect(ACPAddress(address.url) == address)
  }

  @Test(arguments: [
    ("acp:  a   b ", ["a", "b"]), (#"acp:a "b c" d\ e "#, ["a", "b c", "d e"]),
    (#"acp:a "x\"y\\z\q""#, ["a", #"x"y\z\q"#]),
    (#"acp:a 'x\y'"#, ["a", #"x\y"#]), (#"acp:a"b"'c'd"#, ["abcd"]), ("acp:a \\\n b", ["a", "b"]), ("ACP:a", ["a"]),
    ("acp:a --env X", ["a", "--env", "X"]), ("acp:-- a", ["a"]), ("acp:a ''", ["a", ""]),
    (#"acp:a "$HOME" *"#, ["a", "$HOME", "*"]),
  ]) func `words are split as a shell splits them`(_ url: String, _ command: [String]) {
    #expect(ACPAddress(url) == ACPAddress(command: command))
  }

  @Test func `options come before the command`() {
    let address = ACPAddress(command: ["a", "b"], passing: ["KEY"], folder: "/w")
    #expect(ACPAddress("acp:--env KEY --cwd /w a b") == address)
    #expect(ACPAddress("acp:--cwd=/w --env=KEY -- a b") == address)
  }

  @Test(arguments: [
    "", "acp", "acp:", "acp:  ", "acp:''", "acp:a 'b", #"acp:a "b"#, #"acp:a \"#, "acp:--env KEY", "acp:--env",
    "acp:--cwd",
    "acp:--", "acp:--shell a", "acp:-x", "http://a", "a b", "acp:--cwd /w --",
  ]) func `what has no command is no agent`(_ url: String) {
    #expect(ACPAddress(url) == nil)
  }
}
