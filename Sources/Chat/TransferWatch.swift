import Waiting

/// How far a request has come before its server says anything. Whoever moves its bytes writes it, whoever waits reads it.
// A class: both have it at once.
package final class TransferWatch: Sendable, Equatable {
  package enum Phase: Sendable, Equatable {
    case connecting
    /// So many bytes of its body have left.
    case sending(Int, of: Int)
    /// All of it has.
    case sent
  }

  private let state = Locked(Phase?.none)

  package init() {}

  /// nil before the request is on its way, and for one of which nobody tells.
  package var phase: Phase? { state.withLock { $0 } }

  package func note(_ phase: Phase) { state.withLock { $0 = phase } }

  package static func == (left: TransferWatch, right: TransferWatch) -> Bool { left === right }
}
