import Chat
import Wire

/// Fields of an answer that this program does not know and its server may want back, such as a signature of thoughts:
/// collected over the pieces in which they come.
struct SentBack {
  /// Fields of a message that are known, or of no use to the server.
  private static let ofMessage: Set = [
    "role", "content", "tool_calls", "function_call", "refusal", "audio", "images", "annotations", "token_ids",
    "logprobs",
  ]
  private static let ofCall = Set(["index", "id", "type", "function", "name"] + ToolCall.argumentKeys)

  private var object: JSON = [:]

  /// The fields; nil when there are none.
  var fields: JSON? { object.object?.isEmpty == false ? object.joiningHalves : nil }

  /// Adds what a delta or a message says besides its answer.
  mutating func add(message: JSON) { add(message, without: SentBack.ofMessage) }

  /// Adds what a piece of a call says besides the call.
  mutating func add(call piece: JSON) {
    add(piece, without: SentBack.ofCall)
    guard let function = piece["function"], function.object != nil else { return }
    var inner = SentBack()
    inner.object = object["function"] ?? [:]
    inner.add(function, without: SentBack.ofCall)
    if let fields = inner.fields { object["function"] = fields }
  }

  private mutating func add(_ json: JSON, without known: Set<String>) {
    for member in json.object ?? [] where !known.contains(member.key) && !member.value.isNothing {
      object[member.key] = object[member.key].map { SentBack.joined($0, member.value) } ?? member.value
    }
  }

  /// Pieces of texts and lists are joined; of anything else the last counts.
  private static func joined(_ old: JSON, _ new: JSON) -> JSON {
    switch (old, new) {
    case (.string(let start), .string(let rest)): return .string(start + rest)
    case (.array(let elements), .array(let more)): return .array(more.reduce(elements, appending))
    default: return new
    }
  }

  /// A part of a list may come in pieces too, which have its type and index.
  private static func appending(_ elements: [JSON], _ piece: JSON) -> [JSON] {
    guard let last = elements.last, last.object != nil, piece.object != nil, last["type"] == piece["type"],
      last["index"] == piece["index"], last["id"] == piece["id"] || piece["id"]?.isNull ?? true
    else { return elements + [piece] }
    var whole = last
    for member in piece.object ?? [] where !member.value.isNull {
      if ["text", "summary", "data"].contains(member.key), let before = whole[member.key] {
        whole[member.key] = joined(before, member.value)
      } else {
        whole[member.key] = member.value
      }
    }
    return elements.dropLast() + [whole]
  }
}

extension JSON {
  /// Whether the value is null or an empty text, list or object.
  var isNothing: Bool {
    switch self {
    case .null: true
    case .string(let text): text.isEmpty
    case .array(let elements): elements.isEmpty
    case .object(let members): members.isEmpty
    default: false
    }
  }

  /// The object with further members, but for those that it has already; objects within are joined alike.
  func adding(_ more: JSON?) -> JSON {
    guard let members = more?.object, object != nil else { return self }
    var whole = self
    for member in members {
      if let own = whole[member.key] {
        whole[member.key] = own.adding(member.value)
      } else {
        whole[member.key] = member.value
      }
    }
    return whole
  }
}
