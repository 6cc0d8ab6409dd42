import Text

/// The first thing in a filtered text that should not be there, or nil.
func harm(in text: String, _ profile: Filter.Profile) -> String? {
  for scalar in text.unicodeScalars {
    let isHarmful =
      switch scalar.value {
      case 0x0A: profile == .inline || profile == .command
      case 0x09: profile != .source
      case 0..<0x20, 0x7F...0x9F: true
      case 0x202A...0x202E, 0x206A...0x206F, 0xFFF9...0xFFFB, 0xE0000...0xE0FFF, 0xFDD0...0xFDEF: true
      case let value where value & 0xFFFE == 0xFFFE: true
      case 0x2066...0x2069, 0x200E, 0x200F, 0x061C: profile != .block && profile != .source
      case 0x200B, 0x2060...0x2064, 0xFEFF, 0x180E, 0xAD, 0x034F, 0x115F, 0x1160, 0x3164, 0xFFA0: profile != .source
      case 0x2028, 0x2029, 0xE000...0xF8FF, 0xF0000...0x10FFFF: profile != .source
      default: false
      }
    if isHarmful { return "U+" + String(scalar.value, radix: 16) }
  }
  return profile == .block ? openIsolate(in: text) : nil
}

private func openIsolate(in text: String) -> String? {
  var depth = 0
  for scalar in text.unicodeScalars {
    switch scalar.value {
    case 0x2066...0x2068: depth += 1
    case 0x2069: depth -= 1
    case 0x0A where depth != 0: return "an isolate open at the end of a line"
    default: break
    }
    if depth < 0 { return "an end of no isolate" }
  }
  return depth == 0 ? nil : "an isolate open at the end"
}

extension Filter.Profile {
  static let all: [Filter.Profile] = [.block, .code, .inline, .command, .source]
}

/// What came out of a filter. To `String`, canonically equivalent texts are equal; here they are not.
struct Filtered: Equatable {
  var text: String
  var hidden = 0

  static func == (left: Filtered, right: Filtered) -> Bool {
    left.hidden == right.hidden && left.text.utf8.elementsEqual(right.text.utf8)
  }
}

/// What a filter makes of pieces, with its count of hidden characters.
func filtered(_ pieces: [String], _ profile: Filter.Profile) -> Filtered {
  var filter = Filter(profile)
  var text = pieces.map { filter.feed($0).string }.joined()
  text += filter.finish().string
  return Filtered(text: text, hidden: filter.hidden)
}

func filtered(bytes pieces: [[UInt8]], _ profile: Filter.Profile) -> Filtered {
  var filter = Filter(profile)
  var text = pieces.map { filter.feed(bytes: $0).string }.joined()
  text += filter.finish().string
  return Filtered(text: text, hidden: filter.hidden)
}
