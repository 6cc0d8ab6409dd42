import Chat
import Store
import Text

extension Commands {
  static let several = [ask, keep]

  private static let ask = Command(
    "ask", .chat, summary: "ask several servers the same",
    forms: [Form(.required(.servers), .required(.text))],
    examples: ["/ask @gpu1 @lab:qwen-7b What is the capital of France?"],
    details: """
      Each is a server that you keep, perhaps with a model behind a colon. They answer at once, each below its name when it \
      is done, without tools. The answers are siblings in this session, which goes on from the first one named; /keep #N \
      goes on from another.
      """
  ) { shell, match throws(ShellError) in
    let (places, text) = AskCommand.parts(match.prose)
    guard !places.isEmpty else { throw .missing(.servers, command: "ask") }
    guard !text.isEmpty else { throw .missing(.text, command: "ask") }
    try await shell.ask(text, of: places)
    return .prompt
  }

  private static let keep = Command(
    "keep", .chat, summary: "go on from one of several answers", forms: [Form(.required(.handle))],
    examples: ["/keep #3"],
    details: "The answer stays where it is among its siblings; what is said next follows it."
  ) { shell, match throws(ShellError) in
    try await shell.talk.takeUpLatest(&shell.links, &shell.desk)
    await shell.talk.keepUnkept(shell.desk)
    guard let turn = try await shell.talk.turn(match[0], command: "keep", shell.desk) else {
      throw .unknown(.turn, match[0], nearest: [])
    }
    try await shell.talk.standBeside(turn, shell.desk)
    await shell.talk.keep(turn, answering: .retry(turn), shell.desk)
    let server = turn.answer?.server
    shell.desk.say("the session goes on from #\(turn.number)")
    if let server, server != shell.links.nameInUse(shell.desk), shell.links.kept.named(server) != nil {
      shell.desk.say(
        "it was \(server)'s answer: " + shell.desk.asTyped("/server use \(Words.quoted(server)) goes on there"))
    }
    return .prompt
  }
}

/// What `/ask` is given.
enum AskCommand {
  /// The servers at the beginning, without their signs, and the message.
  static func parts(_ prose: String) -> (places: [String], text: String) {
    var (rest, places): (Substring, [String]) = (prose.drop(while: \.isWhitespace), [])
    while rest.first == "@" {
      let word = rest.dropFirst().prefix { !$0.isWhitespace }
      guard !word.isEmpty else { break }
      if !places.contains(String(word)) { places.append(String(word)) }
      rest = rest[word.endIndex...].drop(while: \.isWhitespace)
    }
    return (places, String(rest))
  }

  /// `gpu1:qwen:7b` is the model `qwen:7b` of `gpu1`.
  static func split(_ place: String) -> (server: String, model: String?) {
    guard let colon = place.firstIndex(of: ":"), place.index(after: colon) < place.endIndex else { return (place, nil) }
    return (String(place[..<colon]), String(place[place.index(after: colon)...]))
  }
}
