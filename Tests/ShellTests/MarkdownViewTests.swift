import Testing
import Text
import Waiting

@testable import Shell

@Suite struct MarkdownViewTests {
  @Test(arguments: ["", "a", "abcdefgh", "aé日👩‍👩‍👧b\r\ne\u{301}", "👩‍👩‍👧👩‍👩‍👧"], [4, 5, 7, 8])
  func `text is cut between scalars, and nothing of it is lost`(text: String, bytes: Int) {
    var (rest, pieces) = (text[...], [Substring]())
    while !rest.isEmpty {
      let (head, behind) = rest.split(bytes: bytes)
      pieces.append(head)
      rest = behind
    }
    #expect(pieces.joined() == text)
    #expect(pieces.allSatisfy { 1...bytes ~= $0.utf8.count })
    #expect(pieces.dropLast().allSatisfy { $0.utf8.count > bytes - 4 })
  }

  @Test(
    arguments: [
      "w1 w2 w3 w4 w5 w6 w7 w8 w9", "> w1 w2 w3 w4\n> w5 w6 w7 w8 w9", "- w1 w2 w3\n- w4 w5 w6 w7\n\nw8 w9",
      "w1 **w2 w3** w4\n\nw5 w6 w7 w8 `w9`",
    ], 1..<30)
  func `a draft that stays on a narrower screen is not drawn again`(_ text: String, _ cut: Int) {
    let screen = ReflowingScreen()
    let clock = Locked(0.0)
    let view = MarkdownView(
      on: screen,
      uptime: {
        clock.withLock {
          $0 += 1; return $0
        }
      }, pause: { _ in })
    view.show(String(text.prefix(cut)))
    screen.narrow()
    view.show(String(text.dropFirst(cut)))
    _ = view.end()
    #expect(screen.text == "w1w2w3w4w5w6w7w8w9")
  }
}

/// A terminal that becomes narrower, and leaves the draft where it is then.
private final class ReflowingScreen: Terminal {
  private struct State {
    var lines: [StyledText] = []
    var draft: [StyledText] = []
    var columns = 14
    var isLeft = false
  }
  private let state = Locked(State())

  /// All that stands on it, but for blanks and marks.
  var text: String {
    state.withLock { ($0.lines + $0.draft).map(\.string).joined().filter { !" │•".contains($0) } }
  }

  func narrow() {
    state.withLock { state in
      state.isLeft = !state.draft.isEmpty
      state.lines += state.draft
      (state.draft, state.columns) = ([], 9)
    }
  }

  var traits: TerminalTraits {
    TerminalTraits(outputIsTerminal: true, noticesAreTerminal: true, columns: state.withLock { $0.columns })
  }

  func draw(_ finished: StyledLines, draft: StyledLines) -> Bool {
    state.withLock { state in
      guard !state.isLeft else {
        state.isLeft = false
        return false
      }
      state.lines += finished.spans
      state.draft = draft.spans
      return true
    }
  }

  func write(_ text: StyledText, to channel: Channel) {}
  func status(_ text: StyledText?) {}
  func whenInterrupted(_ action: (@Sendable (Interruption) -> Void)?) {}
  var endingSignal: Int32? { nil }
  var outputFailure: String? { nil }
  func run(_ command: ChildCommand, captureLimit: Int?) async throws(ChildError) -> (status: Int32, output: [UInt8]) {
    throw .notStarted(program: "", reason: "")
  }
}
