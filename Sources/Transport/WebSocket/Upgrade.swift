import Addresses
import CCurl
import CDigest
import Foundation

/// The request that asks for a WebSocket, and the answer that it must get (RFC 6455, sections 4.1 and 4.2.2).
struct Upgrade: Sendable {
  /// With an `http:` or `https:` address, as libcurl knows no others.
  let request: HTTPRequest
  private let userAgent: String
  private let target: String
  private let host: String
  private let key: String

  init(_ request: HTTPRequest, userAgent: String) throws(TransportError) {
    var request = request
    request.url = Upgrade.webAddress(request.url)
    try request.check()
    guard request.method == "GET", request.body == nil else {
      throw .badRequest("a WebSocket is asked for with GET and no body")
    }
    for (name, _) in request.headers where Upgrade.ownHeaders.contains(name.lowercased()) {
      throw .badRequest("the header \(name) is the upgrade's own")
    }
    self.request = request
    self.userAgent = userAgent
    (target, host) = try Upgrade.parts(of: request.url)
    var numbers = SystemRandomNumberGenerator()
    key = Data((0..<16).map { _ in UInt8.random(in: 0...255, using: &numbers) }).base64EncodedString()
  }

  private static let ownHeaders: Set = [
    "host", "connection", "upgrade", "sec-websocket-key", "sec-websocket-version", "sec-websocket-extensions",
    "sec-websocket-accept", "content-length", "transfer-encoding",
  ]

  private static func webAddress(_ url: String) -> String {
    let scheme = url.prefix { $0 != ":" }.lowercased()
    return scheme == "ws" || scheme == "wss" ? "http" + url.dropFirst(2) : url
  }

  /// What is asked for, and whom.
  private static func parts(of url: String) throws(TransportError) -> (target: String, host: String) {
    guard let parts = curl_url() else { throw .other("out of memory") }
    defer { curl_url_cleanup(parts) }
    let code = curl_url_set(parts, CURLUPART_URL, url, UInt32(CURLU_URLENCODE))
    guard code == CURLUE_OK, let path = part(CURLUPART_PATH, of: parts),
      let host = part(CURLUPART_HOST, of: parts, flags: CURLU_PUNYCODE)
    else { throw .badRequest("the address has no host that can be looked up") }
    let query = part(CURLUPART_QUERY, of: parts).map { "?\($0)" } ?? ""
    let port = part(CURLUPART_PORT, of: parts, flags: CURLU_NO_DEFAULT_PORT).map { ":\($0)" } ?? ""
    return (path + query, host + port)
  }

  /// The request as it goes out. No value has a line end in it: that was checked (docs/rules.md N7).
  var bytes: [UInt8] {
    var lines = [
      "GET \(target) HTTP/1.1", "Host: \(host)", "Upgrade: websocket", "Connection: Upgrade",
      "Sec-WebSocket-Key: \(key)", "Sec-WebSocket-Version: 13",
    ]
    if !request.headers.contains(where: { $0.name.lowercased() == "user-agent" }) {
      lines.append("User-Agent: \(userAgent)")
    }
    lines += request.headers.map { "\($0.name): \($0.value)" }
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  /// What is wrong with an answer whose status is 101; nil when it may be believed.
  func objection(to head: ResponseHead) -> String? {
    func values(_ name: String) -> [String] {
      head.headers.filter { $0.name.lowercased() == name }.map(\.value)
    }
    func words(_ name: String) -> [String] {
      values(name).flatMap { $0.split(separator: ",") }.map { $0.trimmingCharacters(in: .whitespaces) }
    }
    guard words("upgrade").map({ $0.lowercased() }) == ["websocket"] else { return "no upgrade to websocket" }
    guard words("connection").contains(where: { $0.lowercased() == "upgrade" }) else { return "no upgrade at all" }
    guard let accept = Upgrade.accept(of: key), values("sec-websocket-accept") == [accept] else {
      return "a wrong Sec-WebSocket-Accept"
    }
    guard words("sec-websocket-extensions").isEmpty else { return "an extension that was not asked for" }
    let protocols = words("sec-websocket-protocol")
    guard protocols.count <= 1, protocols.allSatisfy(wantedProtocols.contains) else {
      return "a protocol that was not asked for"
    }
    return nil
  }

  private var wantedProtocols: [String] {
    request.headers.filter { $0.name.lowercased() == "sec-websocket-protocol" }
      .flatMap { $0.value.split(separator: ",") }.map { $0.trimmingCharacters(in: .whitespaces) }
  }

  /// What proves that a server has read the key and speaks the protocol; nil where OpenSSL has no SHA-1.
  static func accept(of key: String) -> String? {
    let text = Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)
    var digest = [UInt8](repeating: 0, count: 20)
    return cdigest_sha1(text, text.count, &digest) == 1 ? Data(digest).base64EncodedString() : nil
  }
}
