/// Lines that are there already.
package actor ScriptLines: LineSource {
  private var lines: ArraySlice<String>

  package init(_ lines: [String]) { self.lines = lines[...] }

  package func next(_ request: LineRequest) async -> LineResult {
    lines.popFirst().map(LineResult.line) ?? .end
  }

  /// The lines of a file; a newline at its end begins no other line.
  package static func split(_ text: String) -> [String] {
    var lines = text.split(separator: /\r?\n/, omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    return lines
  }
}
