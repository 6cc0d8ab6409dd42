import Testing
import Wire

@testable import Backends
@testable import Chat
@testable import Transport

/// Gateways of each form, as tests write them.
enum GatewaySample {
  static let root = "http://gw:8000"

  /// What a server of the form says at its root, and where it says what it is.
  static func greetings(_ form: GatewayForm) -> [String: [ScriptedHTTP.Reply]] {
    switch form {
    case .program: ["\(root)/": [.json(#"{"name":"Claude Code API Gateway","version":"1.0.0"}"#)]]
    case .relay: ["\(root)/": [.json(#"{"name":"Claude Code Backend API","version":"1.0.0"}"#)]]
    case .keeper:
      [
        "\(root)/": [.json("<!DOCTYPE html><html><title>Claude Code OpenAI Wrapper</title></html>")],
        "\(root)/v1/auth/status": [.json(#"{"claude_code_auth":{},"server_info":{}}"#)],
      ]
    case .documented:
      [
        "\(root)/": [.error(404, #"{"error":{"code":"not_found","message":"No route /","status":404}}"#)],
        "\(root)/health": [.json(#"{"ok":true,"version":"1.2.3","active_sessions":2,"uptime_seconds":7}"#)],
      ]
    }
  }

  static func backend(
    _ form: GatewayForm, _ routes: [String: ScriptedHTTP.Reply] = [:], choice: GatewayChoice? = nil
  ) -> (GatewayBackend, RoutedHTTP) {
    let http = RoutedHTTP(
      greetings(form).merging(
        routes.map { key, reply in
          let words = key.split(separator: " ")
          return words.count > 1 ? ("\(words[0]) \(root)/v1\(words[1])", [reply]) : ("\(root)/v1\(key)", [reply])
        }, uniquingKeysWith: { $1 }))
    let server = Server(name: "gw", kind: "gateway", url: root + "/v1", gateway: choice)
    return (GatewayBackend(Endpoint(server, http, nil, Timeouts(), clock: TestTime().source)), http)
  }
}

extension RoutedHTTP {
  /// The bodies of what was asked by POST.
  var posted: [JSON] {
    requests.filter { $0.method == "POST" }.compactMap { $0.body.flatMap { try? JSON(parsing: $0) } }
  }
}
