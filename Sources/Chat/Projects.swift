/// The projects of a server: folders on its machine that conversations belong to (docs/gateway.md 5).
package protocol Projects: Sendable {
  /// In the server's order.
  func list() async throws(BackendError) -> [Project]

  /// - Parameter path: a folder below the server's own root, made when it is not there; nil lets the server choose.
  func create(_ name: String, at path: String?) async throws(BackendError) -> Project

  func read(_ id: String) async throws(BackendError) -> Project

  /// Takes it away on the server, with its folder and all that is in it.
  func delete(_ id: String) async throws(BackendError)
}

/// A project, in the words of its server: not to be trusted.
package struct Project: Sendable, Equatable {
  /// The server's own name for it.
  package var id: String
  package var name: String
  package var about: String?
  /// Where its folder is, on the server's machine.
  package var path: String?
  /// Milliseconds since 1970.
  package var createdAt: Int?
  package var updatedAt: Int?

  package init(
    id: String, name: String, about: String? = nil, path: String? = nil, createdAt: Int? = nil, updatedAt: Int? = nil
  ) {
    self.id = id
    self.name = name
    self.about = about
    self.path = path
    self.createdAt = createdAt
    self.updatedAt = updatedAt
  }
}
