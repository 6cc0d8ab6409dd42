package import Shell

/// Makes the shells of the sessions: what of them is the program's.
package struct ShellMaking: Sendable {
  /// The terminal of the run, which hears the signals.
  package var terminal: any Terminal
  package var version: String
  /// Whether a path is a folder.
  package var isFolder: @Sendable (String) -> Bool
  /// Milliseconds since 1970.
  package var now: @Sendable () -> Int
  /// Waits for so many seconds, or until the task is cancelled.
  package var pause: @Sendable (_ seconds: Double) async -> Void
  /// A shell for a place, an editor that shows what it is shown, and the person behind it.
  package var make: @Sendable (SessionPlace, _ editor: any Terminal & TurnObserver, _ person: any LineSource) -> Shell

  package init(
    terminal: any Terminal, version: String, isFolder: @escaping @Sendable (String) -> Bool,
    now: @escaping @Sendable () -> Int, pause: @escaping @Sendable (_ seconds: Double) async -> Void,
    make:
      @escaping @Sendable (SessionPlace, _ editor: any Terminal & TurnObserver, _ person: any LineSource) -> Shell
  ) {
    self.terminal = terminal
    self.version = version
    self.isFolder = isFolder
    self.now = now
    self.pause = pause
    self.make = make
  }
}
