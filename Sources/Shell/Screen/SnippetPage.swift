import Chat
import Store
import Text
import Wire

/// The person's snippets. Their names and texts may come from anywhere: all of it passes the filter, and a text is
/// shown so that nothing in it is hidden.
enum SnippetPage {
  /// - Parameter places: of each in the whole list, counted from 1.
  static func listing(_ snippets: [(place: Int, snippet: Snippet)], _ categories: [SnippetCategory]) -> Listing {
    Listing(
      columns: [
        Listing.Column("N", "position"), Listing.Column("NAME") { VisibleText.oneLine($0["name"]?.string ?? "") },
        Listing.Column("USED") { $0["usageCount"]?.int.flatMap { $0 > 0 ? "\($0)" : nil } ?? "" },
        Listing.Column("CATEGORY") { VisibleText.oneLine($0["category"]?.string ?? "") },
        Listing.Column("") { row in
          let words = [row["isActive"] == false ? "off" : nil, row["kind"] == "shell" ? "shell" : nil]
          return "\(words.compactMap(\.self).joined(separator: ", "))"
        },
        Listing.Column("TEXT") { VisibleText.oneLine($0["command"]?.string ?? "") },
      ],
      rows: snippets.map { object($0.snippet, at: $0.place, categories) },
      whenEmpty: "no snippets: /snippets add NAME TEXT keeps one")
  }

  static func object(_ snippet: Snippet, at place: Int, _ categories: [SnippetCategory]) -> JSON {
    [
      "position": .int(place), "name": .string(snippet.name), "command": .string(snippet.text),
      "kind": .string(snippet.kind.rawValue), "category": snippet.category.map(JSON.string) ?? .null,
      "color": color(of: snippet, categories).map(JSON.string) ?? .null,
      "icon": snippet.icon.map(JSON.string) ?? .null, "isActive": .bool(snippet.isActive),
      "createdAt": snippet.createdAt.map(JSON.int) ?? .null, "usageCount": .int(snippet.usageCount),
      "lastUsedAt": snippet.lastUsedAt.map(JSON.int) ?? .null,
      "places": .array(Template(snippet.text).places.map { .string($0.name) }),
    ]
  }

  /// One in detail. - Parameter clock: how many seconds the person's is ahead of UTC at a moment.
  static func detail(
    _ snippet: Snippet, _ categories: [SnippetCategory], clock: (Int) -> Int, columns: Int?
  ) -> StyledText {
    let places = Template(snippet.text).places.map { place in
      place.name + (place.standard.map { " (\($0))" } ?? "")
    }
    let moment = { (moment: Int) in Moments.local(moment, offset: clock(moment)) }
    return DetailLines.text(
      [
        ("name", VisibleText.oneLine(snippet.name)),
        ("runs", snippet.kind == .shell ? "in your shell" : "as a message"),
        ("asks for", VisibleText.oneLine(places.joined(separator: ", "))),
        ("category", VisibleText.oneLine(snippet.category ?? "")),
        ("colour", VisibleText.oneLine(color(of: snippet, categories) ?? "")),
        ("icon", VisibleText.oneLine(snippet.icon ?? "")),
        ("state", snippet.isActive ? "" : "off"), ("used", used(snippet, moment)),
        ("made", snippet.createdAt.map(moment) ?? ""),
      ], columns: columns) + .text("\n") + BarredText.block(snippet.text, width: columns)
  }

  /// Its own, or that of its group.
  private static func color(of snippet: Snippet, _ categories: [SnippetCategory]) -> String? {
    snippet.color ?? categories.first { $0.name == snippet.category }?.color
  }

  private static func used(_ snippet: Snippet, _ moment: (Int) -> SafeText) -> SafeText {
    guard snippet.usageCount > 0 else { return "" }
    let times: SafeText = snippet.usageCount == 1 ? "once" : "\(snippet.usageCount) times"
    return times + (snippet.lastUsedAt.map { ", last " + moment($0) } ?? "")
  }
}

