package import Chat
import GRDB
import Wire

/// What came of keeping a conversation as its server has it.
package struct TakenIn: Sendable, Equatable {
  package var session: SessionID
  /// Whether nothing of it was kept before.
  package var isNew: Bool
  /// Turns that were not here.
  package var added = 0
  /// Answers that have gone on there.
  package var grown = 0
  /// The numbers of those that read otherwise there: what is there is kept beside them.
  package var changed: [Int] = []
  /// The numbers of those that are not there any more; they stay here.
  package var gone: [Int] = []
  /// The one whose answer is being written there.
  package var running: TurnID?
}

extension History {
  /// Keeps a conversation as its server has it: what is not here is added, what goes on from what is here replaces it, and
  /// nothing else is written over. The session then goes on from where the server does.
  /// - Parameter steps: what was done for an answer, as a step of its turn.
  package func takeIn(
    _ remote: RemoteSession, of server: Server, steps: @escaping @Sendable (Activity) -> ToolStep
  ) async throws(HistoryError) -> TakenIn {
    let moment = now()
    return try await change { db in
      try TakingIn(db: db, remote: remote, server: server, moment: moment, steps: steps).run()
    }
  }

  /// What the server calls the two messages of a turn; nil when it does not have them any more.
  package func setRemote(_ name: RemoteName?, of turn: TurnID) async throws(HistoryError) {
    try await change { db in
      try db.execute(
        sql: "UPDATE turn SET remote_question = ?, remote_answer = ? WHERE key = ?",
        arguments: [name?.question, name?.answer, turn.key])
      guard db.changesCount > 0 else { throw HistoryError.noTurn }
    }
  }
}

/// The rows of a conversation that a server keeps.
private struct TakingIn {
  let db: Database
  let remote: RemoteSession
  let server: Server
  let moment: Int
  let steps: (Activity) -> ToolStep

  func run() throws -> TakenIn {
    let found = try Row.fetchOne(
      db,
      sql: "SELECT key, id FROM session WHERE remote = ? AND server_url = ? ORDER BY updated_at DESC, key DESC LIMIT 1",
      arguments: [remote.id, server.url])
    let session: Int64 = try found?.value("key") ?? insertSession()
    let id = try String.fetchOne(db, sql: "SELECT id FROM session WHERE key = ?", arguments: [session]) ?? ""
    var taken = TakenIn(session: SessionID(id), isNew: found == nil)
    var local = try LocalTurns(of: session, in: db)
    for turn in remote.turns { try take(turn, in: session, &local, &taken) }
    taken.gone = try forgetGone(&local)
    // Where nothing is left there, the next message is the first.
    let there = remote.turns.isEmpty ? nil : remote.head.flatMap { local.places[$0] } ?? local.last
    let head = try waiting(behind: there, in: session, local, besides: taken.gone) ?? there
    try db.execute(
      sql: """
        UPDATE session SET head = ?1, updated_at = min(max(updated_at, ?2), ?6), model = coalesce(?3, model),
          title = CASE WHEN title_is_manual OR ?4 IS NULL THEN title ELSE ?4 END WHERE key = ?5
        """,
      arguments: [
        head?.key, remote.updatedAt ?? moment, remote.model, remote.turns.isEmpty ? nil : remote.title, session, moment,
      ])
    return taken
  }

  /// The question that the session stands at, when it has not arrived there, and the server stands where it was asked: it
  /// is still to be asked again.
  /// - Parameter gone: the numbers of turns that were deleted there, which are not to be asked again.
  private func waiting(
    behind there: TurnID?, in session: Int64, _ local: LocalTurns, besides gone: [Int]
  ) throws -> TurnID? {
    let head = try Int64.fetchOne(db, sql: "SELECT head FROM session WHERE key = ?", arguments: [session])
    guard let turn = local.turns.first(where: { $0.id.key == head }), turn.remote == nil, turn.parent == there,
      turn.text.isEmpty, turn.status?.isUnfinished ?? true, !gone.contains(turn.number)
    else { return nil }
    return turn.id
  }

