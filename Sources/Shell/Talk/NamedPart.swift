import Chat
import Store
import Text
import Wire

/// An answer, or code of it, to be copied, saved or handed on.
struct NamedPart {
  let turn: Int
  let text: String
  /// Which it is, for people: `#3`, or `code 2 of 3 of #3 (python)`.
  let name: SafeText

  init(_ turn: Turn, _ code: AnswerPart.Code?) throws(ShellError) {
    self.turn = turn.number
    guard let answer = turn.answer?.text, !answer.isEmpty else { throw .noAnswer(.nothingIn(turn: turn.number)) }
    guard let code else {
      text = answer
      name = "#\(turn.number)"
      return
    }
    let blocks = MarkdownCode.blocks(of: answer)
    let number = if case .number(let number) = code { number } else { max(1, blocks.count) }
    guard blocks.indices.contains(number - 1) else {
      throw .noCode(turn: turn.number, number, of: blocks.count)
    }
    let block = blocks[number - 1]
    text = block.text
    let count: SafeText = blocks.count > 1 ? " \(number) of \(blocks.count)" : ""
    name =
      "code\(count) of #\(turn.number)"
      + (block.language.isEmpty ? "" : " (\(Filter.inline(block.language, width: 20)))")
  }

  /// How much it is.
  var extent: SafeText {
    let lines = text.utf8.count { $0 == 0x0A } + (text.utf8.last == 0x0A ? 0 : 1)
    return lines > 1 ? "\(lines) lines, \(ByteSize.text(text.utf8.count))" : ByteSize.text(text.utf8.count)
  }
}

extension String {
  /// With one at its end.
  var asLines: String { withFinalNewline }

  var withoutLastNewlines: String {
    // By bytes: \r\n is one character.
    String(decoding: Array(utf8.reversed().drop { $0 == 0x0A || $0 == 0x0D }.reversed()), as: UTF8.self)
  }
}

extension Talk {
  /// What a handle names in this session, or without one yet in the last.
  mutating func named(_ part: AnswerPart, command: String, _ desk: Desk) async throws(ShellError) -> NamedPart {
    let (session, path) =
      conversation.path.isEmpty
      ? try await self.session(called: nil, desk) : (conversation.session, conversation.path)
    if let handle = part.turn {
      let place = Conversation(session, path: path)
      return try NamedPart(try await turn(handle, in: place, command: command, desk), part.code)
    }
    guard let turn = path.last(where: { !($0.answer?.text ?? "").isEmpty }) else {
      throw .noAnswer(.nothingToShow)
    }
    return try NamedPart(turn, part.code)
  }
}
