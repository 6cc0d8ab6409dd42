import Testing

@testable import Console

@Suite struct DetachKeysTests {
  /// What of keys goes to the terminal, and what else is wanted.
  private func take(_ pieces: String...) -> (keys: String, wishes: [DetachKeys.Wish]) {
    var keys = DetachKeys()
    var (out, wishes): ([UInt8], [DetachKeys.Wish]) = ([], [])
    for piece in pieces {
      let taken = keys.take(Array(piece.utf8))
      out += taken.keys
      wishes += taken.wishes
    }
    return (String(decoding: out, as: UTF8.self), wishes)
  }

  @Test func `a tilde and a dot leave where a line begins`() {
    #expect(take("~.") == ("", [.leave]))
    #expect(take("ls\r~", ".") == ("ls\r", [.leave]))
    #expect(take("\n~.") == ("\n", [.leave]))
    for key in ["\u{3}", "\u{4}", "\u{15}"] { #expect(take("sleep" + key + "~.") == ("sleep" + key, [.leave])) }
  }

  @Test func `elsewhere they are keys`() {
    #expect(take("cd ~/src\r") == ("cd ~/src\r", []))
    #expect(take("a~.") == ("a~.", []))
    #expect(take("~a") == ("~a", []))
    #expect(take("one\r~.\rtwo\r") == ("one\r~.\rtwo\r", []))
  }

  @Test func `a tilde is typed by two`() { #expect(take("~~.") == ("~.", [])) }

  @Test func `help and a stop are offered, and leaving stays possible`() {
    #expect(take("~?~\u{1A}~.") == ("", [.help, .stop, .leave]))
  }

  @Test func `what is pasted leaves nothing`() {
    let paste = "\u{1B}[200~one\r~.\rtwo\u{1B}[201~"
    #expect(take(paste) == (paste, []))
    #expect(take("\u{1B}[20", "0~\r~.", "\u{1B}[201~\r~.") == ("\u{1B}[200~\r~.\u{1B}[201~\r", [.leave]))
  }
}
