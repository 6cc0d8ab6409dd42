import Chat
import Shell
import Text
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
        text += "@" + Filter.inline(name).string
        links.append((uri, name))
      case "resource":
        let resource = block["resource"] ?? .null
        let uri = resource["uri"]?.string ?? ""
        text += "@" + Filter.inline(PromptText.name(of: uri)).string
        attach(resource["text"]?.string, from: uri)
      default: return nil
      }
    }
  }

  /// Puts what an address holds behind the message; nil for what is no text.
  mutating func attach(_ content: String?, from uri: String) {
    let label = Filter.inline(uri).string
    attached.append(content.map { Fence.around($0, label: label + ":") } ?? "[\(label): only its name is known]")
  }

  /// Whether there is nothing in it.
  var isEmpty: Bool { whole.allSatisfy(\.isWhitespace) }

  /// Whether it has more than what was typed.
  var hasAttachments: Bool { !attached.isEmpty || !links.isEmpty }

  /// All of it.
  var whole: String { ([text] + attached).filter { !$0.isEmpty }.joined(separator: "\n\n") }

  private static func name(of uri: String) -> String { uri.split(separator: "/").last.map(String.init) ?? uri }

  /// The path of a `file:` address on this machine; nil for another one.
  static func path(of uri: String) -> String? {
    guard uri.hasPrefix("file://") else { return nil }
    let rest = uri.dropFirst("file://".count)
    guard let slash = rest.firstIndex(of: "/"), ["", "localhost"].contains(rest[..<slash]) else { return nil }
    let path = String(rest[slash...].prefix { $0 != "#" && $0 != "?" }).percentDecoded
    return path.unicodeScalars.contains { $0.value < 0x20 || $0.value == 0x7F } ? nil : path
  }
}
