import Chat
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Store

/// Files that went along with a question are kept with it, and go with it.
@Suite struct AttachmentTests {
  private let picture = AttachedFile(path: "/home/a/pic.png", name: "pic.png", bytes: [0x89, 0x50, 0, 0xFF])
  private let photo = AttachedFile(
    path: "/home/a/photo", name: "photo",
    bytes: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
      + [0, 0, 2, 128, 0, 0, 1, 224])
  private let notes = AttachedFile(path: "/home/a/notes.txt", name: "notes.txt", bytes: Array("é\r\n".utf8))

  @Test func `a turn comes back with its files, in their order, byte for byte`() async throws {
    try await withHistory { history, path in
      let session = Session()
      let turn = try await ask(history, session, [picture, notes])
      let kept = try #require(try await history.turn(turn.id)?.files)
      #expect(try await history.reading(kept) == [picture, notes])
      let other = try History.open(at: path)
      #expect(try await other.path(of: session.id).map(\.files) == [kept])
      #expect(try await other.reading(kept) == [picture, notes])
      await other.close()
    }
  }

  @Test func `what a file is, is known without its bytes, whoever kept it`() async throws {
    try await withHistory { history, path in
      let session = Session()
      let files = [photo, notes, picture]
      let turn = try await ask(history, session, files)
      func expectKnown(_ history: History) async throws {
        let kept = try #require(try await history.path(of: session.id).first?.files)
        #expect(kept.allSatisfy { $0.bytes.isEmpty })
        #expect(kept.map(\.size) == files.map(\.size) && kept.map(\.kind) == files.map(\.kind))
        #expect(kept.map(\.type) == ["image/png", "text/plain", "application/octet-stream"])
        #expect(try await history.reading(kept) == files)
      }
      try await expectKnown(history)
      // An earlier version notes nothing but the bytes.
      try DatabaseQueue(path: path).inDatabase { db in
        try db.execute(
          sql: "UPDATE attachment SET size = NULL, lines = NULL, image = NULL, width = NULL, height = NULL")
      }
      try await expectKnown(history)
      let kept = try #require(try await history.turn(turn.id)?.files)
      try await history.forget(session.id)
      #expect(try await history.reading(kept) == kept)
    }
  }

  @Test func `a file that was not read is kept again with another turn`() async throws {
    try await withHistory { history, path in
      let session = Session()
      let turn = try await ask(history, session, [picture])
      let kept = try #require(try await history.turn(turn.id)?.files)
      let other = try await ask(history, session, kept)
      #expect(try count("attached_bytes", path) == 1)
      try await history.forget(turn.id)
      #expect(try await files(of: other, history) == [picture])
    }
  }

  @Test func `the same bytes are kept once, and as long as a turn has them`() async throws {
    try await withHistory { history, path in
      var session = Session()
      let first = try await ask(history, session, [picture])
      session.head = first.id
      let again = try await history.ask(
        NewTurn(session: session, parent: nil, question: .copy(of: first.id), files: [notes]))
      #expect(try await files(of: again, history) == [picture])
      #expect(try count("attachment", path) == 2)
      #expect(try count("attached_bytes", path) == 1)
      try await history.forget(first.id)
      #expect(try await files(of: again, history) == [picture])
      try await history.forget(again.id)
      #expect(try count("attachment", path) == 0)
      #expect(try count("attached_bytes", path) == 0)
    }
  }

  @Test func `a session that is forgotten leaves nothing of its files on disk`() async throws {
    try await withHistory { history, path in
      let session = Session()
      let canary = AttachedFile(path: "/c", name: "canary.txt", bytes: Array("canary-in-a-file".utf8))
      try await ask(history, session, [canary])
      #expect(try everything(beside: path).contains("canary-in-a-file"))
      try await history.forget(session.id)
      #expect(!(try everything(beside: path).contains("canary")))
    }
  }

  @Test func `a history without files is brought to have a place for them`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/history.sqlite"
      let older = try History.open(
        at: path, migrations: Array(Schema.migrations.filter { $0.version < 6 }), now: { 1 })
      await older.close()
      let history = try History.open(at: path, now: { 2 })
      let turn = try await ask(history, Session(), [picture])
      #expect(try await files(of: turn, history) == [picture])
      await history.close()
    }
  }

  @Test func `files are carried over from a damaged history, and those without a turn are not`() async throws {
    try await withHistory { history, path in
      try await ask(history, Session(), [picture])
      let source = try DatabaseQueue(path: path)
      try source.inDatabase { db in
        try db.execute(
          sql: """
            PRAGMA foreign_keys = OFF;
            INSERT INTO attached_bytes (digest, bytes) VALUES ('lost', x'00');
            INSERT INTO attachment (turn, position, name, path, digest) VALUES (99, 0, 'a', 'a', 'lost');
            """)
      }
      let target = try DatabaseConnection.memory()
      try target.inDatabase { db in try Upgrade.run(Schema.migrations, on: db, now: 1) }
      _ = try RowCopy(from: source, to: target).copy()
      let names = try target.inDatabase { db in try String.fetchAll(db, sql: "SELECT name FROM attachment") }
      let kept = try target.inDatabase { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM attached_bytes") }
      #expect(names == ["pic.png"])
      #expect(kept == 1)
    }
  }

  private func files(of turn: StoredTurn, _ history: History) async throws -> [AttachedFile] {
    try await history.reading(try #require(try await history.turn(turn.id)?.files))
  }

  @discardableResult
  private func ask(_ history: History, _ session: Session, _ files: [AttachedFile]) async throws -> StoredTurn {
    try await history.ask(
      NewTurn(session: session, parent: session.head, question: .text("look"), files: files))
  }

  private func count(_ table: String, _ path: String) throws -> Int? {
    try DatabaseQueue(path: path).inDatabase { db in try Int.fetchOne(db, sql: "SELECT count(*) FROM \(table)") }
  }

  private func everything(beside path: String) throws -> String {
    let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }.joined()
  }
}
