import Chat
import Foundation
import Wire

extension PairingText {
  /// Reads what a bridge's code says (docs/acp.md 10).
  /// - Parameter plain: whether plain http beyond this machine is taken too.
  init(_ text: String, plain: Bool = false) throws(PairingProblem) {
    let text = text.trimmingBlanks
    guard !text.isEmpty else { throw .empty }
    if text.hasPrefix("{") {
      // Why it cannot be read helps nobody.
      guard let json = try? JSON(parsing: Array(text.utf8)) else { throw .unknown }
      self = .credentials(try Pairing(json, plain: plain))
    } else {
      self = .link(try PairingLink(text, plain: plain))
    }
  }
}

extension PairingLink {
  init(_ text: String, plain: Bool) throws(PairingProblem) {
    guard let colon = text.firstRange(of: "://") else { throw .unknown }
    let scheme = text[..<colon.lowerBound].lowercased()
    guard scheme == "https" || scheme == "http" else { throw .scheme(scheme) }
    let address = text.prefix { $0 != "?" && $0 != "#" }
    guard let origin = Origin(url: String(address)) else { throw .badAddress }
    if origin.isInTheClear, !plain { throw .inTheClear(host: origin.host) }
    let path = address[colon.upperBound...].drop { $0 != "/" }
    guard path.hasPrefix("/pair/"), path.count > 6 else { throw .otherPath(path.isEmpty ? "/" : String(path)) }
    let query = text.dropFirst(address.count + 1).prefix { $0 != "#" }
    let fields = PairingLink.fields(query)
    guard let code = fields["code"], !code.isEmpty else { throw .noCode }
    let fingerprint = try fields["fp"].map { (text) throws(PairingProblem) in
      guard let fingerprint = Fingerprint(text: text) else { throw .badFingerprint }
      return fingerprint
    }
    try self.init(
      at: origin.url + path, code: code, fingerprint: fingerprint)
  }

  /// From an address and a code that were typed.
  init(host: String, code: String, plain: Bool) throws(PairingProblem) {
    let hasScheme = host.contains("://")
    let url = (hasScheme ? host : "https://" + host) + (host.contains("/pair/") ? "" : "/pair/local")
    guard let origin = Origin(url: url) else { throw .badAddress }
    if origin.isInTheClear, !plain { throw .inTheClear(host: origin.host) }
    try self.init(at: url, code: code, fingerprint: nil)
  }

  private init(at url: String, code: String, fingerprint: Fingerprint?) throws(PairingProblem) {
    // It becomes part of an address.
    guard (1...12).contains(code.utf8.count), code.utf8.allSatisfy(PairingLink.isPlain) else { throw .badCode }
    self.init(url: url, code: Secret(code), fingerprint: fingerprint)
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: false
    }
  }

  /// The first of each name counts.
  private static func fields(_ query: Substring) -> [String: String] {
    let pairs = query.split(separator: "&").map { field in
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = parts.count > 1 ? String(parts[1]) : ""
      return (String(parts[0]), value.removingPercentEncoding ?? value)
    }
    return Dictionary(pairs) { first, _ in first }
  }

  /// What is asked for: the code alone goes along, and no fingerprint.
  var address: String { "\(url)?code=\(code.reveal())" }
}

extension Pairing {
  /// Reads a bridge's credentials.
  init(_ json: JSON, plain: Bool = false) throws(PairingProblem) {
    // An error that a bridge wrote is none.
    guard json.object != nil else { throw .unknown }
    if let other = json.text("protocol"), other.lowercased() != "acp" { throw .otherProtocol(other) }
    guard json.text("protocol") != nil else { throw .missing("protocol") }
    guard let agent = json.text("agentId"), agent.utf8.count <= 200 else { throw .missing("agentId") }
    guard let text = json.text("url"), let address = BridgeAddress(credentials: text) else { throw .missing("url") }
    if address.isInTheClear, !plain { throw .inTheClear(host: address.description) }
    guard let token = json.text("authToken").map({ Secret($0) }), token.fitsHeader else { throw .missing("authToken") }
    var fingerprint: Fingerprint?
    if let text = json.text("certFingerprint") {
      fingerprint = Fingerprint(text: text)
      guard fingerprint != nil else { throw .badFingerprint }
    }
    let folder = json.text("cwd").flatMap { $0.utf8.count <= 4096 ? $0 : nil }
    self.init(
      agent: agent, url: address.url, token: token, pass: try Pairing.pass(json), folder: folder,
      fingerprint: fingerprint)
  }

  private static func pass(_ json: JSON) throws(PairingProblem) -> GatePass? {
    let (id, secret) = (json.text("clientId"), json.text("clientSecret").map { Secret($0) })
    guard id != nil || secret != nil else { return nil }
    guard let id, Secret(id).fitsHeader else { throw .missing("clientId") }
    guard let secret, secret.fitsHeader else { throw .missing("clientSecret") }
    return GatePass(id: id, secret: secret)
  }
}
