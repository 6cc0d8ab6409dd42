import Text

/// What tells that something is under way.
enum TurningSign {
  static func sign(_ turns: Int, showsSigns: Bool) -> SafeText {
    let signs: [SafeText] = showsSigns ? ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] : ["|", "/", "-", "\\"]
    return signs[turns % signs.count]
  }

  /// How to stop, once it lasts and where there is room.
  static func withHint(_ text: SafeText, after seconds: Double, columns: Int) -> SafeText {
    let hint: SafeText = ", Ctrl-C stops"
    guard seconds >= 2, !text.string.contains("Ctrl-C"), text.cells + hint.cells < columns else { return text }
    return text + hint
  }
}
