import Chat
import Store
import Text

/// What an agent does is kept when it begins and when it has ended, as calls of tools are.
extension Talk {
  func keep(
    _ activity: Activity, after incoming: IncomingAnswer, in turn: inout TurnUnderWay, of agent: Server, _ desk: Desk
  ) async {
    if turn.activities[activity.id] == nil {
      let (text, reasoning) = incoming.takeStep()
      let step = ToolStep(text: text, reasoning: reasoning, calls: [StoredCall(activity, of: agent)])
      let index = turn.add(step)
      var place = AgentSteps.Step(index: index, kept: nil, activity: activity)
      if let kept = turn.kept {
        place.kept = await noteFailure(desk) { () throws(HistoryError) in try await kept.history.step(kept.turn, step) }
      }
      turn.activities[activity.id] = place
    }
    if let place = turn.activities[activity.id], place.activity.input == nil, activity.input != nil {
      await keepInput(of: activity, at: place, in: &turn, of: agent, desk)
    }
    turn.activities[activity.id]?.activity = activity
    if activity.status.isOver { await conclude(activity, in: &turn, desk) }
  }

  /// Some agents say what a call is given when it has begun.
  private func keepInput(
    of activity: Activity, at place: AgentSteps.Step, in turn: inout TurnUnderWay, of agent: Server, _ desk: Desk
  ) async {
    let call = StoredCall(activity, of: agent)
    turn.set(call, ofStep: place.index)
    guard let kept = turn.kept, let step = place.kept else { return }
    _ = await noteFailure(desk) { () throws(HistoryError) in try await kept.history.setCalls([call], of: step) }
  }

  /// Ends the activities that still run when the turn ends.
  /// - Parameter endedWell: whether the server ended the turn itself, so that their results were just not reported.
  func concludeActivities(of turn: inout TurnUnderWay, endedWell: Bool, _ desk: Desk) async {
    for step in turn.activities.open {
      var activity = step.activity
      activity.status = endedWell ? .unreported : .stopped
      await conclude(activity, in: &turn, desk)
    }
  }

  private func conclude(_ activity: Activity, in turn: inout TurnUnderWay, _ desk: Desk) async {
    guard let step = turn.activities[activity.id] else { return }
    let result = StoredResult(activity, text: ActivityPage.summary(activity).string)
    turn.set(result, ofStep: step.index)
    turn.activities[activity.id]?.isOver = true
    guard let kept = turn.kept, let place = step.kept else { return }
    _ = await noteFailure(desk) { () throws(HistoryError) in try await kept.history.result(place, call: 0, result) }
  }

  /// A history that fails stops no turn.
  private func noteFailure<T>(_ desk: Desk, _ keep: () async throws(HistoryError) -> T) async -> T? {
    do throws(HistoryError) { return try await keep() } catch {
      desk.say("what the agent did is not kept: \(Complaint(error).text)", .warning)
      return nil
    }
  }

  /// Keeps what the server calls the conversation.
  mutating func keepRemote(_ name: String, _ desk: Desk) async {
    guard conversation.session.remote != name else { return }
    conversation.session.remote = name
    // It was begun here: nothing came to it elsewhere.
    conversation.isCaughtUp = true
    guard conversation.isStored, let opened else { return }
    do throws(HistoryError) { try await opened.setRemote(name, of: conversation.session.id) } catch {
      desk.say("what the server calls this session is not kept: \(Complaint(error).text)", .warning)
    }
  }

  /// A name that the server gives, where the person gave none.
  mutating func keepTitle(_ title: String?, _ desk: Desk) async {
    guard !conversation.session.titleIsManual, let title, !title.isEmpty, title != conversation.session.title else {
      return
    }
    conversation.session.title = title
    guard conversation.isStored, let opened else { return }
    // Its opening words stand for it.
    try? await opened.setTitle(title, of: conversation.session.id, isManual: false)
  }
}
