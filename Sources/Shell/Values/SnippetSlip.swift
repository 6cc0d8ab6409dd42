import Store

/// What is wrong with what was asked of snippets.
package enum SnippetSlip: Sendable, Equatable {
  /// It is switched off.
  case off(String)
  case color(String)
  case kind(String)
  case dates(String)
  /// What is no place to run in, and no value either.
  case whereToRun(String, snippet: String)
  /// A value that sounds like a secret would be seen in a terminal.
  case seenInTerminal(String)
  /// A control character would be a key there.
  case holdsKeys(String)
  case missingValues([String], snippet: String)
  /// No value can be quoted safely where this place is in a command.
  case unsafePlace(String, snippet: String)
  /// A NUL ends what a program is given.
  case holdsNUL(String)
  case nothingToChange(String)
  case noneIn(String)
}
