import Wire

extension CommentedJSON {
  /// The text with one member set; every byte outside its value stays, comments and order too.
  func setting(_ key: String, to literal: String) -> [UInt8] {
    var result = bytes
    if let member = members.last(where: { $0.key == key }) {
      result.replaceSubrange(member.valueRange, with: literal.utf8)
      return result
    }
    let text = "\(JSON.string(key).serialized()): \(literal)"
    guard let last = members.last else { return insertingFirst(text) }
    let isOneLine = !bytes[open..<close].contains(UInt8(ascii: "\n"))
    let separator = isOneLine ? " " : newline + indent(of: last)
    let insertion = separator + text + (trailingComma == nil ? "" : ",")
    result.insert(contentsOf: insertion.utf8, at: endOfContent)
    if trailingComma == nil { result.insert(UInt8(ascii: ","), at: last.range.upperBound) }
    return result
  }

  /// The text without a member; a comment behind it on its line goes with it.
  func removing(_ key: String) -> [UInt8] {
    guard let index = members.lastIndex(where: { $0.key == key }) else { return bytes }
    let member = members[index]
    var result = bytes
    var start = member.range.lowerBound
    var end = index + 1 < members.count ? comma(from: member.range.upperBound) + 1 : member.range.upperBound
    if index + 1 == members.count, let trailingComma { end = trailingComma + 1 }
    let lineStart = bytes[..<start].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let isFirstOnLine = lineStart >= open && bytes[lineStart..<start].allSatisfy(\.isBlank)
    if let lineEnd = bytes[end...].firstIndex(of: UInt8(ascii: "\n")), lineEnd < close, isFirstOnLine,
      isBlankOrComment(bytes[end..<lineEnd])
    {
      start = lineStart
      end = lineEnd + 1
    } else {
      while end < close, bytes[end].isBlank { end += 1 }
    }
    result.removeSubrange(start..<end)
    // What is last now had a comma behind it only because of the member that is gone.
    if index > 0, index + 1 == members.count, trailingComma == nil {
      result.remove(at: comma(from: members[index - 1].range.upperBound))
    }
    let hasAnother = members[..<index].contains { $0.key == key }
    guard hasAnother, let rest = try? CommentedJSON(result) else { return result }  // still sound: a member less
    return rest.removing(key)
  }

  private func insertingFirst(_ text: String) -> [UInt8] {
    let end = endOfContent
    let tail = bytes[end..<close].contains(UInt8(ascii: "\n")) ? "" : newline
    var result = bytes
    result.insert(contentsOf: (newline + "  " + text + tail).utf8, at: end)
    return result
  }

  /// Behind the last byte before the `}` that is not white space.
  private var endOfContent: Int {
    (bytes[open..<close].lastIndex { !$0.isBlank && $0 != UInt8(ascii: "\n") } ?? open - 1) + 1
  }

  private var newline: String {
    guard let first = bytes.firstIndex(of: UInt8(ascii: "\n")), first > 0 else { return "\n" }
    return bytes[first - 1] == UInt8(ascii: "\r") ? "\r\n" : "\n"
  }

  private func indent(of member: Member) -> String {
    let lineStart = bytes[..<member.range.lowerBound].lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    let blank = bytes[lineStart..<member.range.lowerBound].prefix {
      $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t")
    }
    return lineStart > open && !blank.isEmpty ? String(decoding: blank, as: UTF8.self) : "  "
  }

  /// The comma between two members; a comment before it may hold commas of its own.
  private func comma(from start: Int) -> Int {
    var at = start
    while at < close, bytes[at] != UInt8(ascii: ",") {
      at = endOfComment(at) ?? at + 1
    }
    return at
  }

  /// Behind a comment that begins here; a line comment's line break is not part of it.
  private func endOfComment(_ start: Int) -> Int? {
    guard bytes[start] == UInt8(ascii: "/"), start + 1 < close else { return nil }
    var at = start + 2
    if bytes[start + 1] == UInt8(ascii: "/") {
      while at < close, bytes[at] != UInt8(ascii: "\n") { at += 1 }
      return at
    }
    while at + 1 < close, !(bytes[at] == UInt8(ascii: "*") && bytes[at + 1] == UInt8(ascii: "/")) { at += 1 }
    return at + 2
  }

  /// Whether there is nothing here but white space and comments that end on this line.
  private func isBlankOrComment(_ slice: ArraySlice<UInt8>) -> Bool {
    var at = slice.startIndex
    while at < slice.endIndex {
      if slice[at].isBlank {
        at += 1
      } else if let end = endOfComment(at), end <= slice.endIndex {
        at = end
      } else {
        return false
      }
    }
    return true
  }
}

extension UInt8 {
  fileprivate var isBlank: Bool {
    self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") || self == UInt8(ascii: "\r")
  }
}
