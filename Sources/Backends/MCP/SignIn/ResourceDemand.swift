import Transport

/// What a server of tools said when it let nobody in: where it is described, and what for rights it wants.
struct ResourceDemand: Sendable, Equatable {
  /// The address that was refused.
  var url: String
  /// Where its metadata is, in its own words (RFC 9728, section 5.1).
  var metadata: String?
  /// Rights, separated by blanks.
  var scope: String?
  /// Whoever asked is known, and may not do this (RFC 6750, section 3.1).
  var lacksScope: Bool

  init(url: String, metadata: String? = nil, scope: String? = nil, lacksScope: Bool = false) {
    self.url = url
    self.metadata = metadata
    self.scope = scope
    self.lacksScope = lacksScope
  }

  /// nil for an answer that is about something else: only a 401, and a 403 that asks for more rights, is cured by signing
  /// in (docs/mcp.md 7).
  init?(_ response: HTTPResponse, to url: String) {
    let bearers = Challenge.all(in: response).filter { $0.scheme == "bearer" }
    let lacksScope = bearers.contains { $0["error"] == "insufficient_scope" }
    guard response.status == 401 || response.status == 403 && lacksScope else { return nil }
    // Several may name different kinds of tokens: the one that says most is ours.
    let challenge = bearers.first { $0["resource_metadata"] != nil } ?? bearers.first { $0["scope"] != nil }
    self.init(
      url: url, metadata: challenge?["resource_metadata"], scope: challenge?["scope"].flatMap { $0.isEmpty ? nil : $0 },
      lacksScope: response.status == 403)
  }
}

/// Rights as they are asked for (RFC 6749, section 3.3).
struct Scopes: Equatable {
  private(set) var words: [String] = []

  init(_ text: String?) { add(text) }

  /// nil for none: then nothing is asked for, and the server decides.
  var text: String? { words.isEmpty ? nil : words.joined(separator: " ") }

  mutating func add(_ text: String?) {
    for word in (text ?? "").split(separator: " ").map(String.init) where !words.contains(word) && Scopes.isScope(word)
    {
      words.append(word)
    }
  }

  private static func isScope(_ word: String) -> Bool {
    word.utf8.allSatisfy { $0 == 0x21 || 0x23...0x5B ~= $0 || 0x5D...0x7E ~= $0 }
  }
}
