import Chat
import Foundation
import Wire

/// Which session of a gateway a message goes to, and what the server knows of it (docs/gateway.md 3.3).
struct GatewayPlace: Sendable {
  /// The server's name for it; nil where it is to make one, or has none.
  var session: String?
  /// Whether the server knows what was said before.
  private(set) var isHeld = false

  init(known: String?) { session = known }

  /// The same once it is there.
  /// - Parameter isPassing: whether the question is of no conversation, so that no session has to be left behind for it.
  func entered(
    _ api: GatewayAPI, _ form: GatewayForm, _ history: GatewayHistory, model: String?, isPassing: Bool
  ) async throws(BackendError) -> GatewayPlace {
    var place = self
    if let session, api.memory.hasEnded(session) { place.session = nil }
    switch form {
    case .program: break
    case _ where isPassing && place.session == nil: break
    case .relay: place.session = nil
    case .keeper where api.memory.keepsHistory == false: break
    case .keeper:
      place.isHeld = try await place.isHeld(by: api, history)
      // What the server holds may be of another branch, or have the beginning of an answer that nobody saw.
      if !place.isHeld { place.session = UUID().uuidString.lowercased() + history.systemMark }
    case .documented where place.session == nil:
      place.session = try await GatewayPlace.opened(api, history, model: model)
    case .documented: break
    }
    return place
  }

  /// Whether the server's session has what was said before, and nothing else.
  private func isHeld(by api: GatewayAPI, _ history: GatewayHistory) async throws(BackendError) -> Bool {
    guard let session else { return false }
    // By which system prompt an earlier run began it is not told there: the name that it was given tells.
    guard session.hasSuffix(history.systemMark) else { return false }
    if let held = api.memory[heldBy: session], held != history.digestBefore { return false }
    return try await api.messageCount(of: session) == history.countBefore
  }

  /// Whether the server kept what was said before when it was sent the last message alone; nil where that is known, or
  /// cannot be.
  func wasKept(by api: GatewayAPI, _ history: GatewayHistory) async -> Bool? {
    guard isHeld, api.memory.keepsHistory == nil, let session,
      let count = try? await api.messageCount(of: session)  // who does not say is believed
    else { return nil }
    return count >= history.countBefore + 2
  }

  /// A session that was made for a conversation; nil where the server makes one by itself.
  private static func opened(
    _ api: GatewayAPI, _ history: GatewayHistory, model: String?
  ) async throws(BackendError) -> String? {
    var wish: JSON = ["project_id": .string(api.endpoint.server.gateway?.project ?? "default")]
    wish["model"] = model.map { .string($0) }
    wish["system_prompt"] = history.system.map { .string($0) }
    do throws(BackendError) { return try await api.send("POST", "/sessions", wish)["id"]?.word } catch {
      guard error.isMissing else { throw error }
      return nil
    }
  }
}

extension GatewayAPI {
  /// How many messages a session holds; nil when it is not there any more.
  fileprivate func messageCount(of session: String) async throws(BackendError) -> Int? {
    do throws(BackendError) {
      return try await get("/sessions/\(session.percentEncoded)")["message_count"]?.int
    } catch {
      guard error.isMissing else { throw error }
      return nil
    }
  }
}
