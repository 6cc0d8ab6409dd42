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
  @Test(arguments: [0o622, 0o620, 0o602, 0o666, 0o664, 0o777])
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
        Exposure(path: path, reason: "others can write it", remedy: "chmod go-w \(path)")
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
        try PrivateFile.text(paths.startUpCommands)
      }
      let name = try String(contentsOfFile: paths.deviceName, encoding: .utf8)
      #expect(DeviceName(paths.deviceName, writes: false).text != name)
      #expect(
        paths.exposures
          == [paths.preferences, paths.startUpCommands, paths.servers, paths.deviceName].map(exposure))
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
      for bits in [0o777, 0o775, 0o722, 0o2770] {
        chmod(folder, mode_t(bits))
        let exposure = Exposure(path: path, reason: "others can write its folder", remedy: "chmod go-w '\(folder)'")
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
      #expect(refusal(path, followsLinks: true)?.remedy == "chmod go-w \(target)")
      #expect(Preferences(path)["seed"].text != "7")
      chmod(target, 0o600)
      chmod(folder, 0o777)
      #expect(refusal(path, followsLinks: true)?.remedy == "chmod go-w \(folder)")
      chmod(folder, 0o700)
      #expect(refusal(path, followsLinks: true) == nil)
      #expect(refusal(path)?.reason == "a symbolic link")
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
      #expect(refusal(path) == Exposure(path: path, reason: "another user's file", remedy: "chown 0 \(path)"))
      // A folder that was mounted into a container.
      chown(path, 0, 0)
      chown(directory.path, 12_345, 12_345)
      #expect(refusal(path) == nil)
      let link = directory.path + "/preferences.json"
      symlink(path, link)
      #expect(refusal(link, followsLinks: true) == nil)
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
      let exposure = Exposure(path: file, reason: "others can write it", remedy: "chmod go-w \(file)")
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
      #expect(mode(real + "/history.sqlite") == 0o644)
      await (try History.open(at: link + "/history.sqlite")).close()
      #expect(mode(real) == 0o755 && mode(real + "/history.sqlite") == 0o600)
      let credentials = Credentials(link + "/credentials.json", .file, environment: [:])
      _ = try await credentials.write(StoredSignIn(.key, token: Secret("k")), for: "https://kz.lan")
      #expect(mode(real) == 0o755 && mode(real + "/credentials.json") == 0o600)
    }
  }
}
