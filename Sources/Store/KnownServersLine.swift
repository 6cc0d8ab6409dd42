import Chat
import Foundation
import Wire

/// One line of the file of known servers: `HOST:PORT KIND …`, where the kind is `pinned FINGERPRINT`,
/// `authorities FILE` or `system`, and fields such as `first=2026-11-21T12:00:00Z` follow in any order.
///
/// Written to be edited by hand: only address and kind must be there.
struct KnownServersLine {
  /// nil for a comment, and for what cannot be understood.
  private(set) var entry: KnownServers.Entry?
  /// Whether something in it cannot be understood. What can still counts: a pin with a broken date is a pin.
  private(set) var isBad = false

  /// - Parameter number: which line it is, from 1.
  init(_ bytes: ArraySlice<UInt8>, number: Int) {
    read(bytes)
    guard entry == nil, isBad, let address = KnownServersLine.address(startOf: bytes) else { return }
    entry = KnownServers.Entry(address, .damaged(line: number), firstSeen: 0, lastSeen: 0)
  }

  private mutating func read(_ bytes: ArraySlice<UInt8>) {
    guard let text = String(validating: bytes, as: UTF8.self), let words = KnownServersLine.words(text) else {
      isBad = true
      return
    }
    guard let first = words.first, !first.hasPrefix("#") else { return }
    guard words.count > 1, let address = KnownServersLine.address(first) else {
      isBad = true
      return
    }
    var fields = Fields(words.dropFirst(words[1] == "system" ? 2 : 3))
    guard let trust = KnownServersLine.trust(words[1], words.count > 2 ? words[2] : "", &fields) else {
      isBad = true
      return
    }
    let seen = (first: fields.moment("first") ?? 0, last: fields.moment("last") ?? 0)
    let before = fields.value("before") { $0 == "system" ? true : nil }
    entry = KnownServers.Entry(
      address, trust, firstSeen: seen.first * 1000, lastSeen: seen.last * 1000, wasTrustedBySystem: before ?? false)
    isBad = fields.isBad
  }

  /// nil for a host that no line can carry, and for what could not be read.
  static func text(_ entry: KnownServers.Entry) -> String? {
    guard !entry.host.isEmpty, !entry.host.hasPrefix("#"), (1...65_535).contains(entry.port),
      entry.host.unicodeScalars.allSatisfy({ !$0.properties.isWhitespace && $0 != "\"" && !needsEscape($0) })
    else { return nil }
    let host = entry.host.contains(":") ? "[\(entry.host)]" : entry.host
    var words = ["\(host):\(entry.port)"]
    switch entry.trust {
    case .pinned(let pin):
      words += ["pinned", pin.fingerprint.word, "key=" + pin.keyFingerprint.word]
    case .authorities(let file): words += ["authorities", quoted(file)]
    case .system: words += ["system"]
    case .damaged: return nil
    }
    if entry.wasTrustedBySystem, entry.trust != .system { words.append("before=system") }
    words += ["first=" + CivilTime(entry.firstSeen / 1000).iso, "last=" + CivilTime(entry.lastSeen / 1000).iso]
    if case .pinned(let pin) = entry.trust {
      words += ["until=" + CivilTime(pin.validUntil).iso, "subject=" + quoted(pin.subject)]
      if !pin.der.isEmpty { words.append("der=" + Data(pin.der).base64EncodedString()) }
    }
    return words.joined(separator: " ")
  }

  private static func trust(_ kind: String, _ what: String, _ fields: inout Fields) -> KnownServers.Entry.Trust? {
    switch kind {
    case "system": return .system
    case "authorities": return what.isEmpty ? nil : .authorities(file: what)
    case "pinned":
      guard let fingerprint = Fingerprint(text: what) else { return nil }
      // A key that is not known is equal to no key.
      let key = fields.value("key") { Fingerprint(text: $0) } ?? fingerprint
      let der = fields.value("der") { Data(base64Encoded: $0) }.map(Array.init) ?? []
      return .pinned(
        Pin(
          fingerprint: fingerprint, keyFingerprint: key, der: der, subject: fields.value("subject") { $0 } ?? "",
          validUntil: fields.moment("until") ?? 0))
    default: return nil
    }
  }

