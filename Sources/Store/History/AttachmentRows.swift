import Chat
import Foundation
import GRDB

/// Files that went along with a question, whose bytes are kept once.
extension Database {
  func keep(_ files: [AttachedFile], of turn: Int64) throws {
    for (position, file) in files.enumerated() {
      let digest = sha256(file.bytes)
      try execute(
        sql: "INSERT OR IGNORE INTO attached_bytes (digest, bytes) VALUES (?, ?)",
        arguments: [digest, Data(file.bytes)])
      try execute(
        sql: "INSERT INTO attachment (turn, position, name, path, digest) VALUES (?, ?, ?, ?, ?)",
        arguments: [turn, position, file.name, file.path, digest])
    }
  }

  func copyFiles(of turn: Int64, to other: Int64) throws {
    try execute(
      sql: """
        INSERT INTO attachment (turn, position, name, path, digest)
          SELECT ?, position, name, path, digest FROM attachment WHERE turn = ? ORDER BY position
        """, arguments: [other, turn])
  }

  func files(of turns: [TurnID]) throws -> [TurnID: [AttachedFile]] {
    // Row numbers and not values, of which SQLite takes a limited number.
    let keys = turns.map { String($0.key) }.joined(separator: ", ")
    let rows = try Row.fetchCursor(
      self,
      sql: """
        SELECT turn, name, path, bytes FROM attachment JOIN attached_bytes USING (digest)
        WHERE turn IN (\(keys)) ORDER BY turn, position
        """)
    var files: [TurnID: [AttachedFile]] = [:]
    while let row = try rows.next() {
      let bytes: Data = row.value("bytes") ?? Data()
      files[TurnID(key: row.value("turn") ?? 0), default: []].append(
        AttachedFile(path: row.value("path") ?? "", name: row.value("name") ?? "", bytes: Array(bytes)))
    }
    return files
  }
}
