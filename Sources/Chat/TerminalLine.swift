/// A terminal that a person is attached to: its bytes, both ways. It has one reader.
package protocol TerminalLine: Sendable {
  /// Whether the terminal goes on when nobody is attached.
  var goesOn: Bool { get }

  /// What happens next; nil behind the end. Cancelling the task ends nothing else.
  func next() async throws(TerminalError) -> TerminalNotice?

  /// Types keys as they came from a keyboard. What cannot be typed now is told by the next `back`.
  func type(_ keys: [UInt8]) async

  /// The person's own terminal has another size now.
  func resize(columns: Int, rows: Int) async

  /// The last lines of what was shown, oldest first; nil where that is not kept. Not to be trusted.
  func past(atMost limit: Int) async -> String?

  /// Detaches; the terminal goes on. Harmless when it has ended.
  func leave() async
}

extension TerminalLine {
  package func past(atMost limit: Int) async -> String? { nil }
}

/// What a terminal that one is attached to says.
package enum TerminalNotice: Sendable, Equatable {
  /// Bytes for a screen, whatever they do to it.
  case output([UInt8])
  /// The same in lines, of one that is only looked at. Not to be trusted.
  case lines([String])
  /// The connection was lost; it is made again in a moment.
  case lost
  /// It is being made again.
  case dialing
  /// That did not work; it is tried again in a moment.
  case waiting
  /// It stands again.
  /// - Parameters:
  ///   - unsent: how many bytes were typed meanwhile, and left out.
  ///   - unsure: how many were sent so shortly before that they may not have arrived.
  case back(unsent: Int, unsure: Int)
  /// Its shell has ended. - Parameter status: the exit status, where the server tells it.
  case ended(status: Int?)
}
