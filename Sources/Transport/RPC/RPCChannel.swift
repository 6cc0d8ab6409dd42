package import Wire

/// Carries JSON-RPC messages both ways, in order. A protocol because the process ends there.
package protocol RPCChannel: Sendable {
  /// Returns when the message is on its way, whole; waits while too much is. A cancelled task sends all the same: half
  /// a message would be the end of the channel.
  func send(_ message: JSONRPCMessage) async throws(RPCError)

  /// What comes next; nil at the end. It has one reader.
  func receive() async throws(RPCError) -> JSONLines.Line?

  /// Ends it; a reader that waits gets nil. Harmless when it has ended.
  func close() async
}

/// Why a request has no result.
package enum RPCError: Error, Sendable {
  /// The other side refused it, in its words.
  case refused(RPCFailure)
  /// The answer came, and cannot be read.
  case unreadable
  /// The channel ended before the answer came.
  case closed
  /// The channel had ended before the request was sent: nobody got it.
  case neverSent
  /// The task that waited was cancelled.
  case cancelled
  /// A message longer than the limit came, which ends the channel.
  case tooLong(limit: Int)
  /// The message could not be sent, for a reason of the one who sends.
  case unsent(any Error)
}
