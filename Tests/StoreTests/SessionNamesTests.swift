import Foundation
import TestSupport
import Testing

@testable import Store

/// Sessions as Tab finds them.
@Suite struct SessionNamesTests {
  @Test func `what is typed narrows the sessions, and how many are left out is known`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      let history = try History.open(at: path)
      for number in 1...6 {
        let session = Session(title: number == 2 ? "Pools and nets" : "talk \(number)", systemPrompt: nil)
        _ = try await history.ask(NewTurn(session: session, parent: nil, question: .text("question \(number)")))
      }
      await history.close()
      let all = History.names(at: path, containing: "", limit: 4)
      #expect(all.found.map(\.title) == ["talk 6", "talk 5", "talk 4", "talk 3"])
      #expect(all.more == 2)
      let pools = History.names(at: path, containing: "POOLS", limit: 4)
      #expect(pools.found.map(\.title) == ["Pools and nets"])
      #expect(pools.more == 0)
      #expect(
        History.names(at: path, containing: String(pools.found[0].id.prefix(8))).found.map(\.title) == [
          "Pools and nets"
        ])
      // For letters in order, which only the completer knows.
      #expect(History.names(at: path, containing: "tlk", limit: 9).found.count == 6)
      #expect(History.names(at: directory.path + "/none", containing: "").found.isEmpty)
    }
  }
}
