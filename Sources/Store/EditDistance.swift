/// How many letters must be added, removed, replaced or swapped with their neighbour to make one word the other, where
/// no letter is touched twice (optimal string alignment). Upper and lower case differ.
package func editDistance(_ first: String, _ second: String) -> Int {
  let first = Array(first)
  let second = Array(second)
  var above: [Int] = []
  var row = Array(0...second.count)
  for i in first.indices {
    var next = [i + 1]
    for j in second.indices {
      var distance = min(next[j] + 1, row[j + 1] + 1, row[j] + (first[i] == second[j] ? 0 : 1))
      if i > 0, j > 0, first[i] == second[j - 1], first[i - 1] == second[j] {
        distance = min(distance, above[j - 1] + 1)
      }
      next.append(distance)
    }
    above = row
    row = next
  }
  return row[second.count]
}
