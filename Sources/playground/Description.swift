import Wire

/// `/openapi.json`: which routes there are, as a client looks them up (docs/kamiwaza.md 2).
enum Description {
  static func route(of routes: [Route], _ release: Release) -> Route {
    var paths: JSON = .object([])
    for route in routes where route.place == .api {
      var operations = paths[route.path] ?? .object([])
      let answer: JSON = [
        "description": "Successful Response", "content": ["application/json": ["schema": .object([])]],
      ]
      operations[route.method.lowercased()] = ["summary": .string(route.name), "responses": ["200": answer]]
      paths[route.path] = operations
    }
    let described = paths
    return Route("GET", "/openapi.json") { (_, playground) async throws(Refusal) in
      .json([
        "openapi": "3.1.0",
        "info": ["title": "Kamiwaza Platform", "version": .string(release == .old ? "0.9.3" : "1.2.0")],
        "servers": [["url": .string(playground.options.apiRoot.isEmpty ? "/" : playground.options.apiRoot)]],
        "paths": described,
      ])
    }
  }
}
