package import Chat
package import Store

/// Why a line did not do what was asked. Cases carry facts; `Complaint` has the sentences.
package enum ShellError: Error, Sendable {
  case backend(BackendError, server: String)
  case history(HistoryError)
  case preferences(PreferenceError)
  case servers(Servers.Failure)
  case file(FileProblem)
  case child(ChildError)
  case noServer
  case noSessions
  case noModels(server: String)
  /// A word that names nothing of its kind.
  case unknown(Noun, String, nearest: [String])
  /// A word that could mean several.
  case ambiguous(Noun, String, matches: [String])
  case missing(Parameter, command: String)
  case unexpected(String, command: String)
  case badNumber(String, command: String)
  case noAnswer(Missing)
  case browsing(BrowseError)
  case cannot(server: String, Abilities)
  case beingWritten
  case unknownKind(server: String, kind: String)
  /// Nobody can be asked, and `--yes` was not given.
  case needsYes(String)
  case scriptsTooDeep(String)
  case secretOnLine
  case interrupted

  package enum Noun: String, Sendable {
    case command, model, server, session, setting, topic, turn
  }

  /// What a command about an answer did not find.
  package enum Missing: Sendable { case nothingToRetry, nothingToContinue(status: AnswerStatus?) }
}
