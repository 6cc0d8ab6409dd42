import Chat
import Store
import Testing

@testable import Shell

@Suite struct GrowingAnswerTests {
  @Test(
    arguments: [
      (nil, FinishReason.stop, AnswerStatus.complete), (nil, .other("moon"), .cutOff), (nil, .length, .length),
      (nil, .filtered, .filtered), (nil, nil, .cutOff), (BackendError.cancelled, nil, .interrupted),
      (.stalled(seconds: 300), nil, .stalled), (.failed(message: "x"), nil, .failed),
      (.unreachable(address: "a", reason: .refused), nil, .failed), (.cancelled, .stop, .interrupted),
    ] as [(BackendError?, FinishReason?, AnswerStatus)])
  func `how an answer ended`(error: BackendError?, finish: FinishReason?, status: AnswerStatus) {
    var answer = GrowingAnswer(began: 0)
    answer.absorb(.text("x"), at: 1)
    if let finish { answer.absorb(.finished(finish), at: 1) }
    #expect(answer.status(error: error) == status)
  }

  @Test func `an answer of which a part could not be read is not complete`() {
    var answer = GrowingAnswer(began: 0)
    answer.absorb(.notice(.unreadable("data: {")), at: 1)
    answer.absorb(.text("x"), at: 1)
    answer.absorb(.finished(.stop), at: 1)
    #expect(answer.status(error: nil) == .cutOff)
    answer.absorb(.finished(.length), at: 1)
    #expect(answer.status(error: nil) == .length)
  }

  @Test func `an answer grows by its events`() {
    var answer = GrowingAnswer(began: 10)
    answer.absorb(.started(model: "m"), at: 10.1)
    answer.absorb(.started(model: nil), at: 10.1)
    answer.absorb(.reasoning("hm"), at: 10.25)
    answer.absorb(.text("a"), at: 11)
    answer.absorb(.text("b"), at: 12)
    answer.absorb(.usage(Usage(completionTokens: 1)), at: 12)
    answer.absorb(.usage(Usage(completionTokens: 2)), at: 12)
    #expect(answer.text == "ab")
    #expect(answer.reasoning == "hm")
    #expect(answer.model == "m")
    #expect(answer.usage?.completionTokens == 2)
    #expect(answer.timing(at: 12.5) == Timing(firstTokenMs: 250, totalMs: 2500))
  }

  @Test func `going on begins with what there was`() {
    var answer = GrowingAnswer(began: 0, continuing: StoredAnswer(text: "One", reasoning: "r", status: .cutOff))
    answer.absorb(.text(", two"), at: 1)
    #expect(answer.text == "One, two")
    #expect(answer.reasoning == "r")
  }
}

@Suite struct ConversationTests {
  private func turn(_ number: Int, _ question: String, _ answer: String?, _ status: AnswerStatus = .complete) -> Turn {
    let answer = StoredAnswer(text: answer ?? "", status: status)
    return .unsaved(in: SessionID("s"), number: number, parent: nil, question: question, answer: answer, at: 0)
  }

  private func conversation(_ turns: [Turn], system: String? = nil) -> Conversation {
    Conversation(Session(systemPrompt: system), path: turns)
  }

  @Test(arguments: ["", "\n \n", "\u{A0}\t"]) func `an answer of white space is not sent`(answer: String) {
    let conversation = conversation([turn(1, "a", answer), turn(2, "b", "B")])
    #expect(conversation.messages(asking: .new("c")).map(\.content) == ["b", "B", "c"])
    let last = turn(3, "c", answer, .cutOff)
    #expect(conversation.messages(asking: .continuing(last)).map(\.content) == ["b", "B", "c"])
  }

