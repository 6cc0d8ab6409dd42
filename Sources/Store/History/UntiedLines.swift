import GRDB

/// A row of the list of lines typed. Its key alone may be another line's by now.
struct TypedLine: Sendable {
  let key: Int64
  let text: String

  init?(_ row: Row) {
    guard let key = row.value("key") as Int64?, let text = row.value("text") as String? else { return nil }
    (self.key, self.text) = (key, text)
  }
}

/// The typed lines of which no row says what they became: they were typed before that was kept, or the disk did not take
/// their question at once. They are found by what they say, whole, and with one look at each of them and each question.
struct UntiedLines {
  /// By the message that the line would be.
  private var lines: [String: [TypedLine]] = [:]
  /// Of those messages, in bytes.
  private var lengths: Set<Int> = []
  private var longest = 0

  init(_ db: Database) throws {
    let rows = try Row.fetchCursor(
      db, sql: "SELECT key, text FROM recall" + (db.hasTiedLines ? " WHERE turn IS NULL" : ""))
    while let row = try rows.next() {
      guard let line = TypedLine(row), let message = Self.message(of: line.text) else { continue }
      lines[message, default: []].append(line)
      lengths.insert(message.utf8.count)
      longest = max(longest, message.utf8.count)
    }
  }

  /// Those that are this question, or that something was joined to for it.
  func lines(of question: String) -> [TypedLine] {
    var found = lines[question.withoutMargins] ?? []
    let bytes = question.utf8
    var before: UInt8?
    for (count, byte) in bytes.prefix(longest + 2).enumerated() {
      if byte == UInt8(ascii: "\n"), before == byte, lengths.contains(count - 1) {
        found += lines[String(decoding: bytes.prefix(count - 1), as: UTF8.self)] ?? []
      }
      before = byte
    }
    return found
  }

  /// What a line is sent as (docs/shell.md 3); nil for one that sends nothing of its own.
  private static func message(of line: String) -> String? {
    var text = line.replacing("\\\n", with: "\n").withoutMargins[...]
    let fence = "\"\"\""
    if text.hasPrefix(fence) {
      text = text.dropFirst(3)
      if text.hasSuffix(fence) { text = text.dropLast(3) }
    } else if text.hasPrefix("//") {
      text = text.dropFirst()
    } else if text.hasPrefix("/"), let word = text.split(whereSeparator: \.isWhitespace).first, word.count > 1,
      ["/ask", "/edit"].contains(where: { $0.hasPrefix(word) })
    {
      // Behind the servers or the turn.
      text = text.dropFirst(word.count).drop(while: \.isWhitespace)
      while let sign = text.first, "@#".contains(sign) {
        text = text.drop { !$0.isWhitespace }.drop(while: \.isWhitespace)
      }
    }
    let message = String(text).withoutMargins
    return message.isEmpty ? nil : message
  }
}

extension Database {
  /// Whether lines are tied to their turns: in a copy of an earlier version they are not.
  var hasTiedLines: Bool { get throws { try columns(in: "recall").contains { $0.name == "turn" } } }
}

extension String {
  fileprivate var withoutMargins: String {
    guard let last = lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(self[...last].drop(while: \.isWhitespace))
  }
}
