import Wire

/// Somebody who may sign in.
struct User: Sendable, Equatable {
  enum Standing: Sendable { case active, locked, disabled }

  var name: String
  var id: String
  var roles: [String]
  var groups: [String]
  var standing = Standing.active
  /// nil is the name.
  var ownPassword: String?

  var password: String { ownPassword ?? name }

  var email: String { "\(name)@kamiwaza.example" }

  static let all = [
    User(name: "demo", id: "5b0e6c1e-9d6f-4c53-8a3e-1f2d7b9c4e01", roles: ["user"], groups: ["everyone"]),
    User(
      name: "admin", id: "c2f4a7d8-3b1e-4f60-9e57-6a8d0b2c5f02", roles: ["admin", "user"],
      groups: ["everyone", "operators"]),
    User(
      name: "locked", id: "d7a1b3c5-7e9f-4a2b-8c4d-2e6f8a0b1c03", roles: ["user"], groups: [], standing: .locked),
    User(
      name: "disabled", id: "e8b2c4d6-8f0a-4b3c-9d5e-3f7a9b1c2d04", roles: ["user"], groups: [],
      standing: .disabled),
  ]

  /// UserInfo (docs/kamiwaza.md 3.2); under a personal access token the name is the identifier (docs/kamiwaza.md 3.3).
  func info(under identity: Identity.Kind) -> JSON {
    [
      "username": .string(identity == .personal ? id : name), "sub": .string(id), "email": .string(email),
      "groups": .array(groups.map(JSON.string)), "roles": .array(roles.map(JSON.string)),
    ]
  }
}

/// Who a call comes from.
struct Identity: Sendable {
  enum Kind: Sendable { case session, personal, none }

  var user: User
  var kind: Kind
  /// The session or the personal access token.
  var id: String
}

extension User {
  /// One more than those, from `NAME:PASSWORD`.
  init?(_ text: String) {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else { return nil }
    self.init(
      name: parts[0], id: "f1e2d3c4-0000-4000-8000-0000000000aa", roles: ["user"], groups: ["everyone"],
      ownPassword: parts[1])
  }
}
