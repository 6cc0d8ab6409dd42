import Store
import Text

/// `/snippets run` (docs/snippets.md 2).
extension Shell {
  /// Fills a snippet in, and says or does what comes next. As a message it is sent as it stands: no command in it is
  /// carried out, and no file that it names goes along (docs/rules.md A8).
  mutating func runSnippet(_ word: String, _ words: [String]) async throws(ShellError) -> Next {
    let snippet = try snippets.meant(by: word, &desk)
    guard snippet.isActive else { throw .badSnippet(.off(snippet.name)) }
    let call = try SnippetCall(snippet, words)
    // Whether each place can be filled is known before anything is asked.
    switch call.place {
    case .message: break
    case .shell: _ = try call.command(with: [:])
    case .terminal(let name):
      _ = try call.typed(with: [:])
      _ = try await Commands.terminal(called: name, &self)
    }
    guard try await mayRun(call) else { return .prompt }
    let values = try await call.allValues(desk)
    if desk.noticeColumns != nil { desk.say(SnippetPage.shown(try call.shown(with: values), at: call.place)) }
    switch call.place {
    case .message:
      noteUse(of: snippet)
      return .send(.new(call.template.filled(with: values)))
    case .shell:
      let command = try call.command(with: values)
      noteUse(of: snippet)
      try await runInUsersShell(command.line, attaches: false, with: command.variables)
      return .prompt
    case .terminal(let name):
      let line = try call.typed(with: values)
      noteUse(of: snippet)
      try await Commands.runInTerminal(line, in: name, &self)
      return .prompt
    }
  }

  /// What a file brought runs in the shell when the person has seen it, and said yes once.
  private mutating func mayRun(_ call: SnippetCall) async throws(ShellError) -> Bool {
    guard call.snippet.isForeign, call.place.isCommand else { return true }
    desk.present(BarredText.block(call.snippet.text, width: desk.noticeColumns))
    guard try await desk.confirm(SnippetPage.runQuestion(call.snippet, at: call.place)) else { return false }
    // Only the text that was seen.
    try snippets.changing(&desk) { list throws(Snippets.Failure) in
      try list.edit(call.snippet.name) { if $0.text == call.snippet.text { $0.isForeign = false } }
    }
    return true
  }

  /// What cannot be counted is no reason not to run.
  private mutating func noteUse(of snippet: Snippet) {
    do throws(Snippets.Failure) { try snippets.noteUse(of: snippet.name, at: desk.world.now()) } catch {
      desk.sayOnce("not counted: \(Complaint(error).text)", .warning)
    }
  }
}
