import GRDB

/// The typed lines of which no row says what they became: they were typed before that was kept, or the disk did not take
/// their question at once. They are found by what they say, whole, and with one look at each of them and each question.
struct UntiedLines {
  /// By the message that the line would be.
  private var keys: [String: [Int64]] = [:]
  /// Of those messages, in bytes.
  private var lengths: Set<Int> = []
  private var longest = 0

  init(_ db: Database) throws {
    let rows = try Row.fetchCursor(db, sql: "SELECT key, text FROM recall WHERE turn IS NULL")
    while let row = try rows.next() {
      guard let key = row.value("key") as Int64?, let message = Self.message(of: row.value("text") ?? "") else {
        continue
      }
      keys[message, default: []].append(key)
      lengths.insert(message.utf8.count)
      longest = max(longest, message.utf8.count)
    }
  }

  /// The rows of those that are this question, or that something was joined to for it.
  func keys(of question: String) -> [Int64] {
    var found = keys[question.withoutMargins] ?? []
    let bytes = question.utf8
    var before: UInt8?
    for (count, byte) in bytes.prefix(longest + 2).enumerated() {
      if byte == UInt8(ascii: "\n"), before == byte, lengths.contains(count - 1) {
        found += keys[String(decoding: bytes.prefix(count - 1), as: UTF8.self)] ?? []
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

extension String {
  fileprivate var withoutMargins: String {
    guard let last = lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return String(self[...last].drop(while: \.isWhitespace))
  }
}
