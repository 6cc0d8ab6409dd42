package import Wire

/// Something a model may ask to have done.
package struct Tool: Sendable, Equatable {
  /// Unique on its server, and among the tools of one request.
  package var name: String
  package var title: String?
  /// What it does, in its server's words: not to be trusted.
  package var summary: String
  /// What it takes: a JSON Schema of an object (docs/mcp.md 4).
  package var parameters: JSON
  package var hints: ToolHints
  /// The other members of its listing, such as `outputSchema` and `_meta`, as an object; nil when there are none. A tool
  /// whose listing changes is asked about again.
  package var rest: JSON?

  package init(
    name: String, title: String? = nil, summary: String = "", parameters: JSON = ["type": "object"],
    hints: ToolHints = ToolHints(), rest: JSON? = nil
  ) {
    self.name = name
    self.title = title
    self.summary = summary
    self.parameters = parameters
    self.hints = hints
    self.rest = rest
  }
}

/// What a server says of its tool's nature. Shown, and never trusted (docs/mcp.md 4).
package struct ToolHints: Sendable, Equatable {
  package var isReadOnly: Bool?
  package var isDestructive: Bool?
  package var isIdempotent: Bool?
  /// Whether it reaches beyond its server, as a web search does.
  package var isOpenWorld: Bool?

  package init(
    isReadOnly: Bool? = nil, isDestructive: Bool? = nil, isIdempotent: Bool? = nil, isOpenWorld: Bool? = nil
  ) {
    self.isReadOnly = isReadOnly
    self.isDestructive = isDestructive
    self.isIdempotent = isIdempotent
    self.isOpenWorld = isOpenWorld
  }
}

/// A model's wish to have a tool run.
package struct ToolCall: Sendable, Equatable {
  /// As the model's server gave it, if it did; unique in its conversation once the call is part of that.
  package var id: String
  /// As the model wrote it: perhaps of no tool there is.
  package var name: String
  package var arguments: Arguments
  /// Fields of the call that its server may want back as they came, such as a signature of thoughts; an object.
  package var sentBack: JSON?
  /// The same of the message that has the call, kept with the first of its calls.
  package var sentBackBeside: JSON?

  package enum Arguments: Sendable, Equatable {
    /// A JSON object.
    case object(JSON)
    /// What cannot be read as one, as the model wrote it.
    case broken(String, Problem)
  }

  package enum Problem: String, Sendable {
    case notJSON, notAnObject, noName
    /// It ends in the middle.
    case unfinished
    /// An object in it has two members of one name.
    case repeatedName
  }

  package init(
    id: String, name: String, arguments: Arguments, sentBack: JSON? = nil, sentBackBeside: JSON? = nil
  ) {
    self.id = id
    self.name = name
    self.arguments = arguments
    self.sentBack = sentBack
    self.sentBackBeside = sentBackBeside
  }
}

/// How a model is told of tools, and says that it wants one.
package enum ToolFormat: String, Sendable, CaseIterable {
  /// As its server is known to take it, or turns out to.
  case auto
  /// `tools` and `tool_calls` of OpenAI's interface.
  case native
  /// Blocks in the text (docs/kamiwaza.md 6.7).
  case text
}

/// What a tool gave back.
package struct ToolResult: Sendable, Equatable {
  package var content: [ToolContent]
  /// The same for programs; any JSON.
  package var structured: JSON?
  /// Whether `structured` has all that the text says, as the protocol wants it: a model then gets it in place of the text.
  package var structuredIsWhole: Bool
  /// The tool failed, in words that the model should read: no failure of the connection.
  package var isError: Bool

  package init(
    content: [ToolContent], structured: JSON? = nil, structuredIsWhole: Bool = true, isError: Bool = false
  ) {
    self.content = content
    self.structured = structured
    self.structuredIsWhole = structuredIsWhole
    self.isError = isError
  }
}

/// A block of a result or of a prompt (docs/mcp.md 4).
package enum ToolContent: Sendable, Equatable {
  case text(String)
  /// Base64 as it came.
  case image(base64: String, mimeType: String)
  case audio(base64: String, mimeType: String)
  /// Never fetched by itself.
  case link(ToolResource)
  case resource(ResourceContent)
  /// A kind this program does not know, by its name.
  case other(String)
}

/// Something a server has to read; `uri` has placeholders such as `{number}` when it is a template.
package struct ToolResource: Sendable, Equatable {
  package var uri: String
  package var name: String
  package var title: String?
  package var summary: String?
  package var mimeType: String?
  /// In bytes.
  package var size: Int?
  package var isTemplate: Bool

  package init(
    uri: String, name: String, title: String? = nil, summary: String? = nil, mimeType: String? = nil,
    size: Int? = nil, isTemplate: Bool = false
  ) {
    self.uri = uri
    self.name = name
    self.title = title
    self.summary = summary
    self.mimeType = mimeType
    self.size = size
    self.isTemplate = isTemplate
  }
}

package struct ResourceContent: Sendable, Equatable {
  package var uri: String
  package var mimeType: String?
  package var body: Body

  package enum Body: Sendable, Equatable {
    case text(String)
    /// Base64 as it came.
    case blob(String)
  }

  package init(uri: String, mimeType: String? = nil, body: Body) {
    self.uri = uri
    self.mimeType = mimeType
    self.body = body
  }
}
