import Chat
import Store

/// What the history has not taken yet and is offered again: turns, wherever the talk has gone since, and ends of answers.
struct Unkept {
  /// In the order in which they were asked; what one follows may be another of them.
  private(set) var turns: [Turn] = []
  /// Of turns that the history has: the newest of each.
  private(set) var ends: [End] = []
  /// The sessions of the turns as they were last. The head of one is where it stands, which may be one of the turns.
  private var sessions: [SessionID: Session] = [:]

  /// How an answer ended.
  struct End {
    let turn: TurnID
    /// The number people see.
    let number: Int
    let answer: StoredAnswer
  }

  var isEmpty: Bool { turns.isEmpty && ends.isEmpty }

  /// What names one more turn.
  var nextID: TurnID { .unkept((turns.map(\.id.key).min() ?? 0) - 1) }

  /// The number of one more turn, which the history may give to another meanwhile.
  func nextNumber(in session: SessionID, after last: Int?) -> Int {
    1 + max(last ?? 0, turns(of: session).map(\.number).max() ?? 0)
  }

  /// Takes a turn to be kept, or what became of it since.
  mutating func put(_ turn: Turn, in session: Session) {
    if !turns.contains(where: { $0.id == turn.id }) { turns.append(turn) }
    update(turn)
    sessions[session.id] = session
    sessions[session.id]?.head = turn.id
  }

  /// What became of a turn since, if it waits.
  mutating func update(_ turn: Turn) {
    guard let index = turns.firstIndex(where: { $0.id == turn.id }) else { return }
    // What it follows may have another name by now.
    let parent = turns[index].parent
    turns[index] = turn
    turns[index].parent = parent
  }

  /// Takes the end of an answer, in the place of an earlier one.
  mutating func put(_ end: End) {
    dropEnd(of: end.turn)
    ends.append(end)
  }

  mutating func dropEnd(of turn: TurnID) { ends.removeAll { $0.turn == turn } }

  /// Notes a session as it is now and where it stands, before the talk goes elsewhere.
  mutating func note(_ conversation: Conversation) {
    guard sessions[conversation.session.id] != nil else { return }
    sessions[conversation.session.id] = conversation.session
    sessions[conversation.session.id]?.head = conversation.path.last?.id
  }

  func turns(of session: SessionID) -> [Turn] { turns.filter { $0.session == session } }

  func session(of turn: Turn) -> Session? { sessions[turn.session] }

  /// The last turn that the history has up to where a session stands.
  func head(of session: SessionID) -> TurnID? {
    let head = sessions[session]?.head
    return line(to: head).first?.parent ?? (head?.isKept == true ? head : nil)
  }

  /// The turns up to one, from the first that the history does not have.
  func line(to last: TurnID?) -> [Turn] {
    var line: [Turn] = []
    var next = last
    while let id = next, let turn = turns.first(where: { $0.id == id }) {
      line.insert(turn, at: 0)
      next = turn.parent
    }
    return line
  }

  /// The newest turn below one, itself when there is none.
  func tip(of turn: TurnID) -> TurnID {
    var tip = turn
    while let below = turns.last(where: { $0.parent == tip }) { tip = below.id }
    return tip
  }

  /// What the history has of a session up to where that stands, with what it lacks.
  func completed(_ path: [Turn], of session: SessionID) -> [Turn] {
    let behind = line(to: sessions[session]?.head)
    // Another shell may have gone on with it.
    return path.map(completed) + (behind.first?.parent == path.last?.id ? behind : [])
  }

  /// A turn of the history with the end of its answer.
  func completed(_ turn: Turn) -> Turn {
    guard let end = ends.first(where: { $0.turn == turn.id }) else { return turn }
    var turn = turn
    turn.answer = end.answer
    return turn
  }

  /// The history has a turn now.
  mutating func settle(_ id: TurnID, as kept: TurnID) {
    turns.removeAll { $0.id == id }
    redirect(id, to: kept)
  }

  /// A turn is not to be kept any more: what follows it follows the one before.
  mutating func forget(_ turn: Turn) {
    let before = turns.first { $0.id == turn.id } ?? turn
    turns.removeAll { $0.id == turn.id }
    dropEnd(of: turn.id)
    redirect(turn.id, to: before.parent)
  }

  private mutating func redirect(_ id: TurnID, to other: TurnID?) {
    for index in turns.indices where turns[index].parent == id { turns[index].parent = other }
    for session in sessions.keys where sessions[session]?.head == id { sessions[session]?.head = other }
  }

  /// Nothing of these sessions is to be kept any more. - Returns: the turns that were.
  mutating func forget(_ isMeant: (Session) -> Bool) -> [Turn] {
    let meant = sessions.values.filter(isMeant).map(\.id)
    let forgotten = turns.filter { meant.contains($0.session) }
    turns.removeAll { meant.contains($0.session) }
    for session in meant { sessions[session] = nil }
    return forgotten
  }

  /// Nothing more is to be known of sessions that the history has all of.
  mutating func letGo() { sessions = sessions.filter { id, _ in turns.contains { $0.session == id } } }
}
