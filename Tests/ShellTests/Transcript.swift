/// A story of what a person typed and saw, in one file:
///
///     A slip of the finger is never sent.
///
///     [server gpu1 http://gpu1:8000/v1 smol-1b]
///     $ parley
///     > /modle
///     2> error: no command '/modle'
///     [the line is back: /modle]
///
/// `$ parley …` begins a run, `> …` is typed, `^C` and `^D` are pressed, `[…]` is a stage direction (`StageDirection`).
/// What follows up to an empty line or the next of these is what was seen: standard output as it is, standard error
/// behind `2> `. `1>` marks an empty line of output, and a line that would be taken for something else; `¬` an end
/// without a newline. Prose and lines that begin with `# ` say why.
struct Transcript {
  var steps: [Step] = []
  /// Comments and empty lines behind the last step.
  var tail: [String] = []

  struct Step {
    /// Comments and empty lines before it.
    var lead: [String]
    /// What is done, as it is written; stage directions may have several lines.
    var lines: [String]
    var action: Action
    var expected: [String]
  }

  enum Action {
    case run(arguments: String)
    case type(String)
    case pressCtrlC(hadText: Bool)
    case pressCtrlD
    case direct(StageDirection)
  }

  init(_ text: String) throws {
    var lead: [String] = []
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)[...]
    if lines.last == "" { lines.removeLast() }
    while let line = lines.popFirst() {
      if let (written, action) = try Transcript.action(line, &lines) {
        steps.append(Step(lead: lead, lines: written, action: action, expected: []))
        lead = []
      } else if steps.isEmpty || !lead.isEmpty || line.isEmpty || line.hasPrefix("# ") {
        lead.append(line)
      } else {
        steps[steps.count - 1].expected.append(line)
      }
    }
    tail = lead
  }

  private static func action(_ line: String, _ rest: inout ArraySlice<String>) throws -> ([String], Action)? {
    if line.hasPrefix("$ parley") { return ([line], .run(arguments: String(line.dropFirst(8)))) }
    if line == ">" || line.hasPrefix("> ") { return ([line], .type(String(line.dropFirst(2)))) }
    if line.hasPrefix("^C") { return ([line], .pressCtrlC(hadText: line.count > 2)) }
    if line == "^D" { return ([line], .pressCtrlD) }
    guard StageDirection.begins(line) else { return nil }
    var body: [String] = []
    if !line.hasSuffix("]") {
      while let next = rest.popFirst(), next != "]" { body.append(next) }
      return ([line] + body + ["]"], .direct(try StageDirection(String(line.dropFirst()), body: body)))
    }
    return ([line], .direct(try StageDirection(String(line.dropFirst().dropLast()), body: [])))
  }

  /// The file with what was seen in place of what was expected.
  func text(seen: [[String]]) -> String {
    let parts = zip(steps, seen).flatMap { step, seen in step.lead + step.lines + seen } + tail
    return parts.joined(separator: "\n") + "\n"
  }

  var text: String { text(seen: steps.map(\.expected)) }
}

/// What is seen, line by line as a transcript has it.
struct Sight {
  private(set) var lines: [String] = []
  private var partial = ""
  private var isNotice = false

  mutating func write(_ text: String, isNotice: Bool) {
    if isNotice != self.isNotice { flush() }
    self.isNotice = isNotice
    var pieces = (partial + text).split(separator: "\n", omittingEmptySubsequences: false)
    partial = pieces.popLast().map(String.init) ?? ""
    for piece in pieces { add(String(piece)) }
  }

  /// Something that is neither output nor a notice, such as `[the line is back: …]`.
  mutating func remark(_ line: String) {
    flush()
    for line in line.split(separator: "\n", omittingEmptySubsequences: false) {
      lines.append(Sight.visible(String(line)))
    }
  }

  /// Ends a line that has no newline, with a mark.
  mutating func flush() {
    if !partial.isEmpty { add(partial + "¬") }
    partial = ""
  }

  private mutating func add(_ line: String) {
    let line = Sight.visible(line)
    if isNotice {
      lines.append(line.isEmpty ? "2>" : "2> " + line)
    } else {
      lines.append(line.isEmpty ? "1>" : Sight.couldBeMistaken(line) ? "1> " + line : line)
    }
  }

  /// With marks for what cannot be seen, or what editors take away at the end of a line.
  private static func visible(_ line: String) -> String {
    var text = ""
    for scalar in line.unicodeScalars {
      if [.format, .control].contains(scalar.properties.generalCategory), scalar != "\t" {
        text += "\\u{" + String(scalar.value, radix: 16, uppercase: true) + "}"
      } else {
        text.unicodeScalars.append(scalar)
      }
    }
    return text.hasSuffix(" ") ? text.dropLast() + "␠" : text
  }

  private static func couldBeMistaken(_ line: String) -> Bool {
    ["$ parley", "> ", "^C", "^D", "# ", "1>", "2>"].contains { line.hasPrefix($0) } || line == ">"
      || StageDirection.begins(line)
  }
}
