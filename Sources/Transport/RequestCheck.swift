import CCurl

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
    guard !url.utf8.contains(0) else { throw .badRequest("the address has a NUL") }
    guard let parts = curl_url() else { throw .other("out of memory") }
    defer { curl_url_cleanup(parts) }
    let code = curl_url_set(parts, CURLUPART_URL, url, UInt32(CURLU_DISALLOW_USER))
    if code == CURLUE_USER_NOT_ALLOWED { throw .badRequest("the address has a user name in it") }
    guard code == CURLUE_OK else { throw .badRequest(String(cString: curl_url_strerror(code))) }
    guard let scheme = part(CURLUPART_SCHEME, of: parts), scheme == "http" || scheme == "https" else {
      throw .badRequest("the address is not http or https")
    }
  }
}

/// A part of a parsed address.
func part(_ name: CURLUPart, of parts: OpaquePointer, flags: Int32 = 0) -> String? {
  var text: UnsafeMutablePointer<CChar>?
  guard curl_url_get(parts, name, &text, UInt32(flags)) == CURLUE_OK, let text else { return nil }
  defer { curl_free(text) }
  return String(cString: text)
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
