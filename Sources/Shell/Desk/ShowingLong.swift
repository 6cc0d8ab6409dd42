import Text
import Waiting
import Wire

/// Data that may be long, which Ctrl-C ends at a prompt as it ends an answer.
extension Desk {
  /// So many characters are written at once: what the terminal has been given is not taken back.
  private static let portion = 4096

  /// Shows a text that a person reads, by the pager where it is longer than the screen. Throws `interrupted`.
  func show(long text: LongText) async throws(ShellError) {
    if let pager, isTall(text) {
      guard let problem = await page(text, by: pager) else { return }
      say(problem, .warning)
    }
    try write(long: text)
  }

  /// The same of one that is there.
  func show(long text: StyledText) async throws(ShellError) { try await show(long: LongText(text)) }

  /// Writes pieces to standard output, each made when the one before has been written. Throws `interrupted`.
  func write(long pieces: some Sequence<StyledText>) throws(ShellError) {
    // Without a prompt Ctrl-C ends the run, wherever it is.
    guard options.isInteractive else { return pieces.forEach { show($0) } }
    let stop = Locked(Interruption?.none)
    world.terminal.whenInterrupted { interruption in stop.withLock { $0 = $0 ?? interruption } }
    defer { world.terminal.whenInterrupted(nil) }
    var isWithinLine = false
    for piece in pieces {
      for portion in piece.pieces(of: Desk.portion) {
        if let interruption = stop.withLock({ $0 }) {
          if isWithinLine { show("\n") }
          // A signal that ends the run has the loop leave.
          guard case .interrupt = interruption else { return }
          throw .interrupted
        }
        show(portion)
        isWithinLine = portion.last?.text.string.last?.isNewline == false
      }
    }
  }

  /// The same of one JSON value on a line of its own.
  func write(long json: JSON) throws(ShellError) { try write(long: [line(of: json)]) }
}
