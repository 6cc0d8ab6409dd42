/// What is left of the work that checking one value is worth: alternatives that name one another could take for ever, and
/// so could a pattern.
final class JSONSchemaWork {
  /// Why some of the value was not looked at: what came of the rest counts for nothing, as a `not` would have made a fit
  /// of it.
  private(set) var givenUp: JSONSchema.Misfit?

  private let isStopped: () -> Bool
  private var steps = 1_000_000
  private var patternSteps = 50_000_000
  private var patterns: [[UInt8]: Pattern] = [:]

  init(isStopped: @escaping () -> Bool) { self.isStopped = isStopped }

  /// Takes one step, a schema against a value; false when there are none left.
  func spend(at place: String) -> Bool {
    steps -= 1
    if steps < 0 { giveUp(at: place, .tooDeep) } else if steps % 1024 == 0, isStopped() { giveUp(at: place, .stopped) }
    return givenUp == nil
  }

  func giveUp(at place: String, _ reason: JSONSchema.Misfit.Reason) {
    givenUp = givenUp ?? JSONSchema.Misfit(place: place, reason: reason)
  }

  /// Takes steps of a search; false when there are none left, or nobody waits any more.
  func spendOnPattern(_ steps: Int) -> Bool {
    let before = patternSteps
    patternSteps -= steps
    return patternSteps > 0 && (before >> 14 == patternSteps >> 14 || !isStopped())
  }

  /// Whether a pattern is found. One that cannot be read finds nothing; schemas with such are refused before.
  func isFound(_ pattern: String, in text: String, at place: String) -> Bool {
    let key = Array(pattern.utf8)  // two ways to write an accent are two patterns
    guard givenUp == nil, let read = patterns[key] ?? Pattern(pattern) else { return false }
    patterns[key] = read
    if let isFound = read.isFound(in: text, self) { return isFound }
    giveUp(at: place, isStopped() ? .stopped : .slowPattern(pattern))
    return false
  }
}
