/// What a scanner is in the middle of.
enum ScannerState {
  case text
  /// At a `<` that may start a tag.
  case tag(at: Int)
  /// Behind a start tag, before the first bracket.
  case opened(at: Int, body: Int)
  case block(CallBlock)
  /// In a block that is written in a dialect; `isTagged` when a `<tool_call>` began it.
  case dialect(body: Int, isTagged: Bool)
  /// On the first line of a fence.
  case fenceLine(at: Int)
  case fence(CallFence)
  /// In a fence that holds no calls.
  case code
  /// The model plays the tool: nothing more is said.
  case imagined

  /// Whether the middle of a block has been reached.
  var isOpen: Bool {
    switch self {
    case .text, .code, .imagined: false
    default: true
    }
  }

  /// Where what may be more than text starts; nil when that is known to be more.
  func decided(at place: Int, holding ticks: Int) -> Int? {
    switch self {
    case .text: place - ticks
    case .code: place
    case .tag(let tag), .opened(let tag, _), .fenceLine(let tag): tag
    case .fence(let fence): fence.start
    case .block, .dialect, .imagined: nil
    }
  }
}
