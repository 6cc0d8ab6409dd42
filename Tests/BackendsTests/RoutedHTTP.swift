import Foundation
import Testing

@testable import Transport

/// An HTTP that answers each address as a test wrote, in whatever order they are asked; the last reply to an address is
/// repeated, and an address that nobody expected is a 404 as the platform writes it.
// Sendable: what varies is behind the lock.
final class RoutedHTTP: HTTP, @unchecked Sendable {
  private let lock = NSLock()
  private var routes: [String: [ScriptedHTTP.Reply]]
  private var seen: [HTTPRequest] = []

  /// The keys are a method and a URL, such as `GET https://kz.lan/api/models/`; without a method they are GET.
  init(_ routes: [String: [ScriptedHTTP.Reply]]) { self.routes = routes }

  /// What was asked, as `GET https://kz.lan/api/models/`.
  var asked: [String] { lock.withLock { seen.map { "\($0.method) \($0.url)" } } }
  var requests: [HTTPRequest] { lock.withLock { seen } }

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    let script = ScriptedHTTP([reply(to: request)])
    return try await script.send(request)
  }

  private func reply(to request: HTTPRequest) -> ScriptedHTTP.Reply {
    lock.withLock {
      seen.append(request)
      let keys = ["\(request.method) \(request.url)", request.url]
      guard let key = keys.first(where: { routes[$0] != nil }), let replies = routes[key], let reply = replies.first
      else { return .response(404, [.text(#"{"detail":"Not Found"}"#)]) }
      if replies.count > 1 { routes[key] = Array(replies.dropFirst()) }
      return reply
    }
  }
}

extension ScriptedHTTP.Reply {
  static func json(_ text: String) -> ScriptedHTTP.Reply { .response(200, [.text(text)]) }
  static func error(_ status: Int, _ text: String = #"{"detail":"no"}"#) -> ScriptedHTTP.Reply {
    .response(status, [.text(text)])
  }
}
