import Wire

extension JSON {
  /// A count of tokens, brought into a range in which sums cannot overflow; nil for what is not a whole number.
  var tokenCount: Int? {
    guard let double else { return nil }
    let limit = TokenCount.limit
    if double >= Double(limit) { return limit }
    return double <= 0 ? 0 : int
  }
}

/// Counts of tokens as servers write them.
enum TokenCount {
  /// No server counts further than this.
  static let limit = 1_000_000_000_000

  /// The number that these decimal digits write, or the limit when it is beyond; nil when there are none.
  static func read(_ digits: Substring) -> Int? {
    guard !digits.isEmpty, digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    return min(Int(digits) ?? limit, limit)
  }
}
