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

/// What a statement reads in a copy of a history.
private func column(_ sql: String, of copy: String) throws -> [String] {
  try DatabaseConnection.openReadOnly(copy).inDatabase { db in try String.fetchAll(db, sql: sql) }
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

@Suite struct ForgottenCopiesTests {
  @Test func `a copy beside the history loses what is forgotten, and nothing else`() async throws {
    try await withHistory { history, path in
      var (kept, gone) = (Session(), Session())
      try await history.say("a keepsake", in: &kept)
      history.recall.add("typed canary")
      let early = try await history.backUp(to: nil)
      let answer = StoredAnswer(text: "canary answer", status: .complete)
      let turn = try await history.say("typed canary\n\n```\nits output\n```", in: &kept, answer: answer)
      history.recall.add("last keepsake")
      try await history.say("last keepsake", in: &kept)
      try await history.say("another canary", in: &gone)
      let late = try await history.backUp(to: nil)
      #expect(try await history.forget(turn.id) == Forgotten())
      #expect(try await history.forget(gone.id).sessions == 1)
      #expect(Set(HistoryFile(path).asides("backup")) == [early, late])
      for (copy, questions) in [(early, ["a keepsake"]), (late, ["a keepsake", "last keepsake"])] {
        #expect(try column("SELECT content FROM message ORDER BY key", of: copy) == questions)
        #expect(try column("PRAGMA integrity_check", of: copy) == ["ok"])
      }
      await history.close()
      #expect(try files(beside: path, with: "canary") == [])
      #expect(try files(beside: path, with: "keepsake").count == 3)
    }
  }

  @Test(arguments: 1..<Schema.migrations.count)
  func `the copy of before an upgrade loses it too, and stays of its version`(version: Int) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      let old = try DatabaseConnection.build(path)
      try old.inDatabase { db in
        try Upgrade.run(Array(Schema.migrations.prefix(version)), on: db, now: 1)
        try db.execute(sql: FirstSchema.rows)
      }
      try old.close()
      let history = try History.open(at: path)
      let copy = try #require(HistoryFile(path).asides("backup").first)
      #expect(try files(beside: path, with: "first question") == ["history.sqlite", name(of: copy)].sorted())
      let first = try #require(try await history.path(of: SessionID("s")).first)
      #expect(try await history.forget(first.id) == Forgotten())
      #expect(try column("PRAGMA user_version", of: copy) == ["\(version)"])
      #expect(try column("SELECT content FROM message WHERE position = 0", of: copy) == ["second question"])
      #expect(try column("SELECT text FROM recall", of: copy) == ["second question"])
      #expect(try await history.typedLines() == ["second question"])
      await history.close()
      #expect(try files(beside: path, with: "first question") == [])
    }
  }

  @Test func `a copy that cannot be written anew is removed, and named`() async throws {
    try await withHistory { history, path in
      var session = Session()
      let turn = try await history.say("a canary", in: &session)
      let sound = try await history.backUp(to: nil)
      let broken = try await history.backUp(to: nil)
      var bytes = try #require(try AtomicFile.read(broken))
      bytes.replaceSubrange(4096..<8192, with: repeatElement(0x63, count: 4096))
      try AtomicFile.write(bytes, to: broken)
      #expect(try await history.forget(turn.id).removedCopies == [broken])
      #expect(HistoryFile(path).asides("backup") == [sound])
      #expect(try files(beside: path, with: "canary") == [])
    }
  }

  @Test func `what was set aside as damaged is named, and goes with all`() async throws {
    try await withHistory { history, path in
      let damaged = HistoryFile(path).aside("corrupt", at: 1)
      for file in [damaged, damaged + "-wal"] { try AtomicFile.write(Array("a canary".utf8), to: file) }
      var session = Session()
      let turn = try await history.say("a canary", in: &session)
      #expect(try await history.forget(turn.id).mayRemainIn == [damaged, damaged + "-wal"])
      #expect(try await history.forgetAll() == Forgotten())
      #expect(try files(beside: path, with: "canary") == [])
    }
  }

  @Test func `all is forgotten where no session is kept`() async throws {
    try await withHistory { history, path in
      history.recall.add("a canary")
      _ = try await history.backUp(to: nil)
      try await history.forgetAll()
      #expect(try await history.typedLines() == [])
      #expect(history.recall.line(0) == nil)
      #expect(HistoryFile(path).asides("backup") == [])
      await history.close()
      #expect(try files(beside: path, with: "canary") == [])
    }
  }
}
