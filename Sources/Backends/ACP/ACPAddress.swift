/// An agent on this machine, written as the address of a server: `acp:` and the words of a shell's line
/// (docs/acp.md 1).
///
///     acp:fast-agent-acp --model passthrough
///     acp:--env NAME --cwd /dir -- fast-agent-acp --model passthrough
package struct ACPAddress: Sendable, Equatable {
  /// The program and its arguments.
  package var command: [String]
  /// Names of variables of our environment that it is given besides the usual ones.
  package var passing: [String]
  /// Where it is started.
  package var folder: String?

  package init(command: [String], passing: [String] = [], folder: String? = nil) {
    self.command = command
    self.passing = passing
    self.folder = folder
  }

  /// nil for another scheme, without a command, with a quote left open, and for an option that there is not.
  package init?(_ url: String) {
    let scheme = String(url.unicodeScalars.prefix(4))
    let line = String(url.unicodeScalars.dropFirst(4))
    guard scheme.lowercased() == "acp:", var words = ShellWords.split(line)?[...] else { return nil }
    self.init(command: [])
    options: while let word = words.first, word.hasPrefix("-") {
      words.removeFirst()
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      switch String(parts[0]) {
      case "--" where parts.count == 1: break options
      case "--env":
        guard let name = parts.count == 2 ? String(parts[1]) : words.popFirst() else { return nil }
        passing.append(name)
      case "--cwd":
        guard let path = parts.count == 2 ? String(parts[1]) : words.popFirst() else { return nil }
        folder = path
      default: return nil
      }
    }
    guard let program = words.first, !program.isEmpty else { return nil }
    command = Array(words)
  }

  /// Comes out of `init(_:)` as it went in.
  package var url: String {
    var words = passing.flatMap { ["--env", $0] }
    if let folder { words += ["--cwd", folder] }
    if !words.isEmpty || command.first?.hasPrefix("-") == true { words.append("--") }
    return "acp:" + (words + command).map(ShellWords.quoted).joined(separator: " ")
  }
}

/// Words as a POSIX shell splits them, without what a shell puts in place of `$`, `*` and `~`.
enum ShellWords {
  /// nil when a quote is left open, or nothing follows a backslash.
  static func split(_ text: String) -> [String]? {
    var words: [String] = []
    var word: String.UnicodeScalarView?
    var quote: Unicode.Scalar?
    var rest = text.unicodeScalars.makeIterator()
    while let scalar = rest.next() {
      switch (scalar, quote) {
      case ("'", "'"), ("\"", "\""): quote = nil
      case ("'", nil), ("\"", nil):
        quote = scalar
        word = word ?? .init()
      case ("\\", nil), ("\\", "\""):
        guard let next = rest.next() else { return nil }
        // A line that goes on.
        if next == "\n" { continue }
        if quote != nil, !"$`\"\\".unicodeScalars.contains(next) { word?.append(scalar) }
        word = word ?? .init()
        word?.append(next)
      case (" ", nil), ("\t", nil), ("\n", nil):
        if let ended = word { words.append(String(ended)) }
        word = nil
      default:
        word = word ?? .init()
        word?.append(scalar)
      }
    }
    guard quote == nil else { return nil }
    if let ended = word { words.append(String(ended)) }
    return words
  }

  /// The word as it must be written to be one.
  static func quoted(_ word: String) -> String {
    if !word.isEmpty, word.unicodeScalars.allSatisfy(isPlain) { return word }
    // By scalars: an accent after a quote would hide it.
    var text = "'"
    for scalar in word.unicodeScalars {
      text.unicodeScalars.append(contentsOf: scalar == "'" ? #"'\''"#.unicodeScalars : String(scalar).unicodeScalars)
    }
    return text + "'"
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isAlphabetic || "0123456789_@%+=:,./-".unicodeScalars.contains(scalar)
  }
}
