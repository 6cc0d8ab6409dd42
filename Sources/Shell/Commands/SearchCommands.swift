import Chat
import Store
import Text
import Wire

/// Finding messages, and opening what was found.
extension Commands {
  static func search(_ words: [String], _ asJSON: Bool, _ shell: inout Shell) async throws(ShellError) {
    let world = shell.desk.world
    let search = try SearchWords(words, now: world.now(), offset: world.clockOffset)
    guard !search.isEmpty else { throw .missing(.words, command: "history search") }
    let limit = 20
    let found = try await shell.talk.fromHistory(shell.desk) { history throws(HistoryError) in
      try await history.search(search.words, search.filter, limit: limit + 1)
    }
    let hits = Array(found.prefix(limit))
    shell.talk.hits = hits.map { ($0.session, $0.turn) }
    let isInteractive = shell.desk.options.isInteractive
    var listing = listing(of: hits, now: world.now(), isNumbered: isInteractive)
    listing.whenEmpty = "nothing found for '\(words.joined(separator: " "))'"
    try await shell.desk.show(listing, asJSON: asJSON)
    if found.count > limit {
      let which: SafeText = search.words.isEmpty ? "newest" : "best"
      shell.desk.say(
        "the \(which) \(limit), and there are more: another word, or since:30d, model:X, role:user, narrows the search")
    }
    if hits.isEmpty, let word = search.words.first(where: SearchWords.isLikeLimit) {
      shell.desk.say(
        "'\(word)' is not a filter, so it was searched as text; filters: \(SearchWords.names.joined(separator: ", "))")
    } else if hits.isEmpty, search.words.contains("OR") {
      shell.desk.say("OR is searched as a word; run one search for each alternative")
    } else if hits.isEmpty, let phrase = search.words.first(where: { $0.contains(where: \.isWhitespace) }) {
      shell.desk.say("'\(phrase)' was looked for as one phrase: words of their own are found apart")
    }
    if isInteractive, !asJSON, !hits.isEmpty { shell.desk.sayOnce("/history hit 1 prints the first of them") }
  }

  /// - Parameter isNumbered: whether who reads it can name a hit by its number.
  private static func listing(of hits: [SearchHit], now: Int, isNumbered: Bool) -> Listing {
    let number = Listing.Column("HIT", "hit")
    let columns = [
      Listing.Column("ID") { "\(String(($0["session"]?.string ?? "").prefix(8)))" },
      Listing.Column("TURN") { "#\($0["turn"]?.int ?? 0)" },
      Listing.Column("AGE") { age(of: $0["createdAt"]?.int ?? now, at: now) },
      Listing.Column("ROLE", "role"), Listing.Column("FOUND", "marked"),
    ]
    return Listing(
      columns: isNumbered ? [number] + columns : columns,
      rows: hits.enumerated().map { SessionPage.json($1, number: isNumbered ? $0 + 1 : nil) }, whenEmpty: "",
      wrapsLast: true)
  }

  /// With what was thought, in which it may have been found. - Parameter word: its number in the last search.
  static func showHit(_ word: String, _ asJSON: Bool, _ shell: inout Shell) async throws(ShellError) {
    let hits = shell.talk.hits
    guard let number = Int(word), let hits, 1...max(1, hits.count) ~= number, !hits.isEmpty else {
      throw .noHit(word, of: hits?.count)
    }
    let (session, id) = hits[number - 1]
    let found = try await shell.talk.fromHistory(shell.desk) { history throws(HistoryError) in
      (try await history.session(session), try await history.path(of: session), try await history.turn(id))
    }
    guard case (let session?, let path, let turn?) = found else { throw .unknown(.turn, "", nearest: []) }
    let head = SessionPage.head(session, path, now: shell.desk.world.now())
    try await show(turn, of: session, below: head, reasoning: shell.desk.reasoningStyle ?? .dim, asJSON, shell.desk)
    guard !asJSON, shell.desk.options.isInteractive, session.id != shell.talk.conversation.session.id else { return }
    shell.desk.say("/resume \(session.id.text.prefix(8)) goes on with it")
  }
}
