import Foundation
import TestSupport
import Testing

@testable import Confined

private func mode(_ path: String) -> UInt32 {
  var facts = stat()
  return lstat(path, &facts) == 0 ? facts.st_mode & 0o7777 : 0
}

@Suite struct ConfinedFolderTests {
  @Test(
    arguments: [
      "a.txt", "./a.txt", "/a.txt", "//dir///b.txt", "dir/./b.txt", "dir/../a.txt", "dir/deep/../b.txt",
      "dir/deep/../../dir/b.txt", "caf\u{E9}.txt",
    ], [false, true])
  func `a path that stays in the folder is read however it is written`(
    _ path: String, _ alwaysWalks: Bool
  ) async throws {
    try await withTemporaryDirectory { directory in
      let grounds = try Grounds(in: directory)
      let folder = grounds.folder(alwaysWalks: alwaysWalks)
      #expect(try folder.read(grounds.root + "/" + path) == "inside")
      #expect(folder.place(of: grounds.root + "/" + path, for: .writing) == .inside(isProtected: false))
    }
  }

  @Test(arguments: ["to-file", "to-link", "around", "to-folder/b.txt", "dir/up", "to-folder/up", "to-folder/../a.txt"])
  func `links that stay in the folder are followed, but not where nobody sees to it`(_ path: String) async throws {
    try await withTemporaryDirectory { directory in
      let grounds = try Grounds(in: directory)
      #expect(try grounds.folder().read(grounds.root + "/" + path) == "inside")
      let walking = grounds.folder(alwaysWalks: true)
      #expect(throws: ConfinedFailure.link) { try walking.read(grounds.root + "/" + path) }
      #expect(throws: ConfinedFailure.link) { try walking.write(grounds.root + "/" + path, "x") }
    }
  }

  @Test func `names that look alike are different files`() async throws {
    try await withTemporaryDirectory { directory in
      let grounds = try Grounds(in: directory)
      let folder = grounds.folder()
      for name in ["cafe\u{301}.txt", "A.TXT", "a.txt ", "a.txt\u{200B}"] {
        #expect(throws: ConfinedFailure.missing) { try folder.read(grounds.root + "/" + name) }
      }
      try folder.write(grounds.root + "/cafe\u{301}.txt", "other")
      #expect(try folder.read(grounds.root + "/caf\u{E9}.txt") == "inside")
      // A folder is known by its bytes too.
      let accented = ConfinedFolder(grounds.base + "/e\u{301}")
      #expect(accented.place(of: grounds.base + "/\u{E9}/x", for: .reading) == .outside)
    }
  }

  @Test func `a folder that is reached by a link is known by both of its names`() async throws {
    try await withTemporaryDirectory { directory in
      let grounds = try Grounds(in: directory)
      symlink(grounds.root, grounds.base + "/alias")
      let folder = ConfinedFolder(grounds.base + "/alias")
      #expect(try folder.read(grounds.base + "/alias/a.txt") == "inside")
      #expect(try folder.read(grounds.root + "/a.txt") == "inside")
      #expect(throws: ConfinedFailure.outside) { try folder.read(grounds.base + "/canary") }
    }
  }

  @Test func `another folder in its place is refused`() async throws {
    try await withTemporaryDirectory { directory in
      let grounds = try Grounds(in: directory)
      let folder = grounds.folder()
      rename(grounds.root, grounds.base + "/moved")
      #expect(throws: ConfinedFailure.missing) { try folder.read(grounds.root + "/a.txt") }
      symlink("outside", grounds.root)
      #expect(throws: ConfinedFailure.moved) { try folder.read(grounds.root + "/canary") }
      #expect(throws: ConfinedFailure.moved) { try folder.write(grounds.root + "/canary", "x") }
      #expect(folder.place(of: grounds.root + "/canary", for: .reading) == .outside)
      #expect(grounds.text(at: "outside/canary") == "canary")
      let never = ConfinedFolder(grounds.base + "/never")
      #expect(throws: ConfinedFailure.missing) { try never.write(grounds.base + "/never/x", "x") }
      #expect(throws: ConfinedFailure.missing) { try ConfinedFolder("root").read(grounds.root + "/a.txt") }
    }
  }

