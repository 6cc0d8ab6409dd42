import Chat
import Transport
import Wire

/// Why a password was not taken (docs/kamiwaza.md 8). Only its meaning is kept, none of the server's words.
struct PasswordRefusal {
  private let status: Int
  private let words: String

  init(_ document: Document) {
    status = document.status
    words = String(decoding: document.bytes.prefix(8 << 10), as: UTF8.self).lowercased()
  }

  var isAboutScope: Bool { says("invalid_scope", "invalid scope") }

  func error(address: String, retryAfter: Int?) -> BackendError {
    if says("unauthorized_client") { return .signInRefused(address: address, .noPasswords) }
    if status == 429 || says("rate limit", "rate_limit", "too many requests") {
      return .rateLimited(address: address, message: "", retryAfter: retryAfter)
    }
    switch status {
    case 423: return .signInRefused(address: address, .locked)
    case 403: return .signInRefused(address: address, .disabled)
    // Keycloak says invalid_grant of these too.
    case 400 where says("disabled", "not fully set up"): return .signInRefused(address: address, .disabled)
    case 400 where says("invalid_grant"), 401: return .signInRefused(address: address, .wrongPassword)
    case 502, 503, 504: return .signInRefused(address: address, .providerDown)
    default: return .refused(address: address, status: status, message: "")
    }
  }

  private func says(_ phrases: String...) -> Bool { phrases.contains(where: words.contains) }
}
