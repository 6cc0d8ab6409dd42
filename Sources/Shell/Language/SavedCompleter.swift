package import Store

extension Completer {
  /// What Tab can offer without a run: from the files alone, for the completion of command lines.
  ///
  /// - Parameters:
  ///   - server: whose models are offered; nil is the current one.
  ///   - sessions: read only when a session is completed.
  package init(
    servers: Servers, preferences: Preferences, server: String?,
    sessions: @escaping @Sendable () -> [(id: String, title: String)],
    listFolder: @escaping @Sendable (String) -> [String]
  ) {
    let entry = server.flatMap { servers.named($0) ?? servers.at($0) } ?? (server == nil ? servers.current : nil)
    self.init(
      commands: Commands.all, models: entry?.models ?? [], currentModel: entry?.model,
      servers: servers.entries.map(\.server), currentServer: servers.current?.server.name, sessions: sessions,
      settings: Setting.all.map { setting in
        (setting.key, setting.summary, setting.choices, preferences[setting.key].text)
      },
      listFolder: listFolder)
  }
}
