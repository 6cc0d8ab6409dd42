import Shell

extension Options {
  /// Parses a command line; flags of the slash command in it are words of the command, wherever they stand.
  package static func reading(_ arguments: [String]) throws -> Options {
    var arguments = arguments
    let flags = takeFlags(of: &arguments)
    var options = try Options.parse(arguments)
    options.words += flags
    return options
  }

  private static func takeFlags(of arguments: inout [String]) -> [String] {
    guard let start = arguments.firstIndex(where: { $0.hasPrefix("/") }),
      case .command(let name, _) = Input(arguments[start], names: Commands.names, isPath: { _ in false }),
      let command = Commands.named(name)
    else { return [] }
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
