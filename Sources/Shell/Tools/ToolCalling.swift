import Chat
import Store
import Text

/// The calls of a round while they run.
extension Toolbox {
  /// Runs those that may, all at once, and keeps what comes of each; false when the person stopped it.
  mutating func run(
    _ allowed: [Int], of turn: inout TurnUnderWay, _ links: inout Links, _ desk: inout Desk
  ) async -> Bool {
    var waiting = allowed
    var settled: [String: Settled] = [:]
    while !waiting.isEmpty {
      guard let failed = await runOnce(waiting, of: &turn, &links, &desk) else { return false }
      waiting = []
      // What stands in the way of several calls is settled once, and for all of them.
      var isRemoved: [Obstacle: Bool] = [:]
      for (index, error) in failed {
        guard let server = offered(index, turn)?.server, let obstacle = Obstacle(error, of: server) else { continue }
        do throws(ShellError) {
          if isRemoved[obstacle] == nil {
            isRemoved[obstacle] = false
            isRemoved[obstacle] = try await settle(
              error, of: server, &turn, &settled[server.id, default: Settled()], &links, &desk)
          }
        } catch {
          if case .interrupted = error { return false }
          desk.say(Complaint(error).text, .warning)
        }
        if isRemoved[obstacle] == true {
          waiting.append(index)
        } else {
          await conclude(error, call: index, milliseconds: nil, &turn, desk)
        }
      }
    }
    return true
  }

  private func offered(_ index: Int, _ turn: TurnUnderWay) -> OfferedTool? {
    turn.offered.tool(called: turn.calls[index].call.name)
  }

  /// Those that failed for a reason that the person may remove; nil when the person stopped them all.
  private mutating func runOnce(_ indices: [Int], of turn: inout TurnUnderWay, _ links: inout Links, _ desk: inout Desk)
    async -> [(Int, ToolError)]?
  {
    var runs: [(index: Int, run: ToolRun)] = []
    for index in indices {
      guard let offered = offered(index, turn), case .object(let arguments) = turn.calls[index].call.arguments else {
        continue
      }
      runs.append((index, offered.connection.call(offered.ownName, arguments)))
    }
    let running = RunningCalls(runs, uptime: desk.world.uptime)
    let indicator = ToolIndicator(
      on: desk.world.terminal, marks: desk.marks, isQuiet: desk.options.isQuiet, uptime: desk.world.uptime,
      pause: desk.world.pause)
    desk.world.terminal.whenInterrupted { _ in running.stop() }
    defer {
      desk.world.terminal.whenInterrupted(nil)
      indicator.stop()
    }
    var removable: [(Int, ToolError)] = []
    var wasStopped = false
    for await event in running.events {
      let index = event.index
      guard let offered = offered(index, turn) else { continue }
      switch event.kind {
      case .began:
        desk.observer?.happened(.running(turn.calls[index].call.id))
        indicator.begin(index, ToolWording.running(offered))
      case .happened(.progress(let progress)): indicator.progress(index, ToolWording.progress(progress))
      case .happened(.log(let level, let text)):
        if desk.options.isVerbose { indicator.aside { desk.say("\(offered.server.name): \(level): \(text)") } }
      case .happened(.question(let question)):
        indicator.hide()
        desk.world.terminal.whenInterrupted(nil)
        // A Ctrl-C before ended the calls, and this one with them; from here on it ends the question.
        question.reply(running.isStopped ? .cancel : await reply(to: question, of: offered.server, desk))
        desk.world.terminal.whenInterrupted { _ in running.stop() }
        indicator.show()
      case .happened(.finished(let result)):
        indicator.end(index)
        await conclude(result, call: index, milliseconds: event.milliseconds, &turn, desk)
      case .ended(let error):
        indicator.end(index)
        guard turn.calls[index].result == nil else { continue }
        let error = error ?? .malformed("the call ended without a result")
        if case .cancelled = error { wasStopped = true }
        if Obstacle(error, of: offered.server) != nil {
          removable.append((index, error))
        } else {
          await conclude(error, call: index, milliseconds: event.milliseconds, &turn, desk)
        }
      }
    }
    return wasStopped || running.isStopped ? nil : removable
  }

  /// Keeps a result, and says in a line what came.
  mutating func conclude(
    _ result: ToolResult, call index: Int, milliseconds: Int?, _ turn: inout TurnUnderWay, _ desk: Desk
  ) async {
    let limit = desk.preferences.toolResultLimit
    let text = ResultText.text(result, limit: limit)
    let stored = StoredResult(
      result.isError ? .failed : .done, text: text, whole: ResultText.whole(result, text: text),
      milliseconds: milliseconds)
    await keep(stored, call: index, &turn, desk)
    desk.sayOfTurn(
      ToolWording.result(result, of: turn.calls[index], marks: desk.marks, columns: desk.noticeColumns),
      result.isError ? .warning : .good)
    desk.show(imagesOf: result.content)
    guard desk.options.isInteractive, !grants.hasSaidWhereResultsAre else { return }
    grants.hasSaidWhereResultsAre = true
    desk.sayOfTurn("/tools result shows it whole")
  }

  private mutating func conclude(
    _ error: ToolError, call index: Int, milliseconds: Int?, _ turn: inout TurnUnderWay, _ desk: Desk
  ) async {
    guard let offered = offered(index, turn) else { return }
    let complaint = Complaint(error, server: offered.server.name)
    let name = turn.calls[index].call.name
    // Nobody stopped a call that ended with the program.
    let isOver = if case .cancelled = error.status { desk.world.terminal.endingSignal != nil } else { false }
    let words = isOver ? ResultText.ended : error.words(tool: name, complaint)
    let stored = StoredResult(error.status, text: words, milliseconds: milliseconds)
    await keep(stored, call: index, &turn, desk)
    if error.status == .cancelled { return desk.sayOfTurn(ToolWording.stopped(name, marks: desk.marks), .warning) }
    desk.sayOfTurn(ToolWording.failure(error, tool: name, complaint, marks: desk.marks), .warning)
    if let hint = complaint.hint { desk.sayOfTurn(desk.asTyped(hint)) }
  }
}

extension ToolError {
  /// As it is kept.
  var status: StoredResult.Status {
    switch self {
    case .server(.cancelled), .cancelled: .cancelled
    case .server(let error) where error.isUnreadable: .failed
    case .server, .signInNeeded, .inTheClear, .notStarted, .exited, .noSharedVersion, .lost: .unavailable
    case .timedOut: .timedOut
    case .refused, .notOffered, .malformed: .failed
    }
  }

  /// What the model is told: nothing about the person's own affairs.
  fileprivate func words(tool: String, _ complaint: Complaint) -> String {
    switch status {
    case .failed where isUnreadable: "The result of \(tool) cannot be read: the call may have been carried out."
    case .cancelled: "The person stopped this call before it ended. It may have been carried out in part."
    case .unavailable:
      if case .lost = self {
        "The connection to \(tool) ended during the call: it may have been carried out, and it may not."
      } else {
        "The tool \(tool) is unavailable. Go on without it."
      }
    case .timedOut: "The tool \(tool) gave no result in time. The call was cancelled."
    default: "The tool failed: \(complaint.text.string)"
    }
  }

  /// Whether something came, over whatever wire, that is no result.
  private var isUnreadable: Bool {
    switch self {
    case .malformed: true
    case .server(let error): error.isUnreadable
    default: false
    }
  }
}
