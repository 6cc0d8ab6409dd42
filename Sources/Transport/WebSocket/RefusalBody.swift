/// The beginning of a body, as much of it as explains a refusal.
struct RefusalBody {
  /// In bytes, before and after chunks are joined.
  static let limit = 4 << 10

  private enum Framing { case counted(Int), chunked, untilTheEnd }
  private let framing: Framing
  private var bytes: [UInt8] = []

  init(of head: ResponseHead) {
    func value(_ name: String) -> String? { head.headers.first { $0.name.lowercased() == name }?.value }
    // RFC 9112, section 6.3.
    if head.status == 204 || head.status == 304 {
      framing = .counted(0)
    } else if value("transfer-encoding")?.lowercased().hasSuffix("chunked") == true {
      framing = .chunked
    } else if let count = value("content-length").flatMap({ Int($0) }), count >= 0 {
      framing = .counted(count)
    } else {
      framing = .untilTheEnd
    }
  }

  mutating func absorb(_ more: ArraySlice<UInt8>) { bytes += more.prefix(Self.limit - bytes.count) }

  /// Whether no more of it is needed.
  var isComplete: Bool {
    if bytes.count == Self.limit { return true }
    switch framing {
    case .counted(let count): return bytes.count >= count
    case .chunked: return unchunked.isWhole
    case .untilTheEnd: return false
    }
  }

  var text: String {
    switch framing {
    case .counted(let count): String(decoding: bytes.prefix(count), as: UTF8.self)
    case .chunked: String(decoding: unchunked.bytes, as: UTF8.self)
    case .untilTheEnd: String(decoding: bytes, as: UTF8.self)
    }
  }

  /// RFC 9112, section 7.1.
  private var unchunked: (bytes: [UInt8], isWhole: Bool) {
    var joined: [UInt8] = []
    var rest = bytes[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let digits = rest[..<end].prefix { Character(UnicodeScalar($0)).isHexDigit }
      guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16), size > 0 else { return (joined, true) }
      rest = rest[(end + 1)...]
      joined += rest.prefix(size)
      rest = rest.dropFirst(size).drop { $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\n") }
    }
    return (joined, false)
  }
}
