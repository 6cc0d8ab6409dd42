import Chat
import Foundation
import TestSupport
import Testing

@testable import Store

private let pin = Pin(
  fingerprint: fingerprint(0xAB), keyFingerprint: fingerprint(1), der: [1, 2, 3],
  subject: "CN=kz \"lan\" \u{202E}x\u{1B}[31m #1, O=Prüfstand", validUntil: 1_900_000_000)

private func fingerprint(_ byte: UInt8) -> Fingerprint {
  guard let fingerprint = Fingerprint([UInt8](repeating: byte, count: 32)) else { preconditionFailure("32 bytes") }
  return fingerprint
}

/// 2026-11-21T12:00:00Z.
private let noon = 1_795_262_400_000
private let day = 86_400_000

@Suite(.ownThread) struct KnownServersTests {
  @Test func `what is trusted survives in readable lines of its owner`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/data/known_servers"
      let servers = KnownServers(path)
      #expect(servers.entries.isEmpty && servers.problems.isEmpty)
      #expect(access(directory.path + "/data", F_OK) != 0)
      try servers.trust(.pinned(pin), of: "KZ.lan.", port: 8443, at: noon + 999)
      try servers.trust(.authorities(file: "/etc/a b.pem"), of: "[FE80::1]", port: 443, at: noon)
      servers.noteSystemTrust(of: "api.example.com", port: 443, at: noon)
      servers.finishNotes()
      #expect(permissions(path) == 0o600)
      let lines = content(path).split(separator: "\n")
      #expect(
        lines[1].hasPrefix(
          "kz.lan:8443 pinned \(pin.fingerprint.word) key=\(pin.keyFingerprint.word) first=2026-11-21T12:00:00Z"))
      #expect(
        lines[2] == #"[fe80::1]:443 authorities "/etc/a b.pem" first=2026-11-21T12:00:00Z last=2026-11-21T12:00:00Z"#)
      #expect(content(path).unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
      #expect(!content(path).contains("\u{202E}") && content(path).contains("Prüfstand"))

      let again = KnownServers(path)
      #expect(again.entries == servers.entries && again.problems.isEmpty)
      #expect(again.entries.map(\.host) == ["kz.lan", "fe80::1", "api.example.com"])
      #expect(again.entry(of: "kz.LAN", port: 8443)?.trust == .pinned(pin))
      #expect(again.entry(of: "fe80::1", port: 443)?.trust == .authorities(file: "/etc/a b.pem"))
      #expect(again.entry(of: "kz.lan", port: 443) == nil)
    }
  }

  @Test func `a server is found and forgotten however its address is written`() async throws {
    try await withTemporaryDirectory { directory in
      let servers = KnownServers(directory.path + "/known_servers")
      try servers.trust(.pinned(pin), of: "2001:db8::1", port: 443, at: noon)
      #expect(servers.entry(of: "[2001:DB8:0:0::1]", port: 443)?.trust == .pinned(pin))
      #expect(try servers.forget("2001:0db8:0000::0001", port: 443) != nil)
      #expect(servers.entry(of: "2001:db8::1", port: 443) == nil)
      try servers.trust(.pinned(pin), of: "[FE80:0::1%eth0]", port: 443, at: noon)
      #expect(servers.entry(of: "fe80::1%eth0", port: 443)?.trust == .pinned(pin))
    }
  }

  @Test func `a new trust keeps its place and the day it was first seen`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/known_servers"
      let servers = KnownServers(path)
      servers.noteSystemTrust(of: "a", port: 1, at: noon)
      servers.noteSystemTrust(of: "b", port: 1, at: noon)
      servers.finishNotes()
      try servers.trust(.pinned(pin), of: "a", port: 1, at: noon + day)
      let entry = servers.entries[0]
      #expect(entry.host == "a" && entry.trust == .pinned(pin))
      #expect(entry.firstSeen == noon && entry.lastSeen == noon + day)
      #expect(try servers.forget("A", port: 1)?.trust == .pinned(pin))
      #expect(try servers.forget("a", port: 1)?.trust == .system)
      #expect(try servers.forget("a", port: 1) == nil)
      #expect(KnownServers(path).entries.map(\.host) == ["b"])
    }
  }

  @Test func `lines written by hand count, and what is no entry stays and is reported`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/known_servers"
      let word = pin.fingerprint.word
      let text = """
        # mine

          kz.lan:8443   pinned \(word.lowercased())\t
        [::1]:9 authorities /etc/ca.pem
        c:1 pinned \(word) key=xx first=yesterday
        d:1 blessed "later version" x=1
        nonsense
        kz.lan:8443 pinned \(String(repeating: "00", count: 32))
        e:0 system
        f:1 pinned \(word.dropLast())
        g:1 system subject="unended
        ::1:9 system
        h:1 system first=2026-11-21
        """
      try AtomicFile.write(Array(text.replacing("nonsense", with: "nonsense \u{0}").utf8) + [10, 0xFF, 0x0A], to: path)
      let servers = KnownServers(path)
      #expect(servers.entries.map(\.host) == ["kz.lan", "::1", "c", "d", "f", "g", "h"])
      #expect(
        [("d", 6), ("f", 10), ("g", 11)].allSatisfy {
          servers.entry(of: $0.0, port: 1)?.trust == .damaged(line: $0.1)
        })
      #expect(servers.problems == [5, 6, 7, 8, 9, 10, 11, 12, 14].map(KnownServers.Problem.line))
      guard case .pinned(let found) = servers.entry(of: "kz.lan", port: 8443)?.trust else {
        Issue.record("no pin")
        return
      }
      #expect(found.fingerprint == pin.fingerprint && found.der.isEmpty && found.keyFingerprint == pin.fingerprint)
      #expect(servers.entry(of: "h", port: 1)?.firstSeen == noon - day / 2)

      let before = try #require(try AtomicFile.read(path))
      try servers.trust(.system, of: "new", port: 5, at: noon)
      let after = try #require(try AtomicFile.read(path))
      #expect(after.starts(with: before))
      #expect(try servers.forget("kz.lan", port: 8443) != nil)
      #expect(try servers.forget("new", port: 5) != nil)
      let kept = before.split(separator: 10, omittingEmptySubsequences: false).enumerated()
        .filter { ![2, 7].contains($0.offset) }.map { Array($0.element) }
      #expect(try AtomicFile.read(path) == Array(kept.joined(separator: [10])))
      #expect(servers.entry(of: "kz.lan", port: 8443) == nil)
    }
  }

  @Test func `what another process takes back counts at the next look`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/known_servers"
      let (one, other) = (KnownServers(path), KnownServers(path))
      try one.trust(.pinned(pin), of: "a", port: 1, at: noon)
      #expect(other.entry(of: "a", port: 1) != nil)
      #expect(try one.forget("a", port: 1) != nil)
      #expect(other.entry(of: "a", port: 1) == nil)
      try other.trust(.pinned(pin), of: "b", port: 1, at: noon)
      try one.trust(.pinned(pin), of: "c", port: 1, at: noon)
      #expect(KnownServers(path).entries.map(\.host) == ["b", "c"])
      unlink(path)
      #expect(one.entries.isEmpty && other.entries.isEmpty)
    }
  }

  @Test func `the system's trust is noted once a day and changes nobody's mind`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/known_servers"
      let servers = KnownServers(path)
      try servers.trust(.pinned(pin), of: "a", port: 1, at: noon)
      servers.noteSystemTrust(of: "a", port: 1, at: noon + 9 * day)
      #expect(servers.entry(of: "a", port: 1)?.trust == .pinned(pin))
      servers.noteSystemTrust(of: "b", port: 1, at: noon)
      servers.finishNotes()
      let before = content(path)
      servers.noteSystemTrust(of: "b", port: 1, at: noon + day - 1000)
      servers.finishNotes()
      #expect(content(path) == before)
      servers.noteSystemTrust(of: "b", port: 1, at: noon + day)
      servers.finishNotes()
      #expect(KnownServers(path).entry(of: "b", port: 1)?.lastSeen == noon + day)
      #expect(KnownServers(path).entry(of: "b", port: 1)?.firstSeen == noon)
    }
  }

  @Test func `that the system trusted a server once outlives what the person said of it`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/known_servers"
      let servers = KnownServers(path)
      servers.noteSystemTrust(of: "a", port: 1, at: noon)
      try servers.trust(.authorities(file: "/ca.pem"), of: "a", port: 1, at: noon)
      servers.finishNotes()
      try servers.trust(.pinned(pin), of: "b", port: 1, at: noon)
      servers.noteSystemTrust(of: "b", port: 1, at: noon)
      servers.finishNotes()
      let again = KnownServers(path)
      #expect(again.problems.isEmpty)
      #expect(again.entries.map(\.wasTrustedBySystem) == [true, true])
      #expect(again.entries.map(\.trust) == [.authorities(file: "/ca.pem"), .pinned(pin)])
      for host in ["a", "b"] {
        #expect(try again.forget(host, port: 1)?.trust != .system)
        #expect(KnownServers(path).entry(of: host, port: 1)?.trust == .system)
      }
      #expect(again.entries.map(\.firstSeen) == [noon, noon])

      let memory = KnownServers(nil)
      memory.noteSystemTrust(of: "a", port: 1, at: noon)
      try memory.trust(.pinned(pin), of: "a", port: 1, at: noon)
      #expect(try memory.forget("a", port: 1)?.trust == .pinned(pin))
      #expect(memory.entry(of: "a", port: 1)?.trust == .system)
    }
  }

  @Test func `when a pin was last seen is noted once a day`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/known_servers"
      let servers = KnownServers(path)
      try servers.trust(.pinned(pin), of: "a", port: 1, at: noon)
      let before = content(path)
      for (moment, last) in [(noon + day - 1000, noon), (noon + day, noon + day), (noon + day + 1000, noon + day)] {
        servers.notePinUse(of: "a", port: 1, at: moment)
        servers.notePinUse(of: "b", port: 1, at: moment)
        servers.finishNotes()
        #expect(KnownServers(path).entries.map(\.lastSeen) == [last])
        #expect((content(path) == before) == (last == noon))
      }
      #expect(KnownServers(path).entry(of: "a", port: 1)?.trust == .pinned(pin))
    }
  }

  @Test(arguments: [true, false]) func `what is taken back does not come back by a note`(writes: Bool) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/known_servers"
      try KnownServers(path).trust(.pinned(pin), of: "a", port: 1, at: noon)
      let servers = KnownServers(path, writes: writes)
      // The note is made, and cannot be written: another process is changing the file.
      let lock = try FileLock(path + ".lock", .exclusive)
      servers.notePinUse(of: "a", port: 1, at: noon + 5 * day)
      servers.noteSystemTrust(of: "a", port: 1, at: noon + 5 * day)
      servers.finishNotes()
      lock.release()
      try KnownServers(path).forget("a", port: 1)
      #expect(servers.entry(of: "a", port: 1) == nil)
      #expect(servers.entries.isEmpty)
      // The same, taken back by this process.
      try KnownServers(path).trust(.pinned(pin), of: "a", port: 1, at: noon)
      servers.notePinUse(of: "a", port: 1, at: noon + 9 * day)
      servers.finishNotes()
      try servers.forget("a", port: 1)
      #expect(servers.entry(of: "a", port: 1)?.trust != .pinned(pin))
    }
  }

  @Test func `a damaged line is what is known of its server until that is said anew`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/known_servers"
      try KnownServers(path).trust(.pinned(pin), of: "kz.lan", port: 8443, at: noon)
      let digit = content(path).replacing(pin.fingerprint.word, with: String(pin.fingerprint.word.dropLast()))
      try AtomicFile.write(
        Array((digit + "x:1 pinned \u{1}\n# a:1\n").utf8) + [0x79, 0x3A, 0x31, 0x20, 0xFF], to: path)
      let servers = KnownServers(path)
      #expect(servers.entries.map(\.trust) == [.damaged(line: 2), .damaged(line: 3), .damaged(line: 5)])
      #expect(servers.problems == [.line(2), .line(3), .line(5)])
      servers.noteSystemTrust(of: "x", port: 1, at: noon)
      servers.finishNotes()
      #expect(servers.entry(of: "x", port: 1)?.trust == .damaged(line: 3))
      try servers.trust(.pinned(pin), of: "kz.lan", port: 8443, at: noon)
      #expect(try servers.forget("x", port: 1)?.trust == .damaged(line: 3))
      #expect(KnownServers(path).entries.map(\.trust) == [.pinned(pin), .damaged(line: 4)])
    }
  }

  @Test func `a look at what is known does not wait for a change on its way to the disk`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/known_servers"
      let servers = KnownServers(path)
      let lock = try FileLock(path + ".lock", .exclusive)
      let writer = Thread { try? servers.trust(.pinned(pin), of: "a", port: 1, at: noon) }  // the look below tells
      writer.start()
      for port in 1...50 { servers.noteSystemTrust(of: "b", port: port, at: noon) }
      #expect(servers.entry(of: "b", port: 50)?.trust == .system)
      // The change waits for the lock, which is let go here.
      #expect(servers.entry(of: "a", port: 1) == nil)
      lock.release()
      while servers.entry(of: "a", port: 1) == nil { await Task.yield() }
      #expect(servers.entry(of: "a", port: 1)?.trust == .pinned(pin))
    }
  }

  @Test func `a note that cannot be written is remembered, and waits for nobody`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/known_servers"
      let servers = KnownServers(path)
      let lock = try FileLock(path + ".lock", .exclusive)
      // The lock is let go only below: who waited for it would wait for ever.
      servers.noteSystemTrust(of: "b", port: 1, at: noon)
      servers.finishNotes()
      #expect(servers.entry(of: "b", port: 1)?.trust == .system)
      #expect(access(path, F_OK) != 0)
      lock.release()
      try KnownServers(path).trust(.pinned(pin), of: "b", port: 1, at: noon)
      #expect(servers.entry(of: "b", port: 1)?.trust == .pinned(pin))
      #expect(servers.entries.map(\.trust) == [.pinned(pin)])

      // /proc stands for a directory where nothing can be made: root may write to any other.
      let nowhere = KnownServers("/proc/parley/known_servers")
      nowhere.noteSystemTrust(of: "b", port: 1, at: noon)
      nowhere.finishNotes()
      #expect(nowhere.entry(of: "b", port: 1)?.trust == .system)
      #expect(throws: FileError.self) { try nowhere.trust(.system, of: "c", port: 1, at: noon) }
      #expect(throws: FileError.self) { try nowhere.forget("b", port: 1) }
    }
  }

  @Test func `a file that others could have written is not believed, nor added to`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/known_servers"
      func reason(_ servers: KnownServers) -> String? {
        if case .unreadable(.exposed(let exposure))? = servers.problems.first { exposure.reason } else { nil }
      }
      let servers = KnownServers(path)
      try servers.trust(.pinned(pin), of: "a", port: 1, at: noon)
      chmod(path, 0o644)
      #expect(servers.entries.count == 1)
      chmod(path, 0o620)
      #expect(servers.entries.isEmpty)
      let exposure = Exposure(
        path: path, reason: "others can write it", advice: Exposure.readFirst, command: "chmod go-w \(path)")
      #expect(servers.problems == [.unreadable(.exposed(exposure))])
      #expect(throws: FileError.exposed(exposure)) { try servers.trust(.system, of: "b", port: 1, at: noon) }
      chmod(path, 0o600)
      #expect(servers.entries.count == 1 && servers.problems.isEmpty)
      rename(path, directory.path + "/elsewhere")
      symlink("elsewhere", path)
      #expect(servers.entries.isEmpty)
      #expect(reason(servers) == "a symbolic link")
      #expect(throws: FileError.self) { try servers.forget("a", port: 1) }
      unlink(path)
      mkdir(path, 0o700)
      #expect(reason(servers) == "not a regular file")
      guard geteuid() == 0 else {
        print("not tried: another user's file, which only root can make")
        return
      }
      rmdir(path)
      rename(directory.path + "/elsewhere", path)
      #expect(servers.entries.count == 1)
      chown(path, 12_345, 12_345)
      #expect(reason(servers) == "another user's file")
    }
  }

  @Test func `where nothing is written the file is read and changes stay in memory`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/known_servers"
      try KnownServers(path).trust(.pinned(pin), of: "a", port: 1, at: noon)
      let before = content(path)
      let servers = KnownServers(path, writes: false)
      #expect(try servers.forget("a", port: 1) != nil)
      #expect(try servers.forget("a", port: 1) == nil)
      servers.noteSystemTrust(of: "b", port: 1, at: noon)
      try servers.trust(.pinned(pin), of: "c", port: 1, at: noon)
      #expect(servers.entries.map(\.host) == ["b", "c"])
      try KnownServers(path).trust(.pinned(pin), of: "d", port: 1, at: noon)
      #expect(servers.entries.map(\.host) == ["d", "b", "c"])
      #expect(try KnownServers(path).forget("d", port: 1) != nil)
      #expect(content(path) == before)

      let memory = KnownServers(nil)
      try memory.trust(.system, of: "a", port: 1, at: noon)
      #expect(memory.entry(of: "a", port: 1)?.trust == .system)
      #expect(try memory.forget("a", port: 1) != nil && memory.entries.isEmpty)
    }
  }

  @Test(arguments: ["", "a b", "#a", "a\nb:1 system", "a\""])
  func `a host that no line can carry is refused`(_ host: String) async throws {
    try await withTemporaryDirectory { directory in
      let servers = KnownServers(directory.path + "/known_servers")
      #expect(throws: FileError.self) { try servers.trust(.system, of: host, port: 1, at: noon) }
      #expect(servers.entries.isEmpty)
    }
  }
}

