import Backends
import Chat
import Foundation
import Store

/// The keys of the environment, each for one server only.
///
/// `PARLEY_TOKEN` is for `PARLEY_SERVER`, or without one for the first server that the run uses; `OPENAI_API_KEY` is
/// for `OPENAI_BASE_URL`, or without one for OpenAI itself. A class because the first server is known only later.
final class Keys: @unchecked Sendable {  // the lock guards `tokenHolder`
  private let token: String?
  private let openAIKey: String?
  private let openAIBase: String
  private let lock = NSLock()
  private var tokenHolder: ServerAddress?

  /// - Parameter servers: those that `PARLEY_SERVER` may name.
  init(_ environment: [String: String], _ servers: Servers) {
    token = environment["PARLEY_TOKEN"].flatMap { $0.isEmpty ? nil : $0 }
    openAIKey = environment["OPENAI_API_KEY"].flatMap { $0.isEmpty ? nil : $0 }
    openAIBase = environment["OPENAI_BASE_URL"].flatMap { $0.isEmpty ? nil : $0 } ?? "https://api.openai.com/v1"
    // An address that cannot be read is told when it is used.
    tokenHolder = environment["PARLEY_SERVER"].flatMap { try? ServerAddress(servers.named($0)?.server.url ?? $0) }
  }

  /// The key that may be sent to an address; the credential itself refuses any other origin.
  func credential(for address: ServerAddress) -> Credential? {
    if let token, holdsToken(address) { return try? Credential(token, for: address) }
    guard let openAIKey, let base = try? ServerAddress(openAIBase), base.shares(address) else { return nil }
    return try? Credential(openAIKey, for: base)
  }

  private func holdsToken(_ address: ServerAddress) -> Bool {
    lock.withLock {
      let holder = tokenHolder ?? address
      tokenHolder = holder
      return holder.shares(address)
    }
  }
}

extension ServerAddress {
  /// Whether both may mean the same server.
  fileprivate func shares(_ other: ServerAddress) -> Bool {
    let mine = Set(candidates.compactMap { Origin(url: $0) })
    return other.candidates.contains { Origin(url: $0).map(mine.contains) ?? false }
  }
}
