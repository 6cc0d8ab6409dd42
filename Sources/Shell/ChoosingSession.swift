import Chat
import Store
import Text

/// `/resume` without a name: the person chooses one of the latest sessions, of whatever server.
extension Shell {
  /// Nothing changes before one is chosen; Ctrl-C and Ctrl-D leave everything as it is.
  mutating func resumeChosen() async throws(ShellError) -> Next {
    let room = SessionChoice.room(rows: desk.world.terminal.traits.rows)
    let (newest, count) = try await talk.fromHistory(desk) { history throws(HistoryError) in
      (try await history.newest(room + 1), try await history.count())
    }
    let here = talk.conversation.isStored ? talk.conversation.session.id : nil
    // Where there is but one, there is nothing to ask.
    guard newest.count > 1 else {
      return try await resume(newest.first.flatMap { $0.id == here ? nil : $0.id.text })
    }
    let others = newest.filter { $0.id != here }
    let listed = Array(others.prefix(room))
    let name: String
    do throws(ShellError) {
      name = try await chosen(from: listed, more: max(0, count - listed.count - (here == nil ? 0 : 1)))
    } catch {
      guard case .interrupted = error, desk.world.terminal.endingSignal == nil else { throw error }
      desk.say("left as it is")
      return .prompt
    }
    return try await resume(name)
  }

  /// Asks until one is meant; words that several sessions have list those. Throws `interrupted`.
  /// - Returns: what it is called.
  private mutating func chosen(
    from listed: [SessionSummary], more: Int
  ) async throws(ShellError) -> String {
    var (listed, more) = (listed, more)
    list(listed, more: more)
    while true {
      let line = try await desk.answer(
        to: SessionChoice.question,
        complete: { [completer = completer()] line, cursor in completer.completeSession(line, cursor) })
      let number = line.isEmpty ? 1 : Int(line) ?? 0
      if (1...max(1, listed.count)).contains(number) { return listed[number - 1].id.text }
      if Int(line) != nil, line.utf8.count < 4 {
        desk.say("there is no \(line) on the list", .error)
        continue
      }
      if line.hasPrefix("/") {
        desk.say("a session is asked for; Ctrl-C leaves the list, for a command", .warning)
        continue
      }
      switch try await talk.fromHistory(
        desk, { history throws(HistoryError) in try await history.session(matching: line) })
      {
      case .one(let session): return session.id.text
      case .several(let found, let count):
        let open = found.filter { !$0.isArchived && $0.id != talk.conversation.session.id }
        if open.count == 1, count <= found.count { return open[0].id.text }
        let fitting = open.isEmpty ? found : open
        listed = Array(fitting.prefix(SessionChoice.room(rows: desk.world.terminal.traits.rows)))
        more = fitting.count - listed.count + count - found.count
        list(listed, more: more)
      // One that only the server has is named by the same words.
      case .none where links.front?.backend.showsConversations == true: return line
      case .none: desk.say(Complaint(.unknown(.session, line, nearest: [])).text, .error)
      }
    }
  }

  private func list(_ sessions: [SessionSummary], more: Int) {
    let terminal = desk.world.terminal
    terminal.write(
      SessionChoice.text(sessions, now: desk.world.now(), columns: terminal.traits.columns), to: .notices)
    if more > 0 { desk.say("and \(more) more, found by words of a title") }
  }
}
