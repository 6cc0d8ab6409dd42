import Addresses
import Chat

/// The certificates that passed in the connections of one pool. Belongs to the loop thread.
final class TrustedLeaves {
  enum Voucher: Hashable {
    case system
    /// The authorities of this file.
    case authorities(String)
  }

  private var vouchers: [ServerKey: [Fingerprint: Set<Voucher>]] = [:]

  /// Whether it is the first from that server that this one vouches for.
  func note(_ leaf: Fingerprint, of server: ServerKey, by voucher: Voucher) -> Bool {
    let isFirst = !(vouchers[server] ?? [:]).values.contains { $0.contains(voucher) }
    vouchers[server, default: [:]][leaf, default: []].insert(voucher)
    return isFirst
  }

  /// What passed by a file that is not named any more does not count.
  func contains(_ leaf: Fingerprint, of server: ServerKey, authorities: String?) -> Bool {
    guard let vouchers = vouchers[server]?[leaf] else { return false }
    return vouchers.contains(.system) || authorities.map { vouchers.contains(.authorities($0)) } ?? false
  }
}
