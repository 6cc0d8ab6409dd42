extension HTTPBody {
  /// The rest of the body; at most `timeout` seconds for all of it.
  package func readAll(timeout: Double?) async throws(TransportError) -> [UInt8] {
    let start = SuspendingClock.now
    var bytes: [UInt8] = []
    while true {
      let elapsed = (SuspendingClock.now - start) / .seconds(1)
      guard let more = try await next(timeout: timeout.map { max(0, $0 - elapsed) }) else { return bytes }
      if bytes.isEmpty { bytes = more } else { bytes += more }
      if let timeout, (SuspendingClock.now - start) / .seconds(1) > timeout {
        cancel()
        throw .readTimeout
      }
    }
  }
}
