import Chat
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Store

/// The files in the folder of a history that have these bytes in them.
private func files(beside path: String, with text: String) throws -> [String] {
  let folder = directory(of: path)
  return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().filter { file in
    Data(try AtomicFile.read(folder + "/" + file) ?? []).range(of: Data(text.utf8)) != nil
  }
}

extension History {
  /// The lines typed, as they are on disk, oldest first.
  fileprivate func typedLines() async throws(HistoryError) -> [String] {
    try await write { db in try String.fetchAll(db, sql: "SELECT text FROM recall ORDER BY key") }
  }
}

@Suite struct ForgottenLinesTests {
  @Test func `a line goes with the turn that it became, whatever was joined to it`() async throws {
    try await withHistory { history, path in
      var session = Session()
      history.recall.add("!!date")
      history.recall.add("what day is it \\\nin canaryland")
      let turn = try await history.say("what day is it \nin canaryland\n\n```\nFriday\n```", in: &session)
      history.recall.add("/ask @a a canary there")
      let other = try await history.say("a canary there", in: &session)
      history.recall.add("/history")
      try await history.forget(turn.id)
      try await history.forget(other.id)
      #expect(try await history.typedLines() == ["!!date", "/history"])
      #expect(history.recall.line(0) == "/history" && history.recall.line(2) == nil)
      await history.close()
      #expect(try files(beside: path, with: "canary") == [])
    }
  }

  @Test func `a line stays that has the words of a short message in it`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      for line in ["a", "at last", "/model a", "banana", "what a day", "/edit #7 to a"] { history.recall.add(line) }
      let turn = try await history.say("a", in: &session)
      try await history.forget(turn.id)
      #expect(try await history.typedLines() == ["at last", "/model a", "banana", "what a day"])
    }
  }

  @Test func `a line that two turns came of goes with the first, and with its session`() async throws {
    try await withHistory { history, _ in
      var (first, second) = (Session(), Session())
      history.recall.add("say canary")
      try await history.say("canary of one", in: &first)
      try await history.say("canary of the other", in: &second)
      try await history.forget(second.id)
      #expect(try await history.typedLines() == ["say canary"])
      try await history.forget(first.id)
      #expect(try await history.typedLines() == [])
    }
  }

  @Test func `lines of before go with the questions that they are`() async throws {
    try await withHistory { history, _ in
      let gone = [
        "a canary", "  a canary  ", "a canary\\\nof two lines", "\"\"\"\na canary in a fence\n\"\"\"", "//canary slash",
        "/ask @one @two:m a canary", "/ed #2 a canary", "read @notes:canary",
      ]
      let kept = ["a", "can", "a canary too", "not a canary", "/model a canary", "/edit", "\"\"\"\n\"\"\""]
      try await history.change { db in
        for line in gone + kept {
          try db.execute(sql: "INSERT INTO recall (text, created_at) VALUES (?, 1)", arguments: [line])
        }
      }
      var session = Session()
      for question in [
        "a canary", "a canary\nof two lines", "a canary in a fence", "/canary slash",
        "read @notes:canary\n\nnotes:canary:\n```\na\n\ncan\n```",
      ] { try await history.say(question, in: &session) }
      try await history.forget(session.id)
      #expect(try await history.typedLines() == kept)
    }
  }

  @Test func `what follows a line that is not kept came of none`() async throws {
    try await withHistory { history, _ in
      var session = Session()
      history.recall.add("/history")
      history.recall.leaveOut()
      let turn = try await history.say("a canary", in: &session)
      try await history.forget(turn.id)
      #expect(try await history.typedLines() == ["/history"])
    }
  }
}
