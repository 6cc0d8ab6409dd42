import Chat
import Text

/// What befell a gateway, in words.
extension Complaint {
  /// nil for what can befall any server.
  init?(ofGateway error: BackendError, server: String) {
    switch error {
    case .notOffered(let what): self.init(.hasNone(server: server, what: what))
    case .refused(_, 409, _):
      self.init("the session on '\(server)' is still busy with what was asked before", .refused)
    case .refused(let address, 503, let message):
      self.init(
        "\(address) cannot run Claude now\(message.isEmpty ? "" : " (\(message))" as SafeText)",
        // Runs that ended at once may keep their place until their session is deleted.
        hint: message.contains("Maximum concurrent") ? "/sessions delete SESSION frees a place there" : nil, .refused)
    default: return nil
    }
  }
}
