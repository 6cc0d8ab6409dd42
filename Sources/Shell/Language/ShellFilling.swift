/// Puts a word into each place of a command line for a shell, so that it stays one word (docs/snippets.md 2).
///
/// It follows the line's own quotes to know how a place is quoted. Where it cannot be sure of that, a place is refused.
/// What runs has variables in its places and no values: bash goes on in the next line behind a mistake, which may be in
/// the middle of a quoted value.
struct ShellFilling {
  /// A place where no value can stand safely.
  struct UnsafePlace: Error, Equatable {
    var name: String
  }

  /// What surrounds the next character; the outermost is the line itself, each `(` begins another.
  private enum Context { case plain, double, single }

  private var contexts: [Context] = [.plain]
  private var isUncertain = false
  private var isEscaped = false
  private var isComment = false
  private var before: Unicode.Scalar?
  /// Whether the word is the one behind `>&` or `<&`, which bash expands twice; nil while it has not begun.
  private var duplicates: Bool? = false
  /// The word that is being read, outside quotes.
  private var word = ""
  /// How many `\` stand before, within single quotes: one before a `'` is read differently by fish.
  private var backslashes = 0

  /// - Parameter word: what stands in a place, by its name; a word for a shell that is outside of quotes.
  static func line(_ template: Template, _ word: (String) -> String) throws(UnsafePlace) -> String {
    var filling = ShellFilling()
    var line = ""
    for piece in template.pieces {
      switch piece {
      case .text(let text):
        filling.follow(Array(text.unicodeScalars))
        line += text
      case .place(let name):
        guard let part = filling.part(word(name)) else { throw UnsafePlace(name: name) }
        line += part
      }
    }
    return line
  }

  /// Whether a shell reads quotes as this does, by its path: those of POSIX and fish do.
  static func knows(_ shell: String) -> Bool {
    let name = shell.split(separator: "/").last ?? ""
    return ["sh", "bash", "dash", "ash", "zsh", "ksh", "mksh", "yash", "fish"].contains(name)
  }

  /// The word in the quotes that stand around it; nil where that is not certain.
  private mutating func part(_ word: String) -> String? {
    guard !isUncertain, !isEscaped, !isComment, duplicates == false, contexts.last != .single || backslashes % 2 == 0
    else { return nil }
    before = "x"
    self.word += "x"
    backslashes = 0
    switch contexts.last {
    case .plain: return word
    case .double: return "\"\(word)\""
    case .single: return "'\(word)'"
    case nil: return nil
    }
  }

  /// A word as it must stand in a command line; one that no shell reads otherwise stands as it is.
  static func word(_ word: String) -> String {
    let isPlain = word.unicodeScalars.allSatisfy { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
        || "-_./:=@%+,".unicodeScalars.contains(scalar)
    }
    return isPlain && !word.isEmpty ? word : quoted(word)
  }

  /// As one word: a `'` and a `\` stand outside of the quotes, because fish reads `\` within them too.
  static func quoted(_ value: String) -> String {
    var quoted = String.UnicodeScalarView()
    for scalar in value.unicodeScalars {
      switch scalar {
      case "'": quoted.append(contentsOf: "'\\''".unicodeScalars)
      case "\\": quoted.append(contentsOf: "'\\\\'".unicodeScalars)
      default: quoted.append(scalar)
      }
    }
    return "'\(String(quoted))'"
  }
}

extension ShellFilling {
  private mutating func follow(_ scalars: [Unicode.Scalar]) {
    var index = 0
    while index < scalars.count, !isUncertain {
      let scalar = scalars[index]
      let rest = scalars[(index + 1)...]
      index += 1
      if isEscaped {
        followEscaped(scalar)
        continue
      }
      if isComment {
        isComment = scalar != "\n"
      } else {
        switch contexts.last {
        case .single: followSingle(scalar)
        case .double: index += followDouble(scalar, rest)
        case .plain, nil: index += followPlain(scalar, rest)
        }
      }
      if !isEscaped { before = scalars[index - 1] }
    }
  }

