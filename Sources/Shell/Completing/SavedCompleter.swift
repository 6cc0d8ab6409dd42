package import Store

extension Completer {
  /// What Tab can offer without a run: from the files alone, for the completion of command lines.
  ///
  /// - Parameters:
  ///   - server: whose models are offered; nil is the current one.
  ///   - browseKeeping: read only when a thing to browse is completed.
  ///   - terminalKeeping: read only when a terminal is completed.
  ///   - toolServers: those that the person added.
  ///   - snippets: read only when one is completed.
  ///   - sessions: read only when a session is completed.
  package init(
    servers: Servers, preferences: Preferences, toolServers: ToolServers = ToolServers(nil), server: String?,
    snippets: @escaping @Sendable () -> [Snippet] = { [] },
    sessions: @escaping @Sendable (_ typed: String) -> SessionNames,
    listFolder: @escaping @Sendable (String) -> [String],
    kinds: [String] = [], browseKeeping: BrowseKeeping = BrowseKeeping(read: { _, _ in nil }, write: { _, _, _ in }),
    terminalKeeping: TerminalKeeping = .none, now: @escaping @Sendable () -> Int = { 0 }
  ) {
    let entry = server.flatMap { servers.named($0) ?? servers.at($0) } ?? (server == nil ? servers.current : nil)
    self.init(
      commands: Commands.all, models: entry?.models ?? [], currentModel: entry?.model,
      servers: servers.entries.map(\.server), currentServer: servers.current?.server.name, sessions: sessions,
      settings: Setting.all.map { OfferedSetting($0, preferences) },
      listFolder: listFolder, kinds: kinds,
      browsed: { topic in entry.map { BrowseRecord.names(browseKeeping, $0.server.url, topic) } ?? [] },
      keptTerminals: { terminalKeeping.names(of: servers.entries.map(\.server)) }, snippets: snippets,
      tools: KnownTools(toolServers), now: now)
  }
}
