import Chat
import Testing
import Wire

@testable import Backends
@testable import Transport

/// A chat-ui server as tests write it: with one conversation, `c`, that begins with a root, `r`.
enum ChatUISample {
  static let root = "http://chat:3000"

  /// - Parameter answer: what it says to a message, in the form of OpenAI's stream, which is put into its own.
  static func backend(_ answer: ScriptedHTTP.Reply, more routes: [String: [ScriptedHTTP.Reply]] = [:]) -> ChatUIBackend
  {
    let tree = #"{"json":{"id":"c","model":"test","rootMessageId":"r","messages":[{"id":"r","from":"system"}]}}"#
    let http = RoutedHTTP(
      [
        "POST \(root)/conversation": [.json(#"{"conversationId":"c"}"#)],
        "GET \(root)/api/v2/conversations/c": [.json(tree)],
        "POST \(root)/conversation/c": [translated(answer)],
        "POST \(root)/conversation/c/stop-generating": [.json("")],
      ].merging(routes, uniquingKeysWith: { $1 }))
    let server = Server(name: "chat", kind: "chat-ui", url: root)
    return ChatUIBackend(Endpoint(server, http, nil, Timeouts(), clock: TestTime().source))
  }

  private static func translated(_ answer: ScriptedHTTP.Reply) -> ScriptedHTTP.Reply {
    guard case .response(let status, let headers, let pieces) = answer else { return answer }
    return .response(
      status, headers: headers,
      pieces.map { piece in
        guard case .bytes(let bytes) = piece else { return piece }
        return .bytes(Array(translated(String(decoding: bytes, as: UTF8.self)).utf8))
      })
  }

  private static func translated(_ text: String) -> String {
    var said = ""
    let updates = text.split(separator: "\n").compactMap { line -> JSON? in
      guard line.hasPrefix("data: "), let json = try? JSON(parsing: String(line.dropFirst(6))) else { return nil }
      let choice = json["choices"]?[0]
      if let piece = choice?["delta"]?["content"]?.string, !piece.isEmpty {
        said += piece
        return ["type": "stream", "token": .string(piece + "\0\0")]
      }
      guard choice?["finish_reason"]?.string != nil else { return nil }
      return ["type": "finalAnswer", "text": .string(said), "interrupted": false]
    }
    return updates.map { $0.serialized() + "\n" }.joined()
  }
}