  /// What is not there any more is a turn like others, and told once.
  private func forgetGone(_ local: inout LocalTurns) throws -> [Int] {
    let (answers, names) = (Set(remote.turns.compactMap(\.name.answer)), Set(remote.turns.map(\.name)))
    let gone = local.turns.filter { turn in
      guard let name = turn.remote else { return false }
      return name.answer.map { !answers.contains($0) } ?? !names.contains(name)
    }
    for turn in gone { try local.name(turn.id, nil, in: db) }
    return gone.map(\.number)
  }

  private func insertSession() throws -> Int64 {
    let began = remote.turns.compactMap(\.createdAt).min() ?? remote.updatedAt ?? moment
    let values: [(any DatabaseValueConvertible)?] = [
      SessionID.random().text, remote.title, remote.turns.first.map { FirstWords.of($0.question) } ?? "",
      remote.systemPrompt, server.name, server.url, server.kind, remote.model, remote.id, began,
      remote.updatedAt ?? began,
    ]
    try db.execute(
      sql: """
        INSERT INTO session (id, title, opening, system_prompt, server_name, server_url, server_kind, model, remote,
          created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """, arguments: StatementArguments(values))
    return db.lastInsertedRowID
  }

  private func take(
    _ turn: RemoteTurn, in session: Int64, _ local: inout LocalTurns, _ taken: inout TakenIn
  ) throws {
    let parent = turn.parent.flatMap { local.places[$0] }
    defer { if turn.status == .running { taken.running = turn.name.answer.flatMap { local.places[$0] } } }
    if let known = local.turn(of: turn, behind: parent) {
      switch known.answer(seen: turn) {
      case .same: return try local.name(known.id, turn.name, in: db)
      case .grown(let rest):
        try local.name(known.id, turn.name, in: db)
        if try grow(known, to: rest, turn) { taken.grown += 1 }
        return
      case .other:
        taken.changed.append(known.number)
        try local.name(known.id, nil, in: db)
      }
    }
    try insert(turn, behind: parent, in: session, &local)
    taken.added += 1
  }

  /// False where another process writes it: its own end comes.
  private func grow(_ known: LocalTurns.Known, to text: String, _ turn: RemoteTurn) throws -> Bool {
    var answer = turn.answer(text, of: server)
    // A server may keep less of what the model thought.
    if answer.reasoning.rest(behind: known.reasoning) == nil { answer.reasoning = known.reasoning }
    do {
      // What is here may differ in its blanks.
      try Answering(db: db, turn: known.id, moment: moment).finish(answer, isKnownBetter: true)
      return true
    } catch HistoryError.answeredElsewhere {
      return false
    }
  }

  private func insert(
    _ turn: RemoteTurn, behind parent: TurnID?, in session: Int64, _ local: inout LocalTurns
  ) throws {
    let key = try db.freshTurnKey()
    let (id, made) = (TurnID(key: key), turn.createdAt ?? moment)
    local.lastNumber = min(local.lastNumber, Int(Int32.max)) + 1
    try db.execute(
      sql: "INSERT INTO turn (key, session, parent, number, created_at) VALUES (?, ?, ?, ?, ?)",
      arguments: [key, session, parent?.key, local.lastNumber, made])
    try db.execute(
      sql: "INSERT INTO message (id, turn, position, role, content, created_at) VALUES (?, ?, 0, 'user', ?, ?)",
      arguments: [randomID(), key, turn.question.keepable, made])
    let answering = Answering(db: db, turn: id, moment: made)
    for activity in turn.activities { _ = try answering.add(steps(activity)) }
    if turn.name.answer != nil { try answering.finish(turn.answer(turn.text, of: server)) }
    try local.name(id, turn.name, in: db)
    local.last = id
  }
}

