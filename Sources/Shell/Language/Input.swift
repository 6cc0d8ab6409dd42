/// What a line means (docs/shell.md 3).
package enum Input: Sendable, Equatable {
  case nothing
  /// Text for the model.
  case message(String)
  /// A command of the table, by its full name, with what follows the name.
  case command(name: String, arguments: Arguments)
  /// A word that looks like a command and is none, or could be several: never sent.
  case suggestion(word: String, nearest: [String])
  /// The beginning of several commands.
  case ambiguous(word: String, names: [String])
  /// A word by which people leave or ask for help elsewhere, perhaps with what to help with.
  case habit(String)
  /// `!command`, or `!!command` whose output is attached to the next message.
  case shell(command: String, attaches: Bool)

  /// Reads a line as it was typed.
  ///
  /// - Parameters:
  ///   - isIndented: whether white space at its start belongs to the message.
  ///   - names: what the table answers to, aliases included, to the full name.
  ///   - isPath: whether a word names something on disk.
  package init(
    _ line: String, isIndented: Bool = false, names: [String: String], isPath: (String) -> Bool
  ) {
    let trimmed = line.trimmed
    if trimmed.isEmpty {
      self = .nothing
    } else if isIndented {
      self = .message(String(line.prefix(while: \.isWhitespace)) + trimmed)
    } else if line.first?.isWhitespace == true {
      self = .message(trimmed)
    } else if trimmed.hasPrefix("//") {
      self = .message(String(trimmed.dropFirst()))
    } else if trimmed.hasPrefix("!!") {
      self = .shell(command: String(trimmed.dropFirst(2)).trimmed, attaches: true)
    } else if trimmed.hasPrefix("!") {
      self = .shell(command: String(trimmed.dropFirst()).trimmed, attaches: false)
    } else if trimmed.hasPrefix("/") {
      let word = trimmed.prefix { !$0.isWhitespace }
      let rest = String(trimmed[word.endIndex...]).trimmed
      self =
        Input(slashWord: String(word), names: names, isPath: isPath, arguments: Arguments(text: rest))
        ?? .message(trimmed)
    } else {
      self = .message(trimmed)
    }
  }

  /// Reads words that a shell has split already: arguments keep their borders.
  package init(words: [String], names: [String: String], isPath: (String) -> Bool) {
    guard let first = words.first, first.hasPrefix("/"), !first.hasPrefix("//"), words.count > 1 else {
      self = Input(words.joined(separator: " "), names: names, isPath: isPath)
      return
    }
    let arguments = Arguments(words: Array(words.dropFirst()))
    self =
      Input(slashWord: first, names: names, isPath: isPath, arguments: arguments)
      ?? .message(words.joined(separator: " "))
  }

  /// nil when the word makes its line a message.
  private init?(slashWord: String, names: [String: String], isPath: (String) -> Bool, arguments: Arguments) {
    let name = String(slashWord.dropFirst())
    if let exact = names[name] {
      self = .command(name: exact, arguments: arguments)
      return
    }
    // The root of all files is no message: a slash alone is a command that was begun.
    if name.contains("/") || !name.isEmpty && isPath(slashWord) { return nil }
    let matches = Set(names.filter { $0.key.hasPrefix(name) }.values)
    if !name.isEmpty, let only = matches.first, matches.count == 1 {
      self = .command(name: only, arguments: arguments)
    } else if !name.isEmpty, !matches.isEmpty {
      self = .ambiguous(word: slashWord, names: matches.sorted())
    } else {
      self = .suggestion(word: slashWord, nearest: Nearest.words(to: name, among: Array(Set(names.values))))
    }
  }
}

/// What follows a command's name.
package struct Arguments: Sendable, Equatable {
  /// As it was typed, trimmed: for commands whose argument is prose.
  package var text: String
  /// Split with shell quoting.
  package var words: [String]
  /// Prose as it was typed; quotes around the whole of it are the shell's.
  private(set) var prose: String
  /// Whether the words came one by one, and what stood between them is not known.
  private(set) var isSplit = false

  package init(text: String) {
    self.text = text
    let split = Words(splitting: text)
    words = split.words
    prose = Arguments.prose(text, of: split)
  }

  /// Quotes around the whole of a text are the shell's.
  private static func prose(_ text: String, of split: Words) -> String {
    let isQuoted = split.words.count == 1 && split.openQuote == nil && text.first == text.last
    return isQuoted && ["'", "\""].contains(text.first) ? split.words[0] : text
  }

  package init(words: [String]) {
    self.words = words
    text = words.joined(separator: " ")
    prose = text
    isSplit = true
  }

  /// Prose that begins with the word of that number, as it was typed.
  func prose(from index: Int) -> String {
    guard index < words.count else { return "" }
    guard !isSplit else { return words[index...].joined(separator: " ") }
    let rest = String(text.unicodeScalars.dropFirst(Words(splitting: text).starts[index])).trimmed
    return Arguments.prose(rest, of: Words(splitting: rest))
  }

  /// Takes a flag wherever it stands, with its value; a flag alone that wants one has the empty value.
  /// - Parameter others: what begins another flag is no value.
  mutating func take(_ flag: Flag, among others: [Flag]) -> String? {
    // Behind -- stand a program's own words.
    guard let index = words.prefix(while: { $0 != "--" }).firstIndex(of: flag.name) else { return nil }
    let next = words.dropFirst(index + 1).first
    let hasValue = flag.value != nil && next != nil && next != "--" && !others.contains { $0.name == next }
    let value = hasValue ? words[index + 1] : ""
    let taken = index...(hasValue ? index + 1 : index)
    guard !isSplit else {
      words.removeSubrange(taken)
      self = Arguments(words: words)
      return value
    }
    // What else was typed stays as it was.
    let starts = Words(splitting: text).starts
    let scalars = Array(text.unicodeScalars)
    let rest = starts.indices.contains(taken.upperBound + 1) ? scalars[starts[taken.upperBound + 1]...] : []
    self = Arguments(text: String(String.UnicodeScalarView(scalars[..<starts[index]] + rest)).trimmed)
    return value
  }

  /// Takes a trailing `--json`, which every listing command understands.
  mutating func takeJSONFlag() -> Bool {
    guard words.last == "--json", !words.contains("--") else { return false }
    words.removeLast()
    text = String(text.dropLast("--json".count)).trimmed
    prose = text
    return true
  }
}

extension String {
  /// Without white space at both ends.
  var trimmed: String {
    guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace }) else {
      return ""
    }
    return String(self[first...last])
  }
}
