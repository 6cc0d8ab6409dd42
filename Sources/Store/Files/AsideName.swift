import Glibc
import Wire

/// The name a damaged or older file is kept under: `history.sqlite` becomes `history.KIND-20260102T030405Z.sqlite`,
/// with a number when that is taken.
enum AsideName {
  /// - Parameter milliseconds: since 1970.
  static func free(for path: String, _ kind: String, at milliseconds: Int) -> String {
    let (stem, ending) = parts(of: path)
    let base = "\(stem).\(kind)-\(stamp(milliseconds))"
    var candidate = base + ending
    var number = 2
    while access(candidate, F_OK) == 0 {
      candidate = "\(base)-\(number)\(ending)"
      number += 1
    }
    return candidate
  }

  /// Whether a name in the same directory was made for this path and kind.
  static func matches(_ other: String, for path: String, _ kind: String) -> Bool {
    let (stem, ending) = parts(of: name(of: path))
    return other.hasPrefix("\(stem).\(kind)-") && other.hasSuffix(ending)
  }

  /// Whether the moment in the name of a file set aside lies before the given one.
  static func isOlder(_ path: String, than milliseconds: Int) -> Bool {
    guard let dash = path.lastIndex(of: "T").map({ path.index($0, offsetBy: -8, limitedBy: path.startIndex) }),
      let start = dash
    else { return false }
    return path[start...].prefix(16) < stamp(milliseconds)
  }

  /// What is before the last part's ending, and the ending with its dot; a leading dot begins a name.
  private static func parts(of path: String) -> (stem: Substring, ending: Substring) {
    guard let dot = name(of: path).lastIndex(of: "."), dot > name(of: path).startIndex else { return (path[...], "") }
    let ending = name(of: path)[dot...]
    return (path.dropLast(ending.count), ending)
  }

  private static func stamp(_ milliseconds: Int) -> String {
    CivilTime(milliseconds / 1000).iso.filter { $0 != "-" && $0 != ":" }
  }
}
