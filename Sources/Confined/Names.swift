import Glibc

/// One name of a path, byte for byte: two spellings that look alike are two files.
struct Name: Equatable, Sendable {
  static let slash = UInt8(ascii: "/")
  static let above = Name(bytes: Array("..".utf8))

  let bytes: [UInt8]

  /// - Parameter body: gets what C takes for a name.
  func withCString<T>(_ body: (UnsafePointer<CChar>) -> T) -> T {
    (bytes.map(CChar.init(bitPattern:)) + [0]).withUnsafeBufferPointer { buffer in
      guard let start = buffer.baseAddress else { preconditionFailure("it has a NUL at least") }
      return body(start)
    }
  }
}

/// The names of a path in their order, without those that mean nothing: empty ones and `.`.
///
/// A path is cut at bytes, for in Swift a slash with an accent behind it is one character and no slash.
struct Names: Equatable, Sendable {
  var parts: [Name]
  /// The last word of the path says that a folder is meant: it ends in a slash, `.` or `..`.
  let endsAsFolder: Bool

  init(_ parts: [Name]) {
    self.parts = parts
    endsAsFolder = parts.isEmpty || parts.last == .above
  }

  init(_ path: [UInt8]) {
    let words = path.split(separator: Name.slash, omittingEmptySubsequences: false)
    let named = words.filter { !$0.isEmpty && !$0.elementsEqual(".".utf8) }
    parts = named.map { Name(bytes: Array($0)) }
    endsAsFolder = words.last.map { $0.isEmpty || $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) } ?? true
  }

  /// The names of a path that somebody else wrote.
  init(absolute path: String) throws(ConfinedFailure) {
    let bytes = Array(path.utf8)
    guard !bytes.isEmpty, !bytes.contains(0), bytes.count < Int(PATH_MAX) else { throw .malformed }
    guard bytes.first == Name.slash else { throw .notAbsolute }
    self.init(bytes)
  }

  /// Relative to some folder, for a call.
  var relative: Name {
    parts.isEmpty
      ? Name(bytes: Array(".".utf8)) : Name(bytes: Array(parts.map(\.bytes).joined(separator: [Name.slash])))
  }

  /// From the top, for people and for calls; nil where it is not UTF-8.
  var absolute: String? {
    String(validating: [Name.slash] + parts.map(\.bytes).joined(separator: [Name.slash]), as: UTF8.self)
  }

  var withoutLast: Names { Names(Array(parts.dropLast())) }

  /// What each `..` leaves of it, by the words alone; nil where one of them goes above the start.
  var withoutSteps: Names? {
    var rest: [Name] = []
    for part in parts {
      if part != .above {
        rest.append(part)
      } else if rest.popLast() == nil {
        return nil
      }
    }
    return Names(rest)
  }

  /// The names that follow those of a folder; nil where it is another folder, also one whose name begins alike.
  func below(_ folder: Names) -> Names? {
    guard parts.starts(with: folder.parts) else { return nil }
    return Names(parts: Array(parts.dropFirst(folder.parts.count)), endsAsFolder: endsAsFolder)
  }

  private init(parts: [Name], endsAsFolder: Bool) {
    self.parts = parts
    self.endsAsFolder = endsAsFolder || parts.isEmpty
  }

  static func + (folder: Names, rest: Names) -> Names {
    rest.parts.isEmpty ? folder : Names(parts: folder.parts + rest.parts, endsAsFolder: rest.endsAsFolder)
  }
}
