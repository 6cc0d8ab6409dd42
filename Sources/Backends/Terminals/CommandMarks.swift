/// Where the output of a command begins and ends in what a terminal shows: lines that nothing else can have written
/// (docs/terminals.md 3).
struct CommandMarks: Equatable {
  private let begin: String
  private let end: String

  /// - Parameter word: what nobody can guess; letters and digits.
  init(_ word: String) {
    begin = "parley-\(word)-begins"
    end = "parley-\(word)-ended:"
  }

  static func unguessable() -> CommandMarks {
    CommandMarks(String(Unguessable.text().filter { $0.isLetter || $0.isNumber }.prefix(wordLength)))
  }

  /// What is typed for a command: the marks stand in it in two parts each, so that its echo has none of them. The blank
  /// before it keeps it out of the shell's history where that is set so. Whatever the command ends in, a comment or half a
  /// quote, it ends within its own quotes.
  /// - Parameter shell: what reads it.
  func typed(_ command: String, into shell: String?) -> String {
    func words(_ mark: String) -> String { "\(mark.prefix(9)) \(mark.dropFirst(9))" }
    let isFish = shell == "fish"
    let quoted =
      isFish
      ? command.trimmingBlanks.replacing("\\", with: "\\\\").replacing("'", with: "\\'")
      : command.trimmingBlanks.replacing("'", with: "'\\''")
    return " printf '\\n%s%s\\n' \(words(begin)); eval '\(quoted)'; printf '\\n%s%s%s\\n' \(words(end))"
      + (isFish ? " \"$status\"" : " \"$?\"")
  }

  /// The lines of a screen as if the marks of earlier commands were not there.
  static func without(_ lines: [Substring]) -> [Substring] {
    var out: [Substring] = []
    for line in lines {
      if isMark(line) {
        // The blank line before it is ours too.
        if out.last?.isEmpty == true { out.removeLast() }
      } else {
        out.append(command(in: line) ?? line)
      }
    }
    return out
  }

  private static func isMark(_ line: Substring) -> Bool {
    guard line.hasPrefix("parley-") else { return false }
    let rest = line.dropFirst("parley-".count + wordLength)
    return rest == "-begins" || rest.hasPrefix("-ended:") && rest.dropFirst("-ended:".count).allSatisfy(\.isNumber)
  }

  /// The echo of a command, without the marks that were typed around it.
  private static func command(in line: Substring) -> Substring? {
    guard let begin = line.firstRange(of: " printf '\\n%s%s\\n' parley-"),
      let command = line[begin.upperBound...].firstRange(of: "-begins; eval '"),
      let end = line[command.upperBound...].firstRange(of: "'; printf '\\n%s%s%s\\n' parley-")
    else { return nil }
    // Nothing else is left out, whoever wrote the line.
    let word = line[begin.upperBound..<command.lowerBound]
    let tail = line[end.upperBound...]
    guard isTyped(word), ["\"$?\"", "\"$status\""].contains(where: { tail == word + "-ended: " + $0 }) else {
      return nil
    }
    let typed = line[command.upperBound..<end.lowerBound].replacing("'\\''", with: "'")
    return line[..<begin.lowerBound] + " " + typed
  }

  /// Whether it is the word of a mark in its two parts.
  private static func isTyped(_ word: Substring) -> Bool {
    let parts = word.split(separator: " ", omittingEmptySubsequences: false)
    return parts.count == 2 && parts[0].count == 2 && parts[1].count == wordLength - 2
      && parts.allSatisfy { $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } }
  }

  /// The characters of the word in them.
  static let wordLength = 12

  /// Reads the lines of a terminal, as they are finished.
  struct Reader {
    let marks: CommandMarks
    private var hasBegun = false
    /// A line break before the end mark is ours.
    private var held = ""
    /// Whether the last piece was of a line that goes on.
    private var isWithinLine = false
    private(set) var status: Int?
    private(set) var hasEnded = false

    init(_ marks: CommandMarks) { self.marks = marks }

    /// What of finished lines is the command's own.
    /// - Parameter text: lines with their ends, or a piece of one that is longer than is kept.
    mutating func take(_ text: String) -> String {
      var out = ""
      var rest = text[...]
      while !rest.isEmpty, !hasEnded {
        let line = rest.prefix { $0 != "\n" }
        rest = rest[line.endIndex...]
        let isFinished = rest.popFirst() != nil
        defer { isWithinLine = !isFinished }
        if !isWithinLine, isFinished, line.hasPrefix(marks.end) {
          // Also where the beginning was missed: nothing else can have written it.
          hasEnded = true
          status = Int(line.dropFirst(marks.end.count))
          held = ""
        } else if !hasBegun {
          hasBegun = !isWithinLine && line == marks.begin
        } else if line.isEmpty, isFinished, !isWithinLine {
          // What stands alone may be ours: it is known with the next line.
          out += held
          held = "\n"
        } else {
          out += held + line + (isFinished ? "\n" : "")
          held = ""
        }
      }
      return out
    }

    /// What was held back, once nothing more comes; nothing of what stands before the beginning.
    mutating func finish(_ rest: String) -> String {
      defer { held = "" }
      return hasBegun && !hasEnded ? held + rest : ""
    }
  }
}
