import Chat
import Text

/// Telling somebody who looks elsewhere that a long answer is over (`notify`, docs/screen.md 6).
extension Shell {
  /// - Parameter seconds: how long it took.
  mutating func notify(_ status: AnswerStatus, after seconds: Double) async {
    guard desk.isAtPrompt, status != .interrupted, let way = desk.preferences.word("notify"), way != "off",
      seconds >= desk.preferences.number("notify-after") ?? 0
    else { return }
    let name = talk.conversation.session.title ?? links.front?.server.name ?? "parley"
    switch way {
    case "bell": desk.world.terminal.call(.bell)
    case "osc9":
      desk.world.terminal.call(
        .message(Filter.inline("parley: \(name): \(status.rawValue) after \(Int(seconds)) s", width: 60)))
    default:
      let command = ChildCommand(
        ["/bin/sh", "-c", way],
        variables: [
          "PARLEY_STATUS": status.rawValue, "PARLEY_SECONDS": String(Int(seconds)),
          "PARLEY_SESSION": Filter.inline(name).string,
        ])
      do throws(ChildError) {
        let (exit, _) = try await desk.world.terminal.run(command, captureLimit: nil)
        if exit != 0 { desk.say("the command of `notify` ended with exit status \(exit)", .warning) }
      } catch {
        desk.complain(Complaint(.child(error)))
      }
    }
  }
}
