import Foundation
import Glibc
import Shell
import Store
import Waiting

/// Reads a file that the user names. Opening or reading one may block for ever, as on a network mount that hangs, so a
/// thread of its own does both. A cancelled reader leaves it behind; it ends when the system lets it go on.
final class FileReading: Sendable {
  private typealias Outcome = Result<[UInt8], FileProblem>

  private struct State {
    var isCancelled = false
    var waiting: CheckedContinuation<Outcome, Never>?
  }

  private let path: String
  private let limit: Int
  private let state = Locked(State())

  /// - Parameter limit: more bytes are refused.
  static func bytes(of path: String, limit: Int) async throws(FileProblem) -> [UInt8] {
    let reading = FileReading(path, limit)
    let outcome = await withTaskCancellationHandler {
      await withCheckedContinuation(reading.start)
    } onCancel: {
      reading.cancel()
    }
    return try outcome.get()
  }

  private init(_ path: String, _ limit: Int) {
    self.path = path
    self.limit = limit
  }

  private func start(_ continuation: CheckedContinuation<Outcome, Never>) {
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.waiting = continuation }
      return state.isCancelled
    }
    if isCancelled { return continuation.resume(returning: .failure(.cancelled(path))) }
    // Owned by this reading: it ends with it, or with the process.
    Thread.detachNewThread { [self] in
      finish(Result { () throws(FileProblem) in try read() })
    }
  }

  private func cancel() {
    state.withLock { $0.isCancelled = true }
    finish(.failure(.cancelled(path)))
  }

  private func finish(_ outcome: Outcome) {
    state.withLock { $0.waiting.take() }?.resume(returning: outcome)
  }

  // On the thread.

  private func read() throws(FileProblem) -> [UInt8] {
    let place = Files.expanded(path)
    // Opened so, a pipe that nobody writes does not block, and a terminal does not become ours.
    let descriptor = open(place, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw failure(errno) }
    defer { close(descriptor) }
    var facts = stat()
    guard fstat(descriptor, &facts) == 0 else { throw failure(errno) }
    try requireReadable(facts, at: place)
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 256 << 10)
    while !state.withLock({ $0.isCancelled }) {
      let count = Glibc.read(descriptor, &chunk, chunk.count)
      if count == 0 { return bytes }
      if count > 0 {
        bytes += chunk[..<count]
        guard bytes.count <= limit else {
          throw FileProblem(path: path, reason: "it is larger than \(limit >> 20) MiB")
        }
      } else if errno == EAGAIN {
        // A pipe whose writer takes its time.
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        poll(&waiting, 1, 100)
      } else if errno != EINTR {
        throw failure(errno)
      }
    }
    throw .cancelled(path)
  }

  /// A device may have no end, and a pipe in a folder no writer. One that the shell opened for this run has.
  private func requireReadable(_ facts: stat, at place: String) throws(FileProblem) {
    let isOpenAlready = place == "/dev/stdin" || place.hasPrefix("/dev/fd/") || place.hasPrefix("/proc/self/fd/")
    switch facts.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFIFO where isOpenAlready: break
    case S_IFIFO:
      throw FileProblem(path: path, reason: "named pipes are not read; use <(command) or /dev/stdin")
    case S_IFCHR where isNull(facts): break
    case S_IFDIR: throw failure(EISDIR)
    default: throw FileProblem(path: path, reason: "it is a device")
    }
  }

  /// Whether this is /dev/null, by whatever name; it ends at once.
  private func isNull(_ facts: stat) -> Bool {
    var null = stat()
    return stat("/dev/null", &null) == 0 && null.st_rdev == facts.st_rdev
  }

  private func failure(_ code: Int32) -> FileProblem { FileProblem(path: path, reason: FileError.reason(code)) }
}
