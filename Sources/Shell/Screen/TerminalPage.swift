import Chat
import Text
import Wire

/// Terminals, as a list and in detail.
enum TerminalPage {
  /// One of a list: what it is called in commands, and the server that keeps it, nil for this machine.
  struct Row: Equatable {
    var word: String
    var server: String?
    var info: TerminalInfo
    /// When it was seen so, of a server that does not answer now, in milliseconds since 1970; nil is now.
    var seenAt: Int?
    /// How the connection to it stands; nil where it is not watched.
    var connection: TerminalConnection?
  }

  static func listing(_ terminals: [Row], now: Int) -> Listing {
    Listing(
      columns: [
        Listing.Column("NAME", "id"),
        Listing.Column("ACTIVE") { $0["lastActivity"]?.int.map { age(of: $0, at: now) } ?? "" },
        Listing.Column("RUNS") { row in
          let program = row["program"]?.string ?? ""
          return row["claude"] == true ? "Claude Code" : "\(program)"
        },
        Listing.Column("PID") { $0["pid"]?.int.map { "\($0)" } ?? "" },
        Listing.Column("SIZE") { row in
          guard let columns = row["columns"]?.int, let rows = row["rows"]?.int else { return "" }
          return "\(columns)x\(rows)"
        },
        Listing.Column("STATE") { row in
          let seen = row["seenAt"]?.int.map { "as it was " + ago($0, at: now) }
          if let state = row["connection"]?.string {
            return "watched, \(state)" + (seen.map { ", " + $0 } ?? "")
          }
          return seen ?? ((row["watchers"]?.int ?? 0) > 0 ? "attached" : "")
        },
        Listing.Column("FOLDER", "folder"),
      ], rows: terminals.map(object), whenEmpty: "no terminals: /terminal new NAME makes one")
  }

  private static func object(_ row: Row) -> JSON {
    var json = row.info.json
    json["id"] = .string(row.word)
    json["server"] = row.server.map(JSON.string) ?? .null
    json["seenAt"] = row.seenAt.map(JSON.int) ?? .null
    json["connection"] = row.connection.map { .string($0.word) } ?? .null
    return json
  }

  /// What somebody who is attached is told of its connection.
  static func remark(_ notice: TerminalNotice, on word: String) -> StyledText? {
    switch notice {
    case .output, .lines, .ended, .dialing, .waiting: return nil
    case .lost:
      return .text("[the connection to \(word) is lost, reconnecting; what you type is not sent; ~. detaches]", .dim)
    case .back(let unsent, let unsure):
      let keys: [SafeText] =
        (unsent > 0 ? ["what you typed meanwhile was not sent (\(ByteSize.text(unsent)))"] : [])
        + (unsure > 0 ? ["the last that you typed before may not have arrived (\(ByteSize.text(unsure)))"] : [])
      return .text("[connected again\(keys.map { "; " + $0 }.reduce("", +))]", .dim)
    }
  }

  /// What the prompt says of terminals that are watched: how their connections stand.
  static func watched(_ terminals: [(word: String, connection: TerminalConnection)]) -> StyledText {
    guard !terminals.isEmpty else { return [] }
    let isWell = terminals.allSatisfy { $0.connection == .connected }
    let parts: [SafeText]
    if terminals.count <= mostInPrompt {
      parts = terminals.map { Filter.inline($0.word, width: 24) + " \($0.connection.word)" }
    } else {
      parts = TerminalConnection.words.compactMap { word in
        let count = terminals.filter { $0.connection.word == word }.count
        return count == 0 ? nil : "\(count) \(word)"
      }
    }
    return .text(" [" + parts.joined(separator: ", ") + "]", isWell ? .dim : .warning)
  }

  private static let mostInPrompt = 2

  /// What a terminal that is watched has said since; nil for nothing.
  static func news(of word: String, lines: Int, last: String?) -> SafeText? {
    guard lines > 0 else { return nil }
    let count: SafeText = lines == 1 ? "1 more line" : "\(lines) more lines"
    return "\(word): \(count)" + (last.map { ": " + Filter.inline($0, width: 100) } ?? "")
  }

  /// Lines of a terminal's, as they may be shown. - Parameter isSeen: whether they go to a terminal.
  static func text(_ untrusted: String, isSeen: Bool) -> SafeText {
    var filter = Filter(isSeen ? .block : .source)
    return filter.feed(untrusted) + filter.finish()
  }

  /// What came of a command. - Parameter end: nil where the person broke it off.
  static func object(_ end: TerminalRun.End?, output: String, _ isTruncated: Bool, of name: String) -> JSON {
    [
      "terminal": .string(name), "output": .string(output), "ended": .string(end.map(word) ?? "interrupted"),
      "status": end.flatMap(status).map(JSON.int) ?? .null, "isTruncated": .bool(isTruncated),
    ]
  }

  static func word(_ end: TerminalRun.End) -> String {
    switch end {
    case .unwatched: "unwatched"
    case .lost: "lost"
    case .finished: "finished"
    case .quiet: "quiet"
    case .gone: "gone"
    }
  }

  static func status(_ end: TerminalRun.End) -> Int? { if case .finished(let status) = end { status } else { nil } }
}
