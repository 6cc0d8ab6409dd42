package import Chat
import Foundation

/// Whom the person trusts, and whom the system has trusted: one entry for each host and port (RELIABILITY T1, T5).
///
/// The file is read when it is first asked for, and again as soon as it is another one: what one shell takes back
/// counts at the next request of every other.
// Sendable: all state is behind the lock. Read by the thread that moves bytes, changed by the shell.
package final class KnownServers: @unchecked Sendable {
  package struct Entry: Sendable, Equatable {
    /// Lower case, no brackets, no dot at the end.
    package var host: String
    package var port: Int
    package var trust: Trust
    /// Milliseconds since 1970, to the second; 0 where a line written by hand does not say.
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

  package enum Problem: Sendable, Equatable {
    /// A line that is no entry, or not wholly; from 1.
    case line(Int)
    /// The file is not believed, for others could have written it.
    case unsafe(reason: String)
    case unreadable(FileError)
  }

  private let lock = NSLock()
  private let file: KnownServersFile?
  private let writes: Bool
  private var list = KnownServersList()
  private var problem: Problem?
  private var stamp: FileStamp?
  private var hasRead = false
  /// What is not in the file: all changes where nothing is written, and notes that could not be.
  private var held: [Address: Entry?] = [:]

  /// One server to be trusted or not.
  struct Address: Hashable {
    var host: String
    var port: Int

    init(_ host: String, _ port: Int) {
      var host = host.lowercased()[...]
      if host.hasPrefix("["), host.hasSuffix("]") { host = host.dropFirst().dropLast() }
      if host.hasSuffix(".") { host = host.dropLast() }
      self.host = String(host)
      self.port = port
    }
  }

  /// Reads nothing yet.
  /// - Parameters:
  ///   - path: nil begins empty and keeps everything in memory.
  ///   - writes: false keeps changes in memory.
  package init(_ path: String?, writes: Bool = true) {
    file = path.map(KnownServersFile.init)
    self.writes = writes && path != nil
  }

  package var entries: [Entry] {
    lock.withLock {
      refresh()
      let kept = list.entries.filter { held[$0.address] == nil }
      return kept + held.values.compactMap(\.self).sorted { ($0.host, $0.port) < ($1.host, $1.port) }
    }
  }

  /// What is wrong with the file, as it is now.
  package var problems: [Problem] {
    lock.withLock {
      refresh()
      return problem.map { [$0] } ?? list.badLines.map(Problem.line)
    }
  }

  package func entry(of host: String, port: Int) -> Entry? {
    lock.withLock {
      refresh()
      return find(Address(host, port))
    }
  }

  /// Puts an entry in the place of the one for the same host and port; the time it was first seen stays.
  package func trust(_ trust: Entry.Trust, of host: String, port: Int, at moment: Int) throws(FileError) {
    let address = Address(host, port)
    try change { list throws(FileError) in
      try list.set(trust, of: address, at: moment)
    } otherwise: {
      let first = find(address)?.firstSeen ?? 0
      held[address] = Entry(address, trust, firstSeen: first == 0 ? moment : first, lastSeen: moment)
    }
  }

  /// Whether there was one.
  package func forget(_ host: String, port: Int) throws(FileError) -> Bool {
    let address = Address(host, port)
    return try change { list throws(FileError) in
      list.remove(address)
    } otherwise: {
      let had = find(address) != nil
      held[address] = .some(nil)
      return had
    }
  }

  /// Remembers that the system trusted a server about which nothing else is known, so that a later certificate that it
  /// does not trust is a change (RELIABILITY T5). Never waits for another process: what cannot be written is
  /// remembered by this one.
  package func noteSystemTrust(of host: String, port: Int, at moment: Int) {
    let address = Address(host, port)
    guard lock.withLock({ isNews(address, moment) }) else { return }
    do throws(FileError) {
      try change(waiting: 0) { list throws(FileError) in
        if list.entry(of: address).map({ $0.trust == .system }) ?? true {
          try list.set(.system, of: address, at: moment)
        }
      } otherwise: {
        hold(address, moment)
      }
    } catch {
      lock.withLock { hold(address, moment) }
    }
  }

  private func isNews(_ address: Address, _ moment: Int) -> Bool {
    refresh()
    guard let known = find(address) else { return held[address] == nil }
    return known.trust == .system && abs(moment - known.lastSeen) >= 86_400_000
  }

  private func hold(_ address: Address, _ moment: Int) {
    held[address] = Entry(address, .system, firstSeen: find(address)?.firstSeen ?? moment, lastSeen: moment)
  }

  private func find(_ address: Address) -> Entry? {
    guard let change = held[address] else { return list.entry(of: address) }
    // What this process could only note gives way to what the person wrote meanwhile.
    if writes, let written = list.entry(of: address), written.trust != .system { return written }
    return change
  }

  /// Changes the newest state of the file under its lock, or what is held in memory where nothing is written.
  private func change<T>(
    waiting seconds: Double = 5, _ body: (inout KnownServersList) throws(FileError) -> T, otherwise: () -> T
  ) throws(FileError) -> T {
    guard let file, writes else {
      return lock.withLock {
        refresh()
        return otherwise()
      }
    }
    // Taken before the inner lock: a request must not wait for another process.
    let guarding = try file.lock(waiting: seconds)
    defer { withExtendedLifetime(guarding) {} }
    lock.lock()
    defer { lock.unlock() }
    read()
    if let problem { throw problem.fileError(file.path) }
    var changed = list
    let value = try body(&changed)
    if changed != list {
      try file.write(changed)
      read()
    }
    held = held.filter { list.entry(of: $0.key) == nil }
    return value
  }

  private func refresh() {
    guard let file, !hasRead || FileStamp(file.path) != stamp else { return }
    read()
  }

  private func read() {
    guard let file else { return }
    // Taken first: a change in between is then noticed by the next look.
    stamp = FileStamp(file.path)
    hasRead = true
    list = KnownServersList()
    problem = nil
    do throws(PrivateFile.Refusal) { list = try file.read() } catch {
      switch error {
      case .exposed(let reason, _): problem = .unsafe(reason: reason)
      case .file(let error): problem = .unreadable(error)
      }
    }
  }
}

extension KnownServers.Entry {
  var address: KnownServers.Address { KnownServers.Address(host, port) }

  init(_ address: KnownServers.Address, _ trust: Trust, firstSeen: Int, lastSeen: Int) {
    self.init(
      host: address.host, port: address.port, trust: trust, firstSeen: firstSeen / 1000 * 1000,
      lastSeen: lastSeen / 1000 * 1000)
  }
}

extension KnownServers.Problem {
  fileprivate func fileError(_ path: String) -> FileError {
    if case .unreadable(let error) = self { error } else { .readOnlyFile(path: path) }
  }
}
