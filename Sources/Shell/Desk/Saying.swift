import Chat
import Glibc
import Store
import Text
import Wire

/// What is said and asked, and where.
extension Desk {
  /// A notice, to standard error.
  func say(_ text: SafeText, _ style: Style = .dim) {
    // A reader that went away has seen what it wanted, such as `head`.
    guard !options.isQuiet, world.terminal.endingSignal != SIGPIPE else { return }
    world.terminal.write(.text(wrapped(text) + "\n", style), to: .notices)
  }

  /// A warning that `-q` does not silence: something is lost, or sent to another server.
  func warn(_ text: SafeText) {
    guard world.terminal.endingSignal != SIGPIPE else { return }
    world.terminal.write(.text(wrapped(text) + "\n", .warning), to: .notices)
  }

  /// A notice of what an observer is told in values.
  func sayOfTurn(_ text: SafeText, _ style: Style = .dim) {
    if observer == nil { say(text, style) }
  }

  /// Shows what a question is about; an observer has it in values, with the question.
  func present(_ page: StyledText) {
    if observer == nil { world.terminal.write(page, to: .notices) }
  }

  /// Broken at word ends where a person reads it. - Parameter label: the cells that stand before it.
  private func wrapped(_ text: SafeText, after label: Int = 0) -> SafeText {
    let traits = world.terminal.traits
    guard traits.noticesAreTerminal else { return text }
    var wrapper = Wrapper(columns: traits.columns, column: label)
    return wrapper.feed(text) + wrapper.finish()
  }

  /// A failure in words; remembered for the exit status.
  package mutating func complain(_ complaint: Complaint, isForgiven: Bool = false) {
    // Ctrl-C ends a script, whatever failed before.
    if !isForgiven, failure == nil || complaint.status == .interrupted { failure = complaint.status }
    if complaint.status == .signIn { lacksSignIn = true }
    if let observer { return observer.happened(.complaint(served(complaint))) }
    var text: StyledText = .text("error: ", .error) + .text(wrapped(place + complaint.text, after: 7) + "\n")
    for hint in typedHints(of: complaint) { text += .text("hint: ", .hint) + .text(wrapped(hint, after: 6) + "\n") }
    world.terminal.write(text, to: .notices)
  }

  /// What can only be typed on a terminal is said to be typed there.
  private func served(_ complaint: Complaint) -> Complaint {
    var complaint = complaint
    guard !options.canType, let hint = complaint.hint, hint.string.hasPrefix("/") else { return complaint }
    let name = hint.string.dropFirst().prefix { !" ,;:.".contains($0) }
    if promptCommands.contains(String(name)) { complaint.hint = "on a terminal: parley " + hint }
    return complaint
  }

  /// Returns the hints with commands in the form that this run accepts.
  private func typedHints(of complaint: Complaint) -> [SafeText] {
    // A new session would end with the run.
    complaint.hints.filter { options.isInteractive || !$0.string.hasPrefix("/new ") }.map(asTyped)
  }

  /// Returns a hint with its commands in the form that this run accepts: `parley /login` outside the shell.
  func asTyped(_ hint: SafeText) -> SafeText { asTyped(hint, for: nil) }

  /// - Parameter other: the server that the hint is about, if it is not the one in use.
  func asTyped(_ hint: SafeText, for other: (server: String, isKept: Bool)?) -> SafeText {
    guard !options.isInteractive else {
      guard let other, Desk.asksServer.contains(String(hint.string.prefix { !" ,;:.".contains($0) })) else {
        return hint
      }
      return "\(other.isKept ? "/server use" : "/connect") \(Words.quoted(other.server)), then " + hint
    }
    let words = hint.string.split(separator: " ", omittingEmptySubsequences: false)
    let program = (other?.server ?? options.server).map { "parley -s \(Words.quoted($0))" } ?? "parley"
    let typed = words.enumerated().map { index, word in
      let name = word.dropFirst().prefix { !",;:.?)".contains($0) }
      let isCommand = word.hasPrefix("/") && commands.contains(String(name))
      // To a shell the rest of the line would be a comment.
      if word.hasPrefix("#"), index > 0 { return "'\(word)'" }
      guard isCommand, index == 0 || words[index - 1] != "parley" else { return String(word) }
      var before = Desk.asksServer.contains("/" + name) ? program : "parley"
      // What is asked again is held against the same schema.
      if let schema = options.schema, name == "retry" || name == "continue" {
        before += " --schema \(Words.quoted(schema))"
      }
      return "\(before) \(word)"
    }
    return Filter.inline(typed.joined(separator: " "))
  }

