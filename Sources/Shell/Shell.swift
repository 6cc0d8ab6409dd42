import Chat
package import Store
import Text
import Wire

/// The state of one run: owned by its loop and lent to commands.
package struct Shell {
  package var desk: Desk
  /// The servers that the person keeps, and the one in use.
  package var links: Links
  var toolbox: Toolbox
  var talk: Talk
  var snippets: Snippets
  /// What answers are to fit; nil is any text.
  var schema: JSONSchema?
  /// Whether the run must not begin: what it was asked for cannot be had.
  package var isRefused = false
  /// The lines of the message that is being put together, as they were typed.
  var typed = ""
  /// The last whole line, as it was typed.
  var lastLine = ""
  var hasQuit = false

  package init(
    world: World, options: RunOptions, preferences: Preferences, servers: Servers, toolServers: ToolServers,
    permissions: Permissions, snippets: Snippets, person: any LineSource, observer: (any TurnObserver)? = nil
  ) {
    desk = Desk(
      world: world, options: options, person: person, observer: observer, preferences: preferences,
      commands: Set(Commands.names.keys),
      promptCommands: Set(Commands.names.filter { Commands.named($0.value)?.needsPrompt == true }.keys))
    links = Links(kept: servers)
    self.snippets = snippets
    toolbox = Toolbox(toolServers: toolServers, permissions: permissions)
    talk = Talk(systemPrompt: options.system ?? preferences.systemPrompt)
  }

  /// Begins a session, which is kept with its first message. - Parameter title: what the person calls it.
  mutating func leaveSession(for title: String? = nil) {
    talk.begin(systemPrompt: desk.options.system ?? desk.preferences.systemPrompt, title: title)
    toolbox.beginAnew()
  }

  /// The exit status so far.
  package var status: Int32 {
    if let signal = desk.world.terminal.endingSignal { return 128 + signal }
    return (desk.failure ?? .success).rawValue
  }
}
