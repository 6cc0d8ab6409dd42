import Chat
import Store
import Text
import Wire

extension Commands {
  static let remote = [sessions]

  private static let sessions = Command(
    "sessions", .history, summary: "conversations that the server keeps",
    forms: [
      Form(.optional(.number), summary: "list the server's conversations") { shell, match throws(ShellError) in
        let limit = match.values.first.flatMap(Int.init) ?? 20
        guard 1...10_000 ~= limit else { throw .unexpected(match[0], command: "sessions") }
        try await list(limit, match.asJSON, &shell)
      },
      Form(
        .word("open"), .required(.remoteSession),
        next: { shell, match throws(ShellError) in try await openRemote(match.values.joined(separator: " "), &shell) },
        summary: "go on with one"
      ).switching(),
      Form(.word("show"), .required(.remoteSession), summary: "what it counted in one") {
        shell, match throws(ShellError) in
        try await show(match.values.joined(separator: " "), match.asJSON, &shell)
      },
      Form(.word("stats"), summary: "what it counted in all of them") { shell, match throws(ShellError) in
        try await showTotals(match.asJSON, &shell)
      },
      Form(.word("rename"), .required(.title), summary: "title it there too") {
        shell, match throws(ShellError) in
        try await rename(to: match.values.joined(separator: " "), &shell)
      },
      Form(.word("file"), .required(.name), .optional(.file), summary: "save a file of this one") {
        shell, match throws(ShellError) in
        try await saveFile(match[0], as: match.values.dropFirst().first, &shell)
      },
      Form(.word("share"), .optional(.remoteSession), summary: "a link for everybody") {
        shell, match throws(ShellError) in
        try await share(match.values.joined(separator: " "), match.asJSON, &shell)
      },
      Form(
        .word("take"), .required(.url),
        next: { shell, match throws(ShellError) in try await take(match[0], &shell) },
        summary: "make a shared one yours"
      ).switching(),
      Form(.word("delete"), .required(.remoteSession), summary: "delete one there") {
        shell, match throws(ShellError) in
        try await delete(match.values.joined(separator: " "), &shell)
      },
      Form(.word("delete"), .required(.handle), summary: "delete a turn there") {
        shell, match throws(ShellError) in
        try await prune(match[0], &shell)
      },
      Form(.word("delete"), .word("all"), summary: "delete all of them there") { shell, match throws(ShellError) in
        try await deleteAll(&shell)
      },
    ],
    examples: ["/sessions", "/sessions open cookies", "/sessions share"],
    details: """
      A conversation is named by its title, words of it, or the start of its id. What is read of one is kept in the \
      history, so that it can be searched and read without the server. What somebody changed there since is said and kept \
      beside what is here. An answer that is still being written goes on in the terminal.
      """)

  /// The server's conversations; refused where it shows none.
  private static func keeper(
    _ ability: RemoteAbilities, _ what: String, _ shell: inout Shell
  ) async throws(ShellError) -> any RemoteSessions {
    let link = try await shell.links.connected(&shell.desk)
    guard let sessions = link.backend.sessions, sessions.abilities.contains(ability) else {
      throw .notKeptThere(server: link.server.name, what: what)
    }
    return sessions
  }

  private static func list(_ limit: Int, _ asJSON: Bool, _ shell: inout Shell) async throws(ShellError) {
    let sessions = try await keeper([], "conversations", &shell)
    let found = try await shell.links.asking(&shell.desk) { _ throws(BackendError) in
      try await sessions.list(limit)
    }
    shell.links.known.take(found.sessions)
    let here = try await kept(&shell)
    try await shell.desk.show(
      RemotePage.listing(
        found.sessions, here: here, current: shell.remoteConversation, now: shell.desk.world.now()),
      asJSON: asJSON)
    if found.hasMore { shell.desk.say("there are others: " + shell.desk.asTyped("/sessions \(limit * 5) lists more")) }
  }

  /// Those of the server in use that are kept here, by its names for them.
  private static func kept(_ shell: inout Shell) async throws(ShellError) -> [String: SessionSummary] {
    let url = shell.links.link.server.url
    return try await shell.talk.fromHistory(shell.desk) { history throws(HistoryError) in
      try await history.remoteSessions(of: url)
    }
  }