  /// Commands that are about the server in use: outside the shell they need to be told which.
  private static let asksServer: Set<String> = [
    "/login", "/logout", "/whoami", "/model", "/models", "/browse", "/retry", "/continue", "/tools",
    "/sessions", "/projects", "/usage", "/mcp", "/context",
  ]

  /// Data that was asked for, to standard output.
  func show(_ text: StyledText) {
    world.terminal.write(text, to: .output)
  }

  /// A page of help, made for 80 columns.
  func show(page: StyledText) async throws(ShellError) {
    try await show(long: wrapColumns.map { $0 < 80 ? page.fitted(to: $0) : page } ?? page)
  }

  /// One JSON value on a line of its own.
  func show(_ json: JSON) { show(line(of: json)) }

  func line(of json: JSON) -> StyledText {
    let json = options.output == .jsonLines ? AnswerJSON.stamped(json, at: world.now()) : json
    return .text(SafeText.json(json.serialized()) + "\n")
  }

  /// Rows: a table on a terminal, tab-separated in a pipe, an array with `--json`. Throws `interrupted`.
  func show(_ listing: Listing, asJSON: Bool) async throws(ShellError) {
    if asJSON || options.output != .text { return try write(long: JSON.array(listing.rows)) }
    let traits = world.terminal.traits
    let cells = listing.rows.map { row in listing.columns.map { $0.cell(row) } }
    if traits.outputIsTerminal {
      if cells.isEmpty {
        say(listing.whenEmpty)
      } else {
        try await show(long: table(listing, cells, traits.columns))
      }
    } else if !cells.isEmpty {
      show(.text(Table(header: [], rows: cells).tsv))
    }
  }

  /// The same among the notices, for a question about it.
  func say(_ listing: Listing) {
    let cells = listing.rows.map { row in listing.columns.map { $0.cell(row) } }
    world.terminal.write(table(listing, cells, world.terminal.traits.columns), to: .notices)
  }

  private func table(_ listing: Listing, _ cells: [[SafeText]], _ columns: Int) -> StyledText {
    let table = Table(header: listing.columns.map(\.title), rows: cells)
    guard listing.wrapsLast && table.isWider(than: columns) || table.isCramped(columns: columns) else {
      return Self.text(table.lines(columns: columns))
    }
    let wrapped = listing.wrapsLast ? table.wrapped(columns: columns) : nil
    return wrapped.map(Self.text) ?? table.stacked(columns: columns).map { Span($0 + "\n") }
  }

  private static func text(_ lines: [SafeText]) -> StyledText {
    .text((lines.first ?? "") + "\n", .dim) + lines.dropFirst().map { Span($0 + "\n") }
  }

  /// Asks before something is destroyed; without a clear yes it is not.
  /// - Parameter isHidden: whether the answer is not echoed, because a secret may be typed in its place.
  func confirm(_ question: SafeText, isHidden: Bool = false) async throws(ShellError) -> Bool {
    if options.answersYes { return true }
    guard options.canAsk else { throw .needsYes(question.string) }
    do throws(ShellError) {
      if try await agrees(question, isHidden: isHidden) { return true }
    } catch {
      guard case .interrupted = error else { throw error }
    }
    say("left as it is")
    return false
  }

  /// Asks the user yes or no, whatever `--yes` says; no is the default.
  /// - Parameter isHidden: whether the answer is not echoed, because a secret may be typed in its place.
  func agrees(_ question: SafeText, isHidden: Bool = false) async throws(ShellError) -> Bool {
    let choice: SafeText = isHidden ? " [y/N, not shown] " : " [y/N] "
    let prompt = observer == nil ? question + choice : question
    let answer = try await answer(to: .text(prompt, .warning), isHidden: isHidden, among: .yesOrNo)
    return ["y", "yes"].contains(answer.lowercased())
  }

