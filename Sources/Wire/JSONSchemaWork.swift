/// What is left of the work that checking one value is worth: alternatives that name one another could take for ever, and
/// so could a pattern.
final class JSONSchemaWork {
  private let isStopped: () -> Bool
  private var steps = 0
  private var patternSteps = 0
  private var patterns: [[UInt8]: Pattern] = [:]

  private static let mostSteps = 1_000_000
  private static let mostPatternSteps = 50_000_000

  init(isStopped: @escaping () -> Bool) { self.isStopped = isStopped }

  /// Takes steps, a schema or a value against a value.
  func spend(_ count: Int = 1, at place: String) throws(JSONSchema.Unchecked) {
    let looked = steps >> 10
    if steps == 0 || (steps + count) >> 10 != looked, isStopped() { throw .stopped }
    steps += count
    if steps > JSONSchemaWork.mostSteps { throw .tooMuch(place: place) }
  }

  /// Whether a pattern is found. One that cannot be read finds nothing; schemas with such are refused before.
  func isFound(_ pattern: String, in text: String, at place: String) throws(JSONSchema.Unchecked) -> Bool {
    let key = Array(pattern.utf8)  // two ways to write an accent are two patterns
    guard let read = patterns[key] ?? Pattern(pattern) else { return false }
    patterns[key] = read
    if let isFound = read.isFound(in: text, spend: spendOnPattern) { return isFound }
    throw isStopped() ? .stopped : .slowPattern(pattern, place: place)
  }

  /// Takes steps of a search; false when there are none left, or nobody waits any more.
  private func spendOnPattern(_ count: Int) -> Bool {
    let looked = patternSteps >> 14
    patternSteps += count
    return patternSteps < JSONSchemaWork.mostPatternSteps && (patternSteps >> 14 == looked || !isStopped())
  }
}
