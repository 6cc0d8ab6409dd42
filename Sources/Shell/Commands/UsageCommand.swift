import Chat
import Store
import Text
import Wire

extension Commands {
  static let usage = Command(
    "usage", .servers, summary: "tokens and cost on the server in use",
    forms: [
      Form(summary: "use by session, model and day") { shell, match throws(ShellError) in
        try await show(UsagePage.Part.allCases, match.asJSON, &shell)
      },
      Form(.choice(["sessions", "models", "days"]), summary: "one of these alone") { shell, match throws(ShellError) in
        try await show(UsagePage.Part.allCases.filter { "\($0.rawValue)s" == match[0] }, match.asJSON, &shell)
      },
    ],
    examples: ["/usage", "/usage days", "parley /usage --json"],
    details: """
      A server that counts tells what it counted for the sessions that it knows now; of any other, what its answers said \
      of themselves is taken from the history here. Which of them it is, is said, and stands in the JSON as source. A \
      server counts by session: all of one stands under the model and the day that it was asked last. Days are UTC's.
      """)

  private static func show(_ parts: [UsagePage.Part], _ asJSON: Bool, _ shell: inout Shell) async throws(ShellError) {
    try await shell.links.connected(&shell.desk)
    var records: [UsageRecord]?
    if let reporting = shell.links.link.backend.usage {
      records = try await shell.links.asking(&shell.desk) { _ throws(BackendError) in try await reporting.usage() }
    }
    let isCounted = records != nil
    let server = shell.links.link.server
    let others = shell.links.kept.entries.map(\.server.name).filter { $0 != server.name }
    if let counted = records {
      records = try await named(counted, of: server.url, &shell)
    } else {
      records = try await shell.talk.fromHistory(shell.desk) { history throws(HistoryError) in
        try await history.usage(of: server, besides: others)
      }
    }
    shell.desk.say(
      isCounted
        ? "counted by the server, for the sessions that it knows now; all of one counts for its last model and day"
        : "the server counts nothing: this is what its answers said, from the history here")
    try await shell.desk.show(
      UsagePage.listing(
        records ?? [], by: parts, source: isCounted ? "server" : "history",
        bar: shell.desk.barSign), asJSON: asJSON)
  }

  /// Sessions that are kept here are called what they are called here: the server knows them by number.
  private static func named(
    _ records: [UsageRecord], of url: String, _ shell: inout Shell
  ) async throws(ShellError) -> [UsageRecord] {
    let here = try await shell.talk.fromHistory(shell.desk) { history throws(HistoryError) in
      try await history.remoteSessions(of: url)
    }
    return records.map { record in
      var record = record
      if let name = here[record.session]?.name, !name.isEmpty { record.title = name }
      return record
    }
  }
}
