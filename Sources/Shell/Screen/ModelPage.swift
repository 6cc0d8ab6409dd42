import Chat
import Text
import Wire

/// What servers tell of their models besides their names.
enum ModelPage {
  static let columns = [
    Listing.Column("CAN") { row in
      "\((row["features"]?.array ?? []).compactMap(\.string).joined(separator: ", "))"
    },
    Listing.Column("PRICE/1K IN, OUT") { row in
      let prices = [row["promptPrice"], row["completionPrice"]].map { $0?.double.map(amount) ?? "?" }
      guard prices != ["?", "?"] else { return "" }
      return "\(prices.joined(separator: ", "))\(row["currency"]?.string.map { " \($0)" } ?? "")"
    },
  ]

  /// Keys that only rows with something to tell have.
  static func adding(_ details: ModelDetails, to row: JSON) -> JSON {
    var row = row
    row["title"] = details.title.map(JSON.string) ?? .null
    row["about"] = details.about.map(JSON.string) ?? .null
    row["features"] = .array(details.features.map(JSON.string))
    row["promptPrice"] = details.promptPrice.map(JSON.double) ?? .null
    row["completionPrice"] = details.completionPrice.map(JSON.double) ?? .null
    row["currency"] = details.currency.map(JSON.string) ?? .null
    return row
  }

  /// `0.0042`, `12.5`: as many digits as it has, and no more than six behind the point.
  static func amount(_ amount: Double) -> String {
    let millionths = (min(amount, 1e12) * 1e6).rounded()
    let (whole, rest) = (Int(millionths / 1e6), Int(millionths.truncatingRemainder(dividingBy: 1e6)))
    guard rest > 0 else { return "\(whole)" }
    var digits = String(rest)
    digits = String(repeating: "0", count: 6 - digits.count) + digits
    while digits.hasSuffix("0") { digits.removeLast() }
    return "\(whole).\(digits)"
  }
}
