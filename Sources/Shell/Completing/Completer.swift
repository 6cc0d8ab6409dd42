package import Chat
package import Store
import Text

/// What Tab offers on a line; a snapshot, because the line editor asks from a thread of its own.
package struct Completer: Sendable {
  package var commands: [Command]
  package var models: [Model]
  /// As many of them as are offered at once; the rest is counted.
  package var mostModels = Int.max
  package var currentModel: String?
  package var servers: [Server]
  package var currentServer: String?
  /// Those that what is typed may mean; asked only when a session is completed.
  package var sessions: @Sendable (_ typed: String) -> SessionNames
  /// Words that sessions have, with how many have each; asked only when one is completed.
  package var knownTags: @Sendable () -> [(word: String, sessions: Int)] = { [] }
  package var settings: [OfferedSetting]
  package var listFolder: @Sendable (String) -> [String]
  /// The kinds of server.
  package var kinds: [String] = []
  /// Names of what was last seen of a topic to browse; asked only when one is completed.
  package var browsed: @Sendable (BrowseTopic) -> [String] = { _ in [] }
  /// Terminals of servers as they were last seen; asked only when one is completed.
  package var keptTerminals: @Sendable () -> [(name: String, about: String)] = { [] }
  /// Those of the person, in their order; asked only when one is completed.
  package var snippets: @Sendable () -> [Snippet] = { [] }
  /// What is known of tools without asking anybody.
  var tools = KnownTools()

  /// What was last seen on the server in use.
  var remote = RemoteNames()

  /// Files that wait for the next message.
  var attached: [String] = []

  /// What is known of the agent in use; nil where there is none.
  var agent: AgentState?

  /// Those of the session, up to where it stands; asked only when one is completed.
  var turns: @Sendable () -> [(number: Int, question: String)] = { [] }

  /// The answers of those, as they were written; asked only when one is completed.
  var answers: @Sendable () -> [(number: Int, text: String)] = { [] }

  /// Those on its other branches too, by their numbers; asked only when one is completed.
  var allTurns: @Sendable () -> [(number: Int, question: String)] = { [] }

  var now: @Sendable () -> Int = { 0 }

  /// The same once a server has told its lists, while the line is typed.
  func knowing(_ overview: Overview?) -> Completer {
    guard let overview else { return self }
    var completer = self
    completer.remote.take(overview)
    if let models = overview.models, !models.isEmpty { completer.models = models }
    return completer
  }

  /// What can stand at the cursor, counted in Unicode scalars.
  package func complete(_ line: String, _ cursor: Int) -> Completion {
    let before = String(String.UnicodeScalarView(line.unicodeScalars.prefix(cursor)))
    guard before.hasPrefix("/"), !before.hasPrefix("//") else { return files(atEndOf: before, cursor) }
    let name = before.dropFirst().prefix { !$0.isWhitespace }
    if name.count == before.count - 1 {
      let commands = commandNames(startingWith: String(name))
      guard commands.isEmpty else { return Completion(replaced: 0..<cursor, candidates: commands) }
      return files(atEndOf: before, cursor).orElse(nearestCommands(to: String(name)))
    }
    guard let command = command(called: String(name)) else {
      return files(atEndOf: before, cursor).orElse(nearestCommands(to: String(name)))
    }
    return arguments(of: command, before, nameLength: name.unicodeScalars.count, cursor)
  }

  private func command(called name: String) -> Command? {
    if let exact = commands.first(where: { $0.name == name || $0.aliases.contains(name) }) { return exact }
    let matches = commands.filter { $0.name.hasPrefix(name) }
    return matches.count == 1 ? matches.first : nil
  }

  private func commandNames(startingWith prefix: String) -> [Candidate] {
    let own = commands.filter { $0.name.hasPrefix(prefix) }
      .map { Candidate("/\($0.name)", summary: $0.summary, isWhole: true) }
    let agents = agentCommands.filter { $0.name.hasPrefix(prefix) }
      .map { Candidate("/\($0.name)", summary: $0.summary, isWhole: true) }
    return (own + agents).sorted { $0.text < $1.text }
  }

  private func nearestCommands(to name: String) -> SafeText {
    // With a second / it is a path, and the line a message.
    guard !name.contains("/") else { return "" }
    let names = commands.flatMap { [$0.name] + $0.aliases } + agentCommands.map(\.name)
    return Self.meant(Nearest.words(to: name, among: names).map { "/" + $0 })
  }

  static func meant(_ words: [String]) -> SafeText {
    words.isEmpty ? "" : "did you mean \(Complaint.either(words))?"
  }

  /// The agent's own, but for those that have the name of one of ours, or one that nobody would type.
  private var agentCommands: [AgentSlashCommand] {
    (agent?.commands ?? []).filter { own in
      !commands.contains { $0.name == own.name || $0.aliases.contains(own.name) }
        && own.name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
  }

  private func arguments(of command: Command, _ before: String, nameLength: Int, _ cursor: Int) -> Completion {
    let offset = nameLength + 2
    let text = String(String.UnicodeScalarView(before.unicodeScalars.dropFirst(offset)))
    let split = Words(splitting: text)
    let isNewWord = split.lastWordStart >= text.unicodeScalars.count && split.openQuote == nil
    let earlier = isNewWord ? split.words : Array(split.words.dropLast())
    let typed = isNewWord ? "" : split.words.last ?? ""
    let start = offset + (isNewWord ? text.unicodeScalars.count : split.lastWordStart)
    var found = Candidates()
    var asked: SessionNames?
    var models: (more: Int, beginning: String)?
    for form in command.forms {
      guard let part = form.part(after: earlier) else { continue }
      let fitting: [Candidate]
      if part.parameter == .session {
        // Asked once, for several forms may take one.
        let names = asked ?? sessions(typed)
        asked = names
        fitting = sessionCandidates(typed, names.found)
      } else if part.parameter == .model {
        let offered = modelCandidates(typed)
        models = offered.besides
        fitting = offered.candidates
      } else {
        fitting = candidates(for: part, typed: typed, earlier: earlier)
      }
      found.add(fitting)
    }
    found.add(flags(of: command, typed: typed, after: earlier))
    return Completion(
      replaced: start..<cursor, candidates: found.all, more: asked?.more ?? models?.more ?? 0,
      beginning: models?.beginning
    ).orElse(found.all.isEmpty ? note(for: typed, behind: earlier, of: command) : "")
  }

  /// What may stand there, when nothing does that begins as it was typed.
  private func note(for typed: String, behind earlier: [String], of command: Command) -> SafeText {
    let parts = command.forms.compactMap { $0.part(after: earlier) }
    if !typed.isEmpty {
      // Of a file those beside it.
      let folder = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
      var names = typed.hasPrefix("-") ? command.flags.map(\.name) : []
      for part in parts {
        let known = candidates(for: part, typed: part.isFile ? folder : "", earlier: earlier)
        names += part.parameter == .model ? models.map { Words.quoted($0.id) } : known.map(\.text)
      }
      let meant = Nearest.words(to: Words.quoted(typed), among: names)
      if !meant.isEmpty { return Self.meant(meant) }
    }
    guard parts.contains(.required(.settingValue)) || parts.contains(.optional(.settingValue)),
      let setting = settings.first(where: { $0.key == earlier.last })
    else { return "" }
    return "\(setting.key) takes \(setting.accepted); now \(setting.current)"
  }

  /// A flag's value behind it; flags where one is begun.
  private func flags(of command: Command, typed: String, after earlier: [String]) -> [Candidate] {
    if let flag = command.flags.first(where: { $0.name == earlier.last }), let value = flag.value {
      return values(of: value, typed, earlier)
    }
    guard typed.hasPrefix("-") else { return [] }
    var words = Arguments(words: earlier)
    for flag in command.flags { while words.take(flag, among: command.flags) != nil {} }
    let taken = (command.forms + command.unlisted).filter { $0.reading(of: words.words).stranger == nil }
      .flatMap { $0.flags.map(\.name) }
    let offered = command.flags.filter { taken.contains($0.name) && ($0.repeats || !earlier.contains($0.name)) }
    return matching(typed, offered.map { ($0.name, $0.summary) })
  }

  func candidates(for part: Form.Part, typed: String, earlier: [String]) -> [Candidate] {
    switch part {
    case .word(let word): matching(typed, [(word, "")])
    case .choice(let words): matching(typed, words.map { ($0, "") })
    case .required(let parameter), .optional(let parameter): values(of: parameter, typed, earlier)
    }
  }

}

/// Each once, in the order they came.
private struct Candidates {
  private(set) var all: [Candidate] = []
  private var seen: Set<String> = []

  mutating func add(_ more: [Candidate]) {
    for candidate in more where seen.insert(candidate.text).inserted { all.append(candidate) }
  }
}

extension Completion {
  /// The same, or what is said where there is nothing.
  fileprivate func orElse(_ note: SafeText) -> Completion {
    guard candidates.isEmpty, !note.isEmpty else { return self }
    var other = self
    other.note = note
    return other
  }
}

extension Form.Part {
  fileprivate var isFile: Bool { [.file, .files, .folder, .fingerprintOrFile, .pairingCode].contains(parameter) }
}

extension Form {
  /// What stands after these words; nil when they are not this form's, or are all it takes.
  func part(after words: [String]) -> Part? {
    let reading = reading(of: words)
    guard reading.stranger == nil else { return nil }
    let repeats: [Form.Part?] = [
      .required(.tools), .required(.remoteTools), .optional(.placeValues), .required(.files), .required(.attached),
    ]
    return reading.next.first ?? (repeats.contains(parts.last) ? parts.last : nil)
  }
}
