import Text

/// Text onto the clipboard (`/copy`, docs/shell.md 3), by what is likeliest to reach the person's own.
extension Shell {
  mutating func copy(_ part: AnswerPart) async throws(ShellError) {
    let named = try await talk.named(part, command: "copy", desk)
    // What is pasted somewhere else must not do there what it may not do here, nor send itself off.
    let text = Filter.source(named.text.withoutLastNewlines)
    switch (desk.preferences.word("clipboard") ?? "").trimmed {
    case "", "auto": try await copy(text, named)
    case "osc52": try ask(text, named)
    case let command:
      try await run([desk.usersShell, "-c", command], called: command, text, named, saying: "copied \(named.name)")
    }
  }

  private func copy(_ text: SafeText, _ named: NamedPart) async throws(ShellError) {
    if let program = clipboardProgram {
      return try await run(program, called: program[0], text, named, saying: "copied \(named.name) with \(program[0])")
    }
    // It hands it on to the terminal that it is in, as its set-clipboard says.
    if desk.world.environment["TMUX"] != nil, has("tmux") {
      return try await run(
        ["tmux", "load-buffer", "-w", "-"], called: "tmux", text, named,
        saying: "\(named.name) is in tmux's paste buffer, and on the clipboard where tmux may set it")
    }
    try ask(text, named)
  }

  private func ask(_ text: SafeText, _ named: NamedPart) throws(ShellError) {
    guard desk.world.terminal.putOnClipboard(text) else { throw .noClipboard }
    desk.say("the terminal was asked to copy \(named.name) (\(named.extent)); not every one does")
  }

  private func run(
    _ program: [String], called name: String, _ text: SafeText, _ named: NamedPart, saying done: SafeText
  ) async throws(ShellError) {
    try await desk.run(program, called: name, giving: text.string)
    desk.say("\(done) (\(named.extent))")
  }

  /// The one of the desktop that this machine shows; over ssh that is another machine's.
  private var clipboardProgram: [String]? {
    let environment = desk.world.environment
    func isSet(_ name: String) -> Bool { !(environment[name] ?? "").isEmpty }
    guard !isSet("SSH_CONNECTION"), !isSet("SSH_TTY") else { return nil }
    if isSet("WAYLAND_DISPLAY"), has("wl-copy") { return ["wl-copy"] }
    if isSet("DISPLAY") {
      if has("xclip") { return ["xclip", "-selection", "clipboard"] }
      if has("xsel") { return ["xsel", "--clipboard", "--input"] }
    }
    return isSet("WSL_DISTRO_NAME") && has("clip.exe") ? ["clip.exe"] : nil
  }

  private func has(_ program: String) -> Bool {
    if case .success = desk.world.findProgram(program) { true } else { false }
  }
}
