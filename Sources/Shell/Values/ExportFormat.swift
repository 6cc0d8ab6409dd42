import Store

/// How sessions are written out (docs/export.md).
enum ExportFormat: String, CaseIterable {
  case md, html, json, jsonl

  /// All that is kept, to be taken in again; nil where the branch that a session stands on is written to be read.
  var document: HistoryDocument? {
    switch self {
    case .md, .html: nil
    case .json: .json
    case .jsonl: .jsonl
    }
  }

  /// Whether a word means a file, where it could also be the name of a session.
  static func isFile(_ word: String) -> Bool {
    word.contains("/")
      || [".md", ".html", ".htm", ".json", ".jsonl", ".txt"].contains { word.lowercased().hasSuffix($0) }
  }
}
