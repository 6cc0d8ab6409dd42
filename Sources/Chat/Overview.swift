package import Wire

/// What a server has for whoever begins there: its lists, asked for side by side while the person types
/// (docs/chatui.md 10). What could not be had is nil.
package struct Overview: Sendable, Equatable {
  package typealias Look = @Sendable (_ tell: @escaping @Sendable (Overview) -> Void) async -> Void

  package var models: [Model]?
  /// The newest of the conversations that it keeps.
  package var sessions: [RemoteSession]?
  /// What the person has set there.
  package var settings: JSON?
  /// Whether it wants a sign-in, and that which is kept is not valid any more.
  package var wantsSignIn: Bool

  /// Takes what has come since.
  package mutating func add(_ later: Overview) {
    models = later.models ?? models
    sessions = later.sessions ?? sessions
    settings = later.settings ?? settings
    wantsSignIn = wantsSignIn || later.wantsSignIn
  }

  package init(
    models: [Model]? = nil, sessions: [RemoteSession]? = nil, settings: JSON? = nil, wantsSignIn: Bool = false
  ) {
    self.models = models
    self.sessions = sessions
    self.settings = settings
    self.wantsSignIn = wantsSignIn
  }
}
