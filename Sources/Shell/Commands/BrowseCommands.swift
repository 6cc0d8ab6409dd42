import Chat
import Store
import Text
import Wire

extension Commands {
  static let browse = [browseCommand]

  private static let browseCommand = Command(
    "browse", .browse, summary: "look at what a server has",
    forms: [
      Form(summary: "what there is to browse") { shell, match throws(ShellError) in
        try await shell.desk.show(topics(try await browsing(&shell).browsing), asJSON: match.asJSON)
      },
      Form(
        .choice(BrowseTopic.allCases.map(\.rawValue)), .optional(.item), flags: [pageFlag],
        summary: "list, or one in detail", run: look),
    ], flags: [pageFlag],
    examples: ["/browse models", "/browse catalog weather csv", "/browse apps 3", "parley /browse tools --json"],
    details: """
      Words filter the list: all of them must occur, in any field and any case. A whole name, the number in front of a \
      row, or words that leave only one show it in detail. When the server cannot be \
      reached, what was seen last is shown with its age.
      """)

  /// The server in use, which must have something to browse.
  private static func browsing(_ shell: inout Shell) async throws(ShellError) -> (
    server: Server, browsing: any Browsing
  ) {
    let link = try await shell.links.connected(&shell.desk)
    guard let browsing = link.backend.browsing else {
      throw .browsing(.nothing(server: link.server.name))
    }
    return (link.server, browsing)
  }

  private static func look(_ shell: inout Shell, _ match: Match) async throws(ShellError) {
    let page = match.value(of: pageFlag)
    let (server, browsing) = try await browsing(&shell)
    let wish = try BrowseWish(match.values, page: page)
    guard browsing.topics.contains(wish.topic) else {
      throw .browsing(.noTopic(wish.topic, server: server.name, has: browsing.topics))
    }
    var look = BrowseLook(topic: wish.topic, server: server, asJSON: match.asJSON)
    try await look.run(wish, &shell)
  }

  private static let pageFlag = Flag("--page", .number, summary: "another page of a long list")

  private static func topics(_ browsing: any Browsing) -> Listing {
    Listing(
      columns: [Listing.Column("TOPIC", "topic"), Listing.Column("COMMAND", "command")],
      rows: browsing.topics.map { topic in
        ["topic": .string(topic.rawValue), "command": .string("/browse \(topic.rawValue)")]
      },
      whenEmpty: "there is nothing to browse")
  }
}

/// What the words of `/browse` ask for.
private struct BrowseWish {
  let topic: BrowseTopic
  /// A name, a number or words to filter by.
  var words: [String]
  var page = 1
  /// Whether a page was asked for.
  var namesPage: Bool

  init(_ arguments: [String], page typed: String?) throws(ShellError) {
    let first = arguments.first ?? ""
    guard let topic = BrowseTopic(rawValue: first) else {
      throw .unknown(.thing, first, nearest: Nearest.words(to: first, among: BrowseTopic.allCases.map(\.rawValue)))
    }
    self.topic = topic
    words = Array(arguments.dropFirst())
    namesPage = typed != nil
    if let typed {
      guard let page = Int(typed), page > 0 else { throw .badPage(typed) }
      self.page = page
    }
  }

  var number: Int? { words.count == 1 ? Int(words[0]) : nil }
}

/// One look at a topic: from the server where it can be reached, else from what was seen last.
private struct BrowseLook {
  let topic: BrowseTopic
  private let server: Server
  private let asJSON: Bool
  /// Whether the server could not be reached; then it is not asked again.
  private var isAway = false

  init(topic: BrowseTopic, server: Server, asJSON: Bool) {
    self.topic = topic
    self.server = server
    self.asJSON = asJSON
  }

  mutating func run(_ wish: BrowseWish, _ shell: inout Shell) async throws(ShellError) {
    let record = try await record(for: wish, &shell)
    let items = record.items
    if wish.words.isEmpty { return try await show(Array(items.indices), of: record, wish, shell) }
    let words = wish.words.joined(separator: " ")
    let named = items.indices.filter { items[$0].name.lowercased() == words.lowercased() || items[$0].id == words }
    if named.isEmpty, let number = wish.number {
      guard items.indices.contains(number - 1) else {
        throw .browsing(.noRow(number, topic, count: items.count))
      }
      return try await showDetail(items[number - 1], &shell)
    }
    let found = named.isEmpty ? items.indices.filter { items[$0].holds(wish.words) } : named
    guard let first = found.first else { throw .browsing(.noItem(words, topic)) }
    if found.count == 1 { return try await showDetail(items[first], &shell) }
    try await show(found, of: record, wish, shell)
  }

  /// The list: a number means the one that was looked at, all else a new one.
  private mutating func record(for wish: BrowseWish, _ shell: inout Shell) async throws(ShellError) -> BrowseRecord {
    if let seen = shell.links.browsed[topic], seen.server == server.url, wish.number != nil { return seen.record }
    var record = kept(shell) ?? BrowseRecord([], at: 0)
    do throws(ShellError) {
      let topic = topic
      let items = try await ask(&shell) { browsing throws(BackendError) in try await browsing.list(topic) }
      record.list(items, at: shell.desk.world.now())
      keep(record, &shell)
    } catch {
      guard error.isAway, record.listedAt > 0 else { throw error }
      isAway = true
      shell.desk.complain(Complaint(error))
      shell.desk.say("the list of \(ago(record.listedAt, at: shell.desk.world.now())):", .warning)
      shell.links.browsed[topic] = SeenList(server: server.url, record: record)
    }
    return record
  }

