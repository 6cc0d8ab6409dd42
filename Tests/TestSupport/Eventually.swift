/// Whether something comes true. It is asked again and again for a minute, so that only what is stuck is late: a busy
/// machine may be very slow.
package func eventually(_ isTrue: () async throws -> Bool) async rethrows -> Bool {
  let deadline = ContinuousClock.now + .seconds(60)
  repeat {
    if try await isTrue() { return true }
    try? await Task.sleep(for: .milliseconds(10))  // timed: between looks; only a cancelled test stops sleeping
  } while ContinuousClock.now < deadline
  return false
}
