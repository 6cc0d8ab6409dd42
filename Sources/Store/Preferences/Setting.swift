import Wire

/// One thing a person can set: its name, what it takes, and what it is when nobody sets it.
package struct Setting: Sendable {
  package let key: String
  package let kind: Kind
  package let standard: SettingValue
  /// What it does, in a line without a full stop.
  package let summary: String

  package enum Kind: Sendable, Equatable {
    case number(ClosedRange<Double>)
    case integer(ClosedRange<Int>)
    /// A time in seconds.
    case seconds(ClosedRange<Double>)
    case choice([String])
    /// One of the words, or a name behind `prefix`, such as `helper:pass`.
    case choiceOrNamed([String], prefix: String)
    case flag
    case text
    /// One of the words, or else a command for `/bin/sh`.
    case choiceOrCommand([String])
    case list
  }

  /// What help says beside the summary.
  package let details: String
  /// A value for help that says more than one of the kind.
  package let example: String?

  /// Whether what is typed behind the key is taken as it stands, quotes and all.
  package var takesProse: Bool {
    switch kind {
    case .text, .choiceOrCommand: true
    default: false
    }
  }

  /// Whether it may be without a value.
  package let mayBeUnset: Bool

  init(
    _ key: String, _ kind: Kind, _ standard: SettingValue, unset: Bool = false, _ summary: String,
    example: String? = nil, details: String = ""
  ) {
    self.example = example
    self.details = details
    self.key = key
    self.kind = kind
    self.standard = standard
    mayBeUnset = unset || standard == .unset
    self.summary = summary
  }
}

/// A setting's value.
package enum SettingValue: Sendable, Equatable {
  case number(Double)
  case integer(Int)
  case text(String)
  case flag(Bool)
  case list([String])
  case unset

  /// As a person types it, and reads it in a list.
  package var text: String {
    switch self {
    case .number(let number): number.plainText
    case .integer(let integer): String(integer)
    case .text(let text): text
    case .flag(let flag): flag ? "on" : "off"
    case .list(let words): words.joined(separator: " ")
    case .unset: "unset"
    }
  }

  /// As the file has it.
  var literal: String {
    switch self {
    case .number(let number): number.plainText
    case .integer(let integer): String(integer)
    case .text(let text): JSON.string(text).serialized()
    case .flag(let flag): flag ? "true" : "false"
    case .list(let words): "[" + words.map { JSON.string($0).serialized() }.joined(separator: ", ") + "]"
    case .unset: "null"
    }
  }
}

/// Why a setting cannot be set so.
package enum SettingError: Error, Sendable, Equatable {
  /// - Parameter nearest: keys that look like it, the likeliest first.
  case unknownKey(String, nearest: [String])
  /// - Parameter accepted: what the setting takes, such as `a number from 0 to 2`.
  case badValue(key: String, value: String, accepted: String)
  /// A single word that would be a command, and is none.
  case noProgram(key: String, String, nearest: [String], accepted: String)
}

extension Setting {
  /// What it takes, in words.
  package var accepted: String {
    let values =
      switch kind {
      case .number(let range): "a number from \(range.lowerBound.plainText) to \(range.upperBound.plainText)"
      case .integer(let range) where range.upperBound == .max: "a whole number from \(range.lowerBound) on"
      case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
      case .seconds(let range): "seconds from \(range.lowerBound.plainText) to \(range.upperBound.plainText), or 5m, 1h"
      case .choice(let words): words.joined(separator: ", ")
      case .choiceOrNamed(let words, let prefix): words.joined(separator: ", ") + ", " + prefix + "NAME"
      case .flag: "on, off"
      case .text: "text"
      case .choiceOrCommand(let words): words.joined(separator: ", ") + ", or a command"
      case .list: "words"
      }
    return mayBeUnset ? values + ", or unset" : values
  }

