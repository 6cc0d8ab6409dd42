import Waiting

/// The arguments of a command, once one of its forms takes them.
package struct Match: Sendable {
  /// What stands in the places of the form's parameters and choices, in order; its own words are left out.
  package let values: [String]
  /// Whether `--json` stood at the end.
  package let asJSON: Bool
  private let arguments: Arguments
  private let flags: [GivenFlag]
  /// The names of the flags that the form takes.
  private let taken: Set<String>
  /// The names of the flags that were asked for: a test finds a form that takes a flag and never asks for it.
  let read = Locked<Set<String>>([])

  init(values: [String], asJSON: Bool = false, arguments: Arguments, flags: [GivenFlag], of form: Form) {
    self.values = values
    self.asJSON = asJSON
    self.arguments = arguments
    self.flags = flags
    taken = Set(form.flags.map(\.name))
  }

  subscript(index: Int) -> String { values[index] }

  /// All words but flags.
  var words: [String] { arguments.words }
  /// As it was typed, trimmed: for commands whose argument is prose.
  var text: String { arguments.text }
  /// Prose as it was typed; quotes around the whole of it are the shell's.
  var prose: String { arguments.prose }

  /// Prose that begins with the word of that number.
  func prose(from index: Int) -> String { arguments.prose(from: index) }

  /// Whether the words came one by one, as from a shell that has split them.
  var isSplit: Bool { arguments.isSplit }

  /// The value of a flag; empty for one that takes none, nil where it was not given.
  func value(of flag: Flag) -> String? { all(of: flag).first }

  /// The values of a flag that may be given several times.
  func all(of flag: Flag) -> [String] {
    // The form would read a flag that it does not declare, and never find it.
    precondition(taken.contains(flag.name), "a form reads \(flag.name) and does not take it")
    read.withLock { _ = $0.insert(flag.name) }
    return given(flag)
  }

  private func given(_ flag: Flag) -> [String] { flags.filter { $0.flag.name == flag.name }.map(\.value) }

  /// Throws where two of these flags were given: only one of them could be followed.
  func requireAtMostOne(of flags: [Flag], in command: String) throws(ShellError) {
    let given = flags.filter { !self.given($0).isEmpty }
    guard given.count < 2 else { throw .exclusive(given[0].name, given[1].name, command: command) }
  }
}

/// A flag as it was typed; the value of one that takes none is empty.
struct GivenFlag: Sendable {
  let flag: Flag
  let value: String
}

extension Command {
  /// Whether the words ask for another server, agent, model, project, session or branch.
  func isSwitch(_ arguments: Arguments) -> Bool {
    // Flags that cannot be read are reported when the command runs.
    let words = (try? take(flags, from: arguments))?.0.words ?? arguments.words
    let form = best(for: words).0
    return form.isSwitch && !(form.showsChoice && words.isEmpty)
  }

  /// Whether any form of it is a switch: words that no form takes may have been meant for that one.
  var canSwitch: Bool { (forms + unlisted).contains(where: \.isSwitch) }

  /// Does what the words ask for. Throws `missing` or `unexpected` when no form takes them.
  package func run(_ shell: inout Shell, _ arguments: Arguments) async throws(ShellError) -> Next {
    var arguments = arguments
    let likely = best(for: arguments.words).0
    // A key in the place of a name would be looked up, shown and kept.
    if !likely.takesAnyText, arguments.words.contains(where: LikelySecret.isKey) { throw .secretOnLine }
    let asJSON = !likely.endsInProse && arguments.takeJSONFlag()
    var (rest, given) = try take(flags, from: arguments)
    var (form, reading) = best(for: rest.words)
    if form.endsInProgram, given.contains(where: { !form.takes($0.flag) }) {
      // The words of a program are its own, whatever they look like.
      (rest, given) = try take(form.flags, from: arguments)
      (form, reading) = best(for: rest.words)
    }
    let words = rest.words
    let beginsWithOwn = if case .required? = form.parts.first { false } else { true }
    let place = reading.ownWords > 0 && forms.count > 1 && beginsWithOwn ? "\(name) \(words[0])" : name
    if reading.isWhole, let run = form.run {  // all have one: see `Command.init`
      if let other = given.first(where: { !form.takes($0.flag) }) {
        throw .unexpected(other.flag.name, command: place, forms: forms)
      }
      let match = Match(values: reading.values, asJSON: asJSON, arguments: rest, flags: given, of: form)
      do throws(ShellError) { return try await run(&shell, match) } catch { throw error.knowing(forms) }
    }
    guard let stranger = reading.stranger else {
      throw .missing(
        (words.isEmpty ? nil : reading.missing) ?? .words, command: place, forms: forms)
    }
    throw .unexpected(words[stranger], command: place, forms: forms)
  }

