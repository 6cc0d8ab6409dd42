package import Chat
import Foundation

/// Whom the person trusts, and whom the system has trusted: one entry for each host and port.
// Sendable: all state is behind the lock. Read by the thread that moves bytes, changed by the shell.
package final class KnownServers: @unchecked Sendable {
  package struct Entry: Sendable, Equatable {
    /// Lower case, no brackets, no dot at the end.
    package var host: String
    package var port: Int
    package var trust: Trust
    /// Milliseconds since 1970.
    package var firstSeen: Int
    package var lastSeen: Int

    package enum Trust: Sendable, Equatable {
      case pinned(Pin)
      /// A file of authorities (PEM).
      case authorities(file: String)
      /// The system trusted it.
      case system
    }
  }

  private let lock = NSLock()
  private var list: [Entry] = []

  /// - Parameters:
  ///   - path: nil begins empty and keeps everything in memory.
  ///   - writes: false keeps changes in memory.
  package init(_ path: String?, writes: Bool = true) {}

  package var entries: [Entry] { lock.withLock { list } }

  package func entry(of host: String, port: Int) -> Entry? {
    entries.first { $0.host == host && $0.port == port }
  }

  /// Puts an entry in the place of the one for the same host and port; the time it was first seen stays.
  package func trust(_ trust: Entry.Trust, of host: String, port: Int, at moment: Int) throws(FileError) {
    lock.withLock {
      list.removeAll { $0.host == host && $0.port == port }
      list.append(Entry(host: host, port: port, trust: trust, firstSeen: moment, lastSeen: moment))
    }
  }

  /// Whether there was one.
  package func forget(_ host: String, port: Int) throws(FileError) -> Bool {
    lock.withLock {
      let count = list.count
      list.removeAll { $0.host == host && $0.port == port }
      return list.count < count
    }
  }
}
