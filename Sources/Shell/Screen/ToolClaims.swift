import Chat
import Text

extension ToolHints {
  /// What a server claims of its tool: nothing that we could know.
  var claims: [String] {
    [
      isReadOnly.map { $0 ? "only reads" : "changes things" },
      isDestructive.map { $0 ? "may destroy" : "destroys nothing" },
      isIdempotent.map { $0 ? "calling it twice does no more than once" : "calling it twice does more than once" },
      isOpenWorld.map { $0 ? "reaches beyond its server" : "stays on its server" },
    ].compactMap { $0 }
  }

  /// For a person; nil when nothing is claimed.
  var shownClaims: SafeText? { claims.isEmpty ? nil : "\(claims.joined(separator: ", ")) (unproven)" }
}