  /// Takes the flags that stand among arguments; gives the other words too.
  private func take(
    _ flags: [Flag], from arguments: Arguments
  ) throws(ShellError) -> (rest: Arguments, given: [GivenFlag]) {
    var rest = arguments
    var given: [GivenFlag] = []
    for flag in flags {
      while let value = rest.take(flag, among: flags) {
        if let parameter = flag.value, value.isEmpty {
          throw .missing(parameter, command: "\(name) \(flag.name)", forms: forms)
        }
        guard flag.repeats || given.last?.flag.name != flag.name else { throw .repeated(flag.name, command: name) }
        given.append(GivenFlag(flag: flag, value: value))
      }
    }
    return (rest, given)
  }

  /// The form that is meant: the one with the most words of its own, and of those the one that fits best.
  private func best(for words: [String]) -> (Form, Form.Reading) {
    var best = (form: forms[0], reading: forms[0].reading(of: words))
    for form in forms.dropFirst() + unlisted {
      let reading = form.reading(of: words)
      if (best.reading.ownWords, best.reading.fit) < (reading.ownWords, reading.fit) { best = (form, reading) }
    }
    return best
  }
}

extension ShellError {
  /// What a form finds lacking, or cannot take, is said with the ways to call its command.
  fileprivate func knowing(_ forms: [Form]) -> ShellError {
    switch self {
    case .missing(let parameter, let command, _): .missing(parameter, command: command, forms: forms)
    case .unexpected(let word, let command, _): .unexpected(word, command: command, forms: forms)
    default: self
    }
  }
}

extension Form {
  /// How words go along the parts of a form.
  struct Reading {
    /// What stands in the places of parameters and choices.
    var values: [String] = []
    /// How many words are of the kind that this form alone takes there.
    var ownWords = 0
    /// The first word that has no place in it.
    var stranger: Int?
    /// Whether that one stands behind all parts.
    var isTooLong = false
    /// What may stand behind the words; empty behind the last part.
    var next: ArraySlice<Part> = []

    var isWhole: Bool { stranger == nil && !next.contains { !$0.isOptional } }

    /// The parameter that is lacking; nil where a word of the form's own is.
    var missing: Parameter? {
      if case .required(let parameter)? = next.first(where: { !$0.isOptional }) { parameter } else { nil }
    }

    /// The higher, the more likely it is what was meant.
    var fit: Int { isWhole ? 3 : missing != nil && stranger == nil ? 2 : isTooLong ? 1 : 0 }
  }

  func reading(of words: [String]) -> Reading {
    var reading = Reading()
    var rest = words[...]
    for (index, part) in parts.enumerated() {
      guard let word = rest.first else {
        reading.next = parts[index...]
        return reading
      }
      guard part.takes(word) else {
        reading.stranger = rest.startIndex
        return reading
      }
      if part.isOwn { reading.ownWords += 1 }
      let taken = part.parameter?.takesTheRest == true && index == parts.count - 1 ? rest : rest.prefix(1)
      if case .word = part {} else { reading.values += taken }
      rest = rest.dropFirst(taken.count)
    }
    reading.stranger = rest.isEmpty ? nil : rest.startIndex
    reading.isTooLong = !rest.isEmpty
    return reading
  }

  fileprivate func takes(_ flag: Flag) -> Bool { flags.contains { $0.name == flag.name } }

  /// Whether all behind its first words is a program's, without `--` before it.
  fileprivate var endsInProgram: Bool { parts.last == .required(.program) && !parts.contains(.word("--")) }

  fileprivate var endsInProse: Bool { [.text, .title, .pattern, .commandLine].contains(parts.last?.parameter) }
}

extension Form {
  /// Whether what it ends with is not a name: text to send, to look for or to run, a value.
  fileprivate var takesAnyText: Bool {
    [
      .text, .words, .pattern, .commandLine, .settingValue, .agentValue, .program, .promptValues, .placeValues, .file,
      .files, .attached, .path, .folder,
    ].contains(parts.last?.parameter)
  }
}

extension Form.Part {
  /// What it stands for, when it is no word of the command's own.
  var parameter: Parameter? {
    switch self {
    case .required(let parameter), .optional(let parameter): parameter
    case .word, .choice: nil
    }
  }

  fileprivate var isOptional: Bool {
    if case .optional = self { true } else { false }
  }

  /// Whether what it takes tells its form from others.
  fileprivate var isOwn: Bool { parameter == nil || self == .required(.handle) || self == .required(.part) }

  fileprivate func takes(_ word: String) -> Bool {
    switch self {
    case .word(let own): word == own
    case .choice(let words): words.contains(word)
    case .required(.handle), .required(.part): word.hasPrefix("#")
    case .required(.number), .optional(.number): Int(word) != nil
    // A flag that the command does not have is neither an address nor a new name.
    case .required(.url), .required(.newName), .optional(.newName), .optional(.userName): !word.hasPrefix("--")
    case .required, .optional: true
    }
  }
}

extension Parameter {
  /// Whether it may be of several words, where it comes last.
  fileprivate var takesTheRest: Bool {
    [
      .text, .title, .words, .pattern, .commandLine, .session, .tags, .remoteSession, .settingValue, .agentValue, .item,
      .tools,
      .remoteTools,
      .program, .promptValues, .placeValues, .files, .attached,
    ].contains(self)
  }
}
