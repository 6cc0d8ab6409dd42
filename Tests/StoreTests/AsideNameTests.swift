import Foundation
import TestSupport
import Testing

@testable import Store

@Suite struct AsideNameTests {
  @Test func `a name says when, keeps its ending, and is not given twice`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/my.list.json"
      let first = AsideName.free(for: path, "broken", at: 86_399_999)
      #expect(first == directory.path + "/my.list.broken-19700101T235959Z.json")
      try AtomicFile.write([], to: first)
      let second = AsideName.free(for: path, "broken", at: 86_399_000)
      #expect(second == directory.path + "/my.list.broken-19700101T235959Z-2.json")
      // A name that is free once more would sort before those that are younger.
      try FileManager.default.removeItem(atPath: first)
      for number in 3...11 {
        try AtomicFile.write([], to: directory.path + "/my.list.broken-19700101T235959Z-\(number).json")
      }
      let next = AsideName.free(for: path, "broken", at: 86_399_000)
      #expect(next == directory.path + "/my.list.broken-19700101T235959Z-12.json")
      let names = AsideName.all(in: directory.path, for: path, "broken")
      #expect(names.first == "my.list.broken-19700101T235959Z-3.json")
      #expect(names.last == "my.list.broken-19700101T235959Z-11.json")
      try AtomicFile.write([], to: second)
      #expect(AsideName.matches(name(of: second), for: path, "broken"))
      #expect(!AsideName.matches(name(of: second), for: path, "backup"))
      #expect(!AsideName.matches(name(of: path), for: path, "broken"))
    }
  }

  @Test func `a name without an ending gets none`() {
    #expect(AsideName.free(for: "/nowhere/.list", "broken", at: 0) == "/nowhere/.list.broken-19700101T000000Z")
    #expect(AsideName.free(for: "/no.where/list", "broken", at: 0) == "/no.where/list.broken-19700101T000000Z")
  }
}
