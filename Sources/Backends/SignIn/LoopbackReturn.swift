import Chat
import Transport

/// The address on this machine that a browser comes back to with a code (RFC 8252, section 7.3).
struct LoopbackReturn: Sendable {
  /// How long the person has, in seconds.
  static let patience = 300.0

  /// What only the answer to our own question has in it.
  let state = Unguessable.text()
  private let listener: LoopbackListener

  /// nil when there is no listening here. - Parameter port: 0 takes one that is free.
  init?(port: UInt16 = 0) {
    do throws(LoopbackListener.Failure) { listener = try LoopbackListener(port: port) } catch { return nil }
  }

  var url: String { "http://127.0.0.1:\(listener.port)/callback" }

  /// Waits for whoever comes back with a state.
  /// - Parameters:
  ///   - state: nil is our own.
  ///   - address: whom to name in an error.
  func query(state: String? = nil, address: String) async throws(BackendError) -> QueryItems {
    let wanted = state ?? self.state
    switch await listener.wait(
      path: "/callback", seconds: LoopbackReturn.patience, isExpected: { QueryItems($0)["state"] == wanted })
    {
    case .came(let text): return QueryItems(text)
    case .timedOut:
      throw .notSignedIn(address, "nobody came back within \(Int(LoopbackReturn.patience) / 60) minutes")
    case .cancelled: throw .cancelled
    case .failed(let reason): throw .notSignedIn(address, reason)
    }
  }

  /// Waits for the code of an issuer.
  /// - Parameters:
  ///   - mustSay: whether the issuer has announced that it says who it is (RFC 9207).
  ///   - address: whom to name in an error.
  func code(of issuer: String, mustSay: Bool = false, address: String) async throws(BackendError) -> String {
    let query = try await query(address: address)
    // Another issuer's answer to our question is somebody mixing them up (RFC 9207).
    if let from = query["iss"] {
      guard from == issuer else { throw .notSignedIn(address, "another identity provider answered") }
    } else if mustSay {
      throw .notSignedIn(address, "whoever answered does not say who they are")
    }
    if query["error"] != nil { throw .notSignedIn(address, error: query["error"]) }
    guard let code = query["code"], !code.isEmpty else {
      throw .notSignedIn(address, "the identity provider sent no code")
    }
    return code
  }
}

extension BackendError {
  /// A browser sign-in that did not come to its end.
  static func notSignedIn(_ address: String, _ reason: String) -> BackendError {
    .signInRefused(address: address, .browser(reason))
  }

  /// What a provider calls its refusal: a word of ours or of the RFCs, nothing it made up.
  static func notSignedIn(_ address: String, error word: String?) -> BackendError {
    guard let word, word.count <= 40, word.utf8.allSatisfy({ 0x61...0x7A ~= $0 || $0 == 0x5F }), !word.isEmpty else {
      return .notSignedIn(address, "the identity provider refused")
    }
    return .notSignedIn(address, word.replacing("_", with: " "))
  }
}
