import Chat
import Store
import Text

/// How a run begins and ends.
extension Shell {
  /// Everything that has to be known before the first line: the session to go on with, and for a person a greeting.
  package mutating func begin() async {
    do throws(ShellError) {
      switch options.resume {
      case .none: if options.isInteractive { try await greet() }
      case .last: try await resume(nil)
      case .session(let words): try await resume(words)
      }
    } catch {
      fail(Complaint(error))
    }
  }

  /// Saves what is left to save.
  package mutating func end() async {
    await closeTools()
    await openedHistory?.close()
    await world.finish()
    if let reason = world.terminal.outputFailure {
      complain(Complaint("standard output could not be written (\(reason))", .failure))
    }
    // A person at a prompt has seen each failure; only scripts read it afterwards.
    if options.isInteractive { failure = nil }
  }

  private mutating func greet() async throws(ShellError) {
    let history = try await history()
    if options.server == nil, world.environment.serverAddress == nil, servers.current == nil {
      say(Wording.welcome, .plain)
    } else {
      await greetServer()
      if let entry = servers.current, options.server == nil, entry.server.kind == "kamiwaza", entry.models.isEmpty,
        let account = world.backend(entry.server, preferences.timeouts)?.account, await !account.hasSignIn()
      {
        say("you are not signed in to \(entry.server.name): /login, or just ask")
      }
    }
    if history.notices.contains(where: { if case .recovered = $0 { true } else { false } }),
      let unfinished = try await fromHistory({ history throws(HistoryError) in try await history.unfinished() })
    {
      try await resume(unfinished.session.id.text)
    }
  }

  /// The server of the option or the environment is asked what it is, so that the prompt can name it; a kept one is
  /// not, because a start waits for no network.
  private mutating func greetServer() async {
    do throws(ShellError) {
      _ = try await connected()
    } catch {
      complain(Complaint(error))
    }
  }

  /// Runs the person's start-up commands.
  package mutating func runStartUpCommands() async {
    let path = world.paths.startUpCommands
    guard world.fileExists(path) else { return }
    do throws(FileProblem) {
      scriptDepth += 1
      await run(ScriptLines(ScriptLines.split(try world.readFile(path))), script: path)
      scriptDepth -= 1
    } catch {
      complain(Complaint(.file(error)))
    }
  }
}
