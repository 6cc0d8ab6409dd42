import Chat
import Foundation
import TestSupport
import Testing

@testable import Store

private func write(_ text: String, to path: String) throws { try AtomicFile.write(Array(text.utf8), to: path) }

private func mode(_ path: String) -> Int {
  var facts = stat()
  return lstat(path, &facts) == 0 ? Int(facts.st_mode & 0o7777) : -1
}

/// Why a file is not read; nil where it is.
private func refusal(_ path: String, isSecret: Bool = false, followsLinks: Bool = false) -> Exposure? {
  do throws(FileError) {
    _ = try PrivateFile.read(path, isSecret: isSecret, followsLinks: followsLinks)
  } catch {
    if case .exposed(let exposure) = error { return exposure }
    Issue.record("\(error)")
  }
  return nil
}

@Suite struct PrivateFileTests {
  @Test(arguments: [0o622, 0o602, 0o666, 0o777] + (PrivateGroup.ofUser == nil ? [0o620, 0o664] : []))
  func `no file of ours is used that group or others can write`(_ bits: Int) async throws {
    try await withTemporaryDirectory { directory in
      let paths = try Paths(environment: ["PARLEY_HOME": directory.path])
      try write(#"{"servers":[{"name":"a","kind":"acp","url":"acp:/bin/evil"}],"version":1}"#, to: paths.servers)
      try write(#"{"pager":"evil","version":1}"#, to: paths.preferences)
      try write("!evil\n", to: paths.startUpCommands)
      try write(UUID().uuidString, to: paths.deviceName)
      for path in [paths.servers, paths.preferences, paths.startUpCommands, paths.deviceName] {
        chmod(path, mode_t(bits))
      }
      func exposure(_ path: String) -> Exposure {
        Exposure(
          path: path, reason: "others can write it", advice: Exposure.readFirst, command: "chmod go-w \(path)")
      }
      var servers = Servers(paths.servers)
      #expect(servers.entries.isEmpty && servers.problem == .unsafe(exposure(paths.servers)))
      #expect(throws: Servers.Failure.file(.exposed(exposure(paths.servers)))) {
        try servers.add(kind: "openai", url: "http://gpu1")
      }
      var preferences = Preferences(paths.preferences)
      #expect(preferences["pager"].text != "evil")
      #expect(preferences.warnings.map(\.problem) == [.unreadable(.exposed(exposure(paths.preferences)))])
      #expect(throws: PreferenceError.file(.exposed(exposure(paths.preferences)))) { try preferences.set("seed", "1") }
      #expect(throws: FileError.exposed(exposure(paths.startUpCommands))) {
        try PrivateFile.readUserFile(paths.startUpCommands)
      }
      let name = try String(contentsOfFile: paths.deviceName, encoding: .utf8)
      #expect(DeviceName(paths.deviceName, writes: false).text != name)
      #expect(
        paths.exposures
          == [paths.preferences, paths.startUpCommands, paths.servers, paths.deviceName].map {
            UntrustedFile(file: $0, exposure: exposure($0))
          })
      for path in [paths.servers, paths.preferences] { chmod(path, 0o644) }
      #expect(Servers(paths.servers).entries.count == 1)
      let isOther = preferences.refresh()
      #expect(isOther && preferences["pager"].text == "evil" && preferences.warnings.isEmpty)
    }
  }

  @Test func `a folder that others can write is refused, for new files too, unless it is sticky`() async throws {
    try await withTemporaryDirectory { directory in
      let folder = directory.path + "/with space"
      try AtomicFile.makeDirectory(folder)
      let path = folder + "/tools.json"
      try write(#"{"servers":[],"version":1}"#, to: path)
      for bits in [0o777, 0o722, 0o2772] + (PrivateGroup.ofUser == nil ? [0o775, 0o2770] : []) {
        chmod(folder, mode_t(bits))
        let exposure = Exposure(
          path: path, reason: "others can write its folder", advice: "check the files in it",
          command: "chmod go-w '\(folder)'")
        #expect(refusal(path) == exposure)
        #expect(refusal(path, isSecret: true) == exposure)
        #expect(ToolServers(path).problem == .unsafe(exposure))
        #expect(throws: FileError.self) { try AtomicFile.makeDirectory(folder) }
        #expect(try PrivateFile.read(folder + "/missing") == nil)
      }
      for bits in [0o1777, 0o755, 0o700] {
        chmod(folder, mode_t(bits))
        #expect(refusal(path) == nil)
        try AtomicFile.makeDirectory(folder)
      }
    }
  }

  @Test func `a fixed folder is noticed without a restart`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/known_servers"
      try write("# nobody\n", to: path)
      chmod(directory.path, 0o777)
      let servers = KnownServers(path)
      #expect(!servers.problems.isEmpty)
      chmod(directory.path, 0o755)
      #expect(servers.problems.isEmpty)
    }
  }

  @Test func `settings that are a link are as safe as what it leads to`() async throws {
    try await withTemporaryDirectory { directory in
      let (path, folder) = (directory.path + "/preferences.json", directory.path + "/dotfiles")
      let target = folder + "/parley.json"
      try AtomicFile.makeDirectory(folder)
      try write(#"{"seed":7}"#, to: target)
      symlink("dotfiles/parley.json", path)
      #expect(Preferences(path)["seed"].text == "7" && Preferences(path).warnings.isEmpty)
      chmod(target, 0o666)
      #expect(refusal(path, followsLinks: true)?.command == "chmod go-w \(target)")
      #expect(Preferences(path)["seed"].text != "7")
      chmod(target, 0o600)
      var preferences = Preferences(path)
      chmod(folder, 0o777)
      #expect(refusal(path, followsLinks: true)?.command == "chmod go-w \(folder)")
      #expect(refusal(path, followsLinks: true)?.path == target)
      let isNoticed = preferences.refresh()
      #expect(isNoticed && preferences["seed"].text != "7")
      chmod(folder, 0o700)
      #expect(refusal(path, followsLinks: true) == nil)
      #expect(refusal(path)?.reason == "a symbolic link")
    }
  }

  @Test func `behind a link to a device only the link is to be removed`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/preferences.json"
      symlink("/dev/null", path)
      let exposure = Exposure(path: "/dev/null", reason: "not a regular file", command: "rm \(path)")
      #expect(refusal(path, followsLinks: true) == exposure)
    }
  }

  @Test func `settings that are a link to nothing are said, and make nothing there`() async throws {
    try await withTemporaryDirectory { directory in
      let (path, target) = (directory.path + "/preferences.json", directory.path + "/nowhere")
      symlink(target, path)
      var preferences = Preferences(path)
      let error = FileError.danglingLink(path: path, target: target)
      #expect(preferences.warnings.map(\.problem) == [.unreadable(error)])
      #expect(throws: PreferenceError.file(error)) { try preferences.set("seed", "1") }
      #expect(mode(target) == -1)
    }
  }

  @Test func `what belongs to another user is not used, root's is`() async throws {
    guard geteuid() == 0 else { return print("not tried: another user's file, which only root can make") }
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/servers.json"
      try write(#"{"servers":[],"version":1}"#, to: path)
      #expect(refusal(path) == nil)
      chown(path, 12_345, 12_345)
      let aside = "mv \(path) \(path).refused"
      #expect(refusal(path) == Exposure(path: path, reason: "another user's file", command: aside))
      chown(path, 0, 0)
      let link = directory.path + "/preferences.json"
      symlink(path, link)
      #expect(refusal(link, followsLinks: true) == nil)
      chown(path, 12_345, 12_345)
      #expect(refusal(link, followsLinks: true)?.command == "rm \(link)")
      chown(path, 0, 0)
      lchown(link, 12_345, 12_345)
      #expect(refusal(link, followsLinks: true)?.reason == "another user's link")
    }
  }

  @Test(arguments: ["", "-journal", "-wal"])
  func `a history that others could have written is not opened, nor one with such a journal`(_ companion: String)
    async throws
  {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      await (try History.open(at: path)).close()
      let file = path + companion
      if companion != "" { try write("", to: file) }
      chmod(file, 0o666)
      let history = try History.open(at: path)
      let exposure = Exposure(
        path: file, reason: "others can write it", advice: Exposure.readFirst, command: "chmod go-w \(file)")
      #expect(history.notices == [.inMemory(.exposed(exposure))] && history.path == nil)
      await history.close()
      #expect(History.tags(at: path).isEmpty)
      chmod(file, 0o600)
      let fixed = try History.open(at: path)
      #expect(fixed.notices.isEmpty && fixed.path == path)
      await fixed.close()
    }
  }

  @Test func `only files and folders of our own get another mode, not what a link leads to`() async throws {
    try await withTemporaryDirectory { directory in
      let (real, link) = (directory.path + "/real", directory.path + "/parley")
      try AtomicFile.makeDirectory(real)
      await (try History.open(at: real + "/history.sqlite")).close()
      chmod(real, 0o755)
      chmod(real + "/history.sqlite", 0o644)
      symlink(real, link)
      symlink(real + "/history.sqlite", directory.path + "/history.sqlite")
      await (try History.open(at: directory.path + "/history.sqlite")).close()
      #expect(mode(real) == 0o755 && mode(real + "/history.sqlite") == 0o600)
      chmod(real + "/history.sqlite", 0o644)
      try write("no history", to: real + "/other")
      chmod(real + "/other", 0o644)
      symlink(real + "/other", directory.path + "/other.sqlite")
      await (try History.open(at: directory.path + "/other.sqlite")).close()
      #expect(mode(real + "/other") == 0o644)
      await (try History.open(at: link + "/history.sqlite")).close()
      #expect(mode(real) == 0o755 && mode(real + "/history.sqlite") == 0o600)
      let credentials = Credentials(link + "/credentials.json", .file, environment: [:])
      _ = try await credentials.write(StoredSignIn(.key, token: Secret("k")), for: "https://kz.lan")
      #expect(mode(real) == 0o755 && mode(real + "/credentials.json") == 0o600)
    }
  }
}

