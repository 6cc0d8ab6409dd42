/// What a mistyped word may have meant.
package enum Nearest {
  /// At most three candidates within a third of the word's length in typing errors, the nearest first.
  package static func words(to word: String, among candidates: [String]) -> [String] {
    let limit = max(1, word.count / 3 + 1)
    let ranked = candidates.map { (distance(word, $0), $0) }.filter { $0.0 <= limit }
      .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
    guard let best = ranked.first?.0 else {
      return Array(candidates.filter { !word.isEmpty && $0.contains(word) }.sorted().prefix(3))
    }
    return ranked.filter { $0.0 <= best + 1 }.prefix(3).map(\.1)
  }

  /// Insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
  static func distance(_ left: String, _ right: String) -> Int {
    let a = Array(left.lowercased()), b = Array(right.lowercased())
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in 0..<a.count {
      var row = [i + 1]
      for j in 0..<b.count {
        var cost = min(last[j] + (a[i] == b[j] ? 0 : 1), min(last[j + 1], row[j]) + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
        row.append(cost)
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
