import Chat
import Shell
import Wire

/// What a prompt's blocks say, for a model that reads text (docs/acp.md 11).
struct PromptText {
  /// What was typed, with the names of what it mentions.
  private(set) var text = ""
  /// The files that it mentions and that are yet to be read: their address, and their name.
  private(set) var links: [(uri: String, name: String)] = []
  private var attached: [String] = []

  /// nil for a block of a kind that was not offered to be taken.
  init?(_ blocks: JSON) {
    for block in blocks.array ?? [] {
      switch block["type"]?.string {
      case "text": text += block["text"]?.string ?? ""
      case "resource_link":
        let uri = block["uri"]?.string ?? ""
        let name = block["name"]?.string ?? uri
        text += "@" + name
        links.append((uri, name))
      case "resource":
        let resource = block["resource"] ?? .null
        let uri = resource["uri"]?.string ?? ""
        text += "@" + PromptText.name(of: uri)
        attach(resource["text"]?.string, from: uri)
      default: return nil
      }
    }
  }

  /// Puts what an address holds behind the message; nil for what is no text.
  mutating func attach(_ content: String?, from uri: String) {
    attached.append(content.map { Fence.around($0, label: "\(uri):") } ?? "[\(uri): only its name is known]")
  }

  /// All of it.
  var whole: String { ([text] + attached).filter { !$0.isEmpty }.joined(separator: "\n\n") }

  private static func name(of uri: String) -> String { uri.split(separator: "/").last.map(String.init) ?? uri }

  /// The path of a `file:` address on this machine; nil for another one.
  static func path(of uri: String) -> String? {
    guard uri.hasPrefix("file://") else { return nil }
    let rest = uri.dropFirst("file://".count)
    guard let slash = rest.firstIndex(of: "/"), ["", "localhost"].contains(rest[..<slash]) else { return nil }
    return String(rest[slash...].prefix { $0 != "#" && $0 != "?" }).percentDecoded
  }
}
