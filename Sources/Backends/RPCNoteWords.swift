import Transport
import Wire

extension RPCNote {
  /// As it is told. Not to be trusted.
  var words: String {
    switch self {
    case .junk(let text): "no message: \(text)"
    case .malformed: "a message that cannot be read"
    case .unknownAnswer(let id): "an answer that nobody waits for: \(id.json.serialized())"
    case .unassignedError(let failure): "an error of no request: \(failure.message) (\(failure.code))"
    case .tooManyRequests(let method): "too many questions at once: \(method)"
    }
  }
}
