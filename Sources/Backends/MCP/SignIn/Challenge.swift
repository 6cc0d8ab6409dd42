import Transport

/// What a server asks of whoever comes without the right to come in (RFC 9110, section 11.6.1).
struct Challenge: Sendable, Equatable {
  /// In lower case, such as `bearer`.
  var scheme: String
  /// Names are in lower case; the first of a name counts.
  private(set) var parameters: [String: String] = [:]

  subscript(name: String) -> String? { parameters[name] }

  /// Those of all the `WWW-Authenticate` headers of a response, in order.
  static func all(in response: HTTPResponse) -> [Challenge] {
    response.headers.filter { $0.name.lowercased() == "www-authenticate" }.flatMap { all(in: $0.value) }
  }

  /// Those of one header, which may have several, separated by the same commas as their parameters. What is not written
  /// as the RFC wants it ends at the next comma.
  static func all(in header: String) -> [Challenge] {
    var challenges: [Challenge] = []
    for part in ChallengeParts(header) {
      switch part {
      case .scheme(let scheme): challenges.append(Challenge(scheme: scheme.lowercased()))
      case .parameter(let name, let value):
        let name = name.lowercased()
        guard let last = challenges.indices.last, challenges[last].parameters[name] == nil else { continue }
        challenges[last].parameters[name] = value
      }
    }
    return challenges
  }
}

/// The schemes and parameters of a header in the order in which they stand there.
private struct ChallengeParts: Sequence, IteratorProtocol {
  enum Part {
    case scheme(String)
    case parameter(name: String, value: String)
  }

  private var rest: Substring.UnicodeScalarView

  init(_ header: String) { rest = Substring(header).unicodeScalars }

  mutating func next() -> Part? {
    while let first = rest.first {
      if isBlank(first) || first == "," {
        rest.removeFirst()
        continue
      }
      let word = token()
      guard !word.isEmpty else {
        skipToComma()
        continue
      }
      let mark = rest
      skipBlanks()
      guard rest.first == "=" else {
        rest = mark
        // A word alone begins a challenge, or is the token68 of the one before, which says nothing to us.
        return .scheme(word)
      }
      let value = value()
      // Padding of a token68, such as `Basic abc==`.
      guard let value else {
        skipToComma()
        continue
      }
      return .parameter(name: word, value: value)
    }
    return nil
  }

  /// What stands after `=`; nil for what is no value.
  private mutating func value() -> String? {
    rest.removeFirst()
    skipBlanks()
    if rest.first == "\"" { return quoted() }
    let word = unquoted()
    return word.isEmpty ? nil : word
  }

  /// A quoted string, its escapes undone; one without an end ends with the header.
  private mutating func quoted() -> String {
    rest.removeFirst()
    var text = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      if scalar == "\"" { break }
      if scalar == "\\", let escaped = rest.popFirst() {
        text.append(escaped)
      } else {
        text.append(scalar)
      }
    }
    return String(text)
  }

  /// An address without its quotes, as some servers write it, goes on to the next comma or blank.
  private mutating func unquoted() -> String { take { !isBlank($0) && $0 != "," && $0 != "\"" } }

  private mutating func token() -> String {
    take { $0.properties.isAlphabetic && $0.isASCII || "0123456789!#$%&'*+-.^_`|~/".unicodeScalars.contains($0) }
  }

  private mutating func take(_ isPart: (Unicode.Scalar) -> Bool) -> String {
    let word = rest.prefix(while: isPart)
    rest.removeFirst(word.count)
    return String(String.UnicodeScalarView(word))
  }

  private mutating func skipBlanks() { while let first = rest.first, isBlank(first) { rest.removeFirst() } }
  private mutating func skipToComma() { while let first = rest.first, first != "," { rest.removeFirst() } }
}

private func isBlank(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" }
