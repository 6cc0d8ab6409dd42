import Chat
import Text

extension Complaint {
  /// The sentences of docs/kamiwaza.md 10.2, with what was seen behind them; nil where it has none.
  init?(ofKamiwaza error: BackendError, server: String) {
    switch error {
    case .unreachable(_, .badAddress): return nil
    case .unreachable(_, .tls(let words)) where words.hasPrefix("the authorities in "): return nil
    case .unreachable(_, .unreachableNetwork):
      self.init("No internet connection", hint: "/doctor shows how far it comes", .unreachable)
    case .unreachable(let address, let reason):
      self.init(
        "Cannot reach your Kamiwaza server. Check your connection and server status. (\(address): \(Complaint.why(reason)))",
        hint: "/doctor shows how far it comes", .unreachable)
    case .timedOut(let address, .connect, _):
      self.init(
        "Cannot reach your Kamiwaza server. Check your connection and server status. (\(address): no connection in time)",
        hint: "/doctor shows how far it comes", .unreachable)
    case .timedOut(let address, _, let seconds):
      self.init(
        "Request timed out. Please try again. (\(address), \(Complaint.seconds(seconds)))",
        hint: "/settings timeout.request allows more", .unreachable)
    case .unauthorized(let address, _):
      self.init("\(address) wants you to sign in", hint: "/login", .signIn)
    case .refused(_, 403, _):
      self.init(
        "You don't have permission to perform this action.", hint: "/whoami shows your roles", .refused)
    case .refused(_, 404, let message):
      self.init("Resource not found.\(Complaint.words(message))", hint: "/doctor checks the server", .refused)
    case .refused(_, 422, let message):
      self.init("\(message.isEmpty ? "the server did not take the request" : message)", .refused)
    case .refused(_, let status, let message) where status >= 500:
      self.init(
        "Server error. Please try again or contact your administrator. (\(status)\(message.isEmpty ? "" : ", \(message)"))",
        hint: "/doctor checks the server", .refused)
    case .modelGone(let name, let state):
      let now: SafeText = state.map { "'\(name)' is \($0)" } ?? "'\(name)'"
      self.init(
        "The model is no longer available. Please select a different model. (\(now))",
        hint: "/model MODEL asks another", .refused)
    case .notFound(let tried):
      let attempts = tried.map { "\($0.url): \(Complaint.outcome($0.outcome).string)" }.joined(separator: "; ")
      self.init(
        "Could not reach a Kamiwaza server at this address. Please check the URL and try again. (tried \(attempts))",
        hint: "/connect URL --kind openai when it is no Kamiwaza server", .refused)
    default: return nil
    }
  }

  private static func words(_ message: String) -> SafeText { message.isEmpty ? "" : " (\(message))" }
}
