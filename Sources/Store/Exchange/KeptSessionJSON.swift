import Chat
import Foundation
import Wire

/// A session as JSON (docs/export.md 1): moments are milliseconds since 1970, and what is not known is left out.
extension KeptSession {
  var json: JSON {
    var object = header
    object.append(.init("turns", .array(turns.map(\.json))))
    return .object(object)
  }

  /// All but its turns.
  var header: [JSON.Member] {
    var object = [JSON.Member("id", .string(session.id.text))]
    object.add("title", session.title)
    object.add("titleIsManual", session.titleIsManual)
    object.add("opening", opening)
    object.add("systemPrompt", session.systemPrompt)
    object.add("model", session.model)
    if let server = session.server {
      object.append(
        .init("server", ["name": .string(server.name), "kind": .string(server.kind), "url": .string(server.url)]))
    }
    object.add("remote", session.remote)
    let sampling = session.sampling.members
    if !sampling.isEmpty { object.append(.init("sampling", .object(sampling))) }
    object.add("createdAt", session.createdAt)
    object.add("updatedAt", session.updatedAt)
    object.add("archived", session.isArchived)
    object.add("pinned", session.isPinned)
    if !session.tags.isEmpty { object.append(.init("tags", .array(session.tags.map(JSON.string)))) }
    object.add("head", head)
    return object
  }
}

extension KeptTurn {
  var json: JSON { .object(members) }

  var members: [JSON.Member] {
    var object = [JSON.Member("number", .int(number))]
    object.add("parent", parent)
    object.add("createdAt", createdAt)
    object.add("remoteQuestion", remote?.question)
    object.add("remoteAnswer", remote?.answer)
    object.add("contextStart", contextStart)
    object.add("contextEnd", contextEnd)
    if !files.isEmpty { object.append(.init("attachments", .array(files.map(\.keptJSON)))) }
    object.append(.init("messages", .array(messages.map(\.json))))
    return object
  }
}

extension KeptMessage {
  var json: JSON {
    var object = [
      JSON.Member("id", .string(id)), JSON.Member("role", .string(role.rawValue)),
      JSON.Member("content", .string(content)),
    ]
    if !reasoning.isEmpty { object.add("reasoning", reasoning) }
    object.add("createdAt", createdAt)
    object.add("status", status?.rawValue)
    object.add("model", model)
    object.add("server", server)
    object.add("error", error)
    object.add("promptTokens", usage.promptTokens)
    object.add("completionTokens", usage.completionTokens)
    object.add("cost", usage.cost)
    object.add("firstTokenMs", firstTokenMs)
    object.add("totalMs", totalMs)
    if let toolCalls { object.append(.init("toolCalls", Self.nested(toolCalls))) }
    object.add("toolName", toolName)
    object.add("toolCallId", toolCallID)
    object.add("toolStatus", toolStatus)
    object.add("toolResult", toolResult)
    object.add("toolMs", toolMs)
    return .object(object)
  }

  /// As JSON where it is the same when it is read back; else as a string. What is deep would be too deep in a document.
  private static func nested(_ column: String) -> JSON {
    guard let json = try? JSON(parsing: column), json.array != nil, json.isReadable(within: 12),
      json.serialized() == column
    else { return .string(column) }
    return json
  }
}

extension AttachedFile {
  /// With its bytes in base64 (RFC 4648, section 4), or with what is known of bytes that stand elsewhere.
  var keptJSON: JSON {
    var object = [JSON.Member("name", .string(name)), JSON.Member("path", .string(path))]
    guard let digest else {
      object.append(.init("data", .string(Data(bytes).base64EncodedString())))
      return .object(object)
    }
    object.add("sha256", digest)
    object.add("size", size)
    switch kind {
    case .text(let lines): object.add("lines", lines)
    case .image(let image):
      object.add("image", image.format.rawValue)
      object.add("width", image.size?.width)
      object.add("height", image.size?.height)
    case .other: break
    }
    return .object(object)
  }
}

extension Sampling {
  fileprivate var members: [JSON.Member] {
    var object: [JSON.Member] = []
    object.add("temperature", temperature)
    object.add("topP", topP)
    object.add("maxTokens", maxTokens)
    object.add("seed", seed)
    if !stop.isEmpty { object.append(.init("stop", .array(stop.map(JSON.string)))) }
    return object
  }
}

extension [JSON.Member] {
  /// What is not known, and what is not so, is left out.
  fileprivate mutating func add(_ key: String, _ text: String?) { if let text { append(.init(key, .string(text))) } }
  fileprivate mutating func add(_ key: String, _ number: Int?) { if let number { append(.init(key, .int(number))) } }
  fileprivate mutating func add(_ key: String, _ number: Double?) {
    if let number, number.isFinite { append(.init(key, .double(number))) }
  }
  fileprivate mutating func add(_ key: String, _ isSo: Bool) { if isSo { append(.init(key, .bool(true))) } }
}