  private func show(
    _ found: [Int], of record: BrowseRecord, _ wish: BrowseWish, _ shell: Shell
  ) async throws(ShellError) {
    let items = found.map { record.items[$0] }
    let numbers = found.map { $0 + 1 }
    let age = seconds(since: record.listedAt, shell)
    if asJSON || shell.desk.options.output != .text {
      return shell.desk.show(
        JSON.array(zip(items, numbers).map { BrowsePage.json($0, number: $1, ageSeconds: age) }))
    }
    let traits = shell.desk.world.terminal.traits
    guard traits.outputIsTerminal else {
      if !items.isEmpty { shell.desk.show(.text(BrowsePage().table(items, numbers: numbers).tsv)) }
      return
    }
    guard !items.isEmpty else { return shell.desk.say("server '\(server.name)' has no \(topic.rawValue)") }
    let page = BrowsePage(clockOffset: shell.desk.world.clockOffset)
    let whole = page.table(items, numbers: numbers)
    let isCramped = whole.isCramped(columns: traits.columns)
    // A person at the prompt turns pages where no pager does; a run for one command shows all, for the screen to scroll.
    let showsAll = !shell.desk.options.isInteractive || !wish.namesPage && shell.desk.pager != nil
    let room = max(1, traits.rows - 3)
    let size = showsAll ? items.count : isCramped ? max(1, room / (whole.header.count + 1)) : room
    let start = (wish.page - 1) * size
    guard start < items.count else {
      let pages = (items.count + size - 1) / size
      return shell.desk.say(pages == 1 ? "there is only one page" : "there are \(pages) pages")
    }
    let end = min(items.count, start + size)
    let shown = Array(items[start..<end])
    let table = page.table(shown, numbers: Array(numbers[start..<end]))
    if isCramped {
      try await shell.desk.show(long: table.stacked(columns: traits.columns).map { Span($0 + "\n") })
    } else {
      try await shell.desk.show(
        long: table.lines(columns: traits.columns, style: page.style(shown)).flatMap { $0 + .text("\n") })
    }
    if end < items.count {
      let words = wish.words.map { " " + Words.quoted($0) }.joined()
      shell.desk.say("\(items.count - end) more: /browse \(topic.rawValue)\(words) --page \(wish.page + 1)")
    }
  }

  private mutating func showDetail(_ item: BrowseItem, _ shell: inout Shell) async throws(ShellError) {
    var record = kept(shell) ?? BrowseRecord([item], at: shell.desk.world.now())
    var detail = BrowseRecord.Detail(item: item, seenAt: record.listedAt)
    let earlier = record.details.first { $0.item.id == item.id }
    do throws(ShellError) {
      if isAway {
        detail = earlier ?? detail
      } else {
        let topic = topic
        detail.item = try await ask(&shell) { browsing throws(BackendError) in
          try await browsing.detail(item, of: topic)
        }
        detail.seenAt = shell.desk.world.now()
        record.note(detail.item, at: detail.seenAt)
        keep(record, &shell)
      }
    } catch {
      guard error.isAway else { throw error }
      detail = earlier ?? detail
      shell.desk.complain(Complaint(error))
      shell.desk.say("as it was \(ago(detail.seenAt, at: shell.desk.world.now())):", .warning)
    }
    try await show(detail, shell)
  }

  private func show(_ detail: BrowseRecord.Detail, _ shell: Shell) async throws(ShellError) {
    let traits = shell.desk.world.terminal.traits
    if asJSON || shell.desk.options.output != .text {
      shell.desk.show(BrowsePage.json(detail.item, number: nil, ageSeconds: seconds(since: detail.seenAt, shell)))
    } else if traits.outputIsTerminal {
      try await shell.desk.show(
        long: BrowsePage(clockOffset: shell.desk.world.clockOffset).detail(detail.item, columns: traits.columns))
    } else {
      shell.desk.show(.text(BrowsePage().rows(detail.item).tsv))
    }
  }

  private mutating func ask<T: Sendable>(
    _ shell: inout Shell, _ question: @escaping @Sendable (any Browsing) async throws(BackendError) -> T
  ) async throws(ShellError) -> T {
    let found = try await shell.links.asking(&shell.desk) { backend throws(BackendError) in
      guard let browsing = backend.browsing else { throw .notFound(tried: []) }
      return try await question(browsing)
    }
    return found
  }

  private func kept(_ shell: Shell) -> BrowseRecord? {
    if let seen = shell.links.browsed[topic], seen.server == server.url { return seen.record }
    return shell.desk.world.browseKeeping.read(server.url, topic).flatMap(BrowseRecord.init(bytes:))
  }

  private func keep(_ record: BrowseRecord, _ shell: inout Shell) {
    shell.links.browsed[topic] = SeenList(server: server.url, record: record)
    if !shell.desk.options.isPrivate { shell.desk.world.browseKeeping.write(record.bytes, server.url, topic) }
  }

  private func seconds(since moment: Int, _ shell: Shell) -> Int { max(0, shell.desk.world.now() - moment) / 1000 }

}
