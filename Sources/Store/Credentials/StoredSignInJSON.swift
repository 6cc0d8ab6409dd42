import Chat
import Wire

extension StoredSignIn {
  /// nil when it is not one.
  init?(_ json: JSON) {
    guard let kind = json["kind"]?.string.flatMap(Kind.init), let token = json["token"]?.string else { return nil }
    self.init(
      kind, token: Secret(token), refresh: json["refresh"]?.string.map(Secret.init), tokenID: json["tokenID"]?.string,
      expiresAt: json["expiresAt"]?.int, lifetime: json["lifetime"]?.int, username: json["username"]?.string)
  }

  /// With its secrets: for a file or a program that keeps them, and nothing else.
  var revealed: JSON {
    var json: JSON = ["kind": .string(kind.rawValue), "token": .string(token.reveal())]
    json["refresh"] = refresh.map { .string($0.reveal()) }
    json["tokenID"] = tokenID.map(JSON.string)
    json["expiresAt"] = expiresAt.map(JSON.int)
    json["lifetime"] = lifetime.map(JSON.int)
    json["username"] = username.map(JSON.string)
    return json
  }
}
