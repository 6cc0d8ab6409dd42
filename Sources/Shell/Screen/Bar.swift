import Text

/// A share of a whole as a bar of cells.
enum Bar {
  /// The column of a listing that shows `share` of each row, from 0 to 1, as a bar; none without a sign.
  static func columns(of sign: SafeText?) -> [Listing.Column] {
    guard let sign else { return [] }
    return [Listing.Column("") { text(of: $0["share"]?.double ?? 0, width: 12, sign: sign) }]
  }

  /// A bar whose length is the share, such as `█████`; more than nothing has one cell at least.
  /// - Parameter share: from 0 to 1.
  static func text(of share: Double, width: Int, sign: SafeText) -> SafeText {
    row(of: sign, times: Int((min(1, max(0, share)) * Double(width)).rounded(.up)))
  }

  /// The same on a ground that shows the whole, such as `█████░░░`.
  static func filled(_ share: Double, width: Int, showsSigns: Bool) -> SafeText {
    let count = Int(min(1, max(0, share)) * Double(width))
    return row(of: showsSigns ? "█" : "#", times: count) + row(of: showsSigns ? "░" : ".", times: width - count)
  }

  private static func row(of sign: SafeText, times: Int) -> SafeText { Array(repeating: sign, count: times).joined() }
}
