import ArgumentParser
import Foundation

/// One option as help, man page and completion show it; read from the parser's own description of `Options`.
package struct OptionRow: Sendable {
  /// Such as `-s` and `--server`, the short one first.
  package var names: [String]
  /// Such as `NAME|URL`; nil for a flag.
  package var value: String?
  package var summary: String
  package var isRepeating: Bool

  /// Such as `-s, --server NAME|URL`.
  package var usage: String {
    (names.first?.hasPrefix("--") == true ? "    " : "") + names.joined(separator: ", ")
      + (value.map { " \($0)" } ?? "")
  }

  /// The long name without its dashes, or the short one.
  package var key: String { String((names.last ?? "").drop { $0 == "-" }) }

  /// Every option, in the order of `Options`.
  package static let all: [OptionRow] = {
    // Both sides are compiled in; a test reads them.
    let dump = try? JSONDecoder().decode(Dump.self, from: Data(Options._dumpHelp().utf8))
    return (dump?.command.arguments ?? []).filter { $0.kind != "positional" }.map(OptionRow.init)
  }()

  /// The groups of `--help`, in its order, by key.
  package static let groups: [(title: String, keys: [String])] = [
    ("Server and model", ["server", "model", "system", "temperature", "tool", "no-tools", "set"]),
    ("Session", ["continue", "resume", "private"]),
    ("Input", ["attach", "c", "f", "no-stdin", "yes"]),
    ("Output", ["schema", "json", "jsonl", "plain", "quiet", "verbose", "lenient"]),
    ("Editors", ["acp"]),
    ("Help", ["help", "version"]),
  ]

  /// The options of a group, in its order.
  package static func group(_ keys: [String]) -> [OptionRow] {
    keys.compactMap { key in all.first { $0.key == key } }
  }

  private init(_ argument: Dump.Argument) {
    let names = argument.names ?? []
    self.names =
      names.filter { $0.kind == "short" }.map { "-\($0.name)" }
      + names.filter { $0.kind == "long" }.map { "--\($0.name)" }
    value = argument.kind == "option" ? (argument.valueName ?? "value").uppercased() : nil
    summary = argument.abstract ?? ""
    isRepeating = argument.isRepeating
  }
}

/// What of the parser's description is used.
private struct Dump: Decodable {
  var command: Command

  struct Command: Decodable {
    var arguments: [Argument]
  }

  struct Argument: Decodable {
    var kind: String
    var names: [Name]?
    var valueName: String?
    var abstract: String?
    var isRepeating: Bool
  }

  struct Name: Decodable {
    var kind: String
    var name: String
  }
}
