import Chat
import Text
import Wire

/// Terminals, as a list and in detail.
enum TerminalPage {
  /// One of a list: what it is called in commands, and the server that keeps it, nil for this machine.
  struct Row {
    var word: String
    var server: String?
    var info: TerminalInfo
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
        Listing.Column("") { row in (row["watchers"]?.int ?? 0) > 0 ? "attached" : "" },
        Listing.Column("FOLDER", "folder"),
      ], rows: terminals.map(object), whenEmpty: "no terminals: /terminal new NAME makes one")
  }

  private static func object(_ row: Row) -> JSON {
    let terminal = row.info
    return [
      "id": .string(row.word), "name": .string(terminal.name), "server": row.server.map(JSON.string) ?? .null,
      "pid": terminal.pid.map(JSON.int) ?? .null,
      "folder": terminal.folder.map(JSON.string) ?? .null, "program": terminal.program.map(JSON.string) ?? .null,
      "claude": terminal.hasClaude.map(JSON.bool) ?? .null, "createdAt": terminal.createdAt.map(JSON.int) ?? .null,
      "lastActivity": terminal.lastActivity.map(JSON.int) ?? .null,
      "columns": terminal.columns.map(JSON.int) ?? .null, "rows": terminal.rows.map(JSON.int) ?? .null,
      "watchers": terminal.watchers.map(JSON.int) ?? .null,
    ]
  }

  /// What somebody who is attached is told of its connection.
  static func remark(_ notice: TerminalNotice, on word: String) -> StyledText? {
    switch notice {
    case .output, .ended: return nil
    case .lost:
      return .text("[the connection to \(word) is lost, reconnecting; what you type is not sent; ~. detaches]", .dim)
    case .back(let unsent, let unsure):
      let keys: [SafeText] =
        (unsent > 0 ? ["what you typed meanwhile was not sent (\(ByteSize.text(unsent)))"] : [])
        + (unsure > 0 ? ["the last that you typed before may not have arrived (\(ByteSize.text(unsure)))"] : [])
      return .text("[connected again\(keys.map { "; " + $0 }.reduce("", +))]", .dim)
    }
  }

  /// Lines of a terminal's, as they may be shown. - Parameter isSeen: whether they go to a terminal.
  static func text(_ untrusted: String, isSeen: Bool) -> SafeText {
    var filter = Filter(isSeen ? .block : .source)
    return filter.feed(untrusted) + filter.finish()
  }

  /// What came of a command. - Parameter end: nil where the person broke it off.
  static func object(_ end: TerminalRun.End?, output: String, _ isTruncated: Bool, of name: String) -> JSON {
    let (word, status): (String, Int?) =
      switch end {
      case nil: ("interrupted", nil)
      case .unwatched: ("unwatched", nil)
      case .lost: ("lost", nil)
      case .finished(let status): ("finished", status)
      case .quiet: ("quiet", nil)
      case .gone: ("gone", nil)
      }
    return [
      "terminal": .string(name), "output": .string(output), "ended": .string(word),
      "status": status.map(JSON.int) ?? .null, "isTruncated": .bool(isTruncated),
    ]
  }
}
