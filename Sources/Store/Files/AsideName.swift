import Foundation
import Wire

/// The name a damaged or older file is kept under: `history.sqlite` becomes `history.KIND-20260102T030405Z.sqlite`,
/// with a number when there is one of that second.
enum AsideName {
  /// A name behind all of the same second: a number that was free once more would sort as the oldest.
  /// - Parameter milliseconds: since 1970.
  static func free(for path: String, _ kind: String, at milliseconds: Int) -> String {
    let (stem, ending) = parts(of: path)
    let stamp = stamp(milliseconds)
    let last = all(in: directory(of: path), for: path, kind).compactMap { moment(of: $0, for: path, kind) }
      .filter { $0.stamp == stamp }.map(\.number).max()
    return "\(stem).\(kind)-\(stamp)" + (last.map { "-\($0 + 1)" } ?? "") + ending
  }

  /// The names in a folder that were made for this path and kind, oldest first.
  static func all(in folder: String, for path: String, _ kind: String) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []  // unreadable: none known
    return names.filter { matches($0, for: path, kind) }
      .map { (name: $0, moment: moment(of: $0, for: path, kind)) }
      .sorted { ($0.moment.stamp, $0.moment.number) < ($1.moment.stamp, $1.moment.number) }.map(\.name)
  }

  private static func moment(of other: String, for path: String, _ kind: String) -> (stamp: String, number: Int) {
    let (stem, ending) = parts(of: name(of: path))
    let words = other.dropFirst("\(stem).\(kind)-".count).dropLast(ending.count).split(separator: "-")
    return (words.first.map(String.init) ?? "", words.dropFirst().first.flatMap { Int($0) } ?? 1)
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
