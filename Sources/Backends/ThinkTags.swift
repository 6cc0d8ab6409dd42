/// Tells thinking from answer where a model writes its thoughts between tags at the start of the answer, however the
/// tags are cut into pieces.
struct ThinkTags {
  private enum State {
    /// Nothing but blanks and perhaps the start of a tag has come.
    case before
    case inside(end: [UInt8])
    case outside
  }

  private static let tags =
    ["think", "thinking", "reasoning", "thought", "seed:think"].map { tag("<\($0)>", "</\($0)>") }
    + [tag("[THINK]", "[/THINK]"), tag("<|channel|>analysis<|message|>", "<|end|>")]

  /// What opens the parts of an answer of gpt-oss (the harmony format), besides its thoughts.
  private static let frames = ["<|start|>assistant", "<|channel|>final<|message|>"].map { Array($0.utf8) }

  private static func tag(_ start: String, _ end: String) -> (start: [UInt8], end: [UInt8]) {
    (Array(start.utf8), Array(end.utf8))
  }

  private var state = State.before
  /// What may be the start of a tag.
  private var held: [UInt8] = []
  /// The line ends that follow a tag belong to it.
  private var dropsLineEnds = false

  /// Whether all that comes is the answer's text.
  var isDone: Bool { if case .outside = state { !dropsLineEnds } else { false } }

  /// Takes a piece of content.
  mutating func take(_ piece: [UInt8], into joiner: inout EventJoiner) {
    held += piece
    switch state {
    case .before: takeStart(into: &joiner)
    case .inside(let end): takeThought(endedBy: end, into: &joiner)
    case .outside: emit(held.count, to: .text, into: &joiner)
    }
  }

  /// The content is over: what was held back was not a tag.
  mutating func end(into joiner: inout EventJoiner) {
    if case .inside = state {
      emit(held.count, to: .reasoning, into: &joiner)
    } else {
      emit(held.count, to: .text, into: &joiner)
    }
  }

  private mutating func takeStart(into joiner: inout EventJoiner) {
    let word = held.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    if let frame = ThinkTags.frames.first(where: { word.starts(with: $0) }) {
      held.removeSubrange(..<(word.startIndex + frame.count))
      takeStart(into: &joiner)
    } else if let tag = ThinkTags.tags.first(where: { word.starts(with: $0.start) }) {
      held.removeSubrange(..<(word.startIndex + tag.start.count))
      state = .inside(end: tag.end)
      dropsLineEnds = true
      takeThought(endedBy: tag.end, into: &joiner)
    } else if !(ThinkTags.tags.map(\.start) + ThinkTags.frames).contains(where: { $0.starts(with: word) }) {
      state = .outside
      emit(held.count, to: .text, into: &joiner)
    }
  }

  private mutating func takeThought(endedBy end: [UInt8], into joiner: inout EventJoiner) {
    guard let range = held.firstRange(of: end) else {
      let kept = (0..<min(end.count, held.count + 1)).last { end.starts(with: held.suffix($0)) } ?? 0
      return emit(held.count - kept, to: .reasoning, into: &joiner)
    }
    emit(range.lowerBound, to: .reasoning, into: &joiner)
    held.removeSubrange(..<end.count)
    dropsLineEnds = true
    if end.starts(with: "<|".utf8) {
      // The frame of the answer follows, or more thoughts.
      state = .before
      return takeStart(into: &joiner)
    }
    state = .outside
    emit(held.count, to: .text, into: &joiner)
  }

  private mutating func emit(_ count: Int, to channel: EventJoiner.Channel, into joiner: inout EventJoiner) {
    var piece = held[..<count]
    if dropsLineEnds {
      piece = piece.drop { $0 == 0x0A || $0 == 0x0D }
      dropsLineEnds = piece.isEmpty
    }
    if !piece.isEmpty { joiner.add(piece, to: channel) }
    held.removeSubrange(..<count)
  }
}