  /// The one that words mean: by the start of its name there, or of the one here; by its title, or words of it.
  private static func meant(
    by words: String, _ sessions: any RemoteSessions, _ shell: inout Shell
  ) async throws(ShellError) -> RemoteSession {
    let here = try await kept(&shell)
    let all = try await shell.links.asking(&shell.desk) { _ throws(BackendError) in try await sessions.list(500) }
      .sessions
    shell.links.known.take(all)
    let word = words.lowercased()
    func find(_ fits: (RemoteSession) -> Bool) throws(ShellError) -> RemoteSession? {
      let matches = all.filter(fits)
      guard matches.count > 1 else { return matches.first }
      throw .ambiguous(
        .remoteSession, words, matches: matches.prefix(8).map { "\($0.id.prefix(8)) \($0.title ?? "")" },
        more: max(0, matches.count - 8))
    }
    if let exact = all.first(where: { $0.id == words }) { return exact }
    if let one = try find({ $0.title?.lowercased() == word }) { return one }
    if word.count >= 3, let one = try find({ $0.id.lowercased().hasPrefix(word) }) { return one }
    if word.count >= 3, let one = try find({ here[$0.id]?.id.text.hasPrefix(word) == true }) { return one }
    let parts = word.split(separator: " ")
    if let one = try find({ session in
      let title = session.title?.lowercased() ?? ""
      return !parts.isEmpty && parts.allSatisfy { title.contains($0) }
    }) {
      return one
    }
    throw .unknown(.remoteSession, words, nearest: [])
  }

  static func openRemote(_ words: String, _ shell: inout Shell) async throws(ShellError) -> Next {
    let sessions = try await keeper(.read, "conversations to read", &shell)
    let wanted = try await meant(by: words, sessions, &shell)
    return try await stand(in: wanted.id, sessions, &shell)
  }

  private static func stand(
    in name: String, _ sessions: any RemoteSessions, _ shell: inout Shell
  ) async throws(ShellError) -> Next {
    let running = try await shell.takeIn(name, from: sessions, of: shell.links.link.server)
    shell.toolbox.beginAnew()
    shell.talk.showPlace(shell.desk)
    return shell.goOn(with: running)
  }

  private static func show(_ words: String, _ asJSON: Bool, _ shell: inout Shell) async throws(ShellError) {
    let sessions = try await keeper(.describe, "sessions to show", &shell)
    let wanted = try await meant(by: words, sessions, &shell)
    let session = try await shell.links.asking(&shell.desk) { _ throws(BackendError) in
      try await sessions.describe(wanted.id)
    }
    let here = try await kept(&shell)[session.id]
    if asJSON || shell.desk.options.output != .text {
      return shell.desk.show(
        RemotePage.object(session, here: here, isCurrent: session.id == shell.remoteConversation))
    }
    try await shell.desk.show(
      long: RemotePage.detail(
        session, here: here, canBeRead: sessions.abilities.contains(.read),
        offset: shell.desk.world.clockOffset(shell.desk.world.now()), columns: shell.desk.wrapColumns))
  }

  private static func showTotals(_ asJSON: Bool, _ shell: inout Shell) async throws(ShellError) {
    let sessions = try await keeper(.totals, "counts of its conversations", &shell)
    let totals = try await shell.links.asking(&shell.desk) { _ throws(BackendError) in try await sessions.totals() }
    if asJSON || shell.desk.options.output != .text { return shell.desk.show(RemotePage.object(totals)) }
    try await shell.desk.show(long: RemotePage.detail(totals, columns: shell.desk.wrapColumns))
  }

  private static func rename(to title: String, _ shell: inout Shell) async throws(ShellError) {
    let sessions = try await keeper(.rename, "titles to change", &shell)
    guard let name = shell.remoteConversation else { throw .noRemoteSession }
    try await shell.links.asking(&shell.desk) { _ throws(BackendError) in try await sessions.rename(name, to: title) }
    try await shell.talk.setTitle(title, shell.desk)
    shell.desk.say("title there and here: \(title)")
  }

  private static func saveFile(
    _ name: String, as path: String?, _ shell: inout Shell
  ) async throws(ShellError) {
    let sessions = try await keeper(.files, "files to fetch", &shell)
    guard let conversation = shell.remoteConversation else { throw .noRemoteSession }
    let file = try await shell.links.asking(&shell.desk) { _ throws(BackendError) in
      try await sessions.file(name, of: conversation)
    }
    // What a server calls it says nothing of where it goes.
    let own = String((file.name.split(separator: "/").last ?? "file").map { isPlain($0) ? $0 : "_" })
    let place = path ?? (own.hasPrefix(".") || own.hasPrefix("-") ? "file" + own : own)
    do throws(FileProblem) {
      try shell.desk.world.writeNew(shell.desk.world.absolutePath(place), file.bytes)
    } catch { throw .file(error) }
    shell.desk.say("saved \(VisibleText.oneLine(place)), \(ByteSize.text(file.bytes.count))")
  }

