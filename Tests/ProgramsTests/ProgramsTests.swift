import Foundation
import TestSupport
import Testing

@testable import Programs

@Suite struct ProgramsTests {
  @Test func `a program is found along the path as a shell finds it`() async throws {
    try await withTemporaryDirectory { directory in
      let (first, second) = (directory.path + "/first", directory.path + "/second")
      for folder in [first, second] {
        try FileManager.default.createDirectory(atPath: folder + "/folder", withIntermediateDirectories: true)
      }
      try make(first + "/plain", mode: 0o644)
      try make(second + "/tool", mode: 0o755)
      try make(second + "/plain", mode: 0o755)
      let path = "relative:\(first)::\(second)"
      #expect(try Programs.find("tool", along: path) == second + "/tool")
      // One that may not be run is passed over for a later one, and a folder always.
      #expect(try Programs.find("plain", along: path) == second + "/plain")
      #expect(throws: Programs.Failure.notExecutable) { try Programs.find("plain", along: first) }
      #expect(throws: Programs.Failure.notFound) { try Programs.find("folder", along: path) }
      #expect(throws: Programs.Failure.notFound) { try Programs.find("", along: path) }
      #expect(try Programs.find("sh", along: nil).hasSuffix("/sh"))
    }
  }

  @Test func `a name with a slash is a place, from the folder it is meant in`() async throws {
    try await withTemporaryDirectory { directory in
      try make(directory.path + "/tool", mode: 0o755)
      try make(directory.path + "/plain", mode: 0o644)
      #expect(try Programs.find(directory.path + "/tool", along: nil) == directory.path + "/tool")
      #expect(try Programs.find("./tool", along: "", from: directory.path) == "./tool")
      #expect(throws: Programs.Failure.notExecutable) {
        try Programs.find("./plain", along: nil, from: directory.path)
      }
      #expect(throws: Programs.Failure.notExecutable) { try Programs.find(directory.path + "/", along: nil) }
      #expect(throws: Programs.Failure.notFound) { try Programs.find("./tool", along: nil, from: "/nowhere") }
    }
  }

  private func make(_ path: String, mode: Int) throws {
    #expect(FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: mode]))
  }
}
