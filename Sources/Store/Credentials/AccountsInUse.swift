import Chat
import Foundation

/// Which accounts this process works on alone, with a lock file each against other processes (RELIABILITY C10).
// Sendable: the set is behind the lock.
final class AccountsInUse: @unchecked Sendable {
  /// As long as a slow server may take to renew a sign-in.
  private static let patience = Duration.seconds(60)

  private let lock = NSLock()
  private var paths: Set<String> = []

  /// The right to work on an account, until it is given to `leave`.
  struct Use: Sendable {
    fileprivate let path: String
    fileprivate let file: FileLock?
  }

  /// Waits for its turn without holding a thread.
  /// - Parameter makingFile: false uses the lock file only where there is one.
  func take(_ path: String, makingFile: Bool) async throws(CredentialError) -> Use {
    let start = ContinuousClock.now
    while true {
      if let use = attempt(path, makingFile) { return use }
      guard ContinuousClock.now - start < AccountsInUse.patience else {
        throw .file(path: path, reason: "another process holds it")
      }
      do { try await Task.sleep(for: .milliseconds(10)) } catch { throw .file(path: path, reason: "interrupted") }
    }
  }

  func leave(_ use: Use) {
    use.file?.release()
    lock.withLock { _ = paths.remove(use.path) }
  }

  private func attempt(_ path: String, _ makingFile: Bool) -> Use? {
    guard lock.withLock({ paths.insert(path).inserted }) else { return nil }
    guard makingFile || access(path, F_OK) == 0 else { return Use(path: path, file: nil) }
    do throws(FileError) {
      try AtomicFile.makeDirectory(directory(of: path))
      return Use(path: path, file: try FileLock(path, .exclusive, waiting: 0))
    } catch {
      // Where no lock file can be made nothing can be kept either: the other tasks of this process are all there is.
      guard error == .locked(path: path) else { return Use(path: path, file: nil) }
      lock.withLock { _ = paths.remove(path) }
      return nil
    }
  }
}
