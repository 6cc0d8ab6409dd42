/// Some lines of a file that comes in pieces; each line keeps its end.
struct LineRange {
  /// Lines that are still passed over.
  private var ahead: Int
  /// Lines that are still wanted; nil is all.
  private var wanted: Int?
  private(set) var bytes: [UInt8] = []

  /// - Parameters:
  ///   - line: the first one, counted from 1; less is the same as 1.
  ///   - limit: how many; nil is all that follow.
  init(from line: Int?, limit: Int?) {
    ahead = max(1, line ?? 1) - 1
    wanted = limit.map { max(0, $0) }
  }

  /// Nothing that follows is wanted.
  var isFinished: Bool { wanted == 0 }

  mutating func take(_ piece: ArraySlice<UInt8>) {
    var rest = piece
    while !rest.isEmpty, !isFinished {
      let end = rest.firstIndex(of: UInt8(ascii: "\n")).map { $0 + 1 }
      if ahead == 0 { bytes += rest[..<(end ?? rest.endIndex)] }
      guard let end else { return }
      if ahead > 0 { ahead -= 1 } else { wanted? -= 1 }
      rest = rest[end...]
    }
  }
}
