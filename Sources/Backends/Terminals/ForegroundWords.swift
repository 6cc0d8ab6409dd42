/// What the words that a program began with tell of it.
enum ForegroundWords {
  /// What reads a command line: into anything else it would be typed as text.
  private static let shells: Set<String> = ["sh", "bash", "zsh", "dash", "ksh", "fish", "ash", "mksh"]

  /// The name of a program by its first word; a shell that is logged in to has a dash before it.
  static func name(_ words: [String]) -> String {
    let last = words.first?.split(separator: "/").last.map(String.init) ?? ""
    return last.hasPrefix("-") ? String(last.dropFirst()) : last
  }

  static func isShell(_ name: String) -> Bool { shells.contains(name) }

  /// Whether a shell that began with these words reads a person's lines, and not a script's.
  static func isAtPrompt(_ words: [String]) -> Bool {
    var rest = words.dropFirst()
    while let word = rest.popFirst() {
      if ["--rcfile", "--init-file", "-o", "+o", "-O", "+O"].contains(word) {
        _ = rest.popFirst()
      } else if !word.hasPrefix("-") && !word.hasPrefix("+") || !word.hasPrefix("--") && word.contains("c") {
        return false
      }
    }
    return true
  }

  /// Claude Code shows itself as `claude`, or as a script of that name that another program runs.
  static func isClaude(_ words: [String]) -> Bool {
    words.prefix(2).contains { word in
      let name = word.split(separator: "/").last ?? ""
      return name == "claude" || word.contains("/claude-code/")
    }
  }
}
