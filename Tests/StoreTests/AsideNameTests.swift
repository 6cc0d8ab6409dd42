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
