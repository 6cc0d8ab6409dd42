import Chat
import Foundation
import Shell

/// What a directed server has to browse.
struct StageShelves: Browsing {
  let url: String
  let stage: Stage

  var topics: [BrowseTopic] {
    let shelves = stage.with { $0.shelves[url] } ?? [:]
    return BrowseTopic.allCases.filter { shelves[$0] != nil }
  }

  func list(_ topic: BrowseTopic) async throws(BackendError) -> [BrowseItem] {
    guard let shelf = stage.with({ $0.shelves[url]?[topic] }) else {
      throw .refused(address: url, status: 404, message: "")
    }
    return try shelf.get()
  }

  func detail(_ item: BrowseItem, of topic: BrowseTopic) async throws(BackendError) -> BrowseItem {
    _ = try await list(topic)
    var whole = item
    whole.fields += stage.with { $0.details[item.id] } ?? []
    return whole
  }
}

extension Stage {
  /// What is not about chatting.
  func followOthers(_ direction: StageDirection) throws {
    let strings = direction.strings
    var rest = direction.words[...]
    switch direction.verb {
    case "shelf":
      // URL TOPIC, and an item on each line; or URL TOPIC FAILURE.
      guard let topic = BrowseTopic(rawValue: strings[1]) else { throw BadDirection(text: strings[1]) }
      rest.removeFirst(2)
      let failure = try StageDirection.failure(&rest, from: strings[0])
      let items = try direction.body.map(BrowseItem.init(directed:))
      with { $0.shelves[strings[0], default: [:]][topic] = failure.map(Result.failure) ?? .success(items) }
    case "detail":
      // ID KEY=VALUE…: what a closer look at an item adds.
      with { $0.details[strings[0]] = strings.dropFirst().map(BrowseField.init(directed:)) }
    case "tool-server": try setToolServer(direction)
    case "tools-listed-at": with { $0.toolList = (strings[0], strings.dropFirst().first == "ctrl-c") }
    case "tool-answers": setToolAnswer(direction)
    case "shell": setShell(direction)
    case "typed": showTyped()
    case "called": showToolCalls()
    case "elsewhere-removed": try removeToolServer(strings[0])
    case "closed": showClosedTools()
    case "offered": showOfferedTools(whole: strings.first == "whole")
    case "clock": with { $0.clockOffset = Int(strings[0]) ?? 0 }
    case "inspects": try inspect(direction)
    case "person":
      // URL NAME KIND SECONDS, or URL FAILURE.
      rest.removeFirst()
      if let failure = try StageDirection.failure(&rest, from: strings[0]) {
        with { $0.people[strings[0]] = .failure(failure) }
      } else {
        let left = strings.count > 3 ? Int(strings[3]) : nil
        with { scene in
          let end = left.map { scene.now + 1000 * $0 }
          let kind = strings.count > 2 ? StoredSignIn.Kind(rawValue: strings[2]) : nil
          scene.people[strings[0]] = .success(Person(name: strings[1], expiresAt: end, kind: kind))
        }
      }
    case "mode":
      // FILE 0644, or FILE link.
      let path = home + "/" + strings[0]
      with {
        $0.facts[path] = FileFacts(strings[1] == "link" ? .link : .file, mode: Int(strings[1], radix: 8) ?? 0o777)
      }
    case "chmod": chmod(home + "/" + strings[0], mode_t(strings[1], radix: 8) ?? 0o777)
    case "refuses": try setRefusal(strings)
    default: throw BadDirection(text: direction.verb)
    }
  }

  /// URL HOST PORT ADDRESS…, then `system`, `pinned`, `authorities FILE`, `untrusted WORD`, `changed WORD` or a failure.
  private func inspect(_ direction: StageDirection) throws {
    let strings = direction.strings
    var rest = direction.words.dropFirst(3)
    var found = Inspection(host: strings[1], port: Int(strings[2]) ?? 0)
    while let word = rest.first {
      var failing = rest
      if case .unreachable(_, let reason)? = try StageDirection.failure(&failing, from: strings[0]) {
        found.failure = reason
        rest = failing
        continue
      }
      rest.removeFirst()
      let verdict: Inspection.Verdict? =
        switch word.string {
        case "system": .system
        case "pinned": .pinned
        case "authorities": .authorities(file: try StageDirection.text(&rest))
        case "untrusted", "changed": .distrusted(word.string == "changed" ? .system : .nothing)
        default: nil
        }
      if let verdict {
        found.verdict = verdict
        let says = if case .distrusted = verdict { try StageDirection.text(&rest) } else { "good" }
        found.certificate = .made(for: "\(strings[1]):\(strings[2])", called: says)
      } else {
        found.addresses.append(word.string)
      }
    }
    with { [found] in $0.inspections[strings[0]] = found }
  }
}

extension BrowseItem {
  /// `ID NAME KEY=VALUE…`
  init(directed line: String) throws {
    let words = line.split(separator: " ").map { $0.replacingOccurrences(of: "_", with: " ") }
    guard words.count > 1 else { throw BadDirection(text: line) }
    self.init(id: words[0], name: words[1], fields: words.dropFirst(2).map { BrowseField(directed: $0) })
  }
}

extension BrowseField {
  init(directed word: String) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    let title = parts[0].reduce("") { $0 + ($1.isUppercase ? " \($1)" : $1.uppercased()) }
    self.init(parts[0], title, BrowseValue(directed: parts.count > 1 ? parts[1] : ""))
  }
}

extension BrowseValue {
  /// A number, `4200B`, `@MILLISECONDS`, `yes`, `WORD(good)`, `a,b,`, `{key=value&key=value}`, text with `_` for a space.
  init(directed word: String) {
    if word.isEmpty {
      self = .none
    } else if word.contains(",") {
      self = .list(word.split(separator: ",").map { BrowseValue(directed: String($0)) })
    } else if word.hasPrefix("{") {
      self = .record(word.dropFirst().dropLast().split(separator: "&").map { BrowseField(directed: String($0)) })
    } else if word.hasPrefix("@"), let moment = Int(word.dropFirst()) {
      self = .moment(moment)
    } else if word.hasSuffix("B"), let count = Int(word.dropLast()) {
      self = .bytes(count)
    } else if let int = Int(word) {
      self = .int(int)
    } else if ["yes", "no"].contains(word) {
      self = .flag(word == "yes")
    } else if word.hasSuffix(")"), let open = word.firstIndex(of: "("),
      let tone = Tone(rawValue: String(word[word.index(after: open)...].dropLast()))
    {
      self = .status(String(word[..<open]), tone)
    } else {
      self = .text(word)
    }
  }
}
