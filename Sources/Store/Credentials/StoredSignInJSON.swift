import Chat
import Wire

extension StoredSignIn {
  /// nil when it is not one.
  init?(_ json: JSON) {
    guard let kind = json["kind"]?.string.flatMap(Kind.init), let token = json["token"]?.string else { return nil }
    self.init(
      kind, token: Secret(token), refresh: json["refresh"]?.string.map(Secret.init), tokenID: json["tokenID"]?.string,
      expiresAt: json["expiresAt"]?.int, lifetime: json["lifetime"]?.int, username: json["username"]?.string,
      pass: json["pass"].flatMap(GatePass.init), issuer: json["issuer"].flatMap(Issuer.init))
  }

  /// With its secrets: for a file or a program that keeps them, and nothing else.
  var revealed: JSON {
    var json: JSON = ["kind": .string(kind.rawValue), "token": .string(token.reveal())]
    json["refresh"] = refresh.map { .string($0.reveal()) }
    json["tokenID"] = tokenID.map(JSON.string)
    json["expiresAt"] = expiresAt.map(JSON.int)
    json["lifetime"] = lifetime.map(JSON.int)
    json["username"] = username.map(JSON.string)
    json["pass"] = pass.map { ["id": .string($0.id), "secret": .string($0.secret.reveal())] }
    json["issuer"] = issuer?.json
    return json
  }
}

extension GatePass {
  /// nil when it is none.
  fileprivate init?(_ json: JSON) {
    guard let id = json["id"]?.string, let secret = json["secret"]?.string else { return nil }
    self.init(id: id, secret: Secret(secret))
  }
}

extension StoredSignIn.Issuer {
  /// nil when it is not one: the sign-in is then used as long as it lasts.
  fileprivate init?(_ json: JSON) {
    guard let url = json["url"]?.string, let tokenEndpoint = json["tokenEndpoint"]?.string,
      let clientID = json["clientID"]?.string, let resource = json["resource"]?.string
    else { return nil }
    self.init(
      url: url, tokenEndpoint: tokenEndpoint, revocationEndpoint: json["revocationEndpoint"]?.string,
      clientID: clientID, resource: resource, scope: json["scope"]?.string)
  }

  fileprivate var json: JSON {
    var json: JSON = [
      "url": .string(url), "tokenEndpoint": .string(tokenEndpoint), "clientID": .string(clientID),
      "resource": .string(resource),
    ]
    json["revocationEndpoint"] = revocationEndpoint.map(JSON.string)
    json["scope"] = scope.map(JSON.string)
    return json
  }
}
