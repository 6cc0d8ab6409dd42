import Foundation
import TestSupport
import Testing

@testable import Confined

@Suite struct AllowedFileTests {
  @Test(arguments: [false, true]) func `a file is shown where it really is, and read and written there`(
    _ alwaysWalks: Bool
  ) async throws {
    try await withTemporaryDirectory { directory in
      let grounds = try Grounds(in: directory)
      for path in ["root/out", "root/out-absolute", "root/dir/../out-folder/canary", "outside//./canary"] {
        let file = try AllowedFile(grounds.base + "/" + path, alwaysWalks: alwaysWalks)
        #expect(file.path == grounds.base + "/outside/canary")
        #expect(try file.read() == "canary")
      }
      let new = try AllowedFile(grounds.root + "/out-folder/one/two", alwaysWalks: alwaysWalks)
      #expect(new.path == grounds.base + "/outside/one/two")
      #expect(throws: ConfinedFailure.missing) { try new.read() }
      try new.write("made")
      #expect(grounds.text(at: "outside/one/two") == "made")
    }
  }

  @Test(arguments: [false, true]) func `a link that is put there later is not followed`(
    _ alwaysWalks: Bool
  ) async throws {
    try await withTemporaryDirectory { directory in
      let grounds = try Grounds(in: directory)
      let file = try AllowedFile(grounds.root + "/dir/b.txt", alwaysWalks: alwaysWalks)
      #expect(try file.read() == "inside")
      // In the place of the file, then of a folder above it.
      unlink(grounds.root + "/dir/b.txt")
      symlink("../a.txt", grounds.root + "/dir/b.txt")
      #expect(throws: ConfinedFailure.link) { try file.read() }
      #expect(throws: ConfinedFailure.link) { try file.write("x") }
      rename(grounds.root + "/dir", grounds.root + "/was")
      try grounds.put("canary", at: "outside/b.txt")
      symlink("../outside", grounds.root + "/dir")
      #expect(throws: ConfinedFailure.link) { try file.read() }
      #expect(throws: ConfinedFailure.link) { try file.write("x") }
      #expect(grounds.text(at: "outside/b.txt") == "canary")
      #expect(grounds.text(at: "root/a.txt") == "inside")
    }
  }

  @Test func `only an ordinary file can be allowed`() async throws {
    try await withTemporaryDirectory { directory in
      let grounds = try Grounds(in: directory)
      for path in ["", "root", "root/", "root/dir"] {
        let path = grounds.base + "/" + path
        #expect(throws: ConfinedFailure.notRegular(.folder)) { try AllowedFile(path).read() }
        #expect(throws: ConfinedFailure.notRegular(.folder)) { try AllowedFile(path).write("x") }
      }
      #expect(throws: ConfinedFailure.notRegular(.pipe)) { try AllowedFile(grounds.root + "/pipe").read() }
      #expect(throws: ConfinedFailure.notRegular(.socket)) { try AllowedFile(grounds.root + "/socket").write("x") }
      #expect(throws: ConfinedFailure.notRegular(.device)) { try AllowedFile(grounds.root + "/null").write("x") }
      for path in ["root/out-new", "root/loop", "root/loop-folder/x"] {
        #expect(throws: ConfinedFailure.link) { try AllowedFile(grounds.base + "/" + path) }
      }
      #expect(throws: ConfinedFailure.notAbsolute) { try AllowedFile("a.txt") }
      #expect(throws: ConfinedFailure.malformed) { try AllowedFile("/a\0b") }
      #expect(throws: ConfinedFailure.missing) { try AllowedFile(grounds.root + "/no/../a.txt") }
      #expect(throws: ConfinedFailure.hardLinked) { try AllowedFile(grounds.root + "/hard").write("x") }
      try AllowedFile(grounds.root + "/hard").write("x", allowing: .hardLinks)
      #expect(grounds.text(at: "outside/linked") == "canary")
      #expect(try AllowedFile(grounds.root + "/to-secret").isProtected(for: .reading))
    }
  }
}
