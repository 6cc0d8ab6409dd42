import Chat
import Wire

/// A message to an agent. It keeps the conversation itself, so nothing of what was said before goes along
/// (docs/acp.md 3 and 4).
struct ACPPrompt {
  /// The most of a file that goes along; a longer one is only named.
  private static let fileLimit = 8 << 20

  private(set) var blocks: [JSON]
  /// The names of files that cannot go along.
  private(set) var leftOut: [String] = []

  /// - Parameter isAway: whether the agent is on another machine, where paths of this one name nothing.
  init(_ request: ChatRequest, for facts: ACPFacts?, isAway: Bool) {
    // Every agent takes text.
    blocks = [["type": "text", "text": .string(request.messages.last { $0.role == .user }?.content ?? "")]]
    for file in request.files {
      if let block = ACPPrompt.block(file, for: facts, isAway: isAway) {
        blocks.append(block)
      } else {
        leftOut.append(file.name)
      }
    }
  }

  /// The parameters of `session/prompt`.
  func params(session: String) -> JSON { ["sessionId": .string(session), "prompt": .array(blocks)] }

  private static func block(_ file: AttachedFile, for facts: ACPFacts?, isAway: Bool) -> JSON? {
    let (type, uri) = (file.type, JSON.string(file.uri))
    if file.digest == nil, file.size <= fileLimit, let facts {
      for (kind, isTaken) in [("image", facts.takesImages), ("audio", facts.takesAudio)]
      where isTaken && type.hasPrefix(kind + "/") {
        return ["type": .string(kind), "data": .string(file.base64), "mimeType": .string(type), "uri": uri]
      }
      if facts.takesEmbedded {
        var resource: JSON = ["uri": uri, "mimeType": .string(type)]
        if let text = file.text { resource["text"] = .string(text) } else { resource["blob"] = .string(file.base64) }
        return ["type": "resource", "resource": resource]
      }
    }
    guard !isAway else { return nil }
    // Every agent takes this too, and may read the file itself.
    return [
      "type": "resource_link", "uri": uri, "name": .string(file.name), "mimeType": .string(type),
      "size": .int(file.size),
    ]
  }
}

extension AttachedFile {
  fileprivate var uri: String {
    "file://"
      + path.split(separator: "/", omittingEmptySubsequences: false).map { String($0).percentEncoded }
      .joined(separator: "/")
  }
}
