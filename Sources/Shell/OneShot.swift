import Text
import Wire

/// What a command line asks for without a prompt (docs/shell.md 1).
extension Shell {
  /// Whether words that begin with `/` are a message all the same.
  package func isMessage(_ words: [String]) -> Bool {
    if case .message = Input(words: words, names: Commands.names, isPath: desk.world.fileExists) { true } else { false }
  }

  /// The message that words make; empty when they make none.
  package func messageText(_ words: [String]) -> String {
    let text = words.joined(separator: " ")
    return text.hasPrefix("//") ? String(text.dropFirst()) : text
  }

  package mutating func complainAboutNothingToSend() {
    fail(Complaint("there is nothing to send", hint: "parley --help shows the ways to say it", .usage))
  }

  /// No text has a NUL, and hardly an image or a program has none.
  package mutating func complainAboutBinaryInput() {
    fail(Complaint("standard input is not text", hint: "parley --attach FILE \"…\" sends an image along", .usage))
  }

  package func warnAboutRepairedInput() { desk.warn(Wording.repaired("standard input")) }

  /// Standard input is one message. A command in its first line may have been meant to run.
  package func noteCommand(in piped: String) {
    let line = String(piped.prefix { !$0.isNewline })
    guard case .command = Input(line, names: Commands.names, isPath: desk.world.fileExists) else { return }
    desk.say("standard input is sent as one message; to run its lines as commands, use parley -f -", .warning)
  }

  package func noteSilentPipe() {
    desk.say("standard input is silent: going on without it (- waits for it, --no-stdin never looks)")
  }

  package func noteUnreadInput() {
    desk.say(
      "standard input was not read: only a message takes it along, as in: … | parley \"summarize this\"", .warning)
  }

  /// Runs a file of lines.
  package mutating func run(file path: String) async {
    do throws(ShellError) {
      await run(ScriptLines(try await desk.scriptLines(in: path)), script: path)
    } catch {
      fail(Complaint(error))
    }
  }

  /// Whether more lines may follow.
  package var goesOn: Bool {
    !hasQuit && !desk.endsScripts && desk.failure != .scriptStopped && desk.failure != .interrupted
  }
}
