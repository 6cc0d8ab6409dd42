import Chat
import Store
import Text
import Wire

/// Sessions out of the history and into it (docs/export.md).
extension Commands {
  static let exchanging = [export, importing]

  private static let formats = ExportFormat.allCases.map(\.rawValue)

  private static let export = Command(
    "export", .history, summary: "write sessions out, to a file",
    forms: [
      Form(summary: "this session, as Markdown") { shell, _ throws(ShellError) in
        let session = try await shell.talk.session(called: nil, shell.desk).0
        try await write([session.id], .md, to: nil, &shell)
      },
      Form(.choice(formats), .optional(.session), .optional(.file), summary: "this session, or another") {
        shell, match throws(ShellError) in
        var words = match.values.dropFirst()
        let isFile = words.count == 2 || words.last.map(ExportFormat.isFile) ?? false
        let path = isFile ? words.removeLast() : nil
        let session = try await shell.talk.session(called: words.first, shell.desk).0
        try await write([session.id], format(match), to: path, &shell)
      },
      Form(.choice(formats), .word("all"), .optional(.file), summary: "every session") {
        shell, match throws(ShellError) in
        let all = try await shell.talk.fromHistory(shell.desk) { history throws(HistoryError) in
          try await history.allSessions()
        }
        try await write(all, format(match), to: match.values.count > 1 ? match[1] : nil, &shell)
      },
      Form(.choice(formats), .word("search"), .required(.words), summary: "those in which words are found") {
        shell, match throws(ShellError) in
        var words = match.values.dropFirst()
        let path = words.count > 1 && ExportFormat.isFile(words.last ?? "") ? words.removeLast() : nil
        try await write(try await found(Array(words), &shell), format(match), to: path, &shell)
      },
    ],
    examples: [
      "/export", "/export html capitals capitals.html", "/export md capitals capitals.md",
      "/export jsonl all history.jsonl",
      "/export json search tag:garden roses", "parley /export json all",
    ],
    details: """
      Without a file it goes to standard output. A word that ends in .md, .html, .json, .jsonl or .txt, or has a / in it, \
      is the file; one that is there is never written over. json and jsonl hold all that is kept, every branch, tool and \
      attachment, and /import reads them back as they were; md is the conversation as it is read, html a page of it for \
      a browser or a printer, which loads nothing. A title of several words is quoted.
      """)

  private static let importing = Command(
    "import", .history, summary: "take sessions in from a file", forms: [Form(.required(.file))],
    examples: [
      "/import history.jsonl", "/import conversations.json", "/import ~/.config/io.datasette.llm/logs.db",
    ],
    details: """
      Reads what /export json and /export jsonl write, the conversations.json in what ChatGPT and chat-ui servers export, \
      each with its branches, and the logs.db of the program llm (llm logs path says where it is). A session that is here already stays as it is.
      """
  ) { shell, match throws(ShellError) in
    try await takeIn(match[0], &shell)
    return .prompt
  }

  /// A choice takes no word but one of a format.
  private static func format(_ match: Match) -> ExportFormat { ExportFormat(rawValue: match[0]) ?? .md }

  /// Those that are found, the oldest first.
  private static func found(_ words: [String], _ shell: inout Shell) async throws(ShellError) -> [SessionID] {
    let world = shell.desk.world
    let search = try SearchWords(words, now: world.now(), offset: world.clockOffset)
    guard !search.isEmpty else { throw .missing(.words, command: "export search") }
    return try await shell.talk.fromHistory(shell.desk) { history throws(HistoryError) in
      let found = try await history.sessions(with: search.words, search.filter)
      return try await history.allSessions().filter(found.contains)
    }
  }

  private static func write(
    _ sessions: [SessionID], _ format: ExportFormat, to path: String?, _ shell: inout Shell
  ) async throws(ShellError) {
    guard !sessions.isEmpty else { return shell.desk.say("nothing is found; nothing is written") }
    await shell.talk.keepUnkept(shell.desk)
    var target = try ExportTarget(path, isJSON: format.document != nil, shell.desk)
    // On standard output one sees how far it is.
    let job = path == nil ? nil : LongJob("writing session", of: sessions.count, shell.desk)
    defer { job?.end() }
    // Of one that is forgotten meanwhile nothing is.
    var written = 0
    do throws(ShellError) {
      try target.put(try await begin(format, sessions, &shell))
      for id in sessions {
        try job?.begin()
        let pieces = try await pieces(of: id, format, isFirst: written == 0, &shell)
        for piece in pieces { try target.put(piece) }
        if !pieces.isEmpty { written += 1 }
      }
      try target.put(format == .html ? HTMLExport.end : format.document?.end ?? "")
      try target.finish()
    } catch {
      target.discard()
      throw error
    }
    job?.end()
    if let path {
      shell.desk.say(
        written == 1 ? "1 session written to \(path)" : "\(written) sessions written to \(path)")
    }
  }

  private static func begin(
    _ format: ExportFormat, _ sessions: [SessionID], _ shell: inout Shell
  ) async throws(ShellError) -> String {
    guard format == .html else { return format.document?.begin ?? "" }
    let only = sessions.count == 1 ? try await shell.talk.atHand(sessions[0], shell.desk) : nil
    return HTMLExport.begin(title: only.map { HTMLExport($0.0, $0.1).name } ?? "\(sessions.count) sessions")
  }

  /// Of one that is forgotten meanwhile there are none.
  private static func pieces(
    of id: SessionID, _ format: ExportFormat, isFirst: Bool, _ shell: inout Shell
  ) async throws(ShellError) -> [String] {
    if let document = format.document {
      return try await shell.talk.exported(id, shell.desk).map { document.pieces(of: $0, isFirst: isFirst) } ?? []
    }
    guard let (session, path) = try await shell.talk.atHand(id, shell.desk) else { return [] }
    if format == .html { return HTMLExport(session, path).pieces }
    return (isFirst ? [] : ["\n---\n\n"]) + MarkdownExport(session, path).pieces
  }

  private static func takeIn(_ path: String, _ shell: inout Shell) async throws(ShellError) {
    try await shell.talk.requireKeeping(shell.desk)
    let bytes = try await shell.desk.readLarge(path)
    var (added, there) = (0, 0)
    var file = try reading(path, added) { () throws(ImportProblem) in try ImportedFile(bytes) }
    let job = LongJob("taking in session", of: file.count, shell.desk)
    defer { job.end() }
    while let session = try reading(path, added, { () throws(ImportProblem) in try file.session() }) {
      do throws(ShellError) {
        try job.begin()
        let taken = try await shell.talk.fromHistory(shell.desk) { history throws(HistoryError) in
          try await history.take(session)
        }
        if taken == .added { added += 1 } else { there += 1 }
      } catch {
        job.end()
        if added > 0 { shell.desk.say("\(added) taken in before that") }
        throw error
      }
    }
    job.end()
    if added > 0 || there == 0 { shell.desk.say(added == 1 ? "1 session taken in" : "\(added) sessions taken in") }
    if there > 0 {
      shell.desk.say(
        there == 1 ? "1 session is here already, and stays as it is" : "\(there) sessions are here already, and stay")
    }
  }

  private static func reading<T>(
    _ path: String, _ added: Int, _ read: () throws(ImportProblem) -> T
  ) throws(ShellError) -> T {
    do throws(ImportProblem) { return try read() } catch { throw .importing(path, error, added: added) }
  }
}