  /// An end of a line joins what stands at both sides of it, which may be two halves of one sign.
  private mutating func followEscaped(_ scalar: Unicode.Scalar) {
    isEscaped = false
    guard scalar == "\n" else {
      before = "x"
      word += "x"
      return
    }
    switch before {
    case nil, " ", "\t", "\n": word = ""
    default: isUncertain = true
    }
  }

  private mutating func followSingle(_ scalar: Unicode.Scalar) {
    if scalar == "'" {
      contexts.removeLast()
      if backslashes % 2 == 1 { isUncertain = true }
    }
    backslashes = scalar == "\\" ? backslashes + 1 : 0
  }

  /// - Returns: how many more were read.
  private mutating func followDouble(_ scalar: Unicode.Scalar, _ rest: ArraySlice<Unicode.Scalar>) -> Int {
    switch scalar {
    case "\\": isEscaped = true
    case "\"": contexts.removeLast()
    case "`": isUncertain = true
    case "$": return followDollar(rest)
    default: break
    }
    return 0
  }

  private mutating func followPlain(_ scalar: Unicode.Scalar, _ rest: ArraySlice<Unicode.Scalar>) -> Int {
    if " \t\n;&|()".unicodeScalars.contains(scalar) {
      // The patterns of a `case` have a `)` that closes nothing.
      if word == "case", contexts.count > 1 { isUncertain = true }
      word = ""
    } else {
      word.unicodeScalars.append(scalar)
    }
    switch scalar {
    case "&" where before == ">" || before == "<": duplicates = nil
    case " ", "\t": duplicates = duplicates == nil ? nil : false
    case "\n", ";", "&", "|", "(", ")": duplicates = false
    default: duplicates = duplicates != false
    }
    switch scalar {
    case "\\": isEscaped = true
    case "'":
      contexts.append(.single)
      backslashes = 0
      // Only some shells read escapes in it.
      if before == "$" { isUncertain = true }
    case "\"": contexts.append(.double)
    case "`": isUncertain = true
    case "$": return followDollar(rest)
    case "(":
      // Arithmetic, where quotes are something else.
      if rest.first == "(" { isUncertain = true }
      contexts.append(.plain)
    case ")": if contexts.count > 1 { contexts.removeLast() }
    case "<":
      // Behind it stands a text that ends at a word of its own.
      guard rest.first == "<" else { return 0 }
      guard rest.dropFirst().first == "<" else {
        isUncertain = true
        return 0
      }
      return 2
    case "#":
      switch before {
      case nil, " ", "\t", "\n", ";", "&", "|": isComment = true
      case "(", ")", "<", ">": isUncertain = true
      default: break
      }
    default: break
    }
    return 0
  }

  /// `$(` begins a command, `${` something that may have quotes of its own in it.
  private mutating func followDollar(_ rest: ArraySlice<Unicode.Scalar>) -> Int {
    switch rest.first {
    case "(":
      if rest.dropFirst().first == "(" { isUncertain = true }
      contexts.append(.plain)
      word = ""
      return 1
    case "{":
      guard let close = rest.firstIndex(of: "}"),
        !rest[(rest.startIndex + 1)..<close].contains(where: { "'\"`\\${(".unicodeScalars.contains($0) })
      else {
        isUncertain = true
        return 0
      }
      return close + 1 - rest.startIndex
    case "[":
      isUncertain = true
      return 0
    case let sign? where "$#?!*@-".unicodeScalars.contains(sign):
      // Its name is that sign, so that what follows begins nothing; not every shell agrees.
      let begins = sign == "$" ? "({['\"" : "({["
      if let next = rest.dropFirst().first, begins.unicodeScalars.contains(next) { isUncertain = true }
      return 1
    default: return 0
    }
  }
}
