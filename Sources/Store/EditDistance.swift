/// How many letters must be added, removed, replaced or swapped with their neighbour to make one word the other, where
/// no letter is touched twice (optimal string alignment). Upper and lower case differ.
package func editDistance(_ first: String, _ second: String) -> Int {
  let (first, second) = (Array(first.unicodeScalars), Array(second.unicodeScalars))
  let most = max(first.count, second.count)
  return editDistance(first, second, within: most) ?? most
}

/// The same where it is not more than a limit, which is found out early; else nil.
package func editDistance(_ first: [Unicode.Scalar], _ second: [Unicode.Scalar], within limit: Int) -> Int? {
  guard abs(first.count - second.count) <= limit else { return nil }
  // What is alike at both ends has no part in it.
  let before = zip(first, second).prefix { $0 == $1 }.count
  let behind = zip(first.dropFirst(before).reversed(), second.dropFirst(before).reversed()).prefix { $0 == $1 }.count
  return rowByRow(Array(first[before..<first.count - behind]), Array(second[before..<second.count - behind]), limit)
}

private func rowByRow(_ first: [Unicode.Scalar], _ second: [Unicode.Scalar], _ limit: Int) -> Int? {
  var above: [Int] = []
  var row = Array(0...second.count)
  var wasNear = true
  for i in first.indices {
    var next = Array(repeating: limit + 1, count: second.count + 1)
    next[0] = i + 1
    var least = i + 1
    // Farther from the diagonal nothing is within the limit.
    for j in max(0, i - limit)..<max(i - limit, 0, min(second.count, i + limit + 1)) {
      var distance = min(next[j] + 1, row[j + 1] + 1, row[j] + (first[i] == second[j] ? 0 : 1))
      if i > 0, j > 0, first[i] == second[j - 1], first[i - 1] == second[j] {
        distance = min(distance, above[j - 1] + 1)
      }
      next[j + 1] = distance
      least = min(least, distance)
    }
    // A swap reaches back over one row.
    if least > limit, !wasNear { return nil }
    wasNear = least <= limit
    above = row
    row = next
  }
  return row[second.count] <= limit ? row[second.count] : nil
}
