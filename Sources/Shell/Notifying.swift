import Chat
import Store
import Text

/// Telling somebody who looks elsewhere that a long answer is over (`notify`, docs/screen.md 6).
extension Shell {
  /// - Parameter seconds: how long it took.
  mutating func notify(_ status: AnswerStatus, after seconds: Double) {
    guard desk.isAtPrompt, status != .interrupted, let way = desk.preferences.word("notify"), way != "off",
      seconds >= desk.preferences.number("notify-after") ?? 0
    else { return }
    let name = SessionPage.name(talk.conversation.session, talk.conversation.path)
    switch way {
    case "bell": desk.world.terminal.call(.bell)
    case "osc9":
      desk.world.terminal.call(
        .message("parley: \(name.cut(to: 40)): \(status.rawValue) after \(Int(seconds)) s"))
    default:
      let command = ChildCommand(
        ["/bin/sh", "-c", way],
        variables: [
          "PARLEY_STATUS": status.rawValue, "PARLEY_SECONDS": String(Int(seconds)), "PARLEY_SESSION": name.string,
        ])
      do throws(ChildError) {
        try desk.world.terminal.start(command) { [failure = desk.notifyFailure] status in
          if status != 0 { failure.withLock { $0 = status } }
        }
      } catch {
        desk.complain(Complaint(.child(error)))
      }
    }
  }

  /// Nothing waits for the command: that it failed is said before a later prompt.
  func tellOfNotifying() {
    guard desk.isAtPrompt, let status = desk.notifyFailure.withLock({ $0.take() }) else { return }
    desk.say("the command of `notify` ended with exit status \(status)", .warning)
  }
}

extension Commands {
  /// Refuses a single word for `notify` that is no program: it is a slip for `bell`, and would fail unseen.
  static func requireProgram(inNotify text: String, _ setting: Setting, _ desk: Desk) throws(ShellError) {
    let word = text.trimmed
    guard !word.isEmpty, !setting.choices.contains(word.lowercased()),
      // What else stands in it is for the shell to read.
      word.allSatisfy({ $0.isLetter || $0.isNumber || "._-/+".contains($0) }),
      case .failure = desk.world.findProgram(word)
    else { return }
    let nearest = Nearest.words(to: word, among: setting.choices)
    throw .preferences(.setting(.noProgram(key: setting.key, word, nearest: nearest, accepted: setting.accepted)))
  }
}
