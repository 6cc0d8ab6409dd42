import Chat
import Wire

// What a server did for an answer (docs/chatui.md 5.1), as an agent's doings are shown and kept.

extension Activity {
  /// Takes one of the updates of a call.
  mutating func take(_ update: JSON) {
    if let call = update["call"] ?? update["result"]?["call"], let name = call["name"]?.word {
      title = name
      if let parameters = call["parameters"], !parameters.isNull { input = parameters }
    }
    switch update["subtype"]?.string {
    case "result": takeResult(update["result"] ?? .null)
    case "error":
      status = .failed
      content = [.block(.text(update["message"]?.word ?? ""))]
    case "progress":
      guard let done = update["progress"]?.double else { return }
      let total = update["total"]?.double.map { " of \(ChatUINumber.text($0))" } ?? ""
      let words = update["message"]?.word.map { ": \($0)" } ?? ""
      content = [.block(.text("\(ChatUINumber.text(done))\(total)\(words)"))]
    default: break
    }
  }

  private mutating func takeResult(_ result: JSON) {
    guard result["status"]?.string != "error" else {
      status = .failed
      content = [.block(.text(result["message"]?.word ?? ""))]
      return
    }
    status = .done
    let outputs = result["outputs"]?.array ?? []
    content = outputs.flatMap { output -> [Content] in
      if let blocks = output["content"]?.array, !blocks.isEmpty { return blocks.map { .block(ToolContent($0)) } }
      return output["text"]?.word.map { [.block(.text($0))] } ?? []
    }
    let structured = outputs.compactMap { $0["structured"] }.filter { !$0.isNull }
    output = structured.count > 1 ? .array(structured) : structured.first
  }

  /// Takes one of the updates of a search of the older servers.
  mutating func takeSearch(_ update: JSON) {
    switch update["subtype"]?.string {
    case "error": status = .failed
    case "finished": status = .done
    case "sources":
      content = (update["sources"]?.array ?? []).compactMap { source in
        guard let link = source["link"]?.word else { return nil }
        return .block(.link(ToolResource(uri: link, name: source["title"]?.word ?? link)))
      }
      return
    default: break
    }
    if let words = update["message"]?.word { title = words }
    if let words = update["args"], !words.isNull { input = ["args": words] }
  }
}

enum ChatUINumber {
  /// `3`, `0.5`.
  static func text(_ number: Double) -> String { Int(exactly: number)?.description ?? number.description }
}

/// A file that an answer or a message has (docs/chatui.md 5.1).
struct ChatUIFile: Equatable {
  let name: String
  /// What it is fetched by.
  let hash: String
  let type: String?

  /// nil for what names none.
  init?(_ json: JSON) {
    guard let hash = json["sha"]?.word ?? json["value"]?.word, hash.utf8.allSatisfy(ChatUIFile.isHexDigit) else {
      return nil
    }
    self.hash = hash
    name = json["name"]?.word ?? hash
    type = json["mime"]?.word
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x46, 0x61...0x66: true
    default: false
    }
  }

  var activity: Activity {
    let link = ToolResource(uri: "output/\(hash)", name: name, mimeType: type)
    return Activity(id: "file \(hash)", title: name, kind: "file", status: .done, content: [.block(.link(link))])
  }
}

/// What a server's tool asks the person in the middle of an answer.
struct ChatUIQuestion: Equatable {
  let id: String
  let message: String
  let subject: ToolQuestion.Subject

  /// nil for what cannot be asked.
  init?(_ update: JSON) {
    let request = update["request"] ?? update
    guard let id = request["elicitationId"]?.word else { return nil }
    self.id = id
    let server = request["server"]?.word.map { "\($0): " } ?? ""
    message = server + (request["message"]?.word ?? "")
    if request["mode"]?.string == "url" {
      guard let url = request["url"]?.word else { return nil }
      subject = .page(url: url)
    } else {
      guard let form = ToolQuestion.Subject(ChatUIQuestion.form(of: request["fields"])) else { return nil }
      subject = form
    }
  }

  /// As the form of a tool server is written, which the fields are taken from.
  private static func form(of fields: JSON?) -> JSON {
    if let fields, fields["properties"] != nil { return ["mode": "form", "requestedSchema": fields] }
    var (properties, required): (JSON, [JSON]) = ([:], [])
    for field in fields?.array ?? [] {
      guard let name = field["name"]?.word else { continue }
      properties[name] = property(field)
      if field["required"]?.bool == true { required.append(.string(name)) }
    }
    return ["mode": "form", "requestedSchema": ["properties": properties, "required": .array(required)]]
  }

  private static func property(_ field: JSON) -> JSON {
    var property = field
    let options = (field["options"]?.array ?? []).compactMap { option -> JSON? in
      guard let value = option["value"] ?? option.string.map(JSON.string) else { return nil }
      return ["const": value, "title": option["label"] ?? value]
    }
    switch field["kind"]?.string {
    case "select" where field["multiple"]?.bool == true:
      property["type"] = "array"
      property["items"] = ["anyOf": .array(options)]
    case "select":
      property["type"] = "string"
      property["oneOf"] = .array(options)
    case "number": property["type"] = field["integer"]?.bool == true ? "integer" : "number"
    case let kind?: property["type"] = .string(kind)
    case nil: break
    }
    return property
  }
}
