package import Chat
import Foundation
import Waiting
package import Wire

/// Takes our secrets out of what a server wrote: it may repeat them in an error or a result, which is shown and kept.
package final class SecretMask: Sendable {
  /// How many are remembered: those of the requests that may still be on their way.
  private static let limit = 16
  /// The bytes from which on a secret is taken out of JSON too. Shorter ones are words that it is made of, which would
  /// mean something else without them.
  private static let distinctLength = 8

  private let secrets = Locked<[Secret]>([])

  package init() {}

  package func add(_ secret: Secret?) {
    guard let secret, !secret.isEmpty else { return }
    secrets.withLock { secrets in
      guard !secrets.contains(secret) else { return }
      secrets.append(secret)
      if secrets.count > SecretMask.limit { secrets.removeFirst() }
    }
  }

  /// The same bytes when none of them is in there.
  package func callAsFunction(_ bytes: [UInt8]) -> [UInt8] {
    let known = spellings(atLeast: 1).filter { $0.isIn(bytes) }
    guard !known.isEmpty else { return bytes }
    return Array(String(decoding: bytes, as: UTF8.self).without(known).utf8)
  }

  func callAsFunction(_ text: String) -> String { text.without(spellings(atLeast: 1)) }

  /// The same JSON, without them in its texts and keys.
  package func callAsFunction(_ json: JSON) -> JSON {
    let known = spellings(atLeast: SecretMask.distinctLength)
    return known.isEmpty ? json : json.without(known)
  }

  /// As the secrets are written in texts and in addresses.
  private func spellings(atLeast length: Int) -> [Spelling] {
    secrets.withLock { $0 }.map { $0.reveal() }.filter { $0.utf8.count >= length }
      .flatMap { $0.percentEncoded == $0 ? [Spelling($0)] : [Spelling($0), Spelling($0.percentEncoded)] }
  }
}

/// A secret as it may be written.
private struct Spelling {
  let text: String
  private let bytes: [UInt8]

  init(_ text: String) {
    self.text = text
    bytes = Array(text.utf8)
  }

  func isIn(_ text: [UInt8]) -> Bool { text.withUnsafeBufferPointer { isIn($0) } }

  func isIn(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    guard let start = text.baseAddress, let first = bytes.first else { return false }
    var offset = 0
    // By the first byte, which is rare: texts may have megabytes.
    while offset + bytes.count <= text.count,
      let found = memchr(start + offset, Int32(first), text.count - bytes.count + 1 - offset)
    {
      if memcmp(found, bytes, bytes.count) == 0 { return true }
      offset = UnsafeRawPointer(found) - UnsafeRawPointer(start) + 1
    }
    return false
  }
}

extension String {
  fileprivate func without(_ secrets: [Spelling]) -> String {
    var text = self
    for secret in secrets where text.withUTF8({ secret.isIn($0) }) {
      text = text.replacing(secret.text, with: "<secret>")
    }
    return text
  }
}

extension JSON {
  fileprivate func without(_ secrets: [Spelling]) -> JSON {
    switch self {
    case .string(let text): .string(text.without(secrets))
    case .array(let items): .array(items.map { $0.without(secrets) })
    case .object(let members):
      .object(members.map { Member($0.key.without(secrets), $0.value.without(secrets)) })
    case .null, .bool, .int, .double: self
    }
  }
}
