import Chat
import Store

/// What was read for an answer, as its server counted.
struct CountedPrompt {
  let tokens: Int
  /// Those that were sent, the answer's own at the end.
  let turns: [TurnID]
  let server: String
  let model: String?
  let systemPrompt: String?
  let tools: [String]

  /// Whether a request has all that this one had, and more.
  func isWithin(_ later: CountedPrompt) -> Bool {
    later.turns.count > turns.count && later.turns.starts(with: turns)
      && isLike(server: later.server, model: later.model, systemPrompt: later.systemPrompt, tools: later.tools)
  }

  /// Whether what was counted says what others of the kind take.
  func isLike(server: String, model: String?, systemPrompt: String?, tools: [String]) -> Bool {
    (self.server, self.model, self.systemPrompt) == (server, model, systemPrompt) && self.tools == tools
  }
}

extension [Message] {
  /// So many tokens or more, whoever counts: tokenizers cut a text at its blanks before all else, so that no token has two
  /// words in it.
  var fewestTokens: Int {
    map { message in
      // What was thought within an answer many templates leave out.
      let thought = message.role == .assistant ? message.content.ranges(of: "</think>").last : nil
      return thought.map { message.content[$0.upperBound...].fewestTokens } ?? message.content.fewestTokens
    }.reduce(0, +)
  }
}

extension StringProtocol {
  /// The same of one text.
  var fewestTokens: Int {
    var (count, isWithin) = (0, false)
    for byte in utf8 {
      // Of what is no English letter nobody knows where a word ends.
      let isLetter =
        byte >= 0x80 || byte == 0x27 || (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
      if isLetter, !isWithin { count += 1 }
      isWithin = isLetter
    }
    return count
  }
}
