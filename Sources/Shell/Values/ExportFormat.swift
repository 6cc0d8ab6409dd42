import Store

/// How sessions are written out (docs/export.md).
enum ExportFormat: String, CaseIterable {
  case md, json, jsonl

  /// What stands before the first session, and behind the last.
  var begin: String {
    switch self {
    case .md: ""
    case .json: HistoryDocument.JSONFrame.begin
    case .jsonl: HistoryDocument.JSONLFrame.begin
    }
  }

  var end: String { self == .json ? HistoryDocument.JSONFrame.end : "" }

  /// Whether a word means a file, where it could also be the name of a session.
  static func isFile(_ word: String) -> Bool {
    word.contains("/") || [".md", ".json", ".jsonl", ".txt"].contains { word.lowercased().hasSuffix($0) }
  }
}
