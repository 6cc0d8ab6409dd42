import Addresses

extension HTTPRequest {
  /// Refuses what libcurl would send as it is or guess about.
  func check() throws(TransportError) {
    guard !method.isEmpty, method.utf8.allSatisfy(isTokenByte) else { throw .badRequest("the method is not a word") }
    for (name, value) in headers {
      guard !name.isEmpty, name.utf8.allSatisfy(isTokenByte) else {
        throw .badRequest("a header's name is not a word")
      }
      guard !value.utf8.contains(where: { $0 == 0 || $0 == 10 || $0 == 13 }) else {
        throw .badRequest("the value of the header \(name) has a line end or a NUL")
      }
    }
    try checkURL()
  }

  private func checkURL() throws(TransportError) {
    let scheme = try ServerKey.parsed(url).scheme
    guard scheme == "http" || scheme == "https" else { throw .badRequest("the address is not http or https") }
  }
}

// RFC 9110, section 5.6.2.
private func isTokenByte(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"):
    true
  default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }
}
