import Text

/// A size for people: `17 bytes`, `24 KB`, `4.7 GB`, in powers of a thousand.
enum ByteSize {
  static func text(_ count: Int) -> SafeText {
    guard count >= 1000 else { return count == 1 ? "1 byte" : "\(count) bytes" }
    var (whole, rest, unit) = (count, 0, 0)
    while whole >= 1000, unit < units.count {
      (whole, rest) = (whole / 1000, whole % 1000)
      unit += 1
    }
    // Kilobytes are small enough to do without.
    let tenths = whole < 10 && unit > 1 ? ".\(rest / 100)" : ""
    return "\(whole)\(tenths) \(units[unit - 1])"
  }

  private static let units = ["KB", "MB", "GB", "TB", "PB", "EB"]
}
