import Chat
import Store
import Text
import Wire

/// `/tools result`: everything that was only summed up while it ran.
extension Talk {
  /// Prints what the tools of a turn gave, whole; of the last turn that had some, when none is named.
  mutating func showToolResults(_ handle: String?, asJSON: Bool, _ links: inout Links, _ desk: inout Desk)
    async throws(ShellError)
  {
    try await takeUpLatest(&links, &desk)
    let named = try await turn(handle, command: "tools", desk)
    let turn = named ?? conversation.path.last { !$0.steps.isEmpty }
    let calls = turn?.steps.flatMap(\.calls) ?? []
    if asJSON || desk.options.output != .text {
      try desk.write(long: JSON.array(calls.map(AnswerJSON.whole)))
      return
    }
    guard let turn, !calls.isEmpty else {
      desk.say(handle == nil ? "no tool was called in this session" : "no tool was called in turn \(turn?.number ?? 0)")
      return
    }
    for (index, call) in calls.enumerated() {
      let page = ToolResultPage.text(call, turn: turn.number, isFirst: index == 0, columns: desk.wrapColumns)
      try await desk.show(long: page)
      desk.show(imagesOf: call.result)
    }
  }
}
