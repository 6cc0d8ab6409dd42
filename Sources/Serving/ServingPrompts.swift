import Chat
import Shell
import Transport
import Wire

/// Prompts, and what is chosen for them (docs/acp.md 11).
extension AgentServer {
  func prompt(_ request: RPCRequest, _ params: JSON) throws(RPCFailure) {
    let (id, session) = try required(params)
    guard let text = PromptText(params["prompt"] ?? .null) else {
      throw .invalid("a block of a kind that this agent does not take")
    }
    guard !text.isEmpty else { throw .invalid("there is nothing to send") }
    guard session.editor.begin() else {
      throw RPCFailure(code: RPCFailure.invalidRequest, message: "this session is still at another prompt")
    }
    session.prompt = request.id
    let offersSignIn = state.withLock { $0.client?.signsInOnTerminal } ?? false
    try session.perform { [self] shell in
      await say(text, in: id, session.editor, &shell)
      session.prompt = nil
      let end = session.editor.endTurn(offersSignIn: offersSignIn)
      tellChanges(shell, id, session)
      answer(request, end)
    }
  }

  private func say(_ text: PromptText, in id: String, _ editor: EditorTerminal, _ shell: inout Shell) async {
    switch editor.isStopped ? nil : shell.meaning(of: text.text) {
    case nil: break
    case .command(let line)?:
      editor.noteCommand()
      if text.hasAttachments { editor.write(.text("a command takes no files: they are left out\n"), to: .notices) }
      _ = await shell.handle(line)
    case .refused(let complaint)?:
      editor.noteCommand()
      editor.happened(.complaint(complaint))
    case .message?:
      let whole = await read(text, in: id, editor)
      if !editor.isStopped { await shell.send(message: whole) }
    }
  }

  /// The message, with the files that are only mentioned read by the editor, which knows what is not saved yet.
  private func read(_ text: PromptText, in id: String, _ editor: EditorTerminal) async -> String {
    var text = text
    let canRead = state.withLock { $0.client?.readsFiles } ?? false
    for link in text.links {
      var content: String?
      if canRead, !editor.isStopped, let path = PromptText.path(of: link.uri) {
        let params: JSON = ["sessionId": .string(id), "path": .string(path)]
        let answer = await editor.asking { [self] in await ask("fs/read_text_file", params) }
        if case .success(let json)? = answer { content = json["content"]?.string }
      }
      if content == nil { editor.write(.text("\(link.name) could not be read: only its name is sent\n"), to: .notices) }
      text.attach(content, from: link.uri)
    }
    return text.whole
  }

  /// While a turn is under way the choice holds from the next one on, and is confirmed at once.
  func choose(_ request: RPCRequest, _ params: JSON) throws(RPCFailure) {
    let (id, session) = try required(params)
    guard let option = params["configId"]?.string.flatMap({ Shell.Option(rawValue: $0) }),
      let value = params["value"]?.string, let wanted = session.want(value, of: option)
    else { throw .invalid("there is no such choice") }
    let isBusy = session.editor.isBusy
    if isBusy { answer(request, .success(["configOptions": SessionOptions.json(wanted)])) }
    try session.perform { [self] shell in
      do throws(ShellError) {
        try await shell.choose(value, of: option)
        session.fulfil(option)
        let options = session.note(Shell.Option.allCases.map(shell.offer))
        if !isBusy {
          answer(request, .success(["configOptions": SessionOptions.json(options.options)]))
        } else if options.isNew {
          tell(id, SessionUpdate.options(SessionOptions.json(options.options)))
        }
      } catch {
        session.fulfil(option)
        tellChanges(shell, id, session)
        if !isBusy { answer(request, .failure(PromptAnswer.failure(Complaint(error)))) }
      }
    }
  }
}
