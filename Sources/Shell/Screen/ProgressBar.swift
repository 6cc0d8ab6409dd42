import Text

/// How much of something is done, on one line: `3.2 of 8.0 MB █████░░░░░░░`.
enum ProgressBar {
  private static let widest = 24, narrowest = 5

  /// - Parameter columns: cells that it may take; without room for the bar the numbers stand alone.
  static func bytes(_ done: Int, of total: Int, columns: Int, showsSigns: Bool) -> SafeText {
    let numbers: SafeText = "\(ByteSize.text(done)) of \(ByteSize.text(total))"
    let width = min(widest, columns - numbers.cells - 1)
    guard total > 0, width >= narrowest else { return numbers }
    return numbers + " " + Bar.filled(Double(done) / Double(total), width: width, showsSigns: showsSigns)
  }
}