  /// The value that this text stands for, as typed after the key.
  package func value(from text: String) throws(SettingError) -> SettingValue {
    let word = text.trimmed.lowercased()
    if mayBeUnset, word == "unset" || word == "none" || word.isEmpty { return .unset }
    let value: SettingValue? =
      switch kind {
      case .number(let range): Double(word).flatMap { range.contains($0) ? .number($0) : nil }
      case .integer(let range): Int(word).flatMap { range.contains($0) ? .integer($0) : nil }
      case .seconds(let range): Setting.seconds(word).flatMap { range.contains($0) ? .number($0) : nil }
      case .choice(let words): words.contains(word) ? .text(word) : nil
      case .choiceOrNamed(let words, let prefix): Setting.choice(String(text.trimmed), words, prefix)
      case .flag: Setting.flag(word).map(SettingValue.flag)
      case .text: .text(text)
      case .choiceOrCommand(let words): .text(words.contains(word) ? word : text)
      case .list: .list(text.split(whereSeparator: \.isWhitespace).map(String.init))
      }
    guard let value else { throw .badValue(key: key, value: text, accepted: accepted) }
    return value
  }

  /// The value that the file's member stands for.
  func value(from json: CommentedJSON.Value) throws(SettingError) -> SettingValue {
    switch (json, kind) {
    case (.null, _) where mayBeUnset: return .unset
    case (.number(let text), .number), (.number(let text), .integer), (.number(let text), .seconds):
      // 1e2 and 100.0 are whole numbers to JSON; beyond 2^53 a Double would change what is written out in digits.
      if case .integer = kind, Int(text) == nil, let whole = Double(text).flatMap(Int.init(exactly:)) {
        return try value(from: String(whole))
      }
      return try value(from: text)
    case (.flag(let flag), .flag): return .flag(flag)
    case (.text(let text), .text): return .text(text)
    case (.text(let text), .choice), (.text(let text), .flag), (.text(let text), .seconds),
      (.text(let text), .choiceOrNamed), (.text(let text), .choiceOrCommand):
      return try value(from: text)
    case (.text(let text), .list): return .list([text])
    case (.list(let values), .list):
      let words = values.compactMap { if case .text(let word) = $0 { word } else { nil } }
      if words.count == values.count { return .list(words) }
    default: break
    }
    throw .badValue(key: key, value: json.text, accepted: accepted)
  }

  private static func seconds(_ word: String) -> Double? {
    let units: [Character: Double] = ["s": 1, "m": 60, "h": 3600]
    if let unit = word.last.flatMap({ units[$0] }) { return Double(word.dropLast()).map { $0 * unit } }
    return Double(word)
  }

  /// A name keeps its capitals, and is one that a program's name can end with.
  private static func choice(_ text: String, _ words: [String], _ prefix: String) -> SettingValue? {
    if words.contains(text.lowercased()) { return .text(text.lowercased()) }
    guard text.lowercased().hasPrefix(prefix) else { return nil }
    let name = text.dropFirst(prefix.count)
    let isPlain = name.utf8.allSatisfy { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
        || "._-".utf8.contains(byte)
    }
    return name.isEmpty || !isPlain ? nil : .text(prefix + name)
  }

  private static func flag(_ word: String) -> Bool? {
    switch word {
    case "on", "true", "yes", "1": true
    case "off", "false", "no", "0": false
    default: nil
    }
  }
}

extension CommentedJSON.Value {
  fileprivate var text: String {
    switch self {
    case .null: "null"
    case .flag(let flag): flag ? "true" : "false"
    case .number(let number): number
    case .text(let text): text
    case .list: "[…]"
    case .object: "{…}"
    }
  }
}

extension Double {
  /// Without `.0` behind a whole number.
  fileprivate var plainText: String { Int(exactly: self).map(String.init) ?? String(self) }
}

extension String {
  fileprivate var trimmed: Substring {
    var rest = self[...]
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return rest
  }
}
