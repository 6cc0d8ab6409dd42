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

  /// What is typed for a command: the marks stand in it in two parts each, so that its echo has none of them. The blank
  /// before it keeps it out of the shell's history where that is set so.
  /// - Parameter shell: what reads it.
  func typed(_ command: String, into shell: String?) -> String {
    func words(_ mark: String) -> String { "\(mark.prefix(9)) \(mark.dropFirst(9))" }
    let command = command.trimmingBlanks
    let next = command.hasSuffix("&") || command.hasSuffix(";") ? "" : ";"
    let status = shell == "fish" ? "$status" : "$?"
    return " printf '%s%s\\n' \(words(begin)); \(command)\(next) printf '\\n%s%s%s\\n' \(words(end)) \"\(status)\""
  }

  /// The lines of a screen as if the marks of earlier commands were not there.
  static func without(_ lines: [Substring]) -> [Substring] {
    var out: [Substring] = []
    for line in lines {
      if isMark(line) {
        // The blank line before the end is ours too.
        if line.contains("-ended:"), out.last?.isEmpty == true { out.removeLast() }
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
    guard let begin = line.firstRange(of: " printf '%s%s\\n' parley-"),
      let command = line[begin.upperBound...].firstRange(of: "-begins; "),
      let end = line[command.upperBound...].firstRange(of: " printf '\\n%s%s%s\\n' parley-")
    else { return nil }
    let typed = line[command.upperBound..<end.lowerBound]
    return Substring(line[..<begin.lowerBound] + " " + (typed.last == ";" ? typed.dropLast() : typed))
  }

  /// The characters of the word in them.
  static let wordLength = 12

  /// Reads the lines of a terminal, as they are finished.
  struct Reader {
    let marks: CommandMarks
    private var hasBegun = false
    /// A line break before the end mark is ours.
    private var held = ""
    private(set) var status: Int?
    private(set) var hasEnded = false

    init(_ marks: CommandMarks) { self.marks = marks }

    /// What of finished lines is the command's own.
    mutating func take(_ lines: String) -> String {
      var out = ""
      for line in lines.split(separator: "\n", omittingEmptySubsequences: false).dropLast() where !hasEnded {
        if !hasBegun {
          hasBegun = line == marks.begin
        } else if line.hasPrefix(marks.end) {
          hasEnded = true
          status = Int(line.dropFirst(marks.end.count))
          held = ""
        } else {
          out += held
          // What stands alone may be ours: it is known with the next line.
          held = line.isEmpty ? "\n" : ""
          if !line.isEmpty { out += line + "\n" }
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
