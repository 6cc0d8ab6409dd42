/// A status and its headers.
struct ResponseHead: Sendable {
  var status: Int
  var headers: [(name: String, value: String)]

  var isCompressed: Bool {
    headers.contains { $0.name.lowercased() == "content-encoding" && $0.value.lowercased() != "identity" }
  }
}

/// Makes a head of the lines that libcurl hands over, passing over interim responses (RFC 9110, section 15.2).
struct HeadParser {
  /// In bytes, of all heads and trailers of one transfer together.
  static let limit = 256 << 10

  /// Whether a switch of protocols (101) is an end, and no interim response.
  private let takesSwitch: Bool
  private var status = 0
  private var headers: [(name: String, value: String)] = []
  private var byteCount = 0
  private(set) var isDone = false

  init(takesSwitch: Bool = false) { self.takesSwitch = takesSwitch }

  /// The head once its empty line has come; nil before and after.
  mutating func absorb(_ line: UnsafeBufferPointer<UInt8>) throws(TransportError) -> ResponseHead? {
    byteCount += line.count
    guard byteCount <= Self.limit else { throw .tooLarge(limit: Self.limit) }
    guard !isDone else { return nil }  // a trailer

    var end = line.count
    while end > 0, isBlank(line[end - 1]) { end -= 1 }
    let text = UnsafeBufferPointer(rebasing: line[..<end])
    if text.isEmpty { return finishHead() }
    if text.starts(with: Array("HTTP/".utf8)) {
      status = statusCode(text)
      headers = []
    } else if isBlank(text[0]) {
      unfold(text)
    } else if let colon = text.firstIndex(of: UInt8(ascii: ":")) {
      headers.append((string(text[..<colon]), string(text[(colon + 1)...])))
    }
    return nil
  }

  private mutating func finishHead() -> ResponseHead? {
    guard status >= 200 || (takesSwitch && status == 101) else { return nil }
    isDone = true
    return ResponseHead(status: status, headers: headers)
  }

  // A value folded over lines is obsolete but still sent (RFC 9112, section 5.2).
  private mutating func unfold(_ text: UnsafeBufferPointer<UInt8>) {
    guard !headers.isEmpty else { return }
    headers[headers.count - 1].value += " " + string(text[...])
  }

  private func statusCode(_ line: UnsafeBufferPointer<UInt8>) -> Int {
    guard let space = line.firstIndex(of: UInt8(ascii: " ")) else { return 0 }
    let digits = line[(space + 1)...].prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }
    return digits.count == 3 ? digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) } : 0
  }

  private func string(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
    String(decoding: bytes.drop(while: isBlank), as: UTF8.self)
  }

  private func isBlank(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n")
  }
}