  /// The server that a line is about, whatever is wrong with the rest of it.
  private static func address(startOf bytes: ArraySlice<UInt8>) -> KnownServers.Address? {
    let blanks: [UInt8] = [32, 9, 13]
    let word = bytes.drop(while: blanks.contains).prefix { !blanks.contains($0) }
    guard word.first != UInt8(ascii: "#") else { return nil }
    return String(validating: word, as: UTF8.self).flatMap(address)
  }

  /// `host:port` or `[IPv6]:port`.
  private static func address(_ word: String) -> KnownServers.Address? {
    guard let colon = word.lastIndex(of: ":"), let port = Int(word[word.index(after: colon)...]),
      (1...65_535).contains(port)
    else { return nil }
    let host = word[..<colon]
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
    guard isBracketed || !host.contains(":") else { return nil }
    let address = KnownServers.Address(String(host), port)
    return address.host.isEmpty ? nil : address
  }
}

extension KnownServersLine {
  /// `key=value` words, each looked up once.
  private struct Fields {
    private var values: [String: String] = [:]
    private(set) var isBad = false

    init(_ words: some Sequence<String>) {
      for word in words {
        if let equals = word.firstIndex(of: "=") {
          values[String(word[..<equals])] = String(word[word.index(after: equals)...])
        } else {
          isBad = true
        }
      }
    }

    mutating func value<T>(_ key: String, _ read: (String) -> T?) -> T? {
      guard let text = values[key] else { return nil }
      let value = read(text)
      if value == nil { isBad = true }
      return value
    }

    /// Seconds since 1970.
    mutating func moment(_ key: String) -> Int? { value(key, KnownServersLine.moment) }
  }

  /// Parts at blanks that are not within quotation marks, which hold a JSON string; nil when one does not end.
  private static func words(_ line: String) -> [String]? {
    var words: [String] = []
    var word = ""
    var isWord = false
    var rest = line[...]
    while let character = rest.popFirst() {
      if character.isWhitespace {
        if isWord { words.append(word) }
        (word, isWord) = ("", false)
      } else if character == "#", words.isEmpty, !isWord {
        return ["#"]
      } else if character == "\"" {
        guard let text = quotation(&rest) else { return nil }
        word += text
        isWord = true
      } else {
        word.append(character)
        isWord = true
      }
    }
    return isWord ? words + [word] : words
  }

  /// What stands up to the closing mark, which is taken too.
  private static func quotation(_ rest: inout Substring) -> String? {
    var raw = "\""
    var isEscaped = false
    while let character = rest.popFirst() {
      raw.append(character)
      if character == "\"", !isEscaped { return (try? JSON(parsing: raw))?.string }  // nil is what is wrong with it
      isEscaped = character == "\\" && !isEscaped
    }
    return nil
  }

  /// As a JSON string in which nothing is invisible: a certificate's subject is whatever its maker wrote.
  private static func quoted(_ text: String) -> String {
    var output = ""
    for scalar in JSON.string(text).serialized().unicodeScalars {
      guard needsEscape(scalar) else {
        output.unicodeScalars.append(scalar)
        continue
      }
      output += JSON.escape(scalar)
    }
    return output
  }

  private static func needsEscape(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: true
    default: false
    }
  }

  /// `2026-11-21`, or with `T12:00:00Z` behind it.
  private static func moment(_ text: String) -> Int? {
    let halves = text.split(separator: "T", omittingEmptySubsequences: false)
    guard let day = numbers(halves[0], "-"), (1...9999).contains(day[0]), (1...12).contains(day[1]),
      (1...31).contains(day[2]), halves.count < 3
    else { return nil }
    let midnight = CivilTime.days(year: day[0], month: day[1], day: day[2]) * 86_400
    guard halves.count == 2 else { return midnight }
    guard halves[1].hasSuffix("Z"), let time = numbers(halves[1].dropLast(), ":"), time[0] < 24, time[1] < 60,
      time[2] < 61
    else { return nil }
    return midnight + time[0] * 3600 + time[1] * 60 + time[2]
  }

  private static func numbers(_ text: Substring, _ separator: Character) -> [Int]? {
    let parts = text.split(separator: separator, omittingEmptySubsequences: false)
    let numbers = parts.compactMap { $0.allSatisfy(\.isASCII) && $0.first?.isNumber == true ? Int($0) : nil }
    return numbers.count == 3 && parts.count == 3 ? numbers : nil
  }
}
