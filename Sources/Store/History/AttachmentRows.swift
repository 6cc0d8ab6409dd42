package import Chat
import Foundation
import GRDB

/// Files that went along with a question, whose bytes are kept once.
extension Database {
  func keep(_ files: [AttachedFile], of turn: Int64) throws {
    for (position, file) in files.enumerated() {
      let digest = file.kept.digest
      // What was not read is there already.
      if file.digest == nil {
        try execute(
          sql: "INSERT OR IGNORE INTO attached_bytes (digest, bytes) VALUES (?, ?)",
          arguments: [digest, Data(file.bytes)])
      }
      try execute(
        sql: """
          INSERT INTO attachment (turn, position, name, path, digest, size, lines, image, width, height)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [turn, position, file.name, file.path, digest, file.size] + file.kind.columns)
    }
  }

  func copyFiles(of turn: Int64, to other: Int64) throws {
    try execute(
      sql: """
        INSERT INTO attachment (turn, position, name, path, digest, size, lines, image, width, height)
          SELECT ?, position, name, path, digest, size, lines, image, width, height FROM attachment
          WHERE turn = ? ORDER BY position
        """, arguments: [other, turn])
  }

  /// What is known of the files of these turns, without their bytes: a session may have many, and is not always sent.
  func files(of turns: [TurnID]) throws -> [TurnID: [AttachedFile]] {
    // Row numbers and not values, of which SQLite takes a limited number.
    let keys = turns.map { String($0.key) }.joined(separator: ", ")
    let rows = try Row.fetchCursor(
      self,
      sql: """
        SELECT turn, name, path, digest, size, lines, image, width, height,
          CASE WHEN size IS NULL THEN bytes END AS bytes
        FROM attachment LEFT JOIN attached_bytes USING (digest) WHERE turn IN (\(keys)) ORDER BY turn, position
        """)
    var files: [TurnID: [AttachedFile]] = [:]
    while let row = try rows.next() {
      files[TurnID(key: row.value("turn") ?? 0), default: []].append(AttachedFile(row))
    }
    return files
  }

  /// nil where no turn has them any more.
  func attachedBytes(_ digest: String) throws -> [UInt8]? {
    let row = try Row.fetchOne(self, sql: "SELECT bytes FROM attached_bytes WHERE digest = ?", arguments: [digest])
    return (row?.value("bytes") as Data?).map(Array.init)
  }
}

extension History {
  /// The same files with their bytes. One that went with the last turn that had it stays as it is.
  package func reading(_ files: [AttachedFile]) async throws(HistoryError) -> [AttachedFile] {
    try await read { db in
      try files.map { file in
        guard let digest = file.digest, let bytes = try db.attachedBytes(digest) else { return file }
        return AttachedFile(path: file.path, name: file.name, bytes: bytes)
      }
    }
  }
}

extension AttachedFile {
  /// Without the bytes, once the history has them.
  package var kept: AttachedFile {
    digest == nil ? AttachedFile(path: path, name: name, size: size, kind: kind, digest: sha256(bytes)) : self
  }

  fileprivate init(_ row: Row) {
    let (path, name): (String, String) = (row.value("path") ?? "", row.value("name") ?? "")
    let digest: String = row.value("digest") ?? ""
    if let size: Int = row.value("size") {
      self.init(path: path, name: name, size: max(0, size), kind: Kind(row), digest: digest)
    } else {
      // An earlier version kept it, which noted nothing of it.
      let bytes: Data = row.value("bytes") ?? Data()
      let whole = AttachedFile(path: path, name: name, bytes: Array(bytes))
      self.init(path: path, name: name, size: whole.size, kind: whole.kind, digest: digest)
    }
  }
}

extension AttachedFile.Kind {
  /// In the order of the columns `lines`, `image`, `width`, `height`.
  fileprivate var columns: StatementArguments {
    switch self {
    case .text(let lines): [lines, nil, nil, nil]
    case .image(let image): [nil, image.format.rawValue, image.size?.width, image.size?.height]
    case .other: [nil, nil, nil, nil]
    }
  }

  fileprivate init(_ row: Row) {
    if let format = (row.value("image") as String?).flatMap(ImageHeader.Format.init) {
      var size: ImageHeader.Size?
      if let width: Int = row.value("width"), let height: Int = row.value("height") {
        size = ImageHeader.Size(width: width, height: height)
      }
      self = .image(ImageHeader(format: format, size: size))
    } else if let lines: Int = row.value("lines") {
      self = .text(lines: lines)
    } else {
      self = .other
    }
  }
}
