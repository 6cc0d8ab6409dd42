package import Wire

/// What to do with the messages that were not asked for. The closures are called one at a time, in the order in which
/// the messages came, and must not wait: what takes time is handed on.
package struct RPCHandler: Sendable {
  /// Whether the method is known and the request will be answered; an unknown one is refused by the peer, at once.
  package var request: @Sendable (RPCRequest) -> Bool
  package var notification: @Sendable (_ method: String, _ params: JSON?) -> Void
  package var note: @Sendable (RPCNote) -> Void

  package init(
    request: @escaping @Sendable (RPCRequest) -> Bool = { _ in false },
    notification: @escaping @Sendable (_ method: String, _ params: JSON?) -> Void = { _, _ in },
    note: @escaping @Sendable (RPCNote) -> Void = { _ in }
  ) {
    self.request = request
    self.notification = notification
    self.note = note
  }
}

/// A request of the other side.
package struct RPCRequest: Sendable {
  package let id: RPCID
  package let method: String
  package let params: JSON?
  /// Which one it is: ids may be used again.
  let number: Int
  let peer: RPCPeer

  /// Sends the answer. Only the first counts; after the end of the peer none does.
  package func answer(_ answer: Result<JSON, RPCFailure>) async { await peer.answer(self, answer) }

  /// Leaves it to somebody else, who hears it too: it is never answered from here.
  package func passOver() { peer.passOver(self) }
}

/// Something odd that was passed over; for `--verbose`. Its texts are not to be trusted.
package enum RPCNote: Sendable, Equatable {
  /// A line that is no message.
  case junk(String)
  case malformed(JSONRPCMessage.Malformed)
  /// An answer to a request that was not made, was answered before, or is not waited for any more.
  case unknownAnswer(RPCID)
  /// The other side says that something went wrong, but not with what.
  case unassignedError(RPCFailure)
  /// A request over the limit, which was refused.
  case tooManyRequests(method: String)
}
