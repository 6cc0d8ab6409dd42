import Chat

/// A tool as a model is offered it: under a name of its own, and with the connection to whom it is of.
struct OfferedTool: Sendable {
  /// Its `name` is the one the model knows: unique among all that are offered, and of letters, digits, `_` and `-`.
  var tool: Tool
  /// Its name on its server.
  var ownName: String
  var server: ToolServer
  var connection: any ToolConnection
}

extension ToolServer {
  /// Where it is, for permissions: what makes it this one and no other, whatever it is called.
  var place: String {
    switch address {
    case .http(let url): url
    case .command(let words, _): words.map(Words.quoted).joined(separator: " ")
    }
  }
}