@Suite struct UntrustedFolderTests {
  /// A folder above the file's, how it is changed, and why the file is then refused; nil where it is used.
  struct Ancestor: Sendable {
    var mode: mode_t
    var owner: uid_t = geteuid()
    var group: gid_t = 12_345
    var reason: String?
  }

  @Test(arguments: [
    Ancestor(mode: 0o755), Ancestor(mode: 0o1777), Ancestor(mode: 0o711),
    Ancestor(mode: 0o777, reason: "others can write the folder"),
    Ancestor(mode: 0o702, reason: "others can write the folder"),
    Ancestor(mode: 0o775, reason: "others can write the folder"),
    Ancestor(mode: 0o755, owner: 12_345, reason: "is another user's"),
    Ancestor(mode: 0o1755, owner: 12_345, reason: "is another user's"),
  ])
  func `a folder above lets others replace the folder of a file`(_ ancestor: Ancestor) async throws {
    guard geteuid() == 0 else { return print("not tried: folders of others, which only root can make") }
    try await withTemporaryDirectory { directory in
      let outer = directory.path + "/outer"
      try AtomicFile.makeDirectory(outer + "/middle/parley")
      let path = outer + "/middle/parley/known_servers"
      try write("# nobody\n", to: path)
      symlink(outer + "/middle", directory.path + "/link")
      let spellings = [
        path, directory.path + "/link/parley/known_servers", outer + "/./middle/../middle/parley/known_servers",
      ]
      for path in spellings {
        let servers = KnownServers(path)
        #expect(servers.problems.isEmpty && refusal(path) == nil)
        chmod(outer, ancestor.mode)
        chown(outer, ancestor.owner, ancestor.group)
        let refused = refusal(path)
        #expect((refused == nil) == (ancestor.reason == nil))
        #expect(refused?.reason.contains(ancestor.reason ?? "") != false)
        #expect(refused?.reason.contains(outer) != false)
        #expect(refused?.command == nil && refused?.advice?.contains(outer) != true)
        #expect(servers.problems.isEmpty == (ancestor.reason == nil))
        chmod(outer, 0o700)
        chown(outer, 0, 0)
      }
    }
  }

