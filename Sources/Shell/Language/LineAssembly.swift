/// Lines that belong together: `"""` … `"""`, and a `\` at a line's end (docs/shell.md 3).
struct LineAssembly {
  private var lines: [String] = []
  private var isFenced = false

  /// Whether more is needed before the message is whole.
  var isOpen: Bool { !lines.isEmpty || isFenced }

  /// Takes a line; the whole text once it is complete.
  mutating func take(_ line: String) -> String? {
    if isFenced { return takeFenced(line) }
    let fence = "\"\"\""
    if lines.isEmpty, line.trimmed.hasPrefix(fence) {
      let rest = String(line.trimmed.dropFirst(3))
      if rest.hasSuffix(fence), rest.count >= 3 { return " " + rest.dropLast(3) }
      isFenced = true
      if !rest.isEmpty { lines.append(rest) }
      return nil
    }
    let backslashes = line.reversed().prefix { $0 == "\\" }.count
    if backslashes % 2 == 1 {
      lines.append(String(line.dropLast()))
      return nil
    }
    lines.append(line)
    defer { lines = [] }
    return lines.joined(separator: "\n")
  }

  /// What was collected when the input ends in the middle.
  mutating func flush() -> String? {
    guard isOpen else { return nil }
    defer { self = LineAssembly() }
    return (isFenced ? " " : "") + lines.joined(separator: "\n")
  }

  mutating func clear() { self = LineAssembly() }

  private mutating func takeFenced(_ line: String) -> String? {
    let trimmedEnd = line.trimmed
    guard trimmedEnd.hasSuffix("\"\"\"") else {
      lines.append(line)
      return nil
    }
    let last = String(line[..<(line.range(ofLast: "\"\"\"") ?? line.endIndex)])
    if !last.trimmed.isEmpty { lines.append(last) }
    defer { self = LineAssembly() }
    // The leading space says: a message, whatever it starts with.
    return " " + lines.joined(separator: "\n")
  }
}

extension String {
  /// Where the last occurrence of `part` begins.
  fileprivate func range(ofLast part: String) -> String.Index? {
    var index = endIndex
    while index > startIndex {
      index = self.index(before: index)
      if self[index...].hasPrefix(part) { return index }
    }
    return nil
  }
}