@Suite struct BrowseCacheTests {
  @Test func `a list is kept with its time, and forgotten with its server`() async throws {
    try await withTemporaryDirectory { directory in
      let cache = BrowseCache(directory.path + "/cache")
      #expect(cache.read(server: kz, topic: "apps") == nil)
      cache.forget(kz)
      try cache.write([0, 10, 255], server: "https://u:canary@kz.lan:8443/", topic: "apps", at: noon)
      try cache.write([], server: kz, topic: "tools", at: noon)
      try cache.write([1], server: "https://other", topic: "apps", at: noon)
      let found = try #require(cache.read(server: kz, topic: "apps"))
      #expect(found.bytes == [0, 10, 255] && found.at == noon)
      #expect(cache.read(server: kz, topic: "tools")?.bytes == [])
      #expect(cache.read(server: kz, topic: "models") == nil)
      #expect(sightings(of: "canary", below: directory.path).isEmpty)
      #expect(permissions(directory.path + "/cache") == 0o700)
      for name in try FileManager.default.contentsOfDirectory(atPath: directory.path + "/cache") {
        #expect(permissions(directory.path + "/cache/" + name) == 0o600)
        #expect(!name.contains("kz"))
      }
      cache.forget(kz)
      #expect(cache.read(server: kz, topic: "apps") == nil && cache.read(server: kz, topic: "tools") == nil)
      #expect(cache.read(server: "https://other", topic: "apps")?.bytes == [1])
    }
  }

  @Test func `a list that is too long is not kept, and a damaged one is none`() async throws {
    try await withTemporaryDirectory { directory in
      let cache = BrowseCache(directory.path)
      let most = [UInt8](repeating: 1, count: BrowseCache.limit)
      try cache.write(most, server: kz, topic: "apps", at: noon)
      #expect(cache.read(server: kz, topic: "apps")?.bytes == most)
      #expect(throws: FileError.self) { try cache.write(most + [1], server: kz, topic: "apps", at: noon) }
      #expect(cache.read(server: kz, topic: "apps") == nil)
      try cache.write([1], server: kz, topic: "apps", at: noon)
      let name = try #require(try FileManager.default.contentsOfDirectory(atPath: directory.path).first)
      try AtomicFile.write(Array("{}\nx".utf8), to: directory.path + "/" + name)
      #expect(cache.read(server: kz, topic: "apps") == nil)
    }
  }
}
