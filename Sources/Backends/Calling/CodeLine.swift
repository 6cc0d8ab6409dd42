/// How far a line of Markdown has come, as to whether code is open in it.
struct CodeLine {
  /// Nothing but blanks and backticks has come.
  var isBlank = true
  /// Between backticks, where nothing is a call.
  private(set) var codeIsOpen = false
  /// The backticks before this place.
  var ticks = 0

  /// Something else came: code in a line begins and ends with backticks.
  mutating func endTicks() {
    ticks = 0
    codeIsOpen.toggle()
    isBlank = false
  }
}
