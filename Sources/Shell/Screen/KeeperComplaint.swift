import Chat
import Text

/// What befell a server that keeps conversations, in words.
extension Complaint {
  /// nil for what can befall any server.
  init?(ofKeeper error: BackendError, server: String) {
    switch error {
    case .notOffered(let what):
      self.init("server '\(server)' does not have \(what)", hint: "/sessions lists what it keeps", .usage)
    case .mayNotHaveArrived:
      self.init(
        "the connection was lost while the message was on its way: it may not have arrived",
        hint: "/resume shows what the server has of it", .cutOff)
    default: return nil
    }
  }
}
