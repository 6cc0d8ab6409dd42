import Chat
import Store
import Waiting

/// A title that a model is asked for behind the prompt, kept in the history when it comes. Nothing is said of a failure:
/// the first question stands for a title as before.
final class PendingTitle: Sendable {
  /// Whom it is asked of.
  let url: String
  let model: String?
  private let answer: Answer
  private let progress: Locked<Progress>
  private let asking: Task<Void, Never>

  private enum Progress {
    case asked
    /// The model has said something; only the history is still to take it.
    case said
    case over(Ended)
  }

  struct Ended {
    /// As the history has it by then; nil where nothing came of it.
    let session: Session?
  }

  /// - Parameter turn: what the request is about.
  init(_ request: ChatRequest, about turn: Turn, of link: Link, in history: History) {
    url = link.server.url
    model = link.model
    let answer = link.backend.answer(request)
    let progress = Locked(Progress.asked)
    self.answer = answer
    self.progress = progress
    // Ours: it ends by itself, or by `stop`, which waits for its end.
    asking = Task {
      let found = await PendingTitle.session(turn.session, named: turn.id, in: history) { () async -> String? in
        let title = await PendingTitle.read(answer)
        progress.withLock { $0 = .said }
        return title
      }
      progress.withLock { $0 = .over(Ended(session: found)) }
    }
  }

  deinit { answer.stop() }

  /// What came of it; nil while it is under way.
  var ended: Ended? { progress.withLock { if case .over(let ended) = $0 { ended } else { nil } } }

  /// Waits while what the model said is kept.
  func settle() async {
    if case .said = progress.withLock({ $0 }) { await asking.value }
  }

  /// Ends the request: when this returns nothing of it is on its way, and its connection is given up.
  func stop() async {
    answer.stop()
    await asking.value
  }

  /// The session with the title that is asked for, or with one that another shell gave it before.
  private static func session(
    _ id: SessionID, named turn: TurnID, in history: History, _ ask: () async -> String?
  ) async -> Session? {
    do throws(HistoryError) {
      if let known = try await history.session(id), known.title != nil { return known }
      guard let title = await ask() else { return nil }
      return try await history.suggestTitle(title, of: id, madeOf: turn)
    } catch {
      return nil
    }
  }

  /// What the model says is the title. A server that is busy has its time for the person.
  private static func read(_ answer: Answer) async -> String? {
    var said = ""
    var isWhole = false
    do throws(BackendError) {
      for try await event in answer {
        switch event {
        case .text(let text):
          said += text
          isWhole = SaidTitle.isWhole(said)
          if isWhole || said.utf8.count > SaidTitle.mostBytes { answer.stop() }
        case .finished(.stop): isWhole = true
        case .notice(.waiting): answer.stop()
        default: break
        }
      }
    } catch {
      // It has said enough, or it failed, and nobody is told.
    }
    return isWhole ? SaidTitle.title(in: said) : nil
  }
}