  @Test func `a link on the way is as safe as its owner and its folder`() async throws {
    guard geteuid() == 0 else { return print("not tried: a link of another user, which only root can make") }
    try await withTemporaryDirectory { directory in
      let (real, shared) = (directory.path + "/real", directory.path + "/shared")
      for folder in [real, shared] { try AtomicFile.makeDirectory(folder) }
      try write("[]", to: real + "/servers.json")
      symlink(real, shared + "/link")
      let path = shared + "/link/servers.json"
      #expect(refusal(path) == nil)
      chmod(shared, 0o777)
      #expect(refusal(path)?.reason == "others can write the folder \(shared)")
      chmod(shared, 0o1777)
      #expect(refusal(path) == nil)
      lchown(shared + "/link", 12_345, 12_345)
      #expect(refusal(path)?.reason == "the link \(shared)/link is another user's")
    }
  }

  @Test func `root uses a mounted folder of another user and names it, and no other`() async throws {
    guard geteuid() == 0 else { return print("not tried: another user's folder, which only root can make") }
    try await withTemporaryDirectory { directory in
      let paths = try Paths(environment: ["PARLEY_HOME": directory.path])
      try write("[]", to: paths.servers)
      chown(directory.path, 12_345, 12_345)
      if !FileSystem.isBelowMount(directory.path) {
        #expect(refusal(paths.servers)?.reason == "its folder is another user's")
        #expect(paths.exposures.allSatisfy { !$0.isUsed })
        let history = try History.open(at: paths.history)
        #expect(history.path == nil)
        await history.close()
      }
    }
    guard FileSystem.isBelowMount("/dev/shm"), access("/dev/shm", W_OK) == 0 else { return print("not tried: a mount") }
    try await withTemporaryDirectory(in: URL(fileURLWithPath: "/dev/shm")) { directory in
      let paths = try Paths(environment: ["PARLEY_HOME": directory.path])
      try write("[]", to: paths.servers)
      chown(directory.path, 12_345, 12_345)
      #expect(refusal(paths.servers) == nil)
      #expect(paths.exposures.map(\.file) == [directory.path] && paths.exposures.allSatisfy(\.isUsed))
      let history = try History.open(at: paths.history)
      #expect(history.notices == [.foreignFolder(path: directory.path, owner: 12_345)] && history.path != nil)
      await history.close()
    }
  }

