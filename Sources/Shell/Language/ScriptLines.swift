/// Lines that are there already.
package actor ScriptLines: LineSource {
  private var lines: ArraySlice<String>

  package init(_ lines: [String]) { self.lines = lines[...] }

  package func next(_ request: LineRequest) async -> LineResult {
    lines.popFirst().map(LineResult.line) ?? .end
  }
}
