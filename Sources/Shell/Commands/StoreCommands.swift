import Store
import Text
import Wire

/// The care of the history's file (docs/shell.md 4).
extension Commands {
  static let store = Command(
    "db", .history, summary: "look after the history's file",
    forms: [
      Form(.word("check"), summary: "look all of it over") { shell, match throws(ShellError) in
        try await check(match.asJSON, &shell)
      },
      Form(.word("backup"), .optional(.file), summary: "copy all of it, whoever writes") {
        shell, match throws(ShellError) in
        try await backUp(to: match.values.first, &shell)
      },
      Form(.word("vacuum"), summary: "give the disk back what is unused") { shell, _ throws(ShellError) in
        try await vacuum(&shell)
      },
      Form(.word("recover"), summary: "mend it, or save what can be read") { shell, _ throws(ShellError) in
        try await recover(&shell)
      },
    ],
    examples: ["/db check", "/db backup ~/history-backup.sqlite", "parley /db check --json"],
    details: """
      A backup is a history of its own: PARLEY_HOME can name a folder with it. Without a FILE it is put beside the \
      history, where the newest three are kept; /forget takes what is forgotten out of them, and /forget all removes them. A damaged file is set aside, never \
      deleted, and what can be read of it and of the newest backup goes on.
      """)

  private static func health(_ shell: inout Shell) async throws(ShellError) -> HistoryHealth {
    let waiting = shell.desk.waiting(for: "looking all of it over")
    defer { waiting.stop() }
    return try await shell.talk.fromHistory(shell.desk) { history throws(HistoryError) in try await history.health() }
  }

  private static func check(_ asJSON: Bool, _ shell: inout Shell) async throws(ShellError) {
    let health = try await health(&shell)
    if asJSON || shell.desk.options.output != .text {
      shell.desk.show([
        "problems": .array(health.problems.map(JSON.string)), "sessions": .int(health.sessions),
        "messages": .int(health.messages), "bytes": .int(health.bytes), "unusedBytes": .int(health.unusedBytes),
      ])
    } else if health.problems.isEmpty {
      shell.desk.show(
        .text(
          """
          sound: \(counts(health)), \(ByteSize.text(health.bytes)), of which \(ByteSize.text(health.unusedBytes)) are \
          unused

          """))
    }
    try health.requireSound()
  }

  private static func backUp(to path: String?, _ shell: inout Shell) async throws(ShellError) {
    let place = path.map(shell.desk.world.absolutePath)
    if let path, let place, shell.desk.world.fileFacts(place) != nil {
      throw .file(FileProblem(path: path, reason: "File exists", isWritten: true))
    }
    let copy: String
    do throws(ShellError) {
      copy = try await shell.talk.fromHistory(shell.desk) { history throws(HistoryError) in
        try await history.backUp(to: place)
      }
    } catch {
      guard let path, case .history(.unwritable(_, let reason)) = error else { throw error }
      throw .file(FileProblem(path: path, reason: reason, isWritten: true))
    }
    shell.desk.say("all of the history is in \(path ?? copy)")
  }

  private static func vacuum(_ shell: inout Shell) async throws(ShellError) {
    let before = try await health(&shell)
    try before.requireSound()
    let after = try await shell.talk.fromHistory(shell.desk) { history throws(HistoryError) in
      try await history.vacuum()
      return try await history.health()
    }
    shell.desk.say("\(ByteSize.text(before.bytes)) before, \(ByteSize.text(after.bytes)) now")
  }

  private static func recover(_ shell: inout Shell) async throws(ShellError) {
    if let repaired = try await repairSchema(&shell) { return shell.desk.say(repaired) }
    let before: HistoryHealth?
    do throws(ShellError) { before = try await health(&shell) } catch {
      guard case .history(.damaged) = error else { throw error }
      before = nil
    }
    if let before, before.problems.isEmpty {
      // It may have been set aside when it was opened for this.
      let wasDamaged = try await shell.talk.history(shell.desk).notices.contains {
        if case .quarantined = $0 { true } else { false }
      }
      return shell.desk.say(
        wasDamaged ? "the history has \(counts(before)) now" : "the history is sound: there is nothing to recover")
    }
    // What is made of the tables is made anew; only what is still wrong then is the tables'.
    do throws(ShellError) {
      try await shell.talk.fromHistory(shell.desk) { history throws(HistoryError) in try await history.rebuildIndexes()
      }
      return shell.desk.say("the indexes did not match, and were built again: nothing was lost")
    } catch {
      guard case .history(.damaged) = error else { throw error }
    }
    let after = try await reopen(&shell)
    try after.requireSound()
    shell.desk.say("the history has \(counts(after)) now")
  }

  /// Repairs a history that is not used because of its schema.
  /// - Returns: what was fixed; nil if there was nothing of the kind, or if more is wrong.
  private static func repairSchema(_ shell: inout Shell) async throws(ShellError) -> SafeText? {
    let problems = try await shell.talk.history(shell.desk).notices.lazy.compactMap { notice -> [String]? in
      if case .inMemory(.strangeSchema(let problems)) = notice { problems } else { nil }
    }.first
    guard let problems else { return nil }
    let after = try await reopen(&shell)
    let done: SafeText = "fixed: \(Wording.list(problems))"
    guard after.problems.isEmpty else {
      shell.desk.say(done)
      return nil
    }
    return done + "; the history has " + counts(after)
  }

  /// Closes the history and opens it again, which repairs it or sets it aside.
  private static func reopen(_ shell: inout Shell) async throws(ShellError) -> HistoryHealth {
    let history = try await shell.talk.history(shell.desk)
    History.repairWhenNextOpened(shell.desk.world.paths.history)
    await history.close()
    shell.talk.opened = nil
    return try await health(&shell)
  }

  private static func counts(_ health: HistoryHealth) -> SafeText {
    let sessions: SafeText = health.sessions == 1 ? "1 session" : "\(health.sessions) sessions"
    return sessions + (health.messages == 1 ? ", 1 message" : ", \(health.messages) messages")
  }
}

extension HistoryHealth {
  /// Throws `damagedHistory`.
  fileprivate func requireSound() throws(ShellError) {
    if let problem = problems.first { throw .damagedHistory(problem, others: problems.count - 1) }
  }
}