/// The turns of a session that are here.
private struct LocalTurns {
  struct Known {
    let id: TurnID
    let number: Int
    let parent: TurnID?
    let question: String
    /// With what was said before each step of it.
    let text: String
    /// What of that is the answer's own.
    let ownText: String
    /// What was said before its steps.
    let stepText: String
    let reasoning: String
    let status: AnswerStatus?
    let isWrittenElsewhere: Bool
    var remote: RemoteName?

    enum Comparison {
      case same
      /// What the answer's own text is now.
      case grown(String)
      case other
    }

    /// Blanks count for nothing: where something was done in between, either side breaks the text in its own way.
    func answer(seen turn: RemoteTurn) -> Comparison {
      if isWrittenElsewhere { return .same }
      let isOpen = status?.isUnfinished ?? true
      guard let rest = turn.text.rest(behind: text) else {
        return turn.status == .running && text.rest(behind: turn.text) != nil ? .same : .other
      }
      let isLonger = !rest.allSatisfy(\.isWhitespace)
      if !isLonger { return turn.status == .complete && isOpen && turn.name.answer != nil ? .grown(ownText) : .same }
      guard isOpen else { return .other }
      // As the server has it, without what stands in earlier steps.
      if stepText.isEmpty { return .grown(turn.text) }
      let own = turn.text.rest(behind: stepText) ?? rest
      return .grown(String(own.drop(while: \.isNewline)))
    }
  }

  private(set) var turns: [Known]
  /// Where the answers are, by the server's names.
  private(set) var places: [String: TurnID] = [:]
  var lastNumber: Int
  var last: TurnID?

  init(of session: Int64, in db: Database) throws {
    let kept = try db.turns(Turn.select + " WHERE turn.session = ? ORDER BY turn.number", [session])
    turns = try kept.map { turn in
      let before = turn.steps.map(\.text).joined()
      let own = turn.answer?.text ?? ""
      return Known(
        id: turn.id, number: turn.number, parent: turn.parent, question: turn.question, text: before + own,
        ownText: own, stepText: before, reasoning: turn.answer?.reasoning ?? "",
        status: turn.answer?.status,
        isWrittenElsewhere: try LastWriter(of: turn.id, in: db)?.isWritingElsewhere == true, remote: turn.remote)
    }
    lastNumber = turns.map(\.number).filter { 0...Int(Int32.max) ~= $0 }.max() ?? 0
    for turn in turns { if let answer = turn.remote?.answer { places[answer] = turn.id } }
  }

  /// The one that a server's turn is, by its name; else one without a name in the same place, that says the same.
  func turn(of remote: RemoteTurn, behind parent: TurnID?) -> Known? {
    if let answer = remote.name.answer {
      if let id = places[answer] { return turns.first { $0.id == id } }
    } else if let known = turns.first(where: { $0.remote?.question == remote.name.question && $0.remote?.answer == nil }
    ) {
      return known
    }
    return turns.first { turn in
      guard turn.remote?.answer == nil, turn.parent == parent, turn.question == remote.question else { return false }
      if case .other = turn.answer(seen: remote) { return false }
      return true
    }
  }

  mutating func name(_ id: TurnID, _ name: RemoteName?, in db: Database) throws {
    if let index = turns.firstIndex(where: { $0.id == id }) { turns[index].remote = name }
    if let answer = name?.answer { places[answer] = id }
    try db.execute(
      sql: "UPDATE turn SET remote_question = ?, remote_answer = ? WHERE key = ?",
      arguments: [name?.question, name?.answer, id.key])
  }
}

extension RemoteTurn {
  fileprivate func answer(_ text: String, of server: Server) -> StoredAnswer {
    let status: AnswerStatus =
      switch self.status {
      case .complete: .complete
      case .interrupted, .running: .interrupted
      case .failed: .failed
      }
    return StoredAnswer(text: text, reasoning: reasoning, status: status, model: model, server: server.name)
  }
}
