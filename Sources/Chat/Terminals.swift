/// Shells that run elsewhere, or here and outlive us, to be watched, used and scripted (docs/terminals.md 1). What a server
/// does not have throws `notOffered`.
package protocol Terminals: Sendable {
  /// All of them, in the order of their names.
  func list() async throws(TerminalError) -> [TerminalInfo]

  /// Makes one.
  /// - Parameters:
  ///   - name: what it is to be called; nil leaves that to the server.
  ///   - folder: where its shell begins, there; nil leaves that to the server.
  func make(_ name: String?, in folder: String?) async throws(TerminalError) -> TerminalMade

  /// How one is used by a person, whose own terminal has this size.
  func attach(to id: String, columns: Int, rows: Int) async throws(TerminalError) -> TerminalWay

  /// A look at one from behind the prompt: nothing is typed, nobody has a screen for it, and what it says from now on comes in
  /// lines.
  func watch(_ id: String) async throws(TerminalError) -> any TerminalLine

  /// The last lines of it, oldest first, as they stand on its screen and above. Not to be trusted.
  func lines(of id: String, atMost limit: Int) async throws(TerminalError) -> String

  /// Types a command into it, and gives what comes of it. - Parameter quiet: seconds without output after which it is
  /// left alone.
  func run(_ command: String, in id: String, quiet: Double) -> TerminalRun

  /// Ends its shell and all that runs in it.
  func close(_ id: String) async throws(TerminalError)
}

extension Terminals {
  package func make(_ name: String?, in folder: String?) async throws(TerminalError) -> TerminalMade {
    throw .notOffered(.making)
  }
  package func watch(_ id: String) async throws(TerminalError) -> any TerminalLine { throw .notOffered(.watching) }
  package func lines(of id: String, atMost limit: Int) async throws(TerminalError) -> String {
    throw .notOffered(.showing)
  }
  package func close(_ id: String) async throws(TerminalError) { throw .notOffered(.closing) }
}

/// What a server of terminals may do without.
package enum TerminalService: Sendable, Equatable { case making, attaching, watching, showing, closing }

/// How a terminal came to be.
package enum TerminalMade: Sendable, Equatable {
  case made(id: String)
  /// Once this program has run on the person's own terminal, which it gives back at once.
  case byProgram([String], id: String)
}

/// How a person uses a terminal.
package enum TerminalWay: Sendable {
  /// A program that takes the person's own terminal, and what it is left by.
  case program([String], leaving: String)
  case line(any TerminalLine)
}

/// A terminal as its server describes it; nil is what the server does not tell. Names are not to be trusted.
package struct TerminalInfo: Sendable, Equatable {
  /// What it is called in commands.
  package var id: String
  package var name: String
  /// The process of its shell.
  package var pid: Int?
  package var folder: String?
  /// What runs in the foreground.
  package var program: String?
  /// Whether that is Claude Code.
  package var hasClaude: Bool?
  /// Milliseconds since 1970.
  package var createdAt: Int?
  package var lastActivity: Int?
  package var columns: Int?
  package var rows: Int?
  /// How many look at it now.
  package var watchers: Int?

  package init(
    id: String, name: String, pid: Int? = nil, folder: String? = nil, program: String? = nil, hasClaude: Bool? = nil,
    createdAt: Int? = nil, lastActivity: Int? = nil, columns: Int? = nil, rows: Int? = nil, watchers: Int? = nil
  ) {
    self.id = id
    self.name = name
    self.pid = pid
    self.folder = folder
    self.program = program
    self.hasClaude = hasClaude
    self.createdAt = createdAt
    self.lastActivity = lastActivity
    self.columns = columns
    self.rows = rows
    self.watchers = watchers
  }
}

/// A command that runs in a terminal, and what comes of it. It has one reader.
package struct TerminalRun: Sendable {
  package enum Event: Sendable, Equatable {
    /// More of its output: text without what moves a cursor. Not to be trusted.
    case output(String)
    case ended(End)
  }

  /// Why nothing more is read.
  package enum End: Sendable, Equatable {
    /// The command ended; its exit status, where the shell told it.
    case finished(status: Int?)
    /// Nothing came for so many seconds. It may run on, but where a terminal ends with its connection.
    case quiet(Double, runsOn: Bool = true)
    /// The terminal ended.
    case gone
    /// Somebody took it for themselves: the command may run on.
    case unwatched
    /// The connection was: the command may run on.
    case lost
  }

  /// The next event; nil behind the end. Cancelling the task leaves the command running.
  package let next: @Sendable () async throws(TerminalError) -> Event?
  /// Types Ctrl-C into the terminal; whether it did, which it does not before the command was typed.
  package let interrupt: @Sendable () async -> Bool

  package init(
    next: @escaping @Sendable () async throws(TerminalError) -> Event?,
    interrupt: @escaping @Sendable () async -> Bool
  ) {
    self.next = next
    self.interrupt = interrupt
  }
}

package enum TerminalError: Error, Sendable, Equatable {
  /// The program that keeps terminals is not installed.
  case notInstalled(program: String)
  /// There is none of this name.
  case gone(String)
  /// No terminal can be called so.
  case badName(String)
  case nameTaken(String)
  /// A control character in a command would be a key there.
  case holdsKeys
  /// Another program than a shell would read the command.
  case busy(program: String)
  /// Somebody else has it alone now.
  case unwatched(String)
  /// Its server has nothing of that kind.
  case notOffered(TerminalService)
  /// Its server did not do what was asked.
  case server(BackendError)
  /// The connection to it was lost.
  case lost(String)
  case cancelled
  /// In a sentence, with the words of the program that keeps terminals in it: not to be trusted.
  case failed(String)
}
