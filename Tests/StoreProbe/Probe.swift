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

  private static func credentials(_ path: String, _ choice: CredentialChoice) -> Credentials {
    Credentials(path, choice, environment: ProcessInfo.processInfo.environment)
  }
}
