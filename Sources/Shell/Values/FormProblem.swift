import Chat
import Wire

/// Why a field does not take what was typed.
enum FormProblem: Error, Sendable, Equatable {
  case notANumber, notWhole, notYesOrNo
  case below(Double), above(Double)
  case tooShort(Int), tooLong(Int)
  case notFormatted(String)
  case noChoice(count: Int)
  case tooFew(Int), tooMany(Int)
}

extension FormField {
  /// The value that a line stands for.
  func value(_ line: String) throws(FormProblem) -> JSON {
    switch kind {
    case .text(let shortest, let longest, let format):
      let count = line.unicodeScalars.count
      if let shortest, count < shortest { throw .tooShort(shortest) }
      if let longest, count > longest { throw .tooLong(longest) }
      if let format, !FormField.fits(line, format) { throw .notFormatted(format) }
      return .string(line)
    case .number(let from, let to, let isWhole): return try FormField.number(line, from, to, isWhole: isWhole)
    case .flag:
      switch line.lowercased() {
      case "y", "yes", "true", "on", "1": return true
      case "n", "no", "false", "off", "0": return false
      default: throw .notYesOrNo
      }
    case .choice(let choices): return .string(try FormField.choice(line, choices))
    case .choices(let choices, let fewest, let most):
      var values: [JSON] = []
      for word in line.split(separator: ",") {
        let value = JSON.string(try FormField.choice(String(word).trimmed, choices))
        if !values.contains(value) { values.append(value) }
      }
      if let fewest, values.count < fewest { throw .tooFew(fewest) }
      if let most, values.count > most { throw .tooMany(most) }
      return .array(values)
    }
  }

  private static func number(
    _ line: String, _ from: Double?, _ to: Double?, isWhole: Bool
  ) throws(FormProblem) -> JSON {
    guard let number = Double(line), number.isFinite else { throw .notANumber }
    if let from, number < from { throw .below(from) }
    if let to, number > to { throw .above(to) }
    var written: JSON?
    if case .exact(let text)? = try? JSON(parsing: line) { written = .exact(text) }  // else the number says it all
    guard isWhole else { return written ?? .double(number) }
    if let whole = Int(line) ?? Int(exactly: number) { return .int(whole) }
    guard let written, number.rounded() == number else { throw .notWhole }
    return written
  }

  /// By its number in the list, its value or its title.
  private static func choice(_ word: String, _ choices: [Choice]) throws(FormProblem) -> String {
    let wanted = word.lowercased()
    if let exact = choices.first(where: { $0.value == word }) { return exact.value }
    if let number = Int(word), number >= 1, number <= choices.count { return choices[number - 1].value }
    let similar = choices.first { $0.value.lowercased() == wanted || $0.title?.lowercased() == wanted }
    guard let similar else { throw .noChoice(count: choices.count) }
    return similar.value
  }

  /// Lightly: the server judges.
  private static func fits(_ text: String, _ format: String) -> Bool {
    switch format {
    case "email":
      let parts = text.split(separator: "@", omittingEmptySubsequences: false)
      return parts.count == 2 && parts.allSatisfy { !$0.isEmpty && !$0.contains(where: \.isWhitespace) }
    case "uri":
      guard let colon = text.firstIndex(of: ":"), text.first?.isLetter == true else { return false }
      return text.index(after: colon) != text.endIndex && !text.contains(where: \.isWhitespace)
    case "date": return text.wholeMatch(of: /\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])/) != nil
    case "date-time":
      return text.wholeMatch(of: /\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:\d{2})?/) != nil
    default: return true
    }
  }

  /// Whether a server asks for what no form is a place for.
  var looksSecret: Bool {
    let words = [name, title ?? ""].joined(separator: " ").lowercased()
    return [
      "password", "passwd", "passphrase", "secret", "token", "api key", "api_key", "apikey", "credential", "pin code",
    ]
    .contains(where: words.contains)
  }
}
