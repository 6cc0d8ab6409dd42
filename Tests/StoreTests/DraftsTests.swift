import Foundation
import TestSupport
import Testing

@testable import Store

private func mode(_ path: String) -> Int {
  var facts = stat()
  return stat(path, &facts) == 0 ? Int(facts.st_mode & 0o777) : -1
}

@Suite struct DraftsTests {
  @Test func `lines of terminals that went away come back once, oldest first`() async throws {
    try await withTemporaryDirectory { directory in
      let folder = directory.path + "/state/drafts"
      Drafts(folder, now: { 20 }).keep("second\nof two lines")
      Drafts(folder, now: { 3 }).keep("first")
      let drafts = Drafts(folder, now: { 30 })
      #expect(mode(folder) == 0o700)
      let files = try FileManager.default.contentsOfDirectory(atPath: folder)
      #expect(files.allSatisfy { mode(folder + "/" + $0) == 0o600 })
      #expect(await drafts.take { _ in true } == ["first", "second\nof two lines"])
      #expect(await drafts.take { _ in true } == [])
      #expect(await Drafts(nil, now: { 0 }).take { _ in true } == [])
    }
  }

  @Test func `a line is given out again until it is safe elsewhere`() async throws {
    try await withTemporaryDirectory { directory in
      let drafts = Drafts(directory.path, now: { 1 })
      drafts.keep("half a thought")
      #expect(await drafts.take { _ in false } == ["half a thought"])
      #expect(await drafts.take { _ in true } == ["half a thought"])
      #expect(await drafts.take { _ in true } == [])
    }
  }

  @Test func `of two shells that start at once one gets a line`() async throws {
    try await withTemporaryDirectory { directory in
      let drafts = Drafts(directory.path, now: { 1 })
      drafts.keep("half a thought")
      var others: [String] = []
      let lines = await drafts.take { _ in
        others = await drafts.take { _ in true }
        return true
      }
      #expect((lines, others) == ([], ["half a thought"]))
    }
  }

  @Test func `those that no shell has taken up are forgotten`() async throws {
    try await withTemporaryDirectory { directory in
      let drafts = Drafts(directory.path, now: { 1 })
      drafts.keep("half a thought")
      try drafts.forgetAll()
      let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
      #expect(left == [])
    }
  }

  @Test func `every draft is tried before the first error is reported`() async throws {
    try await withTemporaryDirectory { directory in
      let folder = directory.path
      for name in ["1-directory", "3-directory"] { mkdir(folder + "/" + name, 0o700) }
      for name in ["2-line", "4-line", ".5-line.abc.new"] {
        try "half a thought".write(toFile: folder + "/" + name, atomically: false, encoding: .utf8)
      }
      #expect(throws: FileError.failed(path: folder + "/1-directory", operation: "delete", code: EISDIR)) {
        try Drafts(folder, now: { 1 }).forgetAll()
      }
      let left = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      #expect(left == ["1-directory", "3-directory"])
    }
  }

  @Test func `a folder that cannot be listed is not reported as deleted`() async throws {
    try await withTemporaryDirectory { directory in
      let folder = directory.path + "/drafts"
      try Drafts(folder, now: { 1 }).forgetAll()
      try "a file".write(toFile: folder, atomically: false, encoding: .utf8)
      #expect(throws: FileError.failed(path: folder, operation: "open", code: ENOTDIR)) {
        try Drafts(folder, now: { 1 }).forgetAll()
      }
    }
  }

  @Test func `what is no draft is left alone`() async throws {
    try await withTemporaryDirectory { directory in
      try "mine".write(toFile: directory.path + "/notes", atomically: true, encoding: .utf8)
      try FileManager.default.createSymbolicLink(
        atPath: directory.path + "/1-link", withDestinationPath: directory.path + "/notes")
      #expect(await Drafts(directory.path, now: { 0 }).take { _ in true } == [])
      #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted() == ["1-link", "notes"])
    }
  }
}
