import Chat
import Foundation
import Waiting

/// Which accounts this process works on alone, with a lock file each against other processes (docs/rules.md C10).
final class AccountsInUse: Sendable {
  /// As long as a slow server may take to renew a sign-in.
  private let patience: Duration
  /// Who waits for each account that a task works on, the first in front.
  private let queues = Locked<[String: [Waiter]]>([:])
  private let lastNumber = Locked(0)

  /// The right to work on an account, until it is given to `leave`.
  struct Use: Sendable {
    fileprivate let path: String
    fileprivate let file: FileLock?
  }

  private struct Waiter {
    let number: Int
    let turn: CheckedContinuation<Result<Void, CredentialError>, Never>
  }

  /// - Parameter patience: how long to wait for another process.
  init(patience: Duration = .seconds(60)) { self.patience = patience }

  /// How many tasks of this process wait for their turn.
  func waiting(for path: String) -> Int { queues.withLock { $0[path]?.count ?? 0 } }

  /// Waits for its turn without holding a thread: for other tasks as long as they take, for another process as long as
  /// the patience lasts, which is one for all that wait here.
  /// - Parameter makingFile: false uses the lock file only where there is one.
  func take(_ path: String, makingFile: Bool) async throws(CredentialError) -> Use {
    try await turn(path).get()
    var pause = LockPause()
    let start = ContinuousClock.now
    while true {
      if let use = attempt(path, makingFile) { return use }
      guard ContinuousClock.now - start < patience else {
        let error = CredentialError.file(path: path, reason: "another process holds it")
        // Those behind would find the same, and have each waited as long again.
        let waiters = queues.withLock { $0.removeValue(forKey: path) } ?? []
        for waiter in waiters { waiter.turn.resume(returning: .failure(error)) }
        throw error
      }
      do {
        try await Task.sleep(for: .microseconds(pause.next()))
      } catch {
        pass(path)
        throw .interrupted(path)
      }
    }
  }

  func leave(_ use: Use) {
    use.file?.release()
    pass(use.path)
  }

  /// Until this task is the one of this process that may work on an account.
  private func turn(_ path: String) async -> Result<Void, CredentialError> {
    let number = lastNumber.withLock { last in
      last += 1
      return last
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { turn in
        let outcome = queues.withLock { queues -> Result<Void, CredentialError>? in
          // What is free is had at once, by a task that was cancelled too: it may have a token to keep.
          guard queues[path] != nil else {
            queues[path] = []
            return .success(())
          }
          guard !Task.isCancelled else { return .failure(.interrupted(path)) }
          queues[path]?.append(Waiter(number: number, turn: turn))
          return nil
        }
        if let outcome { turn.resume(returning: outcome) }
      }
    } onCancel: {
      let waiter = queues.withLock { queues -> Waiter? in
        guard let place = queues[path]?.firstIndex(where: { $0.number == number }) else { return nil }
        return queues[path]?.remove(at: place)
      }
      waiter?.turn.resume(returning: .failure(.interrupted(path)))
    }
  }

  /// The turn is the next one's.
  private func pass(_ path: String) {
    let next = queues.withLock { queues -> Waiter? in
      guard var queue = queues[path], !queue.isEmpty else {
        queues[path] = nil
        return nil
      }
      defer { queues[path] = queue }
      return queue.removeFirst()
    }
    next?.turn.resume(returning: .success(()))
  }

  private func attempt(_ path: String, _ makingFile: Bool) -> Use? {
    guard makingFile || access(path, F_OK) == 0 else { return Use(path: path, file: nil) }
    do throws(FileError) {
      try AtomicFile.makeDirectory(directory(of: path))
      return Use(path: path, file: try FileLock(path, .exclusive, waiting: 0))
    } catch {
      // Where no lock file can be made nothing can be kept either: the other tasks of this process are all there is.
      return error == .locked(path: path) ? nil : Use(path: path, file: nil)
    }
  }
}

extension CredentialError {
  fileprivate static func interrupted(_ path: String) -> CredentialError { .file(path: path, reason: "interrupted") }
}