  /// What looks like itself in the name of a file.
  private static func isPlain(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "._-+() ".contains(character)
  }

  private static func share(_ words: String, _ asJSON: Bool, _ shell: inout Shell) async throws(ShellError) {
    let sessions = try await keeper(.share, "links to its conversations", &shell)
    var name = shell.remoteConversation
    if !words.isEmpty { name = try await meant(by: words, sessions, &shell).id }
    guard let name else { throw .noRemoteSession }
    guard try await shell.desk.confirm("Let everybody who has the link read it, as it is now?") else { return }
    let link = try await shell.links.asking(&shell.desk) { _ throws(BackendError) in try await sessions.share(name) }
    if asJSON || shell.desk.options.output != .text {
      shell.desk.show(["link": .string(link)])
    } else {
      shell.desk.show(.text(VisibleText.oneLine(link) + "\n"))
    }
  }

  private static func take(_ link: String, _ shell: inout Shell) async throws(ShellError) -> Next {
    let sessions = try await keeper(.take, "shared conversations", &shell)
    let name = try await shell.links.asking(&shell.desk) { _ throws(BackendError) in try await sessions.take(link) }
    return try await stand(in: name, sessions, &shell)
  }

  private static func delete(_ words: String, _ shell: inout Shell) async throws(ShellError) {
    let sessions = try await keeper(.delete, "conversations to delete", &shell)
    let wanted = try await meant(by: words, sessions, &shell)
    let title = VisibleText.oneLine(wanted.title ?? wanted.id).cut(to: 60)
    guard try await shell.desk.confirm("Delete '\(title)' on the server, for good?") else { return }
    try await shell.links.asking(&shell.desk) { _ throws(BackendError) in try await sessions.delete(wanted.id) }
    shell.desk.say("deleted on the server")
    shell.links.known.forget(session: wanted.id)
    guard let copy = try await kept(&shell)[wanted.id] else { return }
    // Nobody is taken to have meant both.
    let isHereToo =
      try await shell.desk.options.canAsk ? shell.desk.confirm("Delete what is kept here of it too?") : false
    guard isHereToo else {
      try await shell.talk.forgetRemote(copy.id, shell.desk)
      return shell.desk.say("what is kept here of it stays: /history show \(copy.id.text.prefix(8))")
    }
    if shell.talk.conversation.session.id == copy.id { shell.leaveSession() }
    let forgotten = try await shell.talk.forget(copy.id, shell.desk)
    shell.desk.say("deleted here too")
    try shell.report(forgotten)
  }

  private static func prune(_ handle: String, _ shell: inout Shell) async throws(ShellError) {
    let sessions = try await keeper(.prune, "turns to delete", &shell)
    guard let name = shell.remoteConversation,
      let turn = try await shell.talk.turn(handle, command: "sessions delete", shell.desk)
    else { throw .noRemoteSession }
    let siblings = try await shell.talk.fromHistory(shell.desk) { history throws(HistoryError) in
      try await history.siblings(of: turn.id)
    }
    // Another answer to the same message stays there.
    let isShared = siblings.contains { $0.id != turn.id && $0.remote?.question == turn.remote?.question }
    guard let message = isShared ? turn.remote?.answer : turn.remote?.question ?? turn.remote?.answer else {
      throw .unknown(.turn, handle, nearest: [])
    }
    guard try await shell.desk.confirm("Delete #\(turn.number), and all that follows it, on the server?") else {
      return
    }
    try await shell.links.asking(&shell.desk) { _ throws(BackendError) in
      try await sessions.prune(name, at: message)
    }
    _ = try await shell.takeIn(name, from: sessions, of: shell.links.link.server)
  }

  private static func deleteAll(_ shell: inout Shell) async throws(ShellError) {
    let sessions = try await keeper(.deleteAll, "all its conversations to delete at once", &shell)
    guard
      try await shell.desk.confirm(
        "Delete ALL your conversations on '\(shell.links.link.server.name)', for good? What is kept here stays.")
    else { return }
    let count = try await shell.links.asking(&shell.desk) { _ throws(BackendError) in try await sessions.deleteAll() }
    shell.links.known.sessions = []
    for copy in try await kept(&shell).values { try await shell.talk.forgetRemote(copy.id, shell.desk) }
    shell.desk.say(count.map { "deleted on the server: \($0)" } ?? "deleted on the server")
  }
}
