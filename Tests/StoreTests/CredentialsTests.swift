import Chat
import Foundation
import TestSupport
import Testing
import Wire

@testable import Store

let kz = "https://kz.lan:8443"

func permissions(_ path: String) -> Int {
  var facts = stat()
  return lstat(path, &facts) == 0 ? Int(facts.st_mode & 0o7777) : -1
}

func content(_ path: String) -> String {
  ((try? AtomicFile.read(path)) ?? nil).map { String(decoding: $0, as: UTF8.self) } ?? ""
}

/// All files below a directory that have `word` in them.
func sightings(of word: String, below directory: String) -> [String] {
  (FileManager.default.enumerator(atPath: directory)?.compactMap { $0 as? String } ?? []).filter {
    FileManager.default.contents(atPath: directory + "/" + $0).map { $0.range(of: Data(word.utf8)) != nil } ?? false
  }
}

private let full = StoredSignIn(
  .session, token: Secret("canary-access"), refresh: Secret("canary-refresh"), tokenID: "id-1", expiresAt: 99,
  lifetime: 3600, username: "ada",
  issuer: StoredSignIn.Issuer(
    url: "https://idp.lan/", tokenEndpoint: "https://idp.lan/token", revocationEndpoint: "https://idp.lan/revoke",
    clientID: "c-1", resource: "https://tools.lan/mcp", scope: "tools notes"))

