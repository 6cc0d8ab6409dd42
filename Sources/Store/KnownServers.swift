import Addresses
package import Chat
import Dispatch
import Foundation
import Waiting

/// Whom the person trusts, and whom the system has trusted: one entry for each host and port (docs/rules.md T1, T5).
///
/// The file is read when it is first asked for, and again as soon as it is another one: what one shell takes back
/// counts at the next request of every other.
///
/// It is read by the thread that moves bytes, and changed by the shell.
package final class KnownServers: Sendable {
  package struct Entry: Sendable, Equatable {
    /// As `ServerKey.host`.
    package var host: String
    package var port: Int
    package var trust: Trust
    /// Milliseconds since 1970, to the second; 0 where a line written by hand does not say.
    package var firstSeen: Int
    package var lastSeen: Int
    /// Whether the system trusted it once, whoever is trusted to vouch for it now (docs/rules.md T5).
    package var wasTrustedBySystem: Bool

    package enum Trust: Sendable, Equatable {
      case pinned(Pin)
      /// A file of authorities (PEM).
      case authorities(file: String)
      /// The system trusted it.
      case system
      /// What is said of this server, in this line, cannot be read: that is no reason to take it for unknown.
      case damaged(line: Int)
    }
  }

  package enum Problem: Sendable, Equatable {
    /// A line that is no entry, or not wholly; from 1.
    case line(Int)
    /// The file could not be read, or others could have written it.
    case unreadable(FileError)
  }

  private let file: KnownServersFile?
  private let writes: Bool
  /// Notes are written here, and not on the thread that moves bytes.
  private let notes = DispatchQueue(label: "known servers")
  private let state: Locked<State>

  /// What is known, of the file and beside it.
  fileprivate struct State {
    let file: KnownServersFile?
    let writes: Bool
    var list = KnownServersList()
    var problem: Problem?
    var stamp: FileStamp?
    var hasRead = false
    /// What is not in the file: all changes where nothing is written, and notes that could not be.
    var held: [Address: Entry?] = [:]
    /// When a note was made of an entry that is the person's, and of which the system trusted it too.
    var noted: [Address: Int] = [:]
    var trustedBySystem: Set<Address> = []
  }

  /// One server to be trusted or not, however its host is written.
  struct Address: Hashable {
    var host: String
    var port: Int

    init(_ host: String, _ port: Int) {
      self.host = ServerKey.canonicalHost(host)
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
    state = Locked(State(file: path.map(KnownServersFile.init), writes: writes && path != nil))
  }

  package var entries: [Entry] {
    state.withLock { state in
      state.refresh()
      let written = state.list.entries.compactMap { state.find($0.address) }
      let known = Set(written.map(\.address))
      let others = state.held.values.compactMap(\.self).filter { !known.contains($0.address) }
      return written + others.sorted { ($0.host, $0.port) < ($1.host, $1.port) }
    }
  }

  /// What is wrong with the file, as it is now.
  package var problems: [Problem] {
    state.withLock { state in
      state.refresh()
      return state.problem.map { [$0] } ?? state.list.badLines.map(Problem.line)
    }
  }

  package func entry(of host: String, port: Int) -> Entry? {
    state.withLock { state in
      state.refresh()
      return state.find(Address(host, port))
    }
  }

  /// Puts an entry in the place of the one for the same host and port; the time it was first seen stays, and that the
  /// system trusted it.
  package func trust(_ trust: Entry.Trust, of host: String, port: Int, at moment: Int) throws(FileError) {
    let address = Address(host, port)
    let isHeld = state.withLock { $0.held[address]??.wasTrustedBySystem ?? $0.trustedBySystem.contains(address) }
    try change { list throws(FileError) in
      var entry = Entry(address, trust, after: list.entry(of: address), at: moment)
      if isHeld { entry.wasTrustedBySystem = true }
      try list.set(entry)
    } otherwise: { state in
      state.held[address] = Entry(address, trust, after: state.find(address), at: moment)
    }
  }

  /// Takes back what a person said of a server; that the system trusted it once stays, until that is forgotten too.
  /// - Returns: what was forgotten; nil when there was nothing.
  @discardableResult
  package func forget(_ host: String, port: Int) throws(FileError) -> Entry? {
    let address = Address(host, port)
    let had = try change { list throws(FileError) -> Entry? in
      var had = list.remove(address)
      if had != nil, wasNoted(address) { had?.wasTrustedBySystem = true }
      if let rest = had?.whenForgotten { try list.set(rest) }
      return had
    } otherwise: { state in
      let had = state.find(address)
      state.held[address] = .some(had?.whenForgotten)
      return had
    }
    state.withLock { [writes] state in
      if writes { state.held[address] = nil }
      state.trustedBySystem.remove(address)
      state.noted[address] = nil
    }
    return had
  }

  /// Whether this process has seen the system trust it, beside what the person said.
  private func wasNoted(_ address: Address) -> Bool { state.withLock { $0.trustedBySystem.contains(address) } }

  /// Runs a change on the newest state of the file under its lock, or on what is held in memory where nothing is written.
  private func change<T: Sendable>(
    waiting seconds: Double = 5, _ body: (inout KnownServersList) throws(FileError) -> T,
    otherwise: (inout State) -> T
  ) throws(FileError) -> T {
    guard let file, writes else {
      return state.withLock { state in
        state.refresh()
        return otherwise(&state)
      }
    }
    // The file's lock keeps changes apart. Requests wait for neither it nor the disk: they take the inner lock alone.
    let guarding = try file.lock(waiting: seconds)
    defer { withExtendedLifetime(guarding) {} }
    let (before, problem) = state.withLock { state in
      state.read()
      return (state.list, state.problem)
    }
    if let problem { throw problem.fileError(file.path) }
    var changed = before
    let value = try body(&changed)
    if changed != before { try file.write(changed) }
    state.withLock { state in
      state.read()
      state.held = state.held.filter { [list = state.list] in list.entry(of: $0.key) == nil }
    }
    return value
  }
}

extension KnownServers.State {
  mutating func refresh() {
    guard let file, !hasRead || FileStamp(file.path) != stamp else { return }
    read()
  }

  mutating func read() {
    guard let file else { return }
    // Taken first: a change in between is then noticed by the next look.
    stamp = FileStamp(file.path)
    hasRead = true
    list = KnownServersList()
    problem = nil
    do throws(FileError) { list = try file.read() } catch { problem = .unreadable(error) }
  }

  func find(_ address: KnownServers.Address) -> KnownServers.Entry? {
    var entry = found(address)
    if trustedBySystem.contains(address) { entry?.wasTrustedBySystem = true }
    return entry
  }

  private func found(_ address: KnownServers.Address) -> KnownServers.Entry? {
    guard let change = held[address] else { return list.entry(of: address) }
    // What this process could only note gives way to what the person wrote meanwhile.
    let isNote = writes || change?.trust == .system
    if isNote, let written = list.entry(of: address), written.trust != change?.trust { return written }
    return change
  }
}

// What handshakes show.
extension KnownServers {
  private enum Note { case systemTrust, pinUse }

  /// Remembers that the system trusted a server, so that a later certificate that it does not trust is a change
  /// (docs/rules.md T5). Counts at once and waits for nothing: it is written later, or remembered by this process
  /// alone.
  package func noteSystemTrust(of host: String, port: Int, at moment: Int) {
    take(.systemTrust, Address(host, port), moment)
  }

  /// Remembers when a pinned certificate was last seen, to the day (docs/rules.md T1).
  package func notePinUse(of host: String, port: Int, at moment: Int) { take(.pinUse, Address(host, port), moment) }

  /// Waits until what was noted is written, as far as it can be: before the end of a run.
  package func finishNotes() { notes.sync {} }

  private func take(_ note: Note, _ address: Address, _ moment: Int) {
    let isNews = state.withLock { state in
      state.refresh()
      let known = state.find(address)
      // What was forgotten where nothing is written stays forgotten.
      guard known != nil || state.held[address] == nil,
        let entry = KnownServers.entry(after: note, known, address, moment)
      else { return false }
      switch entry.trust {
      case .system: state.held[address] = entry
      // A note carries no trust: what the person takes back meanwhile, here or in another shell, is not to come back.
      case .pinned, .authorities, .damaged:
        guard state.noted[address].map({ abs(moment - $0) >= 86_400_000 }) ?? true else { return false }
        state.noted[address] = moment
        if note == .systemTrust { state.trustedBySystem.insert(address) }
      }
      return true
    }
    guard isNews, writes else { return }
    notes.async { self.write(note, address, moment) }
  }

  private func write(_ note: Note, _ address: Address, _ moment: Int) {
    // What cannot be written is held already.
    try? change(waiting: 0) { list throws(FileError) in
      guard let entry = KnownServers.entry(after: note, list.entry(of: address), address, moment) else { return }
      try list.set(entry)
    } otherwise: { _ in
    }
  }

  /// What is known after a note; nil when it is no news: days count, not moments.
  private static func entry(after note: Note, _ known: Entry?, _ address: Address, _ moment: Int) -> Entry? {
    let isNewDay = known.map { abs(moment - $0.lastSeen) >= 86_400_000 } ?? true
    switch (note, known?.trust) {
    case (.systemTrust, nil): return Entry(address, .system, after: nil, at: moment)
    case (.systemTrust, .system), (.pinUse, .pinned):
      guard var entry = known, isNewDay else { return nil }
      entry.lastSeen = moment / 1000 * 1000
      return entry
    case (.systemTrust, .pinned), (.systemTrust, .authorities):
      guard var entry = known, !entry.wasTrustedBySystem else { return nil }
      entry.wasTrustedBySystem = true
      return entry
    case (.systemTrust, .damaged), (.pinUse, _): return nil
    }
  }
}
