import Chat
import Text

extension Complaint {
  /// What a server of tools did not do.
  init(_ error: ToolError, server: String) {
    switch error {
    case .server(let error):
      self.init(error, server: server)
      // Its address alone does not tell whose it is.
      if !text.string.contains("'\(server)'") { text = "tool server '\(server)': " + text }
      hint = Complaint.hint(error, ofToolServer: Words.quoted(server), otherwise: hint)
    case .signInNeeded:
      self.init(
        "tool server '\(server)' wants you to sign in",
        hint: "/tools login \(Words.quoted(server)); --token-stdin reads a token", .signIn)
    case .inTheClear(let origin):
      self.init(
        "the sign-in of tool server '\(server)' does not go to \(origin): it is not encrypted",
        hint: "https, or a server on this machine", .signIn)
    case .notStarted(let program, let reason):
      self.init(
        "tool server '\(server)' cannot be started: \(program) (\(reason))",
        hint: "/tools add and /tools remove change it",
        .unreachable)
    case .exited(let program, let status, let lastWords):
      let words: SafeText = lastWords.isEmpty ? "" : ": \(lastWords)"
      self.init("tool server '\(server)' ended: \(program) exited with \(status)" + words, .unreachable)
    case .refused(let code, let message):
      self.init("tool server '\(server)' refused: \(message) (\(code))", .refused)
    case .timedOut(.start, let seconds):
      self.init(
        "tool server '\(server)' did not start within \(Complaint.seconds(seconds))",
        hint: "/settings timeout.tool-start \(Int(max(1, seconds) * 2)) waits longer", .unreachable)
    case .timedOut(let wait, let seconds):
      let what: SafeText = wait == .request ? "answer" : "result"
      let inAll: SafeText = wait == .whole ? " in all" : ""
      let setting: SafeText = wait == .request ? "timeout.request" : "timeout.tool"
      self.init(
        "tool server '\(server)' gave no " + what + " within \(Complaint.seconds(seconds))" + inAll,
        hint: "/settings " + setting + " \(Int(max(1, seconds) * 2)) waits longer", .refused)
    case .noSharedVersion(let theirs):
      self.init(
        "tool server '\(server)' speaks versions of its protocol that parley does not: \(theirs.joined(separator: ", "))",
        .refused)
    case .notOffered(let what): self.init("tool server '\(server)' has no \(what)", .usage)
    case .malformed(let detail): self.init("tool server '\(server)' sent what cannot be read: \(detail)", .refused)
    case .lost: self.init("tool server '\(server)' broke off in the middle of a call", .refused)
    case .cancelled: self.init("interrupted", .interrupted)
    }
  }
  /// What helps with a server of models may not help here.
  private static func hint(_ error: BackendError, ofToolServer name: String, otherwise hint: SafeText?) -> SafeText? {
    switch error {
    case .signInRefused(_, .browser): "/tools login \(name) --token-stdin reads a token"
    case .signInRefused: "/tools login \(name) tries again"
    case .refused(_, 404, _), .refused(_, 405, _), .malformed, .notFound: "its address often ends in …/mcp"
    case .unreachable(_, .unknownHost), .unreachable(_, .badAddress): "is its address right?"
    case .refused, .rateLimited, .failed, .stalled, .modelGone, .modelNotFound, .contextExceeded: nil
    default: hint
    }
  }
}
