import Foundation
import TestSupport
import Testing

@testable import Store

@Suite struct PathsTests {
  @Test func `files follow the XDG directories`() throws {
    let paths = try Paths(environment: ["HOME": "/home/a", "XDG_CONFIG_HOME": "/c/", "XDG_DATA_HOME": "relative"])
    #expect(paths.preferences == "/c/parley/preferences.json")
    #expect(paths.startUpCommands == "/c/parley/parleyrc")
    #expect(paths.history == "/home/a/.local/share/parley/history.sqlite")
    #expect(paths.drafts == "/home/a/.local/state/parley/drafts")
  }

  @Test func `PARLEY_HOME puts all under one folder`() throws {
    let paths = try Paths(environment: ["PARLEY_HOME": "box", "XDG_DATA_HOME": "/d"], workingDirectory: "/w")
    #expect(
      [paths.preferences, paths.servers, paths.knownServers, paths.credentials, paths.drafts].map(directory)
        == Array(repeating: "/w/box", count: 5))
  }

  @Test func `without HOME the account's directory counts, and without both it is an error`() throws {
    #expect(try Paths(environment: [:], accountHome: "/root").servers == "/root/.local/share/parley/servers.json")
    #expect(throws: Paths.Failure.noHome) { try Paths(environment: ["HOME": ""]) }
    let all = ["XDG_CONFIG_HOME": "/c", "XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s"]
    #expect(try Paths(environment: all).drafts == "/s/parley/drafts")
    #expect(try Paths(environment: all).cache == "/d/parley/cache")
  }

  @Test func `what can be fetched again has a place of its own`() throws {
    #expect(try Paths(environment: ["HOME": "/home/a"]).cache == "/home/a/.cache/parley")
    #expect(try Paths(environment: ["HOME": "/home/a", "XDG_CACHE_HOME": "/k"]).cache == "/k/parley")
    #expect(try Paths(environment: ["PARLEY_HOME": "/box"]).cache == "/box/cache")
  }
}

private func mode(_ path: String) -> Int {
  var facts = stat()
  return lstat(path, &facts) == 0 ? Int(facts.st_mode & 0o7777) : -1
}

private func names(_ directory: URL) -> [String] {
  ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []).sorted()
}

