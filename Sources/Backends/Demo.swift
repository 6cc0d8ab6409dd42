import Chat
import Foundation

extension Kind {
  static let demo = Kind(
    name: "demo", summary: "a built-in responder that is not a model",
    make: { server, _, _ in DemoBackend(server: server) },
    claim: { typed in
      guard typed.trimmingBlanks == address else { return nil }
      return FoundServer(kind: "demo", url: address, models: DemoBackend.models)
    },
    probe: nil)

  private static let address = "demo:"
}

/// Answers without a model and without a network, so that the shell can be tried; it says so in every answer.
struct DemoBackend: Backend {
  let server: Server
  var clock = TimeSource.system

  /// It neither takes instructions nor goes on: each answer starts anew.
  let abilities: Abilities = [.models, .tools]

  static let models = [Model(id: "demo")]

  /// Seconds between two words.
  private static let pace = 0.03

  func models() async throws(BackendError) -> [Model] { DemoBackend.models }

  func answer(_ question: ChatRequest) -> Answer {
    let call = DemoCall.call(for: question)
    let text = call.map { DemoBackend.words(for: $0) } ?? DemoBackend.words(for: question)
    let calls: [ChatEvent] = call.map { [.toolCallComing(name: $0.name), .toolCall($0)] } ?? []
    let words = DemoBackend.words(of: text).map { ChatEvent.text($0) }
    let events = [.started(model: "demo")] + words + calls + [.finished(.stop)]
    return Answer(from: events[...]) { [clock] rest in
      guard let event = rest.popFirst() else { return nil }
      if case .text = event { await clock.sleep(DemoBackend.pace) }
      return event
    }
  }

  /// Each word with the blanks that follow it.
  private static func words(of text: String) -> [String] {
    var words: [String] = []
    var word = ""
    for character in text {
      if let last = word.last, last.isWhitespace, !character.isWhitespace {
        words.append(word)
        word = ""
      }
      word.append(character)
    }
    return words + [word]
  }

  private static func words(for call: ToolCall) -> String {
    "This is parley's built-in demo, not a model: it found “\(call.name)” or something like it in your words."
  }

  static func words(for question: ChatRequest) -> String {
    let results = question.messages.reversed().prefix { $0.role == .tool }.reversed()
    if !results.isEmpty { return words(for: Array(results)) }
    let asked = question.messages.last { $0.role == .user }?.content ?? ""
    let start = asked.split(whereSeparator: \.isWhitespace).prefix(12).joined(separator: " ")
    let echo = start.count > 80 ? start.prefix(79) + "…" : start
    return """
      This is parley's built-in demo, not a model: nothing was understood and nothing was sent anywhere.

      You wrote: \(echo.isEmpty ? "nothing" : "“\(echo)”")

      \(hint(for: question.tools))To talk with a model, connect a server: `/connect http://127.0.0.1:8080`
      """
  }

  private static func words(for results: [Message]) -> String {
    let said = results.map { result in
      let start = result.content.prefix(500)
      return "“\(result.toolName ?? "the tool")” gave back:\n\n\(start)\(start.count < result.content.count ? "…" : "")"
    }
    return (said + ["A model would now answer with that. This is parley's built-in demo, not a model."])
      .joined(separator: "\n\n")
  }

  private static func hint(for tools: [Tool]) -> String {
    guard !tools.isEmpty else { return "" }
    let names = tools.prefix(5).map { "`\($0.name)`" }.joined(separator: ", ")
    return "It calls a tool that you name, with what stands beside the name: \(names)\n\n"
  }
}
