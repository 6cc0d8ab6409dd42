import Chat
import Wire

extension ToolCall {
  /// The calls of a block: one object, several, or an array of them; what cannot be read is one broken call. The
  /// calls have no id yet.
  static func calls(inBlock block: ArraySlice<UInt8>) -> [ToolCall] {
    let calls = calls(in: Array(block))
    guard calls.contains(where: \.isBroken) else { return calls }
    let others = ToolCall.calls(in: escapingControls(in: block))
    return others.contains(where: \.isBroken) ? calls : others
  }

  private static func calls(in block: [UInt8]) -> [ToolCall] {
    block.withUnsafeBufferPointer { bytes in
      var calls: [ToolCall] = []
      var place = skipFrame(bytes, from: 0)
      while place < bytes.count {
        var reader = JSONReader(bytes, at: place)
        do throws(JSON.Failure) {
          let value = try reader.value()
          let text = String(decoding: bytes[place..<reader.offset], as: UTF8.self)
          calls += (value.array ?? [value]).map { ToolCall(written: $0, as: text) }
          place = skipFrame(bytes, from: reader.offset)
        } catch {
          let rest = UnsafeBufferPointer(rebasing: bytes[place...])
          calls.append(ToolCall(unreadable: rest, because: error.reason == .endOfInput ? .unfinished : .notJSON))
          break
        }
      }
      if calls.isEmpty { calls.append(ToolCall(id: "", name: "", arguments: .broken("", .unfinished))) }
      return calls
    }
  }

  /// Models break lines in strings, where JSON does not.
  private static func escapingControls(in block: ArraySlice<UInt8>) -> [UInt8] {
    var output: [UInt8] = []
    var isInString = false
    var isEscaped = false
    for byte in block {
      switch byte {
      case 0x00..<0x20 where isInString:
        output += (byte < 0x10 ? "\\u000" : "\\u00").utf8
        output += String(byte, radix: 16).utf8
      case UInt8(ascii: "\"") where !isEscaped:
        isInString.toggle()
        output.append(byte)
      default: output.append(byte)
      }
      isEscaped = byte == UInt8(ascii: "\\") && isInString && !isEscaped
    }
    return output
  }

  var isBroken: Bool { if case .broken = arguments { true } else { false } }

  /// Passes blanks, commas, stray brackets and the marks of fences.
  private static func skipFrame(_ bytes: UnsafeBufferPointer<UInt8>, from place: Int) -> Int {
    var place = place
    while place < bytes.count {
      switch bytes[place] {
      case 0x00...0x20, UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: "}"), UInt8(ascii: "]"): place += 1
      case UInt8(ascii: "`"):
        place = bytes[place...].firstIndex { $0 != UInt8(ascii: "`") && !$0.isWordLetter } ?? bytes.count
      default: return place
      }
    }
    return place
  }

  /// Keys under which servers and models write the arguments of a call.
  static let argumentKeys = ["arguments", "parameters", "args", "input"]

  /// A call in any of the shapes that models give it.
  private init(written json: JSON, as text: String) {
    let function = json["function"]?.object == nil ? json : json["function"] ?? json
    let written = function["name"] ?? json["name"] ?? function["tool_name"] ?? function["tool"] ?? json["function"]
    let name = written?.string?.trimmingBlanks ?? ""
    let given = ToolCall.argumentKeys.lazy.compactMap { function[$0] ?? json[$0] }.first
    let arguments: Arguments =
      if json.object == nil {
        .broken(text, .notAnObject)
      } else if name.isEmpty {
        .broken(text, .noName)
      } else {
        Arguments(given ?? .null)
      }
    self.init(id: "", name: name, arguments: arguments)
  }

  private init(unreadable bytes: UnsafeBufferPointer<UInt8>, because problem: Problem) {
    let text = String(decoding: bytes, as: UTF8.self).trimmingBlanks
    self.init(
      id: "", name: ToolCall.likelyName(in: bytes) ?? ToolCall.nameWritten(in: text), arguments: .broken(text, problem))
  }

  /// The name of a call of which only the start has come, or which is not quite JSON.
  static func likelyName(in bytes: UnsafeBufferPointer<UInt8>) -> String? {
    var reader = JSONReader(bytes)
    if bytes.first == UInt8(ascii: "[") {
      do throws(JSON.Failure) {
        try reader.beginArray()
        guard try reader.nextElement() else { return nil }
      } catch { return nil }
    }
    return name(in: &reader, isNested: false)
  }

  /// The word in quotes that follows the first `name`.
  private static func nameWritten(in text: String) -> String {
    guard let key = text.firstRange(of: "name") else { return "" }
    let value = text[key.upperBound...].drop { "\"':= \t\n".contains($0) }
    return String(value.prefix { !"\"',:{}\n".contains($0) }.prefix(100)).trimmingBlanks
  }

  private static func name(in reader: inout JSONReader, isNested: Bool) -> String? {
    do throws(JSON.Failure) {
      try reader.beginObject()
      while let key = try reader.nextKey() {
        let kind = try reader.kind()
        switch key {
        case "name", "function", "tool_name", "tool":
          if kind == .string {
            let name = try reader.string().trimmingBlanks
            if !name.isEmpty { return name }
          } else if kind == .object, key == "function", !isNested {
            return name(in: &reader, isNested: true)
          } else {
            try reader.skip()
          }
        default: try reader.skip()
        }
      }
    } catch {
      return nil
    }
    return nil
  }
}

extension ToolCall.Arguments {
  /// Arguments as a value, or as text that holds one; none are an empty object.
  init(_ json: JSON) {
    switch json {
    case .null: self = .object([:])
    // Readers differ in which of two members of one name they take: the tool could get another value than is shown.
    case .object: self = json.repeatsName ? .broken(json.serialized(), .repeatedName) : .object(json)
    case .string(let text): self.init(text: text)
    default: self = .broken(json.serialized(), .notAnObject)
    }
  }

  /// Arguments as servers send them: JSON in a string.
  init(text: String) {
    guard !text.trimmingBlanks.isEmpty else {
      self = .object([:])
      return
    }
    do throws(JSON.Failure) {
      let json = try JSON(parsing: text)
      switch json {
      case .object: self.init(json)
      case .null: self = .object([:])
      // Some servers write JSON in a string twice.
      case .string(let inner) where inner.trimmingBlanks.hasPrefix("{"): self.init(text: inner)
      default: self = .broken(text, .notAnObject)
      }
    } catch {
      self = .broken(text, error.reason == .endOfInput ? .unfinished : .notJSON)
    }
  }
}

extension JSON {
  /// Whether an object in it has two members of one name.
  fileprivate var repeatsName: Bool {
    switch self {
    case .array(let elements): elements.contains(where: \.repeatsName)
    case .object(let members):
      // By their bytes: JSON does not regard two spellings of an accent as one name.
      Set(members.map { Array($0.key.utf8) }).count < members.count || members.contains { $0.value.repeatsName }
    default: false
    }
  }
}

extension UInt8 {
  var isWordLetter: Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= self | 0x20 || self == UInt8(ascii: "_") || self == UInt8(ascii: "-")
  }

  var isBlank: Bool { self == 0x20 || 0x09...0x0D ~= self }
}
