import Chat
import Text
import Waiting

/// An answer in Markdown on a terminal: its finished lines stay, and the block at its end is drawn as it grows.
///
/// A class, since what draws while nothing comes is a task of its own, which ends with `end()`.
final class MarkdownView: Sendable {
  private let state: Locked<State>
  private let pause: @Sendable (_ seconds: Double) async -> Void

  /// Seconds between two drawings: more often than the eye sees would only cost.
  private static let rhythm = 0.033

  /// Bytes that are read, and of finished lines that are held back, at a time: what comes faster than it is drawn goes
  /// through the same memory again and again.
  private static let portion = 8192

  private struct State {
    let terminal: any Terminal
    var flow: MarkdownFlow
    let uptime: @Sendable () -> Double
    var finished = StyledLines()
    /// The draft that was drawn last below the finished lines.
    var draft = StyledLines()
    /// The words at the beginning of the block at the end that stand on the screen for good, though it is not finished.
    var left: [UInt8] = []
    var drawn: Double?
    /// Draws what came since, when nothing else does.
    var drawing: Task<Void, Never>?

    mutating func draw() {
      flow.columns = terminal.traits.columns
      write(flow.draft())
      drawn = uptime()
    }

    mutating func write(_ draft: StyledLines = StyledLines()) {
      var new = leavingOut(draft)
      if !terminal.draw(new.finished, draft: new.draft) {
        left += self.draft.words
        new = leavingOut(draft)
        _ = terminal.draw(new.finished, draft: new.draft)
      }
      (finished, self.draft, left) = (StyledLines(), new.draft, new.left)
    }

    /// The finished lines and the draft without the words that stand on the screen already, and those of them that the
    /// finished lines do not have yet. A block that begins with other words by now is drawn whole.
    private func leavingOut(_ draft: StyledLines) -> (finished: StyledLines, draft: StyledLines, left: [UInt8]) {
      guard let (rest, missing) = finished.dropping(words: left[...]) else { return (finished, draft, []) }
      return (rest, draft.dropping(words: missing)?.lines ?? draft, Array(missing))
    }

    /// Reads text to its end, and writes lines that are many.
    mutating func read(_ text: String) {
      var rest = text[...]
      while !rest.isEmpty {
        let (head, behind) = rest.split(bytes: MarkdownView.portion)
        take(flow.feed(String(head)))
        if finished.text.bytes.count > MarkdownView.portion { write() }
        rest = behind
      }
    }

    mutating func take(_ parts: [MarkdownPart]) {
      for part in parts {
        switch part {
        case .lines(let lines): finished += lines
        case .image(let address):
          write()
          // It was looked into already, for its caption.
          if terminal.traits.drawsImages, let image = try? CheckedImage(dataAddress: address) { terminal.show(image) }
        }
      }
    }
  }

  /// - Parameters:
  ///   - earlier: the beginning of the answer, which was shown before.
  ///   - pause: returns after so many seconds, or when its task is cancelled.
  init(
    on terminal: any Terminal, after earlier: String? = nil, uptime: @escaping @Sendable () -> Double,
    pause: @escaping @Sendable (_ seconds: Double) async -> Void
  ) {
    var flow = MarkdownFlow(terminal.traits.look, images: .described)
    if let earlier { flow.resume(after: earlier) }
    state = Locked(State(terminal: terminal, flow: flow, uptime: uptime))
    self.pause = pause
  }

  func show(_ text: String) {
    state.withLock { state in
      let traits = state.terminal.traits
      state.flow.columns = traits.columns
      state.read(text)
      guard traits.redraws else { return state.write() }
      if state.drawn.map({ state.uptime() - $0 >= Self.rhythm }) ?? true { return state.draw() }
      guard state.drawing == nil else { return }
      let (shared, pause) = (self.state, self.pause)
      // Owned by the view: `end()` ends it.
      state.drawing = Task {
        await pause(Self.rhythm)
        shared.withLock { state in
          guard !Task.isCancelled else { return }
          state.drawing = nil
          state.draw()
        }
      }
    }
  }

  /// Writes what is left.
  /// - Returns: how many characters were taken out that serve only to hide or reorder text.
  func end() -> Int {
    state.withLock { state in
      state.drawing?.cancel()
      state.drawing = nil
      state.flow.columns = state.terminal.traits.columns
      state.take(state.flow.finish())
      state.write()
      return state.flow.hidden
    }
  }
}

extension TerminalTraits {
  /// How Markdown is shown on it.
  var look: MarkdownLook {
    MarkdownLook(columns: columns, hasStyles: hasStyles, drawsLines: showsSigns, isSpoken: isSpoken)
  }
}

extension Substring {
  /// At most so many bytes of its beginning, which are whole scalars, and what is left.
  func split(bytes: Int) -> (Substring, Substring) {
    guard let end = utf8.index(startIndex, offsetBy: bytes, limitedBy: endIndex), end < endIndex else {
      return (self, "")
    }
    let whole = unicodeScalars.index(before: unicodeScalars.index(after: end))
    return (self[..<whole], self[whole...])
  }
}