  /// Returns what the user types after a prompt, without blanks at its ends. Ctrl-C and Ctrl-D throw `interrupted`.
  /// - Parameters:
  ///   - isHidden: whether it is not echoed.
  ///   - isOneLine: whether the answer cannot have several lines.
  ///   - typedAhead: how to treat input that was typed before the question was drawn.
  ///   - alternatives: the answers there are, where they are few.
  ///   - complete: what Tab offers, of the line and the cursor in it.
  func answer(
    to prompt: StyledText, isHidden: Bool = false, isOneLine: Bool = true,
    typedAhead: LineRequest.TypedAhead = .left, among alternatives: Alternatives? = nil,
    complete: @escaping @Sendable (_ line: String, _ cursor: Int) -> Completion = { _, _ in .none }
  ) async throws(ShellError) -> String {
    let request = LineRequest(
      prompt: observer == nil ? lastLine(of: prompt) : prompt, complete: complete, isSecret: isHidden,
      typedAhead: typedAhead, isQuestion: true, isOneLine: isOneLine, alternatives: alternatives)
    guard case .line(let line) = await person.next(request) else { throw .interrupted }
    return line.trimmed
  }

  /// Writes all of a prompt but its last line, broken at words: the line editor has no more.
  private func lastLine(of prompt: StyledText) -> StyledText {
    let styles = prompt.first?.style ?? .plain
    let lines = wrapped(Filter.block(prompt.string)).lines
    for line in lines.dropLast() { world.terminal.write(.text(line + "\n", styles), to: .notices) }
    return lines.last.map { StyledText.text($0, styles) } ?? prompt
  }

  /// A token, which is not shown; blanks at its ends are no part of it.
  func token(after prompt: StyledText) async throws(ShellError) -> Secret {
    let text = try await secret(after: prompt).reveal().trimmed
    if text.isEmpty { throw .noSecret }
    return Secret(text)
  }

  /// The same; nil for Enter alone.
  func tokenIfAny(after prompt: StyledText) async throws(ShellError) -> Secret? {
    let text = try await secretIfAny(after: prompt)?.reveal().trimmed ?? ""
    return text.isEmpty ? nil : Secret(text)
  }

  /// A password, which is not shown, as it is typed.
  func secret(after prompt: StyledText) async throws(ShellError) -> Secret {
    switch await person.next(LineRequest(prompt: prompt, isSecret: true, isQuestion: true)) {
    case .line(let line) where !line.isEmpty: return Secret(line)
    case .line, .pastedLine, .repairedLine, .end, .notText: throw .noSecret
    case .interrupted, .signal: throw .interrupted
    }
  }

  /// The same; nil for Enter alone.
  func secretIfAny(after prompt: StyledText) async throws(ShellError) -> Secret? {
    guard case .line(let line) = await person.next(LineRequest(prompt: prompt, isSecret: true, isQuestion: true)) else {
      throw .interrupted
    }
    return line.isEmpty ? nil : Secret(line)
  }

  /// Says a thing once in a run.
  mutating func sayOnce(_ text: SafeText, _ style: Style = .dim) {
    if said.insert(text.string).inserted { say(text, style) }
  }

  /// What was done to a setting.
  func say(_ change: PreferenceChange, of key: String, note: SafeText = "") {
    say("\(key): \(change.value.text)\(note)")
    if let aside = change.setAside { say("the broken preferences are kept as \(aside)", .warning) }
  }

  /// What the person wants kept in a place that is not there is not asked for in vain.
  func probeCredentials() async throws(ShellError) {
    do throws(CredentialError) { _ = try await world.credentialKeeping.probe() } catch { throw .credentials(error) }
  }

  /// What holds for this run is of no use to a run that does nothing else.
  func sayWhereKept(_ signedIn: SignedIn) throws(ShellError) {
    if let problem = signedIn.problem, !options.isInteractive { throw .credentials(problem) }
    if let problem = signedIn.problem { say("not kept: \(Complaint(.credentials(problem)).text)", .warning) }
    say(Wording.kept(signedIn.place))
  }
}