  @Test func `what was attached stands in the words or beside them, as the server takes it`() {
    let picture = AttachedFile(path: "/p", name: "p.png", bytes: [0xFF, 0xD8, 0xFF])
    let text = AttachedFile(path: "/a", name: "a.txt", bytes: Array("A\r\n".utf8))
    let odd = AttachedFile(path: "/o", name: "o.bin", bytes: [0])
    var earlier = turn(1, "a", "A")
    earlier.files = [picture, text, odd]
    let conversation = conversation([earlier])
    let asked = Question.new("b").with([text, picture])
    let block = "a.txt (3 bytes):\n```\nA\r\n```"
    let image = AttachedImage(name: "p.png", type: "image/jpeg", bytes: picture.bytes)
    #expect(
      conversation.messages(asking: asked) == [
        Message(.user, "a\n\n\(block)\n\n[o.bin, 1 byte]", images: [image]), Message(.assistant, "A"),
        Message(.user, "b\n\n\(block)", images: [image]),
      ])
    #expect(
      conversation.messages(asking: asked, as: .words).map(\.content) == [
        "a\n\n[image p.png, 3 bytes]\n\n\(block)\n\n[o.bin, 1 byte]", "A",
        "b\n\n\(block)\n\n[image p.png, 3 bytes]",
      ])
    #expect(conversation.messages(asking: asked, as: .files).map(\.content) == ["a", "A", "b"])
    // As others are told it, where a server is asked beside them.
    let told = asked.withTextsInWords
    #expect(conversation.messages(asking: told, as: .files).map(\.content) == ["a", "A", "b\n\n\(block)"])
    #expect(told.files == [picture])
  }

  @Test func `what was not read, and is nowhere any more, is told by name and size`() {
    let picture = AttachedFile(path: "/p", name: "p.png", bytes: [0xFF, 0xD8, 0xFF]).kept
    let text = AttachedFile(path: "/a", name: "a.txt", bytes: Array("A\r\n".utf8)).kept
    let asked = Question.new("b").with([text, picture])
    #expect(
      conversation([]).messages(asking: asked) == [
        Message(.user, "b\n\n[a.txt, 3 bytes]\n\n[image p.png, 3 bytes]")
      ])
  }

  @Test func `a message that takes the place of another has its files but those it names no more`() {
    let (a, b) = (
      AttachedFile(path: "/a", name: "a.txt", bytes: []), AttachedFile(path: "/b c", name: "b c", bytes: [])
    )
    var turn = turn(1, "look at @a.txt, @'b c'", "A")
    turn.files = [a, b, AttachedFile(path: "/d", name: "d", bytes: [])]
    #expect(turn.files(stillNamedIn: "look at @a.txt").map(\.name) == ["a.txt", "d"])
    #expect(turn.files(stillNamedIn: "look at @'b c'").map(\.name) == ["b c", "d"])
    #expect(turn.files(stillNamedIn: "").map(\.name) == ["d"])
  }

  @Test func `a new message follows the turns before it`() {
    let conversation = conversation([turn(1, "a", "A"), turn(2, "b", "B")], system: "Be brief.")
    #expect(
      conversation.messages(asking: .new("c")) == [
        Message(.system, "Be brief."), Message(.user, "a"), Message(.assistant, "A"), Message(.user, "b"),
        Message(.assistant, "B"), Message(.user, "c"),
      ])
  }

  @Test(arguments: [nil, ""]) func `no system prompt is no message`(prompt: String?) {
    #expect(conversation([], system: prompt).messages(asking: .new("a")) == [Message(.user, "a")])
  }

  @Test func `a retry leaves out the answer it replaces and all behind it`() {
    let turns = [turn(1, "a", "A"), turn(2, "b", "B"), turn(3, "c", "C")]
    #expect(
      conversation(turns).messages(asking: .retry(turns[1])) == [
        Message(.user, "a"), Message(.assistant, "A"), Message(.user, "b"),
      ])
  }

  @Test func `going on ends with the answer so far`() {
    let turns = [turn(1, "a", "A"), turn(2, "b", "B and", .cutOff)]
    #expect(
      conversation(turns).messages(asking: .continuing(turns[1])) == [
        Message(.user, "a"), Message(.assistant, "A"), Message(.user, "b"), Message(.assistant, "B and"),
      ])
  }

  @Test func `going on with nothing asks again`() {
    let turns = [turn(1, "a", nil, .interrupted)]
    #expect(conversation(turns).messages(asking: .continuing(turns[0])) == [Message(.user, "a")])
  }

  @Test func `a turn without an answer is left out, one with part of an answer is not`() {
    let turns = [turn(1, "a", nil, .failed), turn(2, "b", "B", .failed), turn(3, "c", nil, .interrupted)]
    #expect(
      conversation(turns).messages(asking: .new("d")) == [
        Message(.user, "b"), Message(.assistant, "B"), Message(.user, "d"),
      ])
  }

  @Test func `reasoning is never sent back`() {
    var thinking = turn(1, "a", "A")
    thinking.answer?.reasoning = "hm"
    #expect(conversation([thinking]).messages(asking: .new("b")).allSatisfy { $0.reasoning.isEmpty })
  }
}
