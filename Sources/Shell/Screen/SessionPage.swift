import Chat
import Store
import Text
import Wire

/// A session as it looked: every turn with its question and its answer.
enum SessionPage {
  /// What stands above its turns.
  static func head(_ session: Session, _ path: [Turn], now: Int) -> StyledText {
    let place = [session.server?.name, session.model].compactMap { $0 }.joined(separator: " ")
    return .text(name(session, path) + "\n", .strong)
      + .text("\(session.id.text.prefix(8)), \(place), \(age(of: session.updatedAt, at: now))\n\n", .dim)
  }

  /// The title, or what stands for it: the first line of the first message.
  static func name(_ session: Session, _ path: [Turn]) -> SafeText {
    let opening = path.first?.question.split(whereSeparator: \.isNewline).first.map(String.init)
    return Filter.inline(session.title ?? opening ?? "untitled", width: 60)
  }

  /// A turn in pieces, none of which takes long to make.
  /// - Parameters:
  ///   - look: how answers are shown as their Markdown means; nil shows them as they were written.
  ///   - reasoning: how that is shown which led to the answer; nil leaves it out.
  static func pieces(
    of turn: Turn, in session: Session, columns: Int?, look: MarkdownLook?, reasoning: Style? = nil
  ) -> some Sequence<StyledText> {
    var opening = opening(of: turn, columns)
    if let reasoning, let thought = turn.answer?.reasoning, !thought.allSatisfy(\.isWhitespace) {
      opening += .text(wrapped(thought, columns) + "\n", reasoning)
    }
    let answer = AnswerPieces(turn.answer?.text ?? "", columns: columns, look: look)
    return [AnySequence([opening]), AnySequence(answer), AnySequence([ending(of: turn, in: session)])]
      .lazy.joined()
  }

  private static func opening(of turn: Turn, _ columns: Int?) -> StyledText {
    var text: StyledText = .text("#\(turn.number) ", .dim) + .text(wrapped(turn.question, columns) + "\n", .accent)
    for file in turn.files { text += .text(file.line + "\n", .dim) }
    return text + StepsPage.text(turn.steps, columns: columns) { wrapped($0, columns) }
  }

  private static func ending(of turn: Turn, in session: Session) -> StyledText {
    var text: StyledText = []
    let status = turn.answer.map(\.status) ?? .interrupted
    if let status,
      let ending = Wording.ending(status, isRemembered: session.remote != nil, error: turn.answer?.error)
    {
      text += .text("\(ending)\n", .warning)
    } else if status == nil {
      text += .text("being written by another shell\n", .dim)
    }
    return text + .text("\n")
  }

  static func json(_ session: Session, _ path: [Turn]) -> JSON {
    [
      "id": .string(session.id.text), "title": session.title.map(JSON.string) ?? .null,
      "systemPrompt": session.systemPrompt.map(JSON.string) ?? .null,
      "server": session.server.map { .string($0.name) } ?? .null, "model": session.model.map(JSON.string) ?? .null,
      "createdAt": .int(session.createdAt), "updatedAt": .int(session.updatedAt),
      "turns": .array(path.map(json)),
    ]
  }

  static func json(_ turn: Turn) -> JSON {
    [
      "turn": .int(turn.number), "createdAt": .int(turn.createdAt), "question": .string(turn.question),
      "attachments": .array(turn.files.map(json)),
      "steps": StepsPage.json(turn.steps),
      "text": .string(turn.answer?.text ?? ""), "reasoning": .string(turn.answer?.reasoning ?? ""),
      "status": .string(turn.answer.map { $0.status?.rawValue ?? "streaming" } ?? AnswerStatus.interrupted.rawValue),
      "model": turn.answer?.model.map(JSON.string) ?? .null, "server": turn.answer?.server.map(JSON.string) ?? .null,
      "usage": AnswerJSON.usage(turn.answer?.usage ?? Usage()),
    ]
  }

  static func json(_ file: AttachedFile) -> JSON {
    ["name": .string(file.name), "type": .string(file.type), "bytes": .int(file.size)]
  }

  /// - Parameter number: counted from 1, as `/history hit` takes it; nil where it cannot be called.
  static func json(_ hit: SearchHit, number: Int?) -> JSON {
    var members: [JSON.Member] = number.map { [.init("hit", .int($0))] } ?? []
    members += [
      .init("session", .string(hit.session.text)), .init("title", .string(hit.name)), .init("turn", .int(hit.number)),
      .init("role", .string(hit.role.rawValue)), .init("createdAt", .int(hit.createdAt)),
      .init("model", hit.model.map(JSON.string) ?? .null),
      .init("snippet", .string(hit.snippet.map(\.text).joined())),
      // The hit is marked in the text, so that it shows without colour.
      .init("marked", .string(hit.snippet.map { $0.isMatch ? "*\($0.text)*" : $0.text }.joined())),
    ]
    return .object(members)
  }

  private static func wrapped(_ text: String, _ columns: Int?) -> SafeText {
    var flow = TextFlow(columns: columns)
    let body = flow.feed(text)
    return body + flow.finish()
  }
}
