/// A text with places that are filled in: `${name}`, or `${name:default}`; `$${` is a `${` that is none
/// (docs/snippets.md 2).
struct Template: Sendable, Equatable {
  enum Piece: Sendable, Equatable {
    case text(String)
    case place(String)
  }

  struct Place: Sendable, Equatable {
    var name: String
    /// What stands there when nobody says otherwise.
    var standard: String?
  }

  private(set) var pieces: [Piece] = []
  /// Each place once, in order; of several defaults the first counts.
  private(set) var places: [Place] = []

  init(_ text: String) {
    // By scalars: a mark that joins a sign before it changes nothing of what a shell would read.
    var rest = Array(text.unicodeScalars)[...]
    var plain = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      if scalar == "$", rest.starts(with: ["$", "{"] as [Unicode.Scalar]) {
        plain.append(contentsOf: rest.prefix(2))
        rest = rest.dropFirst(2)
      } else if scalar == "$", let (place, length) = Template.place(rest) {
        if !plain.isEmpty { pieces.append(.text(String(plain))) }
        plain = String.UnicodeScalarView()
        pieces.append(.place(place.name))
        note(place)
        rest = rest.dropFirst(length)
      } else {
        plain.append(scalar)
      }
    }
    if !plain.isEmpty { pieces.append(.text(String(plain))) }
  }

  /// With a value in each place; a place without one stays empty.
  func filled(with values: [String: String]) -> String {
    pieces.map { piece in
      switch piece {
      case .text(let text): text
      case .place(let name): values[name] ?? ""
      }
    }.joined()
  }

  private mutating func note(_ place: Place) {
    guard let index = places.firstIndex(where: { $0.name == place.name }) else { return places.append(place) }
    places[index].standard = places[index].standard ?? place.standard
  }

  /// What begins behind a `$`, and how long it is; nil for anything that a shell or a program means otherwise, such as
  /// `${HOME:-x}` and `${a.b}`.
  private static func place(_ scalars: ArraySlice<Unicode.Scalar>) -> (Place, length: Int)? {
    guard scalars.first == "{", let close = scalars.firstIndex(of: "}") else { return nil }
    let inner = scalars[(scalars.startIndex + 1)..<close]
    let parts = inner.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = parts.first, isName(name) else { return nil }
    var place = Place(name: String(String.UnicodeScalarView(name)))
    if parts.count == 2 {
      guard parts[1].first.map({ !"-=?+".unicodeScalars.contains($0) }) ?? true, !parts[1].contains("\n") else {
        return nil
      }
      place.standard = String(String.UnicodeScalarView(parts[1]))
    }
    return (place, close + 1 - scalars.startIndex)
  }

  /// Letters, digits, `_` and `-`, no digit and no `-` first.
  private static func isName(_ scalars: ArraySlice<Unicode.Scalar>) -> Bool {
    guard let first = scalars.first, first == "_" || first.properties.isAlphabetic else { return false }
    return scalars.allSatisfy { scalar in
      scalar == "_" || scalar == "-" || scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
    }
  }
}
