import Chat
import Foundation

/// Takes our secrets out of what a server wrote: it may repeat them in an error, which is shown and kept.
// Sendable: the secrets are read and written under the lock only.
final class SecretMask: @unchecked Sendable {
  /// How many are remembered: those of the requests that may still be on their way.
  private static let limit = 16

  private let lock = NSLock()
  private var secrets: [Secret] = []

  func add(_ secret: Secret?) {
    guard let secret, !secret.isEmpty else { return }
    lock.withLock {
      guard !secrets.contains(secret) else { return }
      secrets.append(secret)
      if secrets.count > SecretMask.limit { secrets.removeFirst() }
    }
  }

  /// The same bytes when none of them is in there.
  func callAsFunction(_ bytes: [UInt8]) -> [UInt8] {
    let known = lock.withLock { secrets }
    guard !known.isEmpty else { return bytes }
    let text = String(decoding: bytes, as: UTF8.self)
    var masked = text
    for secret in known {
      let secret = secret.reveal()
      masked = masked.replacing(secret, with: "<secret>").replacing(secret.percentEncoded, with: "<secret>")
    }
    return masked == text ? bytes : Array(masked.utf8)
  }
}
