import Text

/// An address of a page that a server wants opened, read strictly: what this takes apart and what a browser takes apart
/// are the same host (docs/rules.md A8).
struct WebAddress: Sendable, Equatable {
  /// Without brackets, in lower case.
  let host: String
  let port: Int

  enum Problem: Error, Sendable, Equatable {
    /// Anything but http and https.
    case notWeb
    /// What stands before an `@` looks like a host and is none.
    case hasUser
    /// Browsers take a backslash for a slash, and leave out blanks and controls.
    case hasOddCharacter
    /// None, or one that is not written in plain letters.
    case badHost
    case badPort
  }

  init(_ url: String) throws(Problem) {
    let schemes = [("http://", 80), ("https://", 443)]
    guard let (scheme, standard) = schemes.first(where: { url.lowercased().hasPrefix($0.0) }) else { throw .notWeb }
    let isOdd = url.unicodeScalars.contains { scalar in
      scalar == "\\" || VisibleText.isBlank(scalar)
        || [.control, .format, .unassigned, .privateUse].contains(scalar.properties.generalCategory)
    }
    if isOdd { throw .hasOddCharacter }
    let authority = url.unicodeScalars.dropFirst(scheme.count).prefix { !"/?#".unicodeScalars.contains($0) }
    if authority.contains("@") { throw .hasUser }
    let (host, rest) = try WebAddress.split(Substring(authority))
    self.host = host.lowercased()
    port = try WebAddress.port(rest) ?? standard
  }

  /// The host, and what is behind it.
  private static func split(_ authority: Substring) throws(Problem) -> (host: Substring, rest: Substring) {
    if authority.hasPrefix("[") {
      guard let end = authority.firstIndex(of: "]") else { throw .badHost }
      let host = authority[..<end].dropFirst()
      guard host.contains(":"), host.utf8.allSatisfy({ isHexDigit($0) || $0 == 0x3A || $0 == 0x2E }) else {
        throw .badHost
      }
      return (host, authority[end...].dropFirst())
    }
    let host = authority.prefix { $0 != ":" }
    guard !host.isEmpty, host.utf8.allSatisfy(isOfName) else { throw .badHost }
    return (host, authority[host.endIndex...])
  }

  private static func port(_ rest: Substring) throws(Problem) -> Int? {
    if rest.isEmpty { return nil }
    guard rest.hasPrefix(":") else { throw .badPort }
    let digits = rest.dropFirst()
    if digits.isEmpty { return nil }
    guard digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let port = Int(digits), port <= 65535 else { throw .badPort }
    return port
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte || 0x61...0x66 ~= (byte | 0x20) }

  private static func isOfName(_ byte: UInt8) -> Bool {
    0x30...0x39 ~= byte || 0x61...0x7A ~= (byte | 0x20) || byte == 0x2D || byte == 0x2E || byte == 0x5F
  }
}

extension WebAddress.Problem {
  var words: SafeText {
    switch self {
    case .notWeb: "it is neither http nor https"
    case .hasUser: "there is a name before its host"
    case .hasOddCharacter: "there are blanks, controls or backslashes in it"
    case .badHost: "its host is not one in plain letters"
    case .badPort: "its port is none"
    }
  }
}
