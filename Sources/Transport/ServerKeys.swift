import Addresses
import Chat

extension ServerKey {
  /// nil for addresses that are not https.
  init?(httpsURL url: String) throws(TransportError) {
    let (key, scheme) = try Self.parsed(url)
    guard scheme == "https" else { return nil }
    self = key
  }

  static func parsed(_ url: String) throws(TransportError) -> (key: ServerKey, scheme: String) {
    do throws(BadAddress) { return try parse(url) } catch { throw .badRequest(error.reason) }
  }

  var isThisMachine: Bool { Network(host: isAddress && name.contains(":") ? "[\(name)]" : name) == .loopback }
}
