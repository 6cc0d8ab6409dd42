import Chat
package import Store
import Text

/// What can stand where a parameter does.
extension Completer {
  func values(of parameter: Parameter, _ typed: String, _ earlier: [String]) -> [Candidate] {
    switch parameter {
    case .model: modelCandidates(typed).candidates
    case .server, .name:
      containing(typed, servers.map { ($0.name, serverSummary($0)) })
    case .settingKey:
      containing(typed, settings.map { ($0.key, $0.withValue) })
    case .settingValue:
      settings.first { $0.key == earlier.last }.map { setting in
        matching(typed, setting.values.map { ($0, $0 == setting.current ? "current" : "") })
      } ?? []
    case .agent:
      containing(
        typed, servers.filter { $0.kind == "acp" }.map { ($0.name, $0.name == currentServer ? "current" : "") })
    case .agentSetting: matching(typed, (agent?.options ?? []).map { ($0.key, $0.value) })
    case .agentValue:
      matching(
        typed, (agent?.options.first { $0.isCalled(earlier.last ?? "") }?.choices ?? []).map { ($0.value, $0.name) })
    // Only the agent knows them.
    case .agentSession: []
    case .signInWay:
      matching(
        typed,
        // One that nobody would type is chosen by its number.
        (agent?.signIns ?? []).filter { $0.id.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }.map { ($0.id, $0.name) })
    case .helpTopic:
      matching(
        typed,
        commands.map { ($0.name, $0.summary) } + Topics.all.map { ($0.name, $0.summary) }
          + settings.map { ($0.key, $0.summary) })
    case .tags:
      containing(typed, tags(earlier).map { ($0.word, $0.sessions == 1 ? "1 session" : "\($0.sessions) sessions") })
    case .age: matching(typed, [("12h", "half a day"), ("30d", "a month"), ("12w", "three months"), ("52w", "a year")])
    case .handle: matching(typed, handles(typed))
    case .status: matching(typed, AnswerStatus.allCases.map { ($0.rawValue, "") })
    case .part: matching(typed, parts(typed))
    case .terminal: containing(typed, terminals())
    case .attached: matching(typed, attached.filter { !earlier.contains($0) }.map { ($0, "") })
    case .file, .files, .folder, .fingerprintOrFile, .pairingCode: paths(startingWith: typed)
    case .kind: matching(typed, kinds.map { ($0, "") })
    case .item:
      containing(typed, earlier.last.flatMap(BrowseTopic.init(rawValue:)).map(browsed)?.map { ($0, "") } ?? [])
    case .tool: containing(typed, tools.names)
    case .tools: containing(typed, tools.names.filter { !earlier.contains($0.name) }.map { ($0.name, $0.about) })
    case .toolServer: containing(typed, tools.servers)
    case .prompt: containing(typed, tools.prompts)
    case .resource: containing(typed, tools.resources)
    case .remoteSession:
      containing(
        typed, remote.sessions.map { $0.title.isEmpty ? ($0.id, "") : ($0.title, String($0.id.prefix(8))) })
    case .remoteSetting: containing(typed, remote.settings.map { ($0.key, $0.value) })
    case .project: containing(typed, remote.projects.map { ($0.name, $0.about) })
    case .remoteTools:
      containing(typed, remote.tools.filter { !earlier.contains($0.name) }.map { ($0.name, $0.about) })
    case .servers: containing(typed, servers.map { ("@" + $0.name, $0.url) })
    case .snippet: containing(typed, snippetNames(earlier))
    case .category: containing(typed, snippetCategories().map { ($0, "") })
    case .snippetKind: matching(typed, Snippet.Kind.allCases.map { ($0.rawValue, "") })
    case .dates: matching(typed, SnippetDates.allCases.map { ($0.rawValue, "") })
    case .place:
      matching(
        typed, Snippet.Kind.allCases.map { ($0.rawValue, "") } + terminals().map { ("@" + $0.name, $0.about) })
        + beginnings(typed, snippetPlaces(earlier))
    case .placeValues: beginnings(typed, snippetPlaces(earlier))
    case .session, .path, .text, .title, .words, .pattern, .commandLine, .number, .url, .origin, .newName, .provider,
      .userName,
      .program, .variable, .clientID, .promptValues, .bridge, .code, .color, .icon, .sentFile:
      []
    }
  }

  /// What was seen in this run, and of servers that were not asked in it what was seen before.
  private func terminals() -> [(name: String, about: String)] {
    let seen = remote.terminals.map { (name: $0.name, about: $0.about) }
    let asked = Set(remote.terminals.filter(\.isElsewhere).compactMap { $0.name.split(separator: "/").first })
    return seen + keptTerminals().filter { kept in kept.name.split(separator: "/").first.map(asked.contains) != true }
  }

