import Chat

/// A server of tools as it was found: its tools, or why they are not known.
struct ToolShelf: Sendable {
  var server: ToolServer
  /// As it lists them; where it cannot be asked, as they were last seen.
  var tools: [Tool]
  var failure: ToolError?
}
