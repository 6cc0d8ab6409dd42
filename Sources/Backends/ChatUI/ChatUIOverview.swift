import Chat
import Wire

extension ChatUIBackend {
  /// All is asked at once: a slow list holds up none of the others. What fails is told when it is asked for.
  var overview: Overview.Look? {
    { [api] tell in
      // Read once: each of them would else ask the keyring for itself.
      _ = try? await api.endpoint.bearer.stored
      async let models: Void = {
        if let models = try? await api.models() { tell(Overview(models: models)) }
      }()
      async let sessions: Void = {
        if let list = try? await ChatUISessions(api).page(0) { tell(Overview(sessions: list.sessions)) }
      }()
      async let settings: Void = {
        if let settings = try? await ChatUISettings(api: api).all() { tell(Overview(settings: settings)) }
      }()
      async let person: Void = {
        if (try? await ChatUIAccount(api).wantsSignIn()) == true { tell(Overview(wantsSignIn: true)) }
      }()
      _ = await (models, sessions, settings, person)
    }
  }
}