  private func serverSummary(_ server: Server) -> String {
    [server.name == currentServer ? "current" : nil, server.kind, server.url].compactMap { $0 }.joined(separator: ", ")
  }

  /// Those of all sessions that were not named yet; behind a `-`, with one.
  private func tags(_ earlier: [String]) -> [(word: String, sessions: Int)] {
    let named = Set(earlier.map { $0.drop { "+-".contains($0) } })
    return knownTags().filter { !named.contains($0.word[...]) }
  }

  /// Turns by their numbers, the last first; counted from the end where that is begun.
  private func handles(_ typed: String) -> [(String, String)] {
    let isFromEnd = typed.hasPrefix("#-")
    let own = turns()
    let all = isFromEnd ? [] : allTurns()
    return (all.count > own.count ? all : own).reversed().enumerated().map { back, turn in
      (isFromEnd ? "#-\(back + 1)" : "#\(turn.number)", String(turn.question.prefix(200)).firstWords)
    }
  }

  /// Turns; behind one and a dot the code in its answer.
  private func parts(_ typed: String) -> [(String, String)] {
    guard let dot = typed.firstIndex(of: "."), let number = Int(typed[..<dot].dropFirst()) else {
      return handles(typed)
    }
    let answers = answers()
    let place = number < 0 ? answers.count + number : answers.firstIndex { $0.number == number } ?? -1
    guard answers.indices.contains(place) else { return [] }
    return MarkdownCode.blocks(of: answers[place].text).enumerated().map { index, block in
      let line = block.text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
      return ("#\(number).code\(index + 1)", "\(block.language) \(line.prefix(200))".firstWords)
    }
  }

  /// There may be thousands, of which the screen shows a few.
  /// - Returns: how many there are besides, and what all begin with, where not all are offered.
  func modelCandidates(_ typed: String) -> (candidates: [Candidate], besides: (more: Int, beginning: String)?) {
    let fitting = fitting(typed, models.map(\.id))
    let offered = fitting.prefix(mostModels).map { place in
      Candidate(Words.quoted(models[place].id), summary: modelSummary(models[place]))
    }
    guard offered.count < fitting.count else { return (offered, nil) }
    let beginning = Completion.beginning(of: fitting.lazy.map { models[$0].id })
    return (offered, (fitting.count - offered.count, beginning))
  }

  private func modelSummary(_ model: Model) -> String {
    [
      model.id == currentModel ? "current" : nil, model.state,
      model.contextWindow.map { "\($0) tokens" },
    ].compactMap { $0 }.joined(separator: ", ")
  }

  /// By their titles, and by the beginnings of their ids; of several with one title the ids tell which is which.
  /// - Parameter isWord: whether the line is split into words, for which titles are quoted.
  func sessionCandidates(_ typed: String, _ found: [SessionName], isWord: Bool = true) -> [Candidate] {
    var fitting = fitting(typed, found.map(\.title))
    if fitting.isEmpty, !typed.isEmpty { fitting = found.indices.filter { found[$0].id.hasPrefix(typed) } }
    let titles = Dictionary(found.map { ($0.title, 1) }, uniquingKeysWith: +)
    let moment = now()
    return fitting.map { index in
      let session = found[index]
      let turns = session.turns == 1 ? "1 turn" : "\(session.turns) turns"
      let about = "\(ago(session.updatedAt, at: moment).string), \(turns)"
      return (titles[session.title] ?? 0) > 1 || session.title.isEmpty
        ? Candidate(String(session.id.prefix(8)), summary: "\(session.title), \(about)")
        : Candidate(isWord ? Words.quoted(session.title) : session.title, summary: about)
    }
  }

  /// The same where a session is all that is asked for: the whole line is its name.
  func completeSession(_ line: String, _ cursor: Int) -> Completion {
    let typed = String(String.UnicodeScalarView(line.unicodeScalars.prefix(cursor)))
    let names = sessions(typed)
    return Completion(
      replaced: 0..<cursor, candidates: sessionCandidates(typed, names.found, isWord: false), more: names.more)
  }
}

/// A setting as Tab shows it.
package struct OfferedSetting: Sendable {
  package var key: String
  package var summary: String
  /// What can be chosen from.
  package var values: [String]
  package var current: String
  /// What it takes, in words.
  package var accepted: String

  package init(_ setting: Setting, _ preferences: Preferences) {
    key = setting.key
    summary = setting.summary
    values = setting.choices
    current = preferences[setting.key].text
    accepted = setting.accepted
  }

  /// The value first: the end of a long row is cut.
  var withValue: String { "now \(String(current.prefix(30)).firstWords), \(summary)" }
}

extension String {
  /// On one line, with single blanks.
  fileprivate var firstWords: String { split(whereSeparator: \.isWhitespace).joined(separator: " ") }
}
