import Testing

@testable import Shell
@testable import Store

@Suite struct UnkeptTests {
  private let session = Session()

  private func turn(_ key: Int64, after parent: TurnID?) -> Turn {
    var turn = Turn.unsaved(
      in: session.id, number: 1, parent: parent, question: "\(key)",
      answer: StoredAnswer(text: "yes", status: .complete), at: 0)
    turn.id = .unkept(key)
    return turn
  }

  @Test func `of the ends of one answer the last is kept`() {
    var unkept = Unkept()
    let turn = TurnID(key: 7)
    for text in ["One two", "One two three four."] {
      unkept.put(Unkept.End(turn: turn, number: 1, answer: StoredAnswer(text: text, status: .complete)))
    }
    #expect(unkept.ends.map(\.answer.text) == ["One two three four."])
    unkept.dropEnd(of: turn)
    #expect(unkept.isEmpty)
  }

  @Test func `what follows a turn follows its new name, or what was before it when it is forgotten`() {
    var unkept = Unkept()
    let turns = [turn(-1, after: nil), turn(-2, after: .unkept(-1)), turn(-3, after: .unkept(-2))]
    for turn in turns { unkept.put(turn, in: session) }
    #expect(unkept.line(to: .unkept(-3)).map(\.question) == ["-1", "-2", "-3"])
    #expect(unkept.head(of: session.id) == nil)
    unkept.settle(.unkept(-1), as: TurnID(key: 9))
    #expect(unkept.head(of: session.id) == TurnID(key: 9))
    unkept.forget(turns[1])
    #expect(unkept.line(to: .unkept(-3)).map(\.parent) == [TurnID(key: 9)])
    #expect(unkept.tip(of: TurnID(key: 9)) == .unkept(-3))
  }

  @Test func `a session that is forgotten has nothing left to be kept`() {
    var unkept = Unkept()
    unkept.put(turn(-1, after: nil), in: session)
    #expect(unkept.forget { $0.id == session.id }.map(\.question) == ["-1"])
    #expect(unkept.isEmpty)
  }

  @Test func `what a history that is closed refused is not offered to it again`() {
    #expect(!HistoryError.closed.mayPass)
    #expect(HistoryError.full(path: "").mayPass)
  }
}
