import Backends
import Foundation
import Invocation
import Shell
import Store
import Text

/// Tab in the person's shell: from files alone, without a word when they cannot be read.
enum Completing {
  /// A line for each candidate: what to put there, a tab, what it is.
  static func rows(_ line: LineCompletion) -> SafeText {
    let environment = ProcessInfo.processInfo.environment
    guard
      let paths = try? Paths(  // without a home there is nothing to offer but what is compiled in
        environment: environment, accountHome: NSHomeDirectory(),
        workingDirectory: FileManager.default.currentDirectoryPath)
    else { return "" }
    let found = line.candidates { server in
      var completer = Completer(
        servers: Servers(paths.servers), preferences: Preferences(paths.preferences),
        toolServers: ToolServers(paths.toolServers),
        server: server ?? environment["PARLEY_SERVER"].flatMap { $0.isEmpty ? nil : $0 },
        snippets: {
          var kept = Snippets(paths.snippets)
          kept.refresh()
          return kept.entries
        },
        sessions: { History.names(at: paths.history, containing: $0) }, listFolder: { Files.names(in: $0) },
        kinds: Backends.kinds.map(\.name), browseKeeping: BrowseKeeping(BrowseCache(paths.cache), writes: false),
        terminalKeeping: TerminalKeeping(BrowseCache(paths.cache), writes: false),
        now: History.systemTime)
      completer.knownTags = { History.tags(at: paths.history) }
      return completer
    }
    return Table(rows: found.map { ["\($0.text)", "\($0.summary)"] }).tsv
  }
}