  @Test func `no history is kept in a sticky folder, where others can make a journal`() async throws {
    try await withTemporaryDirectory { directory in
      let folder = directory.path + "/sticky"
      try AtomicFile.makeDirectory(folder)
      let path = folder + "/history.sqlite"
      for isNew in [true, false] {
        chmod(folder, 0o1777)
        let history = try History.open(at: path)
        guard case .inMemory(.exposed(let exposure)) = history.notices.first else {
          Issue.record("\(history.notices)")
          continue
        }
        #expect(exposure.path == path && exposure.reason == "others can write its folder" && exposure.command == nil)
        #expect(exposure.advice?.hasPrefix("start parley with PARLEY_HOME=") == true)
        await history.close()
        chmod(folder, 0o700)
        if isNew { await (try History.open(at: path)).close() }
      }
    }
  }

  @Test func `a group of the user alone may write, and no other group`() {
    typealias User = PrivateGroup.User
    let alice = User(name: "alice", id: 1000, group: 1000)
    let bob = User(name: "bob", id: 1001, group: 1001)
    let intruder = User(name: "carol", id: 1002, group: 1000)
    let twin = User(name: "alice2", id: 1000, group: 1000)
    let cases: [(members: [String], users: [User], isPrivate: Bool)] = [
      ([], [alice, bob], true), (["alice"], [alice, bob], true), ([], [], true), ([], [alice, twin], true),
      (["bob"], [alice, bob], false), (["alice", "bob"], [alice], false), ([], [alice, intruder], false),
    ]
    for (members, users, isPrivate) in cases {
      #expect(PrivateGroup.isPrivate(to: alice, members: members, users: users) == isPrivate, "\(members) \(users)")
    }
    var facts = stat()
    facts.st_gid = 1000
    for (mode, group, isWritable) in [
      (0o664, 1000, false), (0o775, 1000, false), (0o666, 1000, true), (0o664, 1001, true), (0o664, nil, true),
      (0o644, nil, false),
    ] as [(mode_t, gid_t?, Bool)] {
      facts.st_mode = mode
      #expect(PrivateFile.isWritableByOthers(facts, privateGroup: group) == isWritable)
    }
  }
}
