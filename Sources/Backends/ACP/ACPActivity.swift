import Chat
import Wire

// What agents say of their calls and plans: nulls, missing fields and odd types anywhere (docs/acp.md 4).

extension Activity {
  /// With what the fields of a `tool_call` or `tool_call_update` change: a list takes the place of the one before, and
  /// what is absent or null stays.
  func patched(by patch: JSON, isNew: Bool) -> Activity {
    var new = self
    if let title = patch.text("title") { new.title = title }
    if new.title.isEmpty, let name = patch.text("name") { new.title = name }
    if let kind = patch.text("kind") { new.kind = kind }
    if let word = patch.text("status") {
      new.status = Status(acp: word) ?? (isNew ? .running : status)
    }
    if let list = patch["content"]?.array { new.content = list.compactMap { Content($0) } }
    if let list = patch["locations"]?.array { new.places = list.compactMap { Place($0) } }
    if let input = patch["rawInput"], !input.isNull { new.input = input }
    if let output = patch["rawOutput"], !output.isNull { new.output = output }
    return new
  }
}

extension Activity {
  /// With the files of its changes by absolute paths: some agents name them as their model does, below their folder.
  func placed(in folder: String) -> Activity {
    var placed = self
    placed.content = content.map { content in
      guard case .diff(var change) = content, !change.path.isEmpty, !change.path.hasPrefix("/") else { return content }
      change.path = folder + "/" + change.path
      return .diff(change)
    }
    return placed
  }
}

extension Activity.Status {
  /// nil for a word that the protocol does not have.
  fileprivate init?(acp word: String) {
    switch word {
    case "pending": self = .pending
    case "in_progress": self = .running
    case "completed": self = .done
    case "failed": self = .failed
    default: return nil
    }
  }
}

extension Activity.Content {
  /// nil for what says nothing.
  fileprivate init?(_ json: JSON) {
    switch json["type"]?.string {
    case "content":
      switch json["content"] {
      case .string(let text)?: self = .block(.text(text))
      case .object(let members)?: self = .block(ToolContent(.object(members)))
      default: return nil
      }
    case "diff" where json["path"]?.string != nil || json["newText"]?.string != nil:
      self = .diff(
        FileChange(
          path: json["path"]?.string ?? "", old: json["oldText"]?.string, new: json["newText"]?.string ?? ""))
    case "terminal":
      guard let id = json.idText("terminalId") else { fallthrough }
      self = .terminal(id)
    default:
      if let text = json.string {
        self = .block(.text(text))
      } else if json.object != nil {
        // Some agents leave out what goes around a block.
        self = .block(ToolContent(json))
      } else {
        return nil
      }
    }
  }
}

extension Activity.Place {
  fileprivate init?(_ json: JSON) {
    guard let path = json.text("path") ?? json.string, !path.isEmpty else { return nil }
    self.init(path: path, line: json["line"]?.int.flatMap { $0 > 0 ? $0 : nil })
  }
}

extension PlanEntry {
  /// nil for an entry without words.
  init?(_ json: JSON) {
    guard let text = json.text("content") ?? json.string, !text.isEmpty else { return nil }
    self.init(
      text: text, status: json.text("status").flatMap { Activity.Status(acp: $0) } ?? .pending,
      priority: json.text("priority") ?? "medium")
  }
}

extension JSON {
  /// An id or a value: a text that is not empty, or a whole number in digits.
  func idText(_ key: String) -> String? { text(key) ?? self[key]?.int?.description }
}
