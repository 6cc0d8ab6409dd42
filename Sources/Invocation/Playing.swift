import Chat
package import Shell
import Store
import Wire

/// Standard input, for a message or for what follows one.
package protocol MessageInput: Sendable {
  var source: MessageInputKind { get }
  /// Whether something comes within so many seconds: data, or the end.
  func isReady(within seconds: Int) -> Bool
  /// Whether a pipe has delivered data that nothing has read.
  var hasUnreadData: Bool { get }
  /// Reads to the end.
  func readAll() -> [UInt8]
}

package enum MessageInputKind: Sendable { case terminal, nothing, file, pipe }

/// What a command line does, in the order of docs/shell.md 1.
extension Shell {
  /// Runs what the options name: a script, a command, a message, or a person's lines.
  ///
  /// - Parameter stream: the lines of standard input, for `-f -`.
  package mutating func play(
    _ options: Options, _ input: any MessageInput, stream: @Sendable () -> any LineSource
  ) async {
    if desk.options.isInteractive {
      await runStartUpCommands()
      await run(desk.person)
    } else if !options.lines.isEmpty || options.file != nil {
      await run(ScriptLines(options.lines))
      if options.file == "-" {
        if goesOn { await run(stream(), script: "standard input") }
        return
      }
      if let file = options.file, goesOn { await run(file: file) }
      noteUnread(input, options)
    } else if options.words.first?.hasPrefix("/") == true, !isMessage(options.words) {
      _ = await handle(words: options.words)
      noteUnread(input, options)
    } else {
      await ask(options, input)
    }
  }

  /// One message of the words and standard input. A `-` at the end waits for all of it.
  private mutating func ask(_ options: Options, _ input: any MessageInput) async {
    let waits = options.words.last == "-"
    let spoken = waits ? options.words.dropLast() : options.words
    let text = messageText(spoken)
    let bytes = options.ignoresStandardInput ? nil : read(input, waits: waits, hasWords: !spoken.isEmpty)
    let decoded = bytes.flatMap { DecodedText($0) }
    if bytes != nil, decoded == nil { return complainAboutBinaryInput() }
    if decoded?.isRepaired == true { warnAboutRepairedInput() }
    let piped = decoded?.text
    switch (text.allSatisfy(\.isWhitespace), piped?.allSatisfy(\.isWhitespace) ?? true) {
    case (true, true): complainAboutNothingToSend()
    case (false, true): await ask(typed: text)
    case (true, false):
      noteCommand(in: piped ?? "")
      await ask(String((piped ?? "").withoutFinalNewline))
    case (false, false): await ask(typed: text, with: Fence.around(piped ?? ""))
    }
  }

  /// Standard input belongs to a message; it stays unread for whatever runs next.
  private func noteUnread(_ input: any MessageInput, _ options: Options) {
    if !options.ignoresStandardInput, input.source == .pipe, input.hasUnreadData { noteUnreadInput() }
  }

  /// nil when standard input is left alone.
  private func read(_ input: any MessageInput, waits: Bool, hasWords: Bool) -> [UInt8]? {
    switch input.source {
    case .nothing: return nil
    case .terminal: return waits || !hasWords ? input.readAll() : nil
    case .file: return input.readAll()
    case .pipe:
      if waits || !hasWords || input.isReady(within: 2) { return input.readAll() }
      noteSilentPipe()
      return nil
    }
  }
}

extension RunOptions {
  /// - Parameters:
  ///   - isInteractive: a person sits at a terminal, and types the lines.
  ///   - hasTerminal: standard input and standard output are terminals. A file of lines is left alone all the same:
  ///     nobody may be waiting for its questions.
  package init(_ options: Options, isInteractive: Bool, hasTerminal: Bool = false) {
    self.init(
      server: options.server, model: options.model, system: options.system,
      tools: options.tools, noTools: options.noTools, attached: options.attach, schema: options.schema,
      resume: options.resume.map(Resume.session) ?? (options.continuesLast ? .last : .none),
      output: options.jsonl ? .jsonLines : options.json ? .json : .text, isQuiet: options.quiet,
      isVerbose: options.verbose, isLenient: options.lenient, answersYes: options.yes, isPrivate: options.private,
      isInteractive: isInteractive, canAsk: hasTerminal && options.file == nil)
  }
  /// For an editor, which can ask what has few answers, and shows what it is shown to the person.
  package init(serving options: Options) {
    self.init(options, isInteractive: true)
    presence = .atChoices
  }
}

extension Options {
  /// Whether an editor is served; one that has the person sign in on a terminal runs `parley --acp /login` there
  /// (docs/acp.md 8).
  package var serves: Bool { acp && words.isEmpty }
}