@Suite(.ownThread) struct CredentialsFileTests {
  @Test func `a sign-in survives with all it has, and nothing of it after signing out`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/data/credentials.json"
      let credentials = Credentials(path, .file, environment: [:])
      #expect(try await credentials.read(kz) == nil)
      #expect(access(directory.path + "/data", F_OK) != 0)
      #expect(try await credentials.write(full, for: kz) == .file(path))
      let other = Credentials(path, .auto, environment: [:])
      #expect(try await other.read("HTTPS://user:pw@KZ.lan:8443/?token=x") == full)
      #expect(try await other.read("https://kz.lan") == nil)
      try await other.erase(kz)
      #expect(try await credentials.read(kz) == nil)
      #expect(sightings(of: "canary", below: directory.path).isEmpty)
      #expect(!content(path).contains("kz.lan"))
      try await credentials.erase(kz)
    }
  }

  @Test func `what a later version wrote beside it stays`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/credentials.json"
      let later = #"{"version":2,"new":[1],"accounts":{"https://a":{"kind":"key","token":"t","more":1}}}"#
      try AtomicFile.write(Array(later.utf8), to: path)
      let credentials = Credentials(path, .file, environment: [:])
      #expect(try await credentials.read("https://a")?.token == Secret("t"))
      _ = try await credentials.write(full, for: kz)
      try await credentials.erase(kz)
      #expect(try JSON(parsing: content(path)) == JSON(parsing: later))
    }
  }

  @Test(arguments: ["000", "022", "077"], [false, true])
  func `only the person can read it, whatever the umask and the directory are`(
    _ mask: String, _ isThere: Bool
  ) async throws {
    try await withTemporaryDirectory { directory in
      let folder = directory.path + "/data"
      if isThere {
        mkdir(folder, 0o755)
        chmod(folder, 0o755)
      }
      let process = Process()
      process.executableURL = probe
      process.arguments = ["login", folder + "/credentials.json", mask]
      process.environment = ["PATH": "/nowhere"]
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      process.waitUntilExit()
      #expect(process.terminationStatus == 0)
      #expect(permissions(folder) == 0o700)
      #expect(permissions(folder + "/credentials.json") == 0o600)
      #expect(permissions(folder + "/credentials.json.lock") == 0o600)
    }
  }

  @Test func `a file that others can read is refused with what mends it`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/credentials.json"
      let credentials = Credentials(path, .file, environment: [:])
      _ = try await credentials.write(full, for: kz)
      let cases: [(Int, String, String?)] = [
        (0o644, "others can read it", nil), (0o602, "others can write it", Exposure.readFirst),
        (0o666, "others can write it", Exposure.readFirst),
      ]
      for (mode, reason, advice) in cases {
        chmod(path, mode_t(mode))
        let refusal = CredentialError.exposed(
          Exposure(path: path, reason: reason, advice: advice, command: "chmod 600 \(path)"))
        await #expect(throws: refusal) { try await credentials.read(kz) }
        await #expect(throws: refusal) { try await credentials.write(full, for: kz) }
        await #expect(throws: refusal) { try await credentials.erase(kz) }
        #expect(Store.directory(of: path) == directory.path && content(path).contains("canary"))
      }
      chmod(path, 0o600)
      #expect(try await credentials.read(kz) == full)

      rename(path, directory.path + "/elsewhere")
      symlink("elsewhere", path)
      let copy = "cp --remove-destination \(directory.path)/elsewhere \(path)"
      let link = Exposure(path: path, reason: "a symbolic link", advice: Exposure.readFirst, command: copy)
      await #expect(throws: CredentialError.exposed(link)) {
        try await credentials.read(kz)
      }
      unlink(path)
      mkdir(path, 0o700)
      let aside = "mv \(path) \(path).old"
      let folder = Exposure(path: path, reason: "not a regular file", command: aside)
      await #expect(throws: CredentialError.exposed(folder)) {
        try await credentials.read(kz)
      }
    }
  }

  @Test func `a damaged file is set aside by the next change, and signing out removes the damaged one`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/credentials.json"
      try AtomicFile.write(Array(#"{"accounts":{"https://kz.lan:8443":{"token":"canary-old"#.utf8), to: path)
      let credentials = Credentials(path, .auto, environment: [:])
      await #expect(throws: CredentialError.broken(path: path)) { try await credentials.read(kz) }
      #expect(try await credentials.write(full, for: kz) == .file(path))
      #expect(try await credentials.read(kz) == full)
      #expect(sightings(of: "canary-old", below: directory.path).count == 1)
      try await credentials.erase(kz)
      #expect(sightings(of: "canary", below: directory.path).isEmpty)

      try AtomicFile.write(Array(#"{"canary"#.utf8), to: path)
      try await credentials.erase(kz)
      #expect(sightings(of: "canary", below: directory.path).isEmpty)
    }
  }

  @Test func `a run that keeps nothing reads what is kept and changes nothing`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/credentials.json"
      _ = try await Credentials(path, .file, environment: [:]).write(full, for: kz)
      let before = content(path)
      let credentials = Credentials(path, .file, environment: [:], writes: false)
      #expect(try await credentials.read(kz) == full)
      #expect(try await credentials.write(StoredSignIn(.key, token: Secret("k")), for: kz) == .memory)
      #expect(try await credentials.read(kz)?.token == Secret("k"))
      try await credentials.erase(kz)
      #expect(try await credentials.read(kz) == nil)
      #expect(try await credentials.exclusively(kz) { 7 } == 7)
      #expect(content(path) == before)
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).count == 2)
    }
  }

  @Test func `where a file stands in the place of the folder nothing is kept`() async throws {
    try await withTemporaryDirectory { directory in
      try AtomicFile.write(Array("x".utf8), to: directory.path + "/home")
      let credentials = Credentials(directory.path + "/home/credentials.json", .file, environment: [:])
      #expect(try await credentials.read(kz) == nil)
      await #expect(throws: CredentialError.self) { try await credentials.write(full, for: kz) }
    }
  }

  @Test func `of a run that keeps nothing, the successor of a spent token is kept, and no new sign-in`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/credentials.json"
      let disk = Credentials(path, .file, environment: [:])
      let old = StoredSignIn(.session, token: Secret("a1"), refresh: Secret("r1"), username: "ann")
      let next = StoredSignIn(.session, token: Secret("a2"), refresh: Secret("r2"), username: "ann")
      _ = try await disk.write(old, for: kz)

      // The same person by password: the sign-in on disk is good still.
      let signingIn = Credentials(path, .file, environment: [:], writes: false)
      #expect(try await signingIn.write(next, for: kz) == .memory)
      #expect(try await disk.read(kz) == old)

      let renewing = Credentials(path, .file, environment: [:], writes: false)
      #expect(try await renewing.write(next, for: kz, replacing: Secret("r0")) == .memory)
      #expect(try await disk.read(kz) == old)

      let renewed = Credentials(path, .file, environment: [:], writes: false)
      #expect(try await renewed.write(next, for: kz, replacing: Secret("r1")) == .file(path))
      #expect(try await disk.read(kz) == next)
    }
  }

  @Test func `a killed writer leaves the old or the new sign-in, and nothing else after the next`() async throws {
    let rounds = ProcessInfo.processInfo.environment["PARLEY_ROUNDS"].flatMap(Int.init) ?? 50
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/credentials.json"
      var last = 0
      for round in 0..<rounds {
        let process = Process()
        let output = Pipe()
        process.executableURL = probe
        process.arguments = ["save", path]
        process.standardOutput = output
        try process.run()
        // At least one save has been done; then it dies anywhere in the next.
        var said = output.fileHandleForReading.availableData
        usleep(UInt32.random(in: 0..<8_000))  // timed: killed at any moment
        kill(process.processIdentifier, SIGKILL)
        said += output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        last = try #require(String(decoding: said, as: UTF8.self).split(separator: "\n").compactMap { Int($0) }.last)
        let signIn = try await Credentials(path, .file, environment: [:]).read("https://kz.lan")
        let token = try #require(signIn?.token.reveal(), "round \(round)")
        let parts = token.split(separator: "-")
        #expect(parts.count == 3 && parts[0] == parts[2] && parts[1].count == 20_000)
        #expect([last, last + 1].contains(Int(parts[0]) ?? 0))
      }
      // Temporaries are removed when they are a minute old.
      for name in try FileManager.default.contentsOfDirectory(atPath: directory.path) where name.hasSuffix(".new") {
        let old = [timeval(tv_sec: time(nil) - 120, tv_usec: 0), timeval(tv_sec: time(nil) - 120, tv_usec: 0)]
        utimes(directory.path + "/" + name, old)
      }
      _ = try await Credentials(path, .file, environment: [:]).write(full, for: kz)
      let left = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
      #expect(left == ["credentials.json", "credentials.json.lock"])
    }
  }
}

