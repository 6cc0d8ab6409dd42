import Foundation
import TestSupport
import Testing

@testable import Console

/// Runs without a person: lines from a pipe, answers into one.
@Suite(.ownThread) struct StreamTests {
  @Test func `lines come from a pipe one by one, without line ends and byte-order mark`() throws {
    let terminal = try script(
      #"printf '\xef\xbb\xbfone\r\n\nprint ü\nlast' | "$PROBE" > "$HOME/out"; echo "left with $?""#)
    try terminal.wait { $0.screen.text.contains("left with 0") }
    #expect(terminal.read == [#""one""#, #""""#, #""print ü""#, #""last""#, #"{"end":true}"#])
  }

  @Test func `no escape code reaches a file`() throws {
    let terminal = try script(
      #"printf 'print x\nstatus\n' | "$PROBE" > "$HOME/out" 2> "$HOME/err"; cat -v "$HOME/out" "$HOME/err"; echo done"#)
    try terminal.wait { $0.screen.text.contains("done") }
    #expect(terminal.screen.text == "x\ndone")
  }

  @Test(arguments: ["INT", "TERM", "HUP"]) func `a signal without anybody to ask ends the process`(_ name: String)
    throws
  {
    let terminal = try script(
      #"mkfifo "$HOME/in"; (trap - INT; exec "$PROBE" < "$HOME/in") & exec 3> "$HOME/in"; echo print begun >&3; wait_for"#
        .replacing("wait_for", with: #"read -r; kill -\#(name) $!; wait $!; echo "left with $?""#))
    try terminal.wait { $0.screen.text.contains("begun") }
    terminal.type("\r")
    let status = ["INT": 130, "TERM": 143, "HUP": 129][name] ?? 0
    try terminal.wait { $0.screen.text.contains("left with \(status)") }
  }

  @Test func `a reader that goes away ends the process quietly`() throws {
    let terminal = try script(
      #"set -o pipefail; (while echo print more; do :; done) 2>/dev/null | "$PROBE" | head -n 2; echo "${PIPESTATUS[1]}.""#
    )
    try terminal.wait { $0.screen.text.contains("141.") }
    #expect(terminal.screen.text == "more\nmore\n141.")
  }

  @Test func `a status passes and leaves nothing`() throws {
    let terminal = try PseudoTerminal()
    try terminal.waitForPrompt()
    terminal.type("status\r")
    try terminal.wait { $0.screen.text == "probe> status\nprobe>" }
    #expect(String(decoding: terminal.shown, as: UTF8.self).contains("\rpassing"))
  }

  private func script(_ words: String) throws -> PseudoTerminal {
    try PseudoTerminal(arguments: ["/bin/bash", "-c", words], ["PROBE_PLAIN": "1"])
  }
}
