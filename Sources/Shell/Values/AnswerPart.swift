/// What a handle names: an answer, `#12` or `#-1`, or a block of code in it, `#12.code1` (docs/shell.md 3).
struct AnswerPart: Equatable {
  enum Code: Equatable {
    case last
    /// Counted from 1.
    case number(Int)
  }

  /// The turn's, such as `#12`; nil is the last answer there is.
  var turn: String?
  /// nil is the whole answer.
  var code: Code?

  init(turn: String? = nil, code: Code? = nil) {
    self.turn = turn
    self.code = code
  }

  /// Throws `badHandle`.
  init(_ word: String) throws(ShellError) {
    let parts = word.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    turn = String(parts[0])
    guard parts.count == 2 else { return }
    guard parts[1].hasPrefix("code") else { throw .badHandle(word) }
    let number = parts[1].dropFirst("code".count)
    code = try Self.code(number.isEmpty ? nil : String(number), in: word)
  }

  /// Behind the word `code`: a number, or none for the last one.
  static func code(_ number: String?, in word: String) throws(ShellError) -> Code {
    guard let number else { return .last }
    guard number.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int(number), count > 0 else {
      throw .badHandle(word)
    }
    return .number(count)
  }
}
