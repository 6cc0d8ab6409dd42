import Chat
import Text
import Wire

/// What an agent asks leave for: all of it, and nothing that could pass for something else (docs/rules.md A4).
struct PermissionPage {
  typealias Row = (label: SafeText, value: SafeText)

  let head: StyledText
  /// Each on a line of its own, for the recap of a page that is too long.
  private(set) var short: [Row] = []
  private var rest: StyledText = []
  private let width: Int

  /// All of it.
  var text: StyledText { head + rest }

  /// Something that the agent does by itself.
  init(_ activity: Activity, by agent: String, columns: Int?) {
    self.init(agent, "asks leave", columns)
    add("to", ActivityPage.name(activity))
    for place in activity.places where !activity.content.contains(where: { $0.names(place.path) }) {
      add("in", VisibleText.oneLine(place.path))
    }
    if let input = activity.shownInput { add("with", VisibleText.oneLine(input.serialized())) }
    for content in activity.content {
      switch content {
      case .diff(let change): add(change, columns)
      case .block(let block): add(block)
      case .terminal, .plan: break
      }
    }
  }

  /// Something that this program is to do for the agent.
  init(_ act: AgentAct, by agent: String, columns: Int?) {
    switch act {
    case .read(let path, let why):
      self.init(agent, "asks to read a file", columns)
      add("file", VisibleText.oneLine(path))
      add("", PermissionPage.words(why))
    case .write(let change, let why):
      self.init(agent, "asks to write a file", columns)
      if let why { add("", PermissionPage.words(why)) }
      add(change, columns)
    case .run(let command):
      self.init(agent, "asks to run a command", columns)
      add(command)
    }
  }

  private init(_ agent: String, _ what: SafeText, _ columns: Int?) {
    width = max(20, columns ?? 80)
    head = .text("Agent " + VisibleText.oneLine(agent).cut(to: 40) + " " + what + "\n", .warning)
  }

  private mutating func add(_ command: AgentCommand) {
    if command.isShellLine {
      add("shell", VisibleText.oneLine(command.words.joined(separator: " ")))
    } else {
      for (index, word) in command.words.enumerated() {
        // Each has a label: a row without one goes on with the one before.
        add(index == 0 ? "program" : index == 1 ? "with" : "and", VisibleText.oneLine(word))
      }
    }
    add("in", VisibleText.oneLine(command.folder))
    for variable in command.variables { add("set", VisibleText.oneLine("\(variable.name)=\(variable.value)")) }
  }

  private mutating func add(_ block: ToolContent) {
    if let note = ContentNote(block) { add("with", VisibleText.oneLine(note.words)) }
    switch block {
    case .text(let text): add(text: text)
    case .resource(let resource):
      guard case .text(let text) = resource.body else { return }
      add("with", VisibleText.oneLine(resource.uri))
      add(text: text)
    case .image, .audio, .link, .other: break
    }
  }

  private mutating func add(text: String) {
    short.append(("says", VisibleText.oneLine(text)))
    rest += BarredText.block(text, indent: "  ", width: width)
  }

  private mutating func add(_ change: FileChange, _ columns: Int?) {
    short.append(("change", DiffPage.summary(of: change)))
    rest += DiffPage.text(change, columns: columns, limit: nil)
  }

  private mutating func add(_ label: SafeText, _ value: SafeText) {
    short.append((label, value))
    rest += VisibleText.hardWrapped(value, width - 11).enumerated().flatMap { index, part -> StyledText in
      .text("  " + (index == 0 ? label : "").padded(to: 9), .dim) + .text(part + "\n")
    }
  }

  private static func words(_ why: AgentAct.Unusual) -> SafeText {
    switch why {
    case .outside: "It is outside of the folder that the agent works in."
    case .protected: "It holds secrets, or says what programs run."
    case .hardLinked: "The file has other names, perhaps elsewhere: they change too."
    }
  }
}

/// How it can be answered.
extension PermissionPage {
  struct Ways {
    /// Whether it can be allowed this once, by a letter.
    var mayAllow = true
    /// Whether the yes can be remembered.
    var mayKeep: Bool
    /// The agent's own ways, by number.
    var options: [PermissionOption] = []
  }

  /// The ways to answer: those of the agent by number, the usual ones by letter.
  static func choices(_ options: [PermissionOption]) -> StyledText {
    var page: StyledText = []
    for (index, option) in options.enumerated() {
      let what: SafeText =
        switch option.kind {
        case .allowOnce: "allows it once"
        case .allowAlways: "the agent does not ask again"
        case .rejectOnce: "does not allow it"
        case .rejectAlways: "the agent does not try again"
        case nil: "the agent does not say what it does"
        }
      page += .text("  \(index + 1) ", .strong) + .text(VisibleText.oneLine(option.name).cut(to: 60))
      page += .text(": " + what + "\n", .dim)
    }
    return page
  }

  static func prompt(_ ways: Ways, canView: Bool) -> StyledText {
    var offered: [SafeText] = []
    if ways.mayAllow { offered.append("[y]es") }
    if ways.mayKeep { offered.append("[a]lways this") }
    if !ways.options.isEmpty { offered.append(ways.options.count == 1 ? "1" : "1-\(ways.options.count)") }
    if canView { offered.append("[v]iew") }
    return .text("allow? " + (offered + ["[N]o"]).joined(separator: ", ") + " ", .warning)
  }

  /// What can be typed, when something else was.
  static func reminder(_ ways: Ways, canView: Bool) -> SafeText {
    var offered: [SafeText] = []
    if ways.mayAllow { offered.append("y") }
    if ways.mayKeep { offered.append("a") }
    if canView { offered.append("v") }
    if !ways.options.isEmpty { offered.append("a number") }
    return offered.joined(separator: ", ") + " or n"
  }
}

extension Activity {
  /// What its tool is given; nil for nothing.
  var shownInput: JSON? {
    guard let input, !input.isNull, input.object?.isEmpty != true else { return nil }
    return input
  }
}

extension Activity.Content {
  fileprivate func names(_ path: String) -> Bool {
    if case .diff(let change) = self { change.path == path } else { false }
  }
}
