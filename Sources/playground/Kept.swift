import Foundation

/// What outlives the process: the key that signs tokens, the sessions, the personal access tokens.
struct Kept: Codable, Sendable {
  struct Session: Codable, Sendable {
    var user: String
    /// The one refresh token that is good; every refresh makes another.
    var refresh: String
  }

  struct PersonalToken: Codable, Sendable {
    var id: String
    var jti: String
    var owner: String
    var name: String?
    var scope: String?
    var audience: String?
    var expires: Int
    var createdAt: String
    var updatedAt: String
    var isRevoked: Bool
  }

  var secret: [UInt8]
  /// Access tokens of an earlier round have expired.
  var round = 0
  var sessions: [String: Session] = [:]
  var personalTokens: [PersonalToken] = []

  private static let file = "accounts.json"

  /// What is in the folder, or a fresh start.
  static func load(from folder: StateFolder) throws -> Kept {
    guard let bytes = try folder.read(file) else { return Kept(secret: Tokens.random(32)) }
    return try JSONDecoder().decode(Kept.self, from: Data(bytes))
  }

  func save(to folder: StateFolder) throws {
    try folder.write(Array(try JSONEncoder().encode(self)), to: Self.file)
  }
}