/// What is asked and said of snippets.
extension SnippetPage {
  static func name(_ snippet: String) -> SafeText { VisibleText.oneLine(snippet).cut(to: 60) }

  /// - Parameter isPrivate: whether it is gone with the run.
  static func kept(_ snippet: Snippet, isPrivate: Bool) -> SafeText {
    let howLong: SafeText = isPrivate ? " for this run" : ""
    return "kept snippet '" + name(snippet.name) + "'" + howLong + ": " + VisibleText.oneLine(snippet.text)
  }

  static func question(_ place: Template.Place) -> StyledText {
    let name = VisibleText.oneLine(place.name).cut(to: 40)
    let standard: SafeText = place.standard.map { " [" + VisibleText.oneLine($0).cut(to: 40) + "]" } ?? ""
    return .text(name + standard + ": ")
  }

  static let needsAnswer: SafeText = "it needs a value; Ctrl-C leaves"

  /// Said before it is sent or run.
  static func shown(_ text: String, at place: SnippetPlace) -> SafeText {
    switch place {
    case .message: Filter.block(text)
    case .shell, .terminal: "$ " + VisibleText.oneLine(text)
    }
  }

  /// Asked before a command that a file brought runs for the first time.
  static func runQuestion(_ snippet: Snippet, at place: SnippetPlace) -> SafeText {
    let place: SafeText = if case .terminal(let terminal) = place { "terminal \(terminal)" } else { "your shell" }
    return "'" + name(snippet.name) + "' came from a file. Run this in " + place + "?"
  }

  static func removeQuestion(_ snippet: Snippet) -> SafeText { "Remove snippet '" + name(snippet.name) + "'?" }

  /// Asked before something is kept that looks like a secret. - Parameter names: none for what was typed.
  static func secretQuestion(_ names: [String]) -> SafeText {
    guard !names.isEmpty else { return "This looks like a key, and snippets are kept in the clear. Keep it?" }
    let which: SafeText = names.count == 1 ? "One of them looks" : "\(names.count) of them look"
    return which + " like a key (" + list(names) + "), and snippets are kept in the clear. Take "
      + (names.count == 1 ? "it" : "them") + " too?"
  }

  static let secretHint: SafeText =
    "${KEY} in its place is asked for when it runs, and $KEY is a variable of your shell"

  static func secretsLeftOut(_ names: [String]) -> SafeText {
    "left out, for it looks like a key: " + list(names) + " (--yes takes it all the same)"
  }

  /// What became of a file's snippets, a line for each fate.
  static func report(_ taken: Snippets.Taken, unreadable: Int) -> [SafeText] {
    let new = taken.added.count
    var lines: [SafeText] = ["\(new) \(new == 1 ? "snippet" : "snippets") added"]
    if !taken.replaced.isEmpty { lines.append("replaced: " + list(taken.replaced)) }
    if !taken.unchanged.isEmpty { lines.append("there already: " + list(taken.unchanged)) }
    if !taken.skipped.isEmpty {
      lines.append(
        "left as they are, for others have these names: " + list(taken.skipped)
          + " (--replace takes those of the file, --rename keeps both)")
    }
    if !taken.renamed.isEmpty {
      let pairs = taken.renamed.prefix(8).map { name($0.from) + " is now " + name($0.to) }
      let more = taken.renamed.count - pairs.count
      lines.append("renamed: " + joined(pairs + (more > 0 ? ["\(more) more"] : [])))
    }
    if unreadable > 0 { lines.append("passed over, for they have no name or no text: \(unreadable)") }
    return lines
  }

  private static func list(_ names: [String]) -> SafeText {
    let more = names.count - 8
    return joined(names.prefix(8).map(name) + (more > 0 ? ["\(more) more"] : []))
  }

  private static func joined(_ parts: [SafeText]) -> SafeText {
    parts.dropFirst().reduce(parts.first ?? "") { $0 + ", " + $1 }
  }
}
