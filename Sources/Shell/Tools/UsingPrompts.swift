import Chat
import Store
import Text

/// The parts of `/tools` that are about prompts: texts that a server has ready.
extension Toolbox {
  mutating func listPrompts(of word: String?, asJSON: Bool, _ links: inout Links, _ desk: inout Desk)
    async throws(ShellError)
  {
    try await links.meet(&desk)
    let gathered = try await gathered(from: word, &links, &desk) { tools throws(ToolError) in try await tools.prompts()
    }
    note(prompts: gathered)
    let rows = gathered.flatMap { server, prompts in prompts.map { PromptPage.row($0, of: server) } }
    try await desk.show(PromptPage.listing(rows), asJSON: asJSON)
  }

  /// Fills a prompt in, shows it, and makes it the next message.
  mutating func usePrompt(_ word: String, _ values: [String], _ links: inout Links, _ desk: inout Desk)
    async throws(ShellError) -> Next
  {
    guard let wanted = OfServer(word) else { throw .missing(.prompt, command: "tools prompt") }
    try await links.meet(&desk)
    let server = try await toolServer(called: wanted.server, &links, &desk)
    let prompts = try await asking(server, &links, &desk) { tools throws(ToolError) in try await tools.prompts() }
    note(prompts: [(server, prompts)])
    guard let prompt = prompts.first(where: { $0.name == wanted.name }) else {
      throw .unknown(
        .prompt, word,
        nearest: Nearest.words(to: wanted.name, among: prompts.map(\.name)).map { "\(server.name):\($0)" })
    }
    let arguments = try await arguments(of: prompt, values, desk)
    let messages = try await asking(server, &links, &desk) { tools throws(ToolError) in
      try await tools.prompt(prompt.name, arguments)
    }
    let text = PromptPage.message(messages)
    guard !text.isEmpty else { throw .badToolServer(.emptyPrompt(word)) }
    desk.world.terminal.write(.text(DetailLines.block(text, columns: desk.wrapColumns)), to: .notices)
    guard try await desk.confirm("Send this?") else { return .prompt }
    return .send(.new(text))
  }

  /// What was typed behind the prompt, and what is asked for because it must be there.
  private func arguments(
    of prompt: ToolPrompt, _ typed: [String], _ desk: Desk
  ) async throws(ShellError) -> [String: String] {
    var values: [String: String] = [:]
    for pair in typed {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, prompt.arguments.contains(where: { $0.name == parts[0] }) else {
        throw .unknown(
          .argument, parts[0], nearest: prompt.arguments.map { "\($0.name)=VALUE" })
      }
      values[parts[0]] = parts[1]
    }
    for argument in prompt.arguments where argument.isRequired && values[argument.name] == nil {
      guard desk.options.canType else { throw .badToolServer(.missingArgument(argument.name, prompt: prompt.name)) }
      let about: SafeText = argument.summary.map { " (\($0))" } ?? ""
      values[argument.name] = try await desk.answer(to: .text("\(argument.name)\(about): "), isOneLine: false)
    }
    return values
  }
}

extension Toolbox {
  /// For Tab.
  mutating func note(prompts gathered: [(server: ToolServer, found: [ToolPrompt])]) {
    for (server, found) in gathered { prompts[server.name] = found }
  }
}
