import Chat
import Foundation
import Store

/// A process of its own for the tests of what is kept: `store-probe WHAT PATH [UMASK]`.
@main
struct Probe {
  static func main() async throws {
    let arguments = CommandLine.arguments
    let path = arguments[2]
    if arguments.count > 3, let mask = mode_t(arguments[3], radix: 8) { umask(mask) }
    switch arguments[1] {
    case "save": try await save(path)
    case "login":
      let place = try await credentials(path, .auto).write(
        StoredSignIn(.key, token: Secret("canary-token")), for: "https://kz.lan")
      print(place)
    case "count": try await count(path)
    case "turn": try await turn(path)
    case "rounds": try await rounds(path)
    case "allow": try allow(path)
    default: exit(2)
    }
  }

  /// Saves until it is killed; says which it has saved.
  private static func save(_ path: String) async throws {
    let credentials = credentials(path, .file)
    for number in 1... {
      let token = "\(number)-" + String(repeating: "x", count: 20_000) + "-\(number)"
      _ = try await credentials.write(StoredSignIn(.key, token: Secret(token)), for: "https://kz.lan")
      print(number)
      fflush(nil)
    }
  }

  /// Adds one to the number in a file a hundred times, each time alone.
  private static func count(_ path: String) async throws {
    let credentials = credentials(path, .file)
    let counter = path + ".count"
    for _ in 0..<100 {
      try await credentials.exclusively("https://kz.lan") {
        let text = (try? String(contentsOfFile: counter, encoding: .utf8)) ?? "0"  // the first one finds none
        await Task.yield()
        try? "\((Int(text) ?? 0) + 1)".write(toFile: counter, atomically: false, encoding: .utf8)  // the sum tells
      }
    }
  }

  /// Asks two tools, of which one answers, and says the turn's number; then waits to be killed, or for its input to end.
  private static func turn(_ path: String) async throws {
    let history = try History.open(at: path)
    let session = Session(title: "theirs", model: "m")
    let turn = try await history.ask(NewTurn(session: session, parent: nil, question: .text("2 + 3?")))
    history.grow(turn.id, text: "I shall")
    let round = try await history.step(turn.id, step(text: "I shall add.", calls: ["c1", "c2"]))
    try await history.result(round, call: 0, StoredResult(.done, text: "five", milliseconds: 7))
    print(turn.number)
    fflush(nil)
    _ = readLine()
  }

  /// Keeps one round after the other in a turn of a session that all share, until it is killed; says what is kept, and
  /// of which turn.
  private static func rounds(_ path: String) async throws {
    let history = try History.open(at: path)
    let session = Session(id: SessionID("rounds"), model: "m")
    let turn = try await history.ask(NewTurn(session: session, parent: nil, question: .text("?")))
    for number in 1... {
      let filling = String(repeating: "x", count: 20_000)
      history.grow(turn.id, text: "\(number)")
      let round = try await history.step(turn.id, step(text: "\(number) \(filling)", calls: ["c\(number)"]))
      print("step \(number) \(turn.number)")
      fflush(nil)
      try await history.result(round, call: 0, StoredResult(.done, text: "\(number) \(filling)"))
      print("result \(number) \(turn.number)")
      fflush(nil)
    }
  }

  private static func step(text: String, calls: [String]) -> ToolStep {
    ToolStep(
      text: text,
      calls: calls.map {
        StoredCall(ToolCall(id: $0, name: "add", arguments: .object([:])), tool: "add", server: "peer")
      })
  }

  /// Allows a hundred tools, one after the other.
  private static func allow(_ path: String) throws {
    let permissions = Permissions(path)
    for number in 0..<20 {
      try permissions.allow(
        .init(place: "their", server: "theirs", tool: "tool\(number)", digest: "d", allowedAt: number))
    }
  }

  private static func credentials(_ path: String, _ choice: CredentialChoice) -> Credentials {
    Credentials(path, choice, environment: ProcessInfo.processInfo.environment)
  }
}
