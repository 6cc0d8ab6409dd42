import Chat

/// Finds the calls that a model writes into its text, however the text is cut into pieces. What is no call comes out
/// as it went in; blanks around a call go.
///
/// A call is a block between `<tool_call>` and `</tool_call>` with JSON in it, or one that a `CallDialect` knows. In `code` it is text, and in a fence too
/// unless the fence holds blocks alone and they name tools that were offered.
struct ToolCallScanner {
  /// The most bytes held back: blanks, and the start of what may be a block or a fence.
  private static let blankLimit = 1 << 10

  /// The names of the tools that were offered.
  private let names: Set<String>
  private let dialect: CallDialect
  private let readsFences: Bool
  private var state = ScannerState.text

  /// What is held back, and what is still to be looked at.
  private var bytes: [UInt8] = []
  /// Everything before is said.
  private var start = 0
  /// The next to be looked at.
  private var place = 0

  private var line = CodeLine()
  private var fenceTicks = 0

  private var hasText = false
  /// Whether a block has come since the last text.
  private var isBehindBlock = false
  private(set) var calls: [ToolCall] = []

  init(names: Set<String>, dialect: CallDialect = CallDialect([]), readsFences: Bool = true) {
    self.names = names
    self.dialect = dialect
    self.readsFences = readsFences
  }

  /// Whether the middle of a block has been reached.
  var isOpen: Bool { state.isOpen }
  var hasImagined: Bool { if case .imagined = state { true } else { false } }

  /// Takes a piece of text.
  mutating func take(_ piece: some Sequence<UInt8>, into joiner: inout EventJoiner) {
    if hasImagined { return }
    bytes.append(contentsOf: piece)
    advance(into: &joiner)
    if let decided = state.decided(at: place, holding: heldTicks) {
      say(upTo: startOfBlanks(before: decided), into: &joiner)
    }
    if !isOpen { forget() }
  }

  private mutating func forget() {
    bytes.removeSubrange(..<start)
    place -= start
    start = 0
  }

  /// The text is over: what was held back is decided. Blanks before a call that comes beside the text go.
  mutating func end(into joiner: inout EventJoiner, isBeforeCall: Bool = false) {
    while isOpen {
      settle(into: &joiner)
      advance(into: &joiner)
    }
    if isBeforeCall {
      leave(blanksBefore: bytes.count, into: &joiner)
    } else if !hasImagined {
      say(upTo: bytes.count, into: &joiner)
    }
    forget()
  }

  private mutating func advance(into joiner: inout EventJoiner) {
    while place < bytes.count {
      switch state {
      case .text: readText()
      case .tag(let tag): readTag(at: tag, into: &joiner)
      case .opened(let tag, let body): readOpening(at: tag, body: body, into: &joiner)
      case .block(let block): read(block, into: &joiner)
      case .dialect(let body, let isTagged): readDialect(from: body, isTagged: isTagged, into: &joiner)
      case .fenceLine(let fence): readFenceLine(at: fence)
      case .fence(let fence): read(fence, into: &joiner)
      case .code: readCode()
      case .imagined: return
      }
    }
  }

  /// Decides with what there is.
  private mutating func settle(into joiner: inout EventJoiner) {
    switch state {
    case .tag(let tag): passOver(tag)
    case .opened(let tag, let body): passOver(tag, end: body)
    case .block(let block): finish(block, at: block.end(at: bytes.count), into: &joiner)
    case .dialect(let body, _): add(dialect.calls(in: bytes[body...]), upTo: bytes.count, into: &joiner)
    case .fenceLine:
      state = .code
      place = bytes.count
    case .fence(var fence): finish(fence, fence.decide(bytes, names: names), into: &joiner)
    case .text, .code, .imagined: break
    }
  }
}

extension ToolCallScanner {
  private mutating func readText() {
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      if byte == UInt8(ascii: "`") {
        line.ticks += 1
        guard readsFences, line.isBlank, line.ticks == 3 else { continue }
        line.ticks = 0
        state = .fenceLine(at: place - 3)
        return
      }
      if line.ticks > 0 { line.endTicks() }
      switch byte {
      case UInt8(ascii: "<") where !line.codeIsOpen:
        state = .tag(at: place - 1)
        return
      case 0x0A, 0x0D: line = CodeLine()
      case 0x20, 0x09: break
      default: line.isBlank = false
      }
    }
  }

  /// Backticks that may become a fence.
  private var heldTicks: Int { line.isBlank && readsFences ? line.ticks : 0 }

  private mutating func readTag(at tag: Int, into joiner: inout EventJoiner) {
    switch CallTag.match(bytes, at: tag) {
    case .partial: place = bytes.count
    case .tag(.callStart, let end):
      state = .opened(at: tag, body: end)
      place = end
      if place == bytes.count { return }
    case .tag(.result, _) where !calls.isEmpty:
      leave(blanksBefore: tag, into: &joiner)
      leaveOut(into: &joiner)
    case .tag(_, let end): passOver(tag, end: end)
    case .none:
      switch dialect.opening(in: bytes, at: tag) {
      case .call(let name): open(name, from: tag, body: tag, isTagged: false, into: &joiner)
      case .partial: place = bytes.count
      case .none: passOver(tag)
      }
    }
  }

  /// What started at `tag` is text; a tag that is left over from a block is nothing.
  private mutating func passOver(_ tag: Int, end: Int? = nil) {
    state = .text
    place = tag + 1
    line.isBlank = false
    if let end, isBehindBlock, bytes[start..<tag].allSatisfy(\.isBlank) {
      start = end
      place = end
      line = CodeLine()
    }
  }

  private mutating func readOpening(at tag: Int, body: Int, into joiner: inout EventJoiner) {
    switch CallOpening(in: bytes, from: body) {
    case .bracket(let bracket):
      leave(blanksBefore: tag, into: &joiner)
      joiner.add(.toolCallComing(name: nil))
      state = .block(CallBlock(start: bracket))
      place = bracket
    case .partial: place = bytes.count
    case .none:
      switch dialect.opening(in: bytes, behindTag: body) {
      case .call(let name): open(name, from: tag, body: body, isTagged: true, into: &joiner)
      case .partial: place = bytes.count
      case .none: passOver(tag, end: body)
      }
    }
  }

  private mutating func open(
    _ name: String, from tag: Int, body: Int, isTagged: Bool, into joiner: inout EventJoiner
  ) {
    leave(blanksBefore: tag, into: &joiner)
    joiner.add(.toolCallComing(name: name))
    state = .dialect(body: body, isTagged: isTagged)
    place = body
  }

  private mutating func readDialect(from body: Int, isTagged: Bool, into joiner: inout EventJoiner) {
    let start = max(body, place - CallDialect.endLength)
    if let end = CallDialect.end(in: bytes, isTagged: isTagged, from: start) {
      add(dialect.calls(in: bytes[body..<end.body]), upTo: end.next, into: &joiner)
    } else if bytes.count - body > CallBlock.limit {
      add(dialect.calls(in: bytes[body...]), upTo: bytes.count, into: &joiner)
    } else {
      place = bytes.count
    }
  }
}

