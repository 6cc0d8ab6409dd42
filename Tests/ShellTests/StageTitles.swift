import Chat
import Store
import TestSupport
import Waiting

@testable import Shell

/// A request for a title: it is under way until the transcript says what comes of it, or the shell gives it up.
final class StageTitle: Sendable {
  let request: ChatRequest
  private let stage: Stage
  private let beats: AsyncStream<Beat>
  private let play: AsyncStream<Beat>.Continuation
  private let state = Locked((isStopped: false, isRead: false))

  init(_ request: ChatRequest, on stage: Stage) {
    self.request = request
    self.stage = stage
    (beats, play) = AsyncStream.makeStream()
  }

  /// Whether it is one; any other is answered by what `[answers …]` says.
  static func isOne(_ request: ChatRequest) -> Bool {
    request.messages.last?.content.hasSuffix(TitleRequest.instruction) == true
  }

  /// Whether its reader has got all there is.
  var isRead: Bool { state.withLock { $0.isRead } }

  func answer() -> Answer {
    Answer(next: { () async throws(BackendError) in try await self.next() }, stop: { self.stop() })
  }

  func play(_ beats: [Beat]) {
    for beat in beats { play.yield(beat) }
    play.finish()
  }

  private func stop() {
    let isNews = state.withLock { state in
      defer { state.isStopped = true }
      return !state.isStopped && !state.isRead
    }
    if isNews { stage.remark("[the title is given up]") }
    play.finish()
  }

  private func next() async throws(BackendError) -> ChatEvent? {
    stage.with { if $0.titles.last !== self { $0.titles.append(self) } }
    var iterator = beats.makeAsyncIterator()
    while true {
      let beat = await iterator.next()
      if state.withLock({ $0.isStopped }) {
        state.withLock { $0.isRead = true }
        throw .cancelled
      }
      switch beat {
      case .event(let event): return event
      case .fail(let error):
        state.withLock { $0.isRead = true }
        throw error
      case nil:
        state.withLock { $0.isRead = true }
        return nil
      default: continue
      }
    }
  }
}

extension Stage {
  static let titleVerbs: Set = ["asks-title", "titles", "titled"]

  /// What happens behind the prompt is waited for, so that each line that is typed meets it where it stands.
  func followTitles(_ direction: StageDirection) async throws {
    let path = home + "/history.sqlite"
    switch direction.verb {
    case "asks-title":
      guard await eventually({ with { $0.titles.last?.isRead == false } }), let title = with({ $0.titles.last }) else {
        return remark("nobody is asked")
      }
      let request = title.request
      remark("model \(request.model ?? "none"), max-tokens \(request.sampling.maxTokens ?? 0), no tools")
      for message in request.messages {
        remark("\(message.role): \(message.content.replacingOccurrences(of: "\n", with: "\n    "))")
      }
    case "titles":
      // What the model says, as with `answers`; it has been read when the next line is typed.
      guard await eventually({ with { $0.titles.last?.isRead == false } }), let title = with({ $0.titles.last }) else {
        return remark("nobody is asked")
      }
      title.play(try StageDirection.beats(of: direction.words, from: ""))
      if await !eventually({ title.isRead }) { remark("nobody reads it") }
    default:
      // TITLE: what the history has by now.
      let name = direction.strings[0]
      let isThere = await eventually {
        History.names(at: path, containing: name).found.contains { $0.title == name }
      }
      if !isThere { remark("no session has that title") }
    }
  }
}
