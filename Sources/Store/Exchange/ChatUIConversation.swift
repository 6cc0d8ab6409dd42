import Chat
import Foundation
import Wire

/// A conversation of the `conversations.json` in what a chat-ui server exports (docs/export.md 7).
extension KeptSession {
  /// nil for what is none.
  init?(chatUI json: JSON) {
    guard let messages = json["messages"]?.array else { return nil }
    let begun = ChatUIMessage.moment(json["createdAt"])
    var tree = MessageTree()
    var system = json["preprompt"]?.string
    // Before there were branches each message went on from the one before.
    let isLine = !messages.contains { $0["ancestors"]?.array?.isEmpty == false }
    var links: [(name: String, parent: String?)] = []
    for (index, message) in messages.enumerated() {
      let name = message["id"]?.string ?? "message-\(index)"
      guard tree.nodes[name] == nil else { continue }
      if message["from"]?.string == "system", let text = message["content"]?.string, !text.isEmpty { system = text }
      // What was thought comes first, and goes by the name of what was said.
      let nodes = ChatUIMessage.nodes(message, begun ?? 0, model: json["model"]?.string)
      tree.nodes[name] = nodes.first
      if nodes.count > 1 {
        tree.nodes[name]?.children = [name + "/said"]
        tree.nodes[name + "/said"] = nodes.last
      }
      links.append((name, isLine ? links.last?.name : message["ancestors"]?.array?.last?.string))
    }
    func end(of name: String) -> String { tree.nodes[name + "/said"] == nil ? name : name + "/said" }
    for (name, parent) in links {
      if let parent, parent != name, tree.nodes[parent] != nil {
        tree.nodes[end(of: parent)]?.children.append(name)
      } else {
        tree.roots.append(name)
      }
    }
    let (turns, numbers) = tree.turns()
    let id = json["_id"]?.string ?? json["_id"]?["$oid"]?.string ?? json["id"]?.string ?? ""
    var session = Session(
      id: SessionID(Self.isName(id) ? id : randomID()), title: json["title"]?.string,
      systemPrompt: system.flatMap { $0.isEmpty ? nil : $0 }, model: json["model"]?.string)
    session.titleIsManual = false
    session.createdAt = begun ?? turns.first?.createdAt ?? 0
    session.updatedAt = ChatUIMessage.moment(json["updatedAt"]) ?? turns.last?.createdAt ?? session.createdAt
    self.init(
      session, opening: FirstWords.of(turns.first?.messages.first?.content ?? ""),
      head: links.last.flatMap { numbers[end(of: $0.name)] } ?? turns.last?.number,
      turns: turns)
  }
}

private enum ChatUIMessage {
  static func nodes(_ message: JSON, _ begun: Int, model: String?) -> [MessageTree.Node] {
    let text = message["content"]?.string ?? ""
    let moment = moment(message["createdAt"]) ?? begun
    func node(_ kind: MessageTree.Node.Kind) -> MessageTree.Node { MessageTree.Node(kind: kind, moment: moment) }
    switch message["from"]?.string {
    case "user": return [node(.question(text))]
    case "assistant":
      var said = node(.said(text))
      said.model = message["routerMetadata"]?["model"]?.string ?? model
      said.status = message["interrupted"]?.bool == true ? .interrupted : .complete
      let reasoning = message["reasoning"]?.string ?? ""
      return reasoning.isEmpty ? [said] : [node(.thought(reasoning)), said]
    default: return [node(.nothing)]
    }
  }

  /// Milliseconds since 1970, of an ISO 8601 text, or as MongoDB's own export writes one.
  static func moment(_ json: JSON?) -> Int? {
    guard let text = json?.string ?? json?["$date"]?.string else { return nil }
    let form = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    guard let date = (try? form.parse(text)) ?? (try? Date.ISO8601FormatStyle().parse(text)) else { return nil }
    let seconds = date.timeIntervalSince1970
    return (0...253_402_300_799).contains(seconds) ? Int((seconds * 1000).rounded()) : nil
  }
}
