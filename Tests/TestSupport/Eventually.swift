/// Whether something comes true. It is asked again and again, for a minute and five hundred times at least, so that only
/// what is stuck is late: on a busy machine a task may wait seconds for each of its turns, and so does who asks.
package func eventually(_ isTrue: () async throws -> Bool) async rethrows -> Bool {
  let deadline = ContinuousClock.now + .seconds(60)
  var looks = 0
  repeat {
    if try await isTrue() { return true }
    looks += 1
    try? await Task.sleep(for: .milliseconds(10))  // timed: between looks; only a cancelled test stops sleeping
  } while ContinuousClock.now < deadline || looks < 500
  return false
}
