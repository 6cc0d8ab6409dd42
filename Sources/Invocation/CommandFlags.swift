import Shell

extension Options {
  /// Parses a command line; flags of the slash command in it are words of the command, wherever they stand.
  package static func reading(_ arguments: [String]) throws -> Options {
    var arguments = arguments
    let program = takeProgram(of: &arguments)
    let flags = takeFlags(of: &arguments)
    var options = try Options.parse(arguments)
    options.words += flags + program
    return options
  }

  /// From `--` on, for a command that takes a program there: none of its words is an option of ours.
  private static func takeProgram(of arguments: inout [String]) -> [String] {
    guard let start = arguments.firstIndex(where: { $0.hasPrefix("/") }), let command = command(arguments[start]),
      command.forms.contains(where: { $0.parts.contains(.word("--")) }),
      let end = arguments[start...].firstIndex(of: "--")
    else { return [] }
    defer { arguments.removeSubrange(end...) }
    return Array(arguments[end...])
  }

  private static func command(_ word: String) -> Command? {
    guard case .command(let name, _) = Input(word, names: Commands.names, isPath: { _ in false }) else { return nil }
    return Commands.named(name)
  }

  private static func takeFlags(of arguments: inout [String]) -> [String] {
    guard let start = arguments.firstIndex(where: { $0.hasPrefix("/") }), let command = command(arguments[start]) else {
      return []
    }
    var taken: [String] = []
    // Behind -- stand the words of a program, where a command takes one.
    var program: [String] = []
    if command.forms.contains(where: { $0.parts.contains(.word("--")) }),
      let end = arguments[start...].firstIndex(of: "--")
    {
      program = Array(arguments[end...])
      arguments.removeSubrange(end...)
    }
    var index = start + 1
    while index < arguments.count, arguments[index] != "--" {
      guard let flag = command.flags.first(where: { $0.name == arguments[index] }) else {
        index += 1
        continue
      }
      let end = min(arguments.count, index + (flag.value == nil ? 1 : 2))
      taken += arguments[index..<end]
      arguments.removeSubrange(index..<end)
    }
    return taken + program
  }
}