  @Test(arguments: [false, true]) func `a file is replaced whole and keeps its mode`(_ alwaysWalks: Bool) async throws {
    try await withTemporaryDirectory { directory in
      let grounds = try Grounds(in: directory)
      let folder = grounds.folder(alwaysWalks: alwaysWalks)
      let path = grounds.root + "/a.txt"
      chmod(path, 0o4751)
      let content = grounds.content
      try folder.write(path, "new\n")
      #expect(try folder.read(path) == "new\n")
      #expect(mode(path) == 0o751)
      try folder.write(path, "")
      #expect(try folder.read(path) == "")
      #expect(grounds.content == content)
    }
  }

  @Test(arguments: [false, true]) func `a missing file is made, and folders above it`(_ alwaysWalks: Bool) async throws
  {
    try await withTemporaryDirectory { directory in
      let grounds = try Grounds(in: directory)
      let folder = ConfinedFolder(grounds.root, umask: 0o027, alwaysWalks: alwaysWalks)
      let path = grounds.root + "/one/two/three.txt"
      #expect(folder.place(of: path, for: .writing) == .inside(isProtected: false))
      #expect(throws: ConfinedFailure.missing) { try folder.read(path) }
      try folder.write(path, "text")
      #expect(try folder.read(path) == "text")
      #expect([mode(path), mode(grounds.root + "/one/two")] == [0o640, 0o750])
      // What is above a folder that is not there, nobody knows.
      #expect(throws: ConfinedFailure.missing) { try folder.write(grounds.root + "/no/../x.txt", "x") }
      #expect(grounds.text(at: "root/x.txt") == nil)
    }
  }

  @Test func `a link is written through where it stays in the folder`() async throws {
    try await withTemporaryDirectory { directory in
      let grounds = try Grounds(in: directory)
      let folder = grounds.folder()
      try folder.write(grounds.root + "/to-link", "by link")
      try folder.write(grounds.root + "/new", "made")
      try folder.write(grounds.root + "/to-folder/up", "up")
      #expect(grounds.text(at: "root/a.txt") == "up")
      #expect(grounds.text(at: "root/dir/new.txt") == "made")
      #expect(try FileManager.default.destinationOfSymbolicLink(atPath: grounds.root + "/to-link") == "to-file")
    }
  }

  @Test(arguments: [false, true]) func `a file with other names is written only when that is allowed`(
    _ alwaysWalks: Bool
  ) async throws {
    try await withTemporaryDirectory { directory in
      let grounds = try Grounds(in: directory)
      let folder = grounds.folder(alwaysWalks: alwaysWalks)
      #expect(throws: ConfinedFailure.hardLinked) { try folder.write(grounds.root + "/hard", "new") }
      #expect(grounds.text(at: "root/hard") == "canary")
      try folder.write(grounds.root + "/hard", "new", allowing: .hardLinks)
      #expect([grounds.text(at: "root/hard"), grounds.text(at: "outside/linked")] == ["new", "canary"])
    }
  }

  @Test func `a file that may not be written is not renamed over`() async throws {
    try await withTemporaryDirectory { directory in
      let grounds = try Grounds(in: directory)
      chmod(grounds.root + "/a.txt", 0o444)
      #expect(throws: ConfinedFailure.denied) { try grounds.folder().write(grounds.root + "/a.txt", "x") }
      #expect(grounds.text(at: "root/a.txt") == "inside")
    }
  }

  @Test func `parley's own folders are nobody's, by whatever name`() async throws {
    try await withTemporaryDirectory { directory in
      let grounds = try Grounds(in: directory)
      symlink("dir", grounds.root + "/settings")
      for own in [grounds.root + "/dir", grounds.root + "/settings"] {
        let folder = grounds.folder(ownFolders: [grounds.base + "/never", own])
        for path in ["dir/b.txt", "to-folder/b.txt", "settings/deep/c.txt", "sub/../dir/b.txt", "new", "dir/one/two"] {
          let path = grounds.root + "/" + path
          #expect(folder.place(of: path, for: .reading) == .own)
          #expect(throws: ConfinedFailure.own) { try folder.write(path, "x", allowing: [.protectedNames, .hardLinks]) }
        }
        #expect(throws: ConfinedFailure.own) { try folder.read(grounds.root + "/to-folder/b.txt") }
        #expect(throws: ConfinedFailure.own) {
          try AllowedFile(grounds.root + "/to-folder/b.txt", ownFolders: [own])
        }
        #expect(try folder.read(grounds.root + "/a.txt") == "inside")
      }
      let within = ConfinedFolder(grounds.root + "/dir/deep", ownFolders: [grounds.root + "/dir"])
      #expect(throws: ConfinedFailure.own) { try within.read(grounds.root + "/dir/deep/c.txt") }
    }
  }
}
