import Chat
import Transport

/// Makes a backend's errors out of what the network and a server said.
struct Failures {
  /// Whom to name: `host` or `host:port`.
  let address: String
  let timeouts: Timeouts
  /// Whether a 403 is about what the person may do, and not about who asks.
  var knowsPersons = false
  /// What a server repeats of our secrets is not told.
  var mask: SecretMask?

  /// A transfer that failed; `wait` is the time-out that was running.
  func transport(_ error: TransportError, during wait: BackendError.Wait) -> BackendError {
    switch error {
    case .cancelled: .cancelled
    case .untrusted(let distrust): .untrusted(distrust)
    case .connectTimeout: .timedOut(address: address, .connect, seconds: timeouts.connect)
    case .headersTimeout, .readTimeout: .timedOut(address: address, wait, seconds: seconds(of: wait))
    case .breach(let words): .malformed(address: address, detail: words)
    case .notHTTP: .malformed(address: address, detail: "not HTTP")
    case .badEncoding: .malformed(address: address, detail: "its compression is broken")
    case .tooLarge(let limit): .tooLarge(address: address, limit: TransportError.words(limit: limit))
    default: .unreachable(address: address, reason: error.unreachable.withoutQueries)
    }
  }

  private func seconds(of wait: BackendError.Wait) -> Double {
    switch wait {
    case .connect: timeouts.connect
    case .request: timeouts.request
    case .firstToken: timeouts.firstToken ?? 0
    }
  }

  /// An answer with a status from 300 on.
  func status(
    _ status: Int, _ body: ErrorBody, location: String? = nil, model: String? = nil, retryAfter: Int? = nil
  ) -> BackendError {
    if let location, 300..<400 ~= status {
      return .refused(address: address, status: status, message: "redirects to \(mask?(location) ?? location)")
    }
    var body = body
    // Its words are joined from parts that were masked one by one.
    body.message = mask?(body.message) ?? body.message
    if status != 429, let error = body.contextError { return error }
    switch status {
    case 401 where knowsPersons: return .unauthorized(address: address, message: body.message)
    case 403 where knowsPersons: return .refused(address: address, status: status, message: body.message)
    case 400..<404 where body.reportsInvalidKey(status: status):
      return .unauthorized(address: address, message: body.message)
    case 429 where retryAfter == nil && body.isAboutBudget:
      return .refused(address: address, status: status, message: body.message)
    case 429: return .rateLimited(address: address, message: body.message, retryAfter: retryAfter)
    default: break
    }
    if let model, body.isAboutMissingModel(model, status: status) {
      return .modelNotFound(name: model, message: body.message)
    }
    return .refused(address: address, status: status, message: body.message)
  }
}

extension BackendError.Unreachable {
  /// The reason without the queries of addresses in it: a refresh token travels in one (docs/rules.md C6).
  var withoutQueries: Self {
    switch self {
    case .proxy(let text): .proxy(Self.withoutQueries(text))
    case .badAddress(let text): .badAddress(Self.withoutQueries(text))
    case .tls(let text): .tls(Self.withoutQueries(text))
    case .other(let text): .other(Self.withoutQueries(text))
    case .unknownHost, .refused, .unreachableNetwork, .reset: self
    }
  }

  private static func withoutQueries(_ text: String) -> String {
    guard text.contains("?") else { return text }
    let words = text.split(separator: " ", omittingEmptySubsequences: false)
    return words.map { word in
      let isAddress = word.contains("/") || word.contains("=")
      return isAddress ? String(word.prefix { $0 != "?" }) : String(word)
    }.joined(separator: " ")
  }
}
