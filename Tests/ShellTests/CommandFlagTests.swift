import Foundation
import Invocation
import TestSupport
import Testing

@testable import Shell

/// Flags of commands: one that a form takes is followed by it, and any other is refused.
@Suite struct CommandFlagTests {
  private static let commands = Commands.all.filter { !$0.flags.isEmpty }

  @Test(arguments: commands.map(\.name)) func `a form reads every flag that it takes`(name: String) async throws {
    let command = try #require(Commands.named(name))
    try await withTemporaryDirectory { directory in
      var (shell, _) = try Performance(Transcript(""), home: directory.path).shell(Options.reading(["/help"]))
      for form in command.forms + command.unlisted {
        let words = form.parts.map(\.example)
        let values = form.reading(of: words).values
        for flag in form.flags {
          let given = GivenFlag(flag: flag, value: flag.value.map(\.example) ?? "")
          let match = Match(values: values, arguments: Arguments(words: words), flags: [given], of: form)
          // Whatever becomes of it: what is read is read first.
          _ = try? await form.run?(&shell, match)
          #expect(match.read.withLock { $0 }.contains(flag.name), "/\(name) \(form.usage) does not read \(flag.name)")
        }
      }
    }
  }

  @Test(arguments: commands.map(\.name)) func `a form refuses the flags of other forms`(name: String) async throws {
    let command = try #require(Commands.named(name))
    try await withTemporaryDirectory { directory in
      var (shell, _) = try Performance(Transcript(""), home: directory.path).shell(Options.reading(["/help"]))
      for form in command.forms where form.parts.last != .required(.program) {
        for flag in command.flags where !form.flags.contains(where: { $0.name == flag.name }) {
          let typed = form.parts.map(\.example) + [flag.name] + (flag.value.map { [$0.example] } ?? [])
          var isRefused = false
          do throws(ShellError) {
            _ = try await command.run(&shell, Arguments(words: typed))
          } catch {
            if case .unexpected(flag.name, _, _) = error { isRefused = true }
          }
          #expect(isRefused, "/\(name) \(typed.joined(separator: " "))")
        }
      }
    }
  }
}

extension Form.Part {
  /// A word that may stand there.
  fileprivate var example: String {
    switch self {
    case .word(let word): word
    case .choice(let words): words[0]
    case .required(let parameter), .optional(let parameter): parameter.example
    }
  }
}

extension Parameter {
  fileprivate var example: String {
    switch self {
    case .handle, .part: "#1"
    case .number: "1"
    case .url: "https://tools.example"
    case .pairingCode, .bridge: "nowhere:1"
    default: "x"
    }
  }
}
