import Chat
import Store
import Text

extension AttachedResource {
  /// The words of a message that are `@SERVER:URI` of a known server; what ends a sentence is no part of one.
  static func words(in text: String, servers: Set<String>) -> [OfServer] {
    var found: [OfServer] = []
    for part in text.split(whereSeparator: \.isWhitespace) {
      var word = part.drop { "([{\"'".contains($0) }
      guard word.popFirst() == "@" else { continue }
      while let last = word.last, ".,;:!?)]}\"'".contains(last) { word.removeLast() }
      guard let wanted = OfServer(String(word)), servers.contains(wanted.server), !found.contains(wanted) else {
        continue
      }
      found.append(wanted)
    }
    return found
  }
}

extension Toolbox {
  /// A message that was typed, with what it names as `@SERVER:URI` behind it. Only typed words count: what comes from
  /// a file or a server names nothing (docs/rules.md A8).
  package mutating func attachingResources(_ text: String, _ links: inout Links, _ desk: inout Desk)
    async throws(ShellError) -> String
  {
    guard text.contains("@") else { return text }
    guard text.contains(":") else { return text }
    await refreshToolServers(&desk)
    // The program's own has nothing to read.
    let known = Set((added + self.servers).filter { $0.address != .terminals }.map(\.name))
    let wanted = AttachedResource.words(in: text, servers: known)
    guard !wanted.isEmpty else { return text }
    var whole = text
    for resource in wanted {
      let contents = try await read(resource, &links, &desk)
      whole += "\n\n" + AttachedResource.text(of: contents, label: "@\(resource.server):\(resource.name)")
      sayAttached(contents, desk)
    }
    return whole
  }

  private func sayAttached(_ contents: [ResourceContent], _ desk: Desk) {
    for content in contents {
      switch content.body {
      case .text(let text):
        desk.say(
          text.count > AttachedResource.limit
            ? "attached \(AttachedResource.limit) of \(text.count) characters of \(content.uri)"
            : "attached \(content.uri), \(text.count) characters")
      case .blob: desk.say("\(ContentNote(content)?.words ?? content.uri): only that is sent", .warning)
      }
    }
  }
}
