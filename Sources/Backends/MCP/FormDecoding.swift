import Chat
import Wire

extension ToolQuestion.Subject {
  /// What `elicitation/create` asks; nil for a kind that this program does not know (docs/mcp.md 5).
  init?(_ params: JSON) {
    switch params["mode"]?.string ?? "form" {
    case "url":
      guard let url = params.text("url") else { return nil }
      self = .page(url: url)
    case "form":
      let schema = params["requestedSchema"] ?? .null
      let required = Set((schema["required"]?.array ?? []).compactMap(\.string))
      self = .form(
        (schema["properties"]?.object ?? []).map {
          FormField(name: $0.key, $0.value, isRequired: required.contains($0.key))
        })
    default: return nil
    }
  }
}

extension FormField {
  fileprivate init(name: String, _ property: JSON, isRequired: Bool) {
    let schema = property.unwrapped
    var standard = property["default"] ?? schema["default"]
    if standard?.isNull == true { standard = nil }
    self.init(
      name: name, title: property.text("title") ?? schema.text("title"),
      summary: property.text("description") ?? schema.text("description"), isRequired: isRequired,
      kind: Kind(schema), standard: standard)
  }
}

extension FormField.Kind {
  fileprivate init(_ schema: JSON) {
    if let choices = [FormField.Choice](schema) {
      self = .choice(choices)
      return
    }
    switch schema.schemaType {
    case "integer", "number":
      self = .number(
        from: schema["minimum"]?.double, to: schema["maximum"]?.double, isWhole: schema.schemaType == "integer")
    case "boolean": self = .flag
    case "array":
      let choices = schema["items"].flatMap { [FormField.Choice]($0) } ?? []
      self = .choices(choices, fewest: schema["minItems"]?.int, most: schema["maxItems"]?.int)
    default:
      self = .text(
        shortest: schema["minLength"]?.int, longest: schema["maxLength"]?.int, format: schema.text("format"))
    }
  }
}

extension [FormField.Choice] {
  /// nil for a schema that is free text.
  fileprivate init?(_ schema: JSON) {
    if let values = schema["enum"]?.array {
      let titles = schema["enumNames"]?.array ?? []
      self = values.enumerated().compactMap { index, value in
        value.string.map { FormField.Choice($0, title: titles.indices.contains(index) ? titles[index].string : nil) }
      }
    } else if let options = (schema["oneOf"] ?? schema["anyOf"])?.array,
      options.contains(where: { $0["const"] != nil })
    {
      self = options.compactMap { option in
        option["const"]?.string.map { FormField.Choice($0, title: option.text("title")) }
      }
    } else {
      return nil
    }
  }
}

extension JSON {
  /// The one of several types that is not null: servers of 1.x write an optional number so, outside the rule.
  fileprivate var unwrapped: JSON {
    guard self["type"] == nil, self["enum"] == nil, let options = (self["anyOf"] ?? self["oneOf"])?.array,
      !options.contains(where: { $0["const"] != nil })
    else { return self }
    return options.first { $0["type"]?.string != "null" } ?? self
  }

  /// `type`, which may be a list such as `["integer", "null"]`.
  fileprivate var schemaType: String? {
    self["type"]?.string ?? self["type"]?.array?.lazy.compactMap(\.string).first { $0 != "null" }
  }
}

extension ToolQuestion.Reply {
  /// The result of `elicitation/create`.
  var json: JSON {
    switch self {
    case .accept(let content?): ["action": "accept", "content": content]
    case .accept(nil): ["action": "accept"]
    case .decline: ["action": "decline"]
    case .cancel: ["action": "cancel"]
    }
  }
}
