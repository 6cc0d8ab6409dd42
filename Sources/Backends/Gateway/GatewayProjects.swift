import Chat
import Wire

/// The projects of a gateway (docs/gateway.md 5).
struct GatewayProjects: Projects {
  let api: GatewayAPI

  /// More than anybody looks through.
  private static let limit = 1000

  func list() async throws(BackendError) -> [Project] {
    try await offered { () async throws(BackendError) in
      try await api.list("/projects", "projects", atMost: GatewayProjects.limit).entries.compactMap(Project.init)
    }
  }

  func create(_ name: String, at path: String?) async throws(BackendError) -> Project {
    var wish: JSON = ["name": .string(name)]
    wish["path"] = path.map { .string($0) }
    return try await offered { [wish] () async throws(BackendError) in
      try project(try await api.send("POST", "/projects", wish))
    }
  }

  func read(_ id: String) async throws(BackendError) -> Project {
    try project(try await api.get("/projects/\(id.percentEncoded)"))
  }

  func delete(_ id: String) async throws(BackendError) {
    try await api.send("DELETE", "/projects/\(id.percentEncoded)")
  }

  private func project(_ json: JSON) throws(BackendError) -> Project {
    guard let project = Project(json) else { throw .malformed(address: api.address, detail: "no project") }
    return project
  }

  /// Some have no projects at all.
  private func offered<T>(_ ask: () async throws(BackendError) -> T) async throws(BackendError) -> T {
    do throws(BackendError) { return try await ask() } catch {
      throw error.isMissing ? .notOffered("projects") : error
    }
  }
}

extension Project {
  /// nil for what has no name of its server's.
  fileprivate init?(_ json: JSON) {
    guard let id = json["id"]?.word else { return nil }
    self.init(
      id: id, name: json["name"]?.word ?? id, about: json["description"]?.word, path: json["path"]?.word,
      createdAt: json["created_at"].flatMap(Moment.milliseconds),
      updatedAt: json["updated_at"].flatMap(Moment.milliseconds))
  }
}
