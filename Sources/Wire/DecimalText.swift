/// A JSON number as decimal digits. Numbers with the same value are equal even if they are written differently.
struct DecimalText: Equatable {
  /// Digits without zeros at either end, after a sign; empty for zero.
  private let digits: String
  private let isNegative: Bool
  /// The power of ten by which the digits, read as a whole number, are multiplied.
  private let exponent: Int

  /// nil if the exponent is too large to handle.
  init?(_ text: String) {
    let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "e" || $0 == "E" }
    guard let written = parts.count > 1 ? Int(parts[1]) : 0, abs(written) < 1 << 32 else { return nil }
    let mantissa = parts[0].drop { $0 == "-" }
    let fraction = mantissa.drop { $0 != "." }.dropFirst()
    let whole = (mantissa.prefix { $0 != "." } + fraction).drop { $0 == "0" }
    let zeros = whole.reversed().prefix { $0 == "0" }.count
    digits = String(whole.dropLast(zeros))
    isNegative = text.hasPrefix("-") && !digits.isEmpty
    exponent = digits.isEmpty ? 0 : written - fraction.count + zeros
  }

  /// Whether a binary fraction of 64 bits keeps every digit.
  func isHeld(by double: Double) -> Bool {
    guard double.isFinite else { return false }
    // So many digits are always kept, but near zero.
    if digits.count <= 15, digits.isEmpty || abs(double) >= .leastNormalMagnitude { return true }
    return DecimalText(double.description) == self
  }

  var isWhole: Bool { exponent >= 0 }

  /// The number, when it is whole and has no more than 64 bits.
  var int: Int? {
    guard isWhole, exponent < 20 else { return nil }
    return Int((isNegative ? "-" : "") + (digits.isEmpty ? "0" : digits) + String(repeating: "0", count: exponent))
  }

  /// The same text for equal numbers, in the form of JSON.
  var text: String { (isNegative ? "-" : "") + (digits.isEmpty ? "0" : digits) + "e\(exponent)" }
}