@Suite(.ownThread) struct ExclusiveAccountTests {
  @Test func `tasks and processes take turns`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/credentials.json"
      let processes = try (0..<2).map { _ in
        let process = Process()
        process.executableURL = probe
        process.arguments = ["count", path]
        try process.run()
        return process
      }
      let counter = path + ".count"
      try await withThrowingTaskGroup(of: Void.self) { group in
        let credentials = Credentials(path, .file, environment: [:])
        for _ in 0..<20 {
          group.addTask {
            try await credentials.exclusively("https://kz.lan/") {
              let number = Int(content(counter)) ?? 0
              await Task.yield()
              try? "\(number + 1)".write(toFile: counter, atomically: false, encoding: .utf8)  // the sum tells
            }
          }
        }
        try await group.waitForAll()
      }
      for process in processes { process.waitUntilExit() }
      #expect(content(counter) == "220")
      let names = try FileManager.default.contentsOfDirectory(atPath: directory.path)
      #expect(names.allSatisfy { !$0.contains("kz") })
    }
  }

  @Test func `a task waits for the others of this process however long they take`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/account.lock"
      let accounts = AccountsInUse(patience: .zero)
      let first = try await accounts.take(path, makingFile: true)
      async let second = accounts.take(path, makingFile: true)
      while accounts.waiting(for: path) == 0 { await Task.yield() }
      accounts.leave(first)
      accounts.leave(try await second)
    }
  }

  @Test func `a task that was cancelled still has what is free, for it may have something to keep`() async throws {
    try await withTemporaryDirectory { directory in
      let accounts = AccountsInUse()
      let path = directory.path + "/account.lock"
      let task = Task {
        withUnsafeCurrentTask { $0?.cancel() }
        accounts.leave(try await accounts.take(path, makingFile: true))
      }
      try await task.value
    }
  }

  @Test func `that another process holds it is told to all that wait`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/account.lock"
      let other = try FileLock(path, .exclusive)
      let accounts = AccountsInUse(patience: .seconds(1))
      let error = CredentialError.file(path: path, reason: "another process holds it")
      let takers = (0..<2).map { _ in Task { _ = try await accounts.take(path, makingFile: true) } }
      while accounts.waiting(for: path) == 0 { await Task.yield() }
      for taker in takers { await #expect(throws: error) { try await taker.value } }
      other.release()
      accounts.leave(try await accounts.take(path, makingFile: true))
    }
  }

  @Test func `a lock is looked at soon, then ever later, and never in step`() {
    var pause = LockPause()
    let pauses = (0..<40).map { _ in pause.next() }
    #expect(pauses[0] <= LockPause.first && pauses.allSatisfy { (1...LockPause.longest).contains($0) })
    #expect(pauses.suffix(20).allSatisfy { $0 >= LockPause.longest / 2 } && Set(pauses.suffix(20)).count > 1)
  }

  @Test func `one account does not wait for another, and a cancelled task not for its turn`() async throws {
    try await withTemporaryDirectory { directory in
      let credentials = Credentials(directory.path + "/credentials.json", .file, environment: [:])
      try await credentials.exclusively("https://a") {
        let inner = try? await credentials.exclusively("https://b") { 1 }
        #expect(inner == 1)
        let waiting = Task { try await credentials.exclusively("https://a") { 2 } }
        waiting.cancel()
        await #expect(throws: CredentialError.self) { try await waiting.value }
      }
      #expect(try await credentials.exclusively("https://a") { 3 } == 3)
    }
  }
}

let probe = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
  .appending(path: "store-probe")
