import Foundation
import TestSupport
import Testing

@testable import Console

/// Asking for what nobody may see, in a real process on a real terminal.
@Suite(.ownThread) struct SecretTests {
  /// At the prompt for a secret.
  private func asked(_ environment: [String: String] = [:]) throws -> PseudoTerminal {
    let terminal = try PseudoTerminal(environment)
    try terminal.wait { $0.screen.lines.last == "probe>" }
    terminal.type("secret\r")
    try terminal.wait { $0.screen.lines.last == "Password:" && !$0.isEchoing }
    return terminal
  }

  private func shown(by terminal: PseudoTerminal) -> String { String(decoding: terminal.shown, as: UTF8.self) }

  @Test(arguments: ["xterm", "dumb"]) func `a secret is read and not shown`(_ kind: String) throws {
    let terminal = try asked(["TERM": kind])
    terminal.type("hüntér2 日本")
    terminal.type("\r")
    try terminal.wait { $0.read.last == #""hüntér2 日本""# && $0.screen.lines.last == "probe>" }
    #expect(terminal.screen.lines.suffix(2) == ["Password:", "probe>"])
    #expect(!shown(by: terminal).contains("nt") && !shown(by: terminal).contains("日"))
  }

  @Test func `a token longer than the terminal's own lines comes whole`() throws {
    let terminal = try asked()
    let token = String(repeating: "kzpat_0123456789abcdefghijklmnop", count: 500)
    terminal.type("\u{1B}[200~" + token + "\n\u{1B}[201~")
    terminal.type("\r")
    try terminal.wait { $0.read.last == "\"\(token)\"" }
    #expect(!shown(by: terminal).contains("kzpat"))
  }

  @Test func `a paste without marks comes whole too`() throws {
    let terminal = try asked(["TERM": "dumb"])
    let token = String(repeating: "0123456789abcdef", count: 1000)
    terminal.type(token + "\n")
    try terminal.wait { $0.read.last == "\"\(token)\"" }
    #expect(!shown(by: terminal).contains("0123"))
  }

  @Test func `marks of a paste never get into the secret, be they in it`() throws {
    let terminal = try asked()
    terminal.type("a\u{1B}[200~b\u{1B}[201~c\u{1B}[201~d\r")
    try terminal.wait { $0.read.count == 2 }
    #expect(terminal.read.last?.contains("[20") == false)
    #expect(terminal.read.last?.hasPrefix("\"ab") == true && terminal.read.last?.hasSuffix("d\"") == true)
  }

  @Test func `what is longer than any token is refused, not cut`() throws {
    let terminal = try asked()
    terminal.type("\u{1B}[200~" + String(repeating: "x", count: SecretBytes.limit + 1) + "\u{1B}[201~\r")
    try terminal.wait { $0.screen.text.contains("longer than 64 KiB") && $0.screen.lines.last == "Password:" }
    terminal.type("short\r")
    try terminal.wait { $0.read.last == #""short""# }
  }

  @Test func `slips are taken back`() throws {
    let terminal = try asked()
    terminal.type("wrong\u{15}sé\u{7F}ecx\u{8}\u{1B}[D\u{1B}[Aret\t\r")
    try terminal.wait { $0.read.last == #""secret""# }
  }

  @Test func `Ctrl-C and Ctrl-D end it`() throws {
    let terminal = try asked()
    terminal.type("half\u{3}")
    try terminal.wait { $0.read.last == #"{"interrupted":true}"# && $0.screen.lines.last == "probe>" }
    terminal.type("secret\r")
    try terminal.wait { $0.screen.lines.last == "Password:" }
    terminal.type("\u{4}")
    try terminal.wait { $0.read.last == #"{"end":true}"# && $0.screen.lines.last == "probe>" }
  }

  @Test func `it is on no list, and what follows it is the next line`() throws {
    let terminal = try asked()
    terminal.type("hidden\rnext line\r")
    try terminal.wait { $0.read.count == 3 }
    #expect(terminal.read == [#""secret""#, #""hidden""#, #""next line""#])
    terminal.type("\u{1B}[A")
    try terminal.wait { $0.screen.lines.last == "probe> ship the old build" }
    #expect(!shown(by: terminal).contains("hidden"))
  }

  @Test(arguments: ["xterm", "dumb"]) func `what was typed before the prompt is neither the secret nor the next line`(
    _ kind: String
  ) throws {
    let terminal = try PseudoTerminal(["TERM": kind])
    try terminal.waitForPrompt()
    // In one go, and while something else is done.
    let done = FileManager.default.temporaryDirectory.appending(path: "typed-ahead-\(UUID())")
    defer { try? FileManager.default.removeItem(at: done) }
    terminal.type("work \(done.path)\rsecret\rhunter2\rhunter3")
    try terminal.wait { $0.screen.text.contains(kind == "dumb" ? "hunter3" : "working") }
    if kind != "dumb" { try terminal.waitUntilRead() }
    try Data().write(to: done)
    try terminal.wait {
      $0.screen.text.contains("what was typed before this prompt was discarded") && $0.screen.lines.last == "Password:"
    }
    terminal.type("real\rnext")
    try terminal.wait { $0.screen.lines.last == "probe> next" }
    terminal.type("\r")
    try terminal.wait { $0.read.last == #""next""# }
    #expect(terminal.read.suffix(3) == [#""secret""#, #""real""#, #""next""#])
    if kind == "xterm" { #expect(!shown(by: terminal).contains("hunter")) }
  }

  @Test func `an answer that is not shown leaves what was typed before it`() throws {
    let terminal = try PseudoTerminal()
    try terminal.waitForPrompt()
    terminal.type("unseen\rnext line\r")
    try terminal.wait { $0.screen.lines.last == "sure?" && !$0.isEchoing }
    terminal.type("hunter2\r")
    try terminal.wait { $0.read.count == 3 }
    #expect(terminal.read == [#""unseen""#, #""hunter2""#, #""next line""#])
    #expect(!shown(by: terminal).contains("hunter"))
  }

  @Test func `of two lines that are pasted at a one-line question the second is discarded, and not shown`() throws {
    let terminal = try PseudoTerminal()
    try terminal.waitForPrompt()
    terminal.type("name\r")
    try terminal.wait { $0.screen.lines.last == "name:" }
    terminal.type("\u{1B}[200~\rdemo\r\nhunter2\r\u{1B}[201~")
    try terminal.wait { $0.screen.lines.last == "name: demo" }
    #expect(terminal.screen.text.contains("pasted only the first line; discarded the rest"))
    terminal.type("\r")
    try terminal.wait { $0.read.last == #""demo""# && $0.screen.lines.last == "probe>" }
    #expect(!shown(by: terminal).contains("hunter"))
  }

  @Test func `a line feed enters the answer to a one-line question`() throws {
    let terminal = try PseudoTerminal()
    try terminal.waitForPrompt()
    terminal.type("name\r")
    try terminal.wait { $0.screen.lines.last == "name:" }
    terminal.type("demo\n")
    try terminal.wait { $0.read.last == #""demo""# && $0.screen.lines.last == "probe>" }
  }

  @Test(arguments: [SIGTERM, SIGHUP, SIGSEGV]) func `whatever ends it, the terminal is as it was`(_ signal: Int32)
    throws
  {
    let terminal = try PseudoTerminal()
    try terminal.waitForPrompt()
    terminal.type("secret\r")
    try terminal.wait { $0.screen.lines.last == "Password:" && !$0.isEchoing }
    terminal.type("half typed")
    terminal.send(signal)
    #expect(terminal.waitForEnd() == 128 + signal)
    #expect(terminal.modes == terminal.modesBefore)
    #expect(!terminal.screen.modes.contains("?2004"))
    // What the kernel had not handed on yet may be echoed once the terminal is as it was: it is no part of the secret.
  }

  @Test func `Ctrl-Z gives the terminal to the shell, and the secret goes on after`() throws {
    let script = #"set -m; "$PROBE"; stty -a | grep -o ' -*echo\b'; fg >/dev/null; echo "left with $?""#
    let terminal = try PseudoTerminal(arguments: ["/bin/bash", "-c", script])
    try terminal.waitForPrompt()
    terminal.type("secret\r")
    try terminal.wait { $0.screen.lines.last == "Password:" && !$0.isEchoing }
    terminal.type("first")
    terminal.type("\u{1A}")
    try terminal.wait { $0.screen.text.contains(" echo") && $0.screen.lines.last == "Password:" && !$0.isEchoing }
    terminal.type(" second\r")
    try terminal.wait { $0.read.last == #""first second""# }
    terminal.type("\u{4}")
    try terminal.wait { $0.screen.text.contains("left with 0") }
    #expect(!shown(by: terminal).contains("first") && !shown(by: terminal).contains("second"))
  }

  @Test func `a pipe gives one line, without a prompt`() throws {
    let terminal = try PseudoTerminal(
      arguments: ["/bin/bash", "-c", #"printf 'yes\ns3cret\r\nrest' | { "$PROBE"; cat; }; echo "; left""#],
      ["PROBE_ASK": "1"])
    try terminal.wait { $0.screen.text.contains("left") }
    #expect(terminal.read == [#""yes""#, #""s3cret""#])
    #expect(terminal.screen.text == "between\nrest; left")
  }
}

/// Questions of a run that is for one command.
@Suite(.ownThread) struct QuestionTests {
  @Test func `a question is asked with the line editor, and the terminal is given back between`() throws {
    let terminal = try PseudoTerminal(["PROBE_ASK": "1"])
    try terminal.wait { $0.screen.lines.last == "probe>" }
    terminal.type("yex\u{7F}s\r")
    try terminal.wait { $0.screen.lines == ["probe> yes", "between", "Password:"] && !$0.isEchoing }
    terminal.type("hidden\r")
    #expect(terminal.waitForEnd() == 0)
    #expect(terminal.read == [#""yes""#, #""hidden""#])
    #expect(terminal.modes == terminal.modesBefore)
    #expect(!terminal.screen.modes.contains("?2004"))
    #expect(!String(decoding: terminal.shown, as: UTF8.self).contains("hidden"))
  }

  @Test func `Ctrl-C answers a question`() throws {
    let terminal = try PseudoTerminal(["PROBE_ASK": "1"])
    try terminal.wait { $0.screen.lines.last == "probe>" }
    terminal.type("\u{3}")
    try terminal.wait { $0.read == [#"{"interrupted":false}"#] && $0.screen.lines.last == "Password:" }
    terminal.type("x\u{3}")
    #expect(terminal.waitForEnd() == 0)
    #expect(terminal.read.last == #"{"interrupted":true}"#)
  }
}

/// Where a secret is while it is typed.
struct SecretBytesTests {
  @Test func `what is taken back is gone, by whole characters`() {
    let secret = SecretBytes()
    secret.append("aé日".utf8)
    secret.removeLast()
    #expect(secret.text == "aé")
    secret.removeLast()
    #expect(secret.text == "a")
    secret.wipe()
    secret.removeLast()
    #expect(secret.text.isEmpty && secret.isEmpty)
  }

  @Test func `it holds 64 KiB, and says when more came`() {
    let secret = SecretBytes()
    secret.append([UInt8](repeating: 0x78, count: SecretBytes.limit))
    #expect(!secret.isTooLong && secret.text.utf8.count == 65_536)
    secret.append(CollectionOfOne(0x78))
    #expect(secret.isTooLong && !secret.isEmpty)
    secret.wipe()
    #expect(!secret.isTooLong && secret.isEmpty)
  }

  @Test func `line ends at its end are no part of it`() {
    let secret = SecretBytes()
    secret.append("\r\na\nb\r\n\n".utf8)
    #expect(secret.text == "\r\na\nb")
  }

  @Test func `a decoder of secrets decodes like any other`() {
    var plain = KeyDecoder()
    var secret = KeyDecoder(keepsSecrets: true)
    let typed = Array("a\u{1B}[200~pasted\u{1B}[201~é\u{1B}[Db".utf8)
    for byte in typed {
      plain.append(CollectionOfOne(byte))
      secret.append(CollectionOfOne(byte))
      #expect(plain.next() == secret.next())
    }
    #expect(secret.isEmpty && secret.takeRest().isEmpty)
  }
}
