import Chat
import Wire

/// A tool as its server lists it.
struct ListedTool: Sendable, Equatable {
  var tool: Tool
  var marks: [HeaderMark]

  /// nil for what has no name, or marks that are wrong where they count.
  init?(_ json: JSON, marksCount: Bool) {
    guard let name = json["name"]?.string, !name.isEmpty else { return nil }
    let annotations = json["annotations"]
    var schema = json["inputSchema"] ?? json["input_schema"] ?? .null
    if schema.object == nil { schema = ["type": "object"] }
    tool = Tool(
      name: name, title: annotations?.text("title") ?? json.text("title"), summary: json.text("description") ?? "",
      parameters: schema,
      hints: ToolHints(
        isReadOnly: annotations?["readOnlyHint"]?.bool, isDestructive: annotations?["destructiveHint"]?.bool,
        isIdempotent: annotations?["idempotentHint"]?.bool, isOpenWorld: annotations?["openWorldHint"]?.bool),
      rest: ListedTool.rest(of: json))
    do throws(HeaderMark.Invalid) {
      marks = marksCount ? try HeaderMark.all(in: schema) : []
    } catch { return nil }
  }

  private static let known: Set<String> = [
    "name", "title", "description", "inputSchema", "input_schema", "annotations",
    // Icons are not shown.
    "icons",
  ]
  private static let knownAnnotations: Set<String> = [
    "title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint",
  ]

  /// The remaining members of a tool's listing. Members with the value null are ignored.
  private static func rest(of json: JSON) -> JSON? {
    var rest = (json.object ?? []).filter { !known.contains($0.key) && !$0.value.isNull }
    let annotations = (json["annotations"]?.object ?? []).filter {
      !knownAnnotations.contains($0.key) && !$0.value.isNull
    }
    if !annotations.isEmpty { rest.append(JSON.Member("annotations", .object(annotations))) }
    // `annotations.title` takes precedence as the title of the tool; the digest covers both.
    if let title = json.text("title"), json["annotations"]?.text("title") != nil {
      rest.append(JSON.Member("title", .string(title)))
    }
    return rest.isEmpty ? nil : .object(rest)
  }
}

extension JSON {
  /// A member that is text and not empty.
  func text(_ key: String) -> String? {
    guard let text = self[key]?.string, !text.isEmpty else { return nil }
    return text
  }
}

/// A page of a list.
struct MCPPage {
  var items: [JSON]
  var next: String?
  /// For how many seconds it counts; nil until the server says otherwise.
  var lifetime: Double?

  /// nil when there is no list of that name in it.
  init?(_ result: JSON, of key: String) {
    // A list of none may be null.
    guard let list = result[key], list.array != nil || list.isNull else { return nil }
    items = list.array ?? []
    next = result["nextCursor"]?.string
    lifetime = result["ttlMs"]?.double.map { max(0, $0) / 1000 }
  }
}