extension ToolCallScanner {
  private mutating func read(_ block: CallBlock, into joiner: inout EventJoiner) {
    var block = block
    let step = block.read(bytes, from: &place)
    state = .block(block)
    switch step {
    case .more: break
    case .named(let name): joiner.add(.toolCallComing(name: name))
    case .end(let end): finish(block, at: end, into: &joiner)
    }
  }

  private mutating func finish(_ block: CallBlock, at end: CallBlock.End, into joiner: inout EventJoiner) {
    var end = end
    var found = ToolCall.calls(inBlock: bytes[block.start..<end.body])
    if let early = block.early, early.body < end.body, found.contains(where: \.isBroken) {
      end = early
      found = ToolCall.calls(inBlock: bytes[block.start..<end.body])
    }
    add(found, upTo: end.next, into: &joiner)
  }

  private mutating func add(_ found: [ToolCall], upTo next: Int, into joiner: inout EventJoiner) {
    for call in found { joiner.add(.toolCall(call)) }
    calls += found
    isBehindBlock = true
    start = next
    place = next
    state = .text
    line = CodeLine()
  }

  private mutating func readFenceLine(at fence: Int) {
    let first = bytes[fence...].prefix { $0 != 0x0A && $0 != 0x0D }
    let marks = first.prefix { $0 == UInt8(ascii: "`") }
    if first[marks.endIndex...].contains(UInt8(ascii: "`")) {
      state = .text
      place = marks.endIndex
      line.endTicks()
    } else if first.count > CallOpening.limit {
      state = .code
      fenceTicks = marks.count
    } else if first.endIndex < bytes.count {
      state = .fence(CallFence(start: fence, body: first.endIndex + 1, ticks: marks.count))
      fenceTicks = marks.count
      place = first.endIndex + 1
    } else {
      place = bytes.count
    }
  }

  private mutating func read(_ fence: CallFence, into joiner: inout EventJoiner) {
    var fence = fence
    let outcome = fence.read(bytes, from: &place, names: names)
    state = .fence(fence)
    if let outcome { finish(fence, outcome, into: &joiner) }
  }

  private mutating func finish(_ fence: CallFence, _ outcome: CallFence.Outcome, into joiner: inout EventJoiner) {
    switch outcome {
    case .code:
      state = .code
      place = fence.body
      line = CodeLine()
    case .calls(let found, let next, let hasImagined):
      leave(blanksBefore: fence.start, into: &joiner)
      for call in found { joiner.add(.toolCallComing(name: call.name)) }
      add(found, upTo: next, into: &joiner)
      if hasImagined { leaveOut(into: &joiner) }
    }
  }

  /// The model goes on with a result that it made up.
  private mutating func leaveOut(into joiner: inout EventJoiner) {
    joiner.add(.notice(.imaginedResult))
    state = .imagined
    start = bytes.count
    place = start
  }

  /// Looks for the end of a fence only.
  private mutating func readCode() {
    while place < bytes.count {
      let byte = bytes[place]
      place += 1
      switch byte {
      case UInt8(ascii: "`") where line.isBlank: line.ticks += 1
      case 0x0A, 0x0D:
        let isEnd = line.isBlank && line.ticks >= fenceTicks
        line = CodeLine()
        guard isEnd else { continue }
        state = .text
        return
      case 0x20, 0x09: break
      default: line.isBlank = false
      }
    }
  }
}

extension ToolCallScanner {
  /// Says what comes before a block, but for the blanks at its end.
  private mutating func leave(blanksBefore end: Int, into joiner: inout EventJoiner) {
    say(upTo: startOfBlanks(before: end), into: &joiner)
    start = end
  }

  /// Blanks are held back: should a block follow, they are not said.
  private func startOfBlanks(before end: Int) -> Int {
    var index = end
    while index > start, bytes[index - 1].isBlank { index -= 1 }
    return end - index > ToolCallScanner.blankLimit ? end : index
  }

  private mutating func say(upTo end: Int, into joiner: inout EventJoiner) {
    guard end > start else { return }
    var piece = bytes[start..<end]
    start = end
    if isBehindBlock {
      piece = piece.drop(while: \.isBlank)
      guard !piece.isEmpty else { return }
      if hasText { joiner.add("\n\n".utf8, to: .text) }
      isBehindBlock = false
    }
    hasText = true
    joiner.add(piece, to: .text)
  }
}