@Suite struct AtomicFileTests {
  @Test func `a new file is private and an existing one keeps its mode`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/f"
      try AtomicFile.write([1], to: path)
      #expect(mode(path) == 0o600)
      chmod(path, 0o640)
      try AtomicFile.write([2, 3], to: path)
      #expect(mode(path) == 0o640)
      #expect(try AtomicFile.read(path) == [2, 3])
      #expect(names(directory) == ["f"])
    }
  }

  @Test func `a link is neither replaced nor followed by a write`() async throws {
    try await withTemporaryDirectory { directory in
      let (link, target) = (directory.path + "/link", directory.path + "/real")
      symlink("real", link)
      #expect(throws: FileError.notAFile(path: link)) { try AtomicFile.write([0], to: link) }
      #expect(access(target, F_OK) != 0)
      try AtomicFile.write([1], to: target)
      #expect(throws: FileError.notAFile(path: link)) { try AtomicFile.write([2], to: link) }
      #expect(throws: FileError.notAFile(path: link)) { try AtomicFile.read(link, throughLinks: false) }
      #expect(try AtomicFile.read(link) == [1])
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "real")
    }
  }

  @Test func `what stands in the way is said, and nothing is left behind`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/f"
      try AtomicFile.write([1], to: path)
      chmod(path, 0o444)
      #expect(throws: FileError.readOnlyFile(path: path)) { try AtomicFile.write([2], to: path) }
      #expect(try AtomicFile.read(path) == [1])
      mkdir(directory.path + "/d", 0o700)
      #expect(throws: FileError.notAFile(path: directory.path + "/d")) {
        try AtomicFile.write([2], to: directory.path + "/d")
      }
      symlink("loop", directory.path + "/loop")
      #expect(throws: FileError.self) { try AtomicFile.write([2], to: directory.path + "/loop") }
      #expect(throws: FileError.self) { try AtomicFile.makeDirectory(path + "/below") }
      #expect(names(directory) == ["d", "f", "loop"])
    }
  }

  // /proc stands for a read-only directory: root may write to any other.
  @Test func `a file that is far too long is not read`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/file"
      try AtomicFile.write([1], to: path)
      #expect(truncate(path, AtomicFile.longest + 1) == 0)
      #expect(throws: FileError.failed(path: path, operation: "read", code: EFBIG)) { try AtomicFile.read(path) }
    }
  }

  @Test func `a read-only directory is named`() {
    #expect(throws: FileError.self) { try AtomicFile.write([1], to: "/proc/self/parley") }
    #expect(FileError.inDirectory("/d", "create", EROFS) == .readOnlyDirectory(path: "/d"))
    #expect(FileError.inDirectory("/d", "create", EACCES) == .readOnlyDirectory(path: "/d"))
    #expect(FileError.inDirectory("/d", "create", ENOSPC) == .full(path: "/d"))
  }

  @Test func `a temporary of a killed process is removed, a young one and others' files are not`() async throws {
    try await withTemporaryDirectory { directory in
      let old = [timeval(tv_sec: time(nil) - 120, tv_usec: 0), timeval(tv_sec: time(nil) - 120, tv_usec: 0)]
      for name in [".f.abc.new", ".g.abc.new", ".f.young.new"] {
        try AtomicFile.write([1], to: directory.path + "/" + name)
        if !name.contains("young") { utimes(directory.path + "/" + name, old) }
      }
      try AtomicFile.write([1], to: directory.path + "/f")
      #expect(names(directory) == [".f.young.new", ".g.abc.new", "f"])
    }
  }

  @Test func `a reader sees the old or the new content and nothing between`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/f"
      let versions = (0..<40).map { [UInt8](repeating: $0, count: 200_000 - 1_000 * Int($0)) }
      try AtomicFile.write(versions[0], to: path)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { for version in versions { try AtomicFile.write(version, to: path) } }
        group.addTask {
          for _ in 0..<200 {
            let bytes = try #require(try AtomicFile.read(path))
            let first = try #require(bytes.first)
            #expect(bytes == versions[Int(first)])
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test func `a lock file that is a link or a folder is named in the error`() async throws {
    try await withTemporaryDirectory { directory in
      let (link, folder) = (directory.path + "/link.lock", directory.path + "/folder.lock")
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: link)
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      for path in [link, folder] {
        #expect(throws: FileError.notAFile(path: path)) { try FileLock(path, .exclusive, waiting: 0) }
      }
    }
  }

  @Test func `a lock keeps another out until it ends`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/lock"
      var lock: FileLock? = try FileLock(path, .exclusive)
      #expect(throws: FileError.locked(path: path)) { try FileLock(path, .shared, waiting: 0) }
      withExtendedLifetime(lock) {}
      lock = nil
      let first = try FileLock(path, .shared, waiting: 0)
      let second = try FileLock(path, .shared, waiting: 0)
      #expect(!first.become(.exclusive))
      withExtendedLifetime((first, second)) {}
      #expect(mode(path) == 0o600)
    }
  }
}

extension AtomicFileTests {
  @Test func `a lock ends with its holder, whatever child still has its descriptor`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/lock"
      var lock: FileLock? = try FileLock(path, .exclusive)
      // As a child has it from its fork until it begins its own program.
      let copy = dup(try #require(descriptor(of: path)))
      defer { close(copy) }
      withExtendedLifetime(lock) {}
      lock = nil
      _ = try FileLock(path, .exclusive, waiting: 0)
    }
  }

  private func descriptor(of path: String) -> Int32? {
    let open = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return open.lazy.compactMap { Int32($0) }.first { number in
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")) == path
    }
  }
}

@Suite struct FileSystemTests {
  @Test func `the mount that holds a path says whether other hosts share it`() {
    let table = """
      1 0 8:1 / / rw - ext4 /dev/sda rw
      2 1 0:40 / /home/a rw shared:1 - nfs4 server:/x rw
      3 1 0:41 / /home/a/local rw - ext4 /dev/sdb rw
      4 1 0:42 / /mnt/with\\040space rw - fuse.sshfs host: rw
      5 1 0:43 / /mnt/disk rw - fuseblk /dev/sdc rw
      """
    #expect(FileSystem.remoteName(of: "/home/a/.local", in: table) == "nfs4")
    #expect(FileSystem.remoteName(of: "/home/ab", in: table) == nil)
    #expect(FileSystem.remoteName(of: "/home/a/local/share", in: table) == nil)
    #expect(FileSystem.remoteName(of: "/mnt/with space/p", in: table) == "fuse.sshfs")
    #expect(FileSystem.remoteName(of: "/mnt/disk/p", in: table) == nil)
    let mounted = ["/home/a", "/home/a/.parley", "/mnt/with space"]
    for path in mounted { #expect(FileSystem.isBelowMount(path, in: table)) }
    for path in ["/", "/home", "/home/ab", "/mnt"] { #expect(!FileSystem.isBelowMount(path, in: table)) }
    #expect(!FileSystem.isBelowMount("/home/a", in: ""))
  }
}
