import Chat
import Store
import Text
import Wire

/// The parts of `/tools` that are about what servers have to read.
extension Toolbox {
  mutating func listResources(of word: String?, asJSON: Bool, _ links: inout Links, _ desk: inout Desk)
    async throws(ShellError)
  {
    try await links.meet(&desk)
    let gathered = try await gathered(from: word, &links, &desk) { tools throws(ToolError) in
      try await tools.resources()
    }
    for (server, found) in gathered { self.resources[server.name] = found }
    let rows = gathered.flatMap { server, resources -> [JSON] in
      resources.map { resource in
        [
          "name": .string("\(server.name):\(resource.uri)"), "server": .string(server.name),
          "uri": .string(resource.uri), "title": .string(resource.title ?? resource.name),
          "description": resource.summary.map(JSON.string) ?? .null,
          "type": resource.mimeType.map(JSON.string) ?? .null,
          "size": resource.size.map(JSON.int) ?? .null, "isTemplate": .bool(resource.isTemplate),
        ]
      }
    }
    try await desk.show(
      Listing(
        columns: [
          Listing.Column("RESOURCE", "name"), Listing.Column("TYPE", "type"), Listing.Column("SIZE", "size"),
          Listing.Column("ABOUT") { "\(($0["description"]?.string ?? $0["title"]?.string ?? "").firstLine)" },
        ], rows: rows, whenEmpty: "no tool server has anything to read"), asJSON: asJSON)
  }

  /// Shows what a server has to read: its text, to standard output.
  mutating func readResource(_ word: String, asJSON: Bool, _ links: inout Links, _ desk: inout Desk)
    async throws(ShellError)
  {
    guard let wanted = OfServer(word) else { throw .missing(.resource, command: "tools read") }
    try await links.meet(&desk)
    let contents = try await read(wanted, &links, &desk)
    if asJSON || desk.options.output != .text {
      return desk.show(
        JSON.array(
          contents.map { content in
            let (text, blob): (JSON, JSON) =
              switch content.body {
              case .text(let text): (.string(text), .null)
              case .blob(let base64): (.null, .string(base64))
              }
            return [
              "uri": .string(content.uri), "type": content.mimeType.map(JSON.string) ?? .null, "text": text,
              "blob": blob,
            ]
          }))
    }
    for content in contents {
      switch content.body {
      case .text(let text):
        let isTerminal = desk.world.terminal.traits.outputIsTerminal
        try await desk.show(
          long: .text(
            isTerminal
              ? DetailLines.block(text, columns: desk.wrapColumns)
              : Filter.source(text.withFinalNewline)))
      case .blob: desk.say("\(ContentNote(content)?.words ?? content.uri): --json prints it", .warning)
      }
    }
  }

  mutating func read(
    _ wanted: OfServer, _ links: inout Links, _ desk: inout Desk
  ) async throws(ShellError) -> [ResourceContent] {
    let server = try await toolServer(called: wanted.server, &links, &desk)
    return try await asking(server, &links, &desk) { tools throws(ToolError) in try await tools.read(wanted.name) }
  }
}
