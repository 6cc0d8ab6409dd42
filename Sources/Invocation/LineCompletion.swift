package import Shell

/// What can stand at the end of a command line of the person's shell.
///
/// The scripts hand over the line up to its cursor, because bash cuts words at colons and equals signs; it is split
/// here with the quoting that the shells share.
package struct LineCompletion {
  private let typed: String
  private var words: [String] = []
  /// The option whose value is being typed.
  private var option: OptionRow?
  private var used: Set<String> = []
  private var server: String?
  /// The beginning of the typed word that stays.
  private var kept = ""

  /// - Parameters:
  ///   - line: up to the cursor.
  ///   - replaced: the end of the line that a candidate replaces, as typed; nil is the whole last word.
  package init(_ line: String, replacing replaced: String? = nil) {
    let split = Words(splitting: line)
    let isNewWord = split.lastWordStart >= line.unicodeScalars.count && split.openQuote == nil
    typed = isNewWord ? "" : split.words.last ?? ""
    let before = (isNewWord ? split.words[...] : split.words.dropLast()).drop { $0.contains("=") && !$0.hasPrefix("-") }
    if let replaced, !isNewWord {
      let word = String(String.UnicodeScalarView(line.unicodeScalars.dropFirst(split.lastWordStart)))
      if word.hasSuffix(replaced) { kept = Words(splitting: String(word.dropLast(replaced.count))).words.first ?? "" }
    }
    var endsOptions = false
    for word in before.dropFirst() {
      if let option {
        if option.key == "server" { server = word }
        self.option = nil
      } else if endsOptions || !word.hasPrefix("-") || word == "-" || flags.contains(word) {
        words.append(word)
      } else if word == "--" {
        endsOptions = true
      } else {
        take(option: word)
      }
    }
    if endsOptions { used.insert("--") }
  }

  /// What fits, unquoted; what ends in `/` or `=` goes on.
  ///
  /// - Parameter completer: of the server named on the line, nil when none is.
  package func candidates(_ completer: (_ server: String?) -> Completer) -> [(text: String, summary: String)] {
    whole(completer).filter { $0.text.hasPrefix(kept) }
      .map { (text: String($0.text.dropFirst(kept.count)), summary: $0.summary) }
  }

  private func whole(_ completer: (_ server: String?) -> Completer) -> [(text: String, summary: String)] {
    if let option { return values(of: option, typed, completer(server)) }
    if typed.hasPrefix("-"), !used.contains("--") {
      let ofCommand = flags.isEmpty ? [] : asCommand(completer)
      return ofCommand + options(completer)
    }
    if words.isEmpty, typed.isEmpty || typed.hasPrefix("/") {
      return ask(completer(server), typed.isEmpty ? "/" : typed)
    }
    if words.first?.hasPrefix("/") == true { return asCommand(completer) }
    // A message: only a path in it can be completed.
    return typed.contains(where: \.isWhitespace) ? [] : ask(completer(server), "a " + typed)
  }

  /// The flags of the slash command on the line.
  private var flags: [String] {
    guard let first = words.first, first.hasPrefix("/"), let name = Commands.names[String(first.dropFirst())] else {
      return []
    }
    return Commands.named(name)?.flags.map(\.name) ?? []
  }

  private func asCommand(_ completer: (_ server: String?) -> Completer) -> [(text: String, summary: String)] {
    ask(completer(server), (words + [""]).map(quoted).joined(separator: " ") + quoted(typed))
  }

  private mutating func take(option word: String) {
    let parts = word.split(separator: "=", maxSplits: 1)
    let isCluster = !word.hasPrefix("--")
    // In -qs only the last can want a value from the next word.
    let names = isCluster ? word.dropFirst().map { "-\($0)" } : [String(parts[0])]
    for name in names {
      guard let row = OptionRow.all.first(where: { $0.names.contains(name) }) else { continue }
      used.insert(row.key)
      guard row.value != nil else { continue }
      if !isCluster, parts.count == 2 {
        if row.key == "server" { server = String(parts[1]) }
      } else if name == names.last {
        option = row
      }
      return
    }
  }

  private func options(_ completer: (String?) -> Completer) -> [(text: String, summary: String)] {
    if typed.hasPrefix("--"), let equals = typed.firstIndex(of: "=") {
      let name = typed[..<equals]
      guard let row = OptionRow.all.first(where: { $0.names.contains(String(name)) }), row.value != nil else {
        return []
      }
      return values(of: row, String(typed[typed.index(after: equals)...]), completer(server))
        .map { (text: "\(name)=\($0.text)", summary: $0.summary) }
    }
    return OptionRow.all.filter { $0.isRepeating || !used.contains($0.key) }
      .flatMap { row in row.names.map { (text: $0, summary: row.summary) } }
      .filter { $0.text.hasPrefix(typed) }
  }

  private func values(of option: OptionRow, _ typed: String, _ completer: Completer) -> [(
    text: String, summary: String
  )] {
    switch option.key {
    case "server": ask(completer, "/server use " + quoted(typed))
    case "model": ask(completer, "/model " + quoted(typed))
    case "tool": ask(completer, "/tools on " + quoted(typed))
    case "resume": ask(completer, "/resume " + quoted(typed))
    case "f", "schema", "attach": ask(completer, "/run " + quoted(typed))
    case "c": typed.hasPrefix("/") ? ask(completer, typed).map { ($0.text, $0.summary) } : []
    case "set": setting(typed, completer)
    default: []
    }
  }

  private func setting(_ typed: String, _ completer: Completer) -> [(text: String, summary: String)] {
    guard let equals = typed.firstIndex(of: "=") else {
      return ask(completer, "/settings " + typed).filter { $0.text != "reset" }.map { ("\($0.text)=", $0.summary) }
    }
    let key = typed[..<equals]
    return ask(completer, "/settings \(key) " + quoted(String(typed[typed.index(after: equals)...])))
      .map { ("\(key)=\($0.text)", $0.summary) }
  }

  /// What Tab in this program's own shell offers for a line, its quoting undone.
  private func ask(_ completer: Completer, _ line: String) -> [(text: String, summary: String)] {
    completer.complete(line, line.unicodeScalars.count).candidates.map { candidate in
      (text: Words(splitting: candidate.text).words.first ?? candidate.text, summary: candidate.summary)
    }
  }

  private func quoted(_ word: String) -> String { word.isEmpty ? "" : Words.quoted(word) }
}
