import Chat
import Waiting

extension [TerminalPlace] {
  /// What each of them has, in their order, asked at the same time; nil for one that is silent for so many seconds.
  func lists(
    within patience: Double, pause: @escaping @Sendable (_ seconds: Double) async -> Void
  ) async -> [Result<[TerminalInfo], TerminalError>?] {
    await withTaskGroup(of: (Int, Result<[TerminalInfo], TerminalError>?).self) { group in
      for (index, place) in enumerated() {
        group.addTask {
          do throws(TerminalError) {
            let list = try await Waiting.within(patience, pause: pause) { () async throws(TerminalError) in
              try await place.terminals.list()
            }
            return (index, list.map { .success($0) })
          } catch {
            // What is called off when its time is up.
            return (index, error == .cancelled && !Task.isCancelled ? nil : .failure(error))
          }
        }
      }
      var lists: [Int: Result<[TerminalInfo], TerminalError>] = [:]
      for await (index, list) in group { lists[index] = list }
      return indices.map { lists[$0] }
    }
  }
}
