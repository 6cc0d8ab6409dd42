import Wire

/// A way to a server on which both know how to speak.
protocol MCPLine: Sendable {
  var era: MCPVerdict.Era { get }
  var transport: MCPVerdict.Transport { get }
  /// What the server said of itself, when it was asked.
  var hello: MCPHello? { get }

  /// Sends a request and puts what comes of it into `inbox`, the end too. It may return before that.
  func carry(_ request: MCPRequest, id: Int, into inbox: Inbox) async
  /// Tells the server that a request is not waited for any more; its `carry` is cancelled too.
  func cancel(_ id: Int) async
  /// Ends the session.
  func close() async
}
