import Foundation

/// Finds the route of a call, and answers as the platform does where there is none.
struct Router: Sendable {
  let routes: [Route]
  let playground: Playground
  /// The port that stands for one deployment, in the way of old installations (docs/kamiwaza.md 4.4).
  var modelPort: Int?

  func answer(_ call: Call) async -> Reply {
    do throws(Refusal) {
      return try await reply(to: call)
    } catch {
      return error.reply
    }
  }

  private func reply(to call: Call) async throws(Refusal) -> Reply {
    if let modelPort, call.host.hasSuffix(":\(modelPort)") { return try await legacyReply(to: call) }
    let prefix = playground.options.prefix
    guard call.path.hasPrefix(prefix) else { return WebPages.notFound }
    let path = call.path.dropFirst(prefix.count)
    if path == "/" || path.isEmpty { return WebPages.home }

    let root = playground.options.apiRoot.dropFirst(prefix.count)
    let isBelowAPI = path.hasPrefix(root + "/")
    for place in [Route.Place.site, .api] where place == .site || isBelowAPI {
      let rest = place == .api ? path.dropFirst(root.count) : path
      let candidates = routes.filter { $0.place == place }
      if let reply = try await reply(to: call, at: rest, among: candidates) { return reply }
    }
    if isBelowAPI { throw Refusal(404, "Not Found") }
    return WebPages.notFound
  }

  /// nil when none of the routes has that path.
  private func reply(to call: Call, at path: Substring, among routes: [Route]) async throws(Refusal) -> Reply? {
    let matches = routes.compactMap { route in route.match(path).map { (route, $0) } }
    if let (route, parameters) = matches.first(where: { $0.0.method == call.method }) {
      await playground.counts.add(route.name)
      var call = call
      call.parameters = parameters
      return try await route.answer(call, playground)
    }
    if let (route, _) = matches.first {
      throw Refusal(Refusal(405, "Method Not Allowed").reply.with("Allow", route.method))
    }
    // FastAPI's redirect knows neither of TLS nor of the prefix in front of it (docs/kamiwaza.md 2).
    let other = path.hasSuffix("/") ? path.dropLast() : path + "/"
    guard routes.contains(where: { $0.match(other) != nil }) else { return nil }
    let query = call.queryText.isEmpty ? "" : "?" + call.queryText
    return .redirect(307, to: "http://\(call.host)\(other)\(query)")
  }

  private func legacyReply(to call: Call) async throws(Refusal) -> Reply {
    let id = Deployments.legacyID
    guard call.path.hasPrefix("/v1/") else { throw .engine(404, "File Not Found", type: "not_found_error") }
    let path = RuntimeRoutes.base(playground.options) + "/\(id)" + call.path
    guard let reply = try await reply(to: call, at: path[...], among: routes.filter { $0.place == .site }) else {
      throw .engine(404, "File Not Found", type: "not_found_error")
    }
    return reply
  }
}
