package import Chat

/// Keeps sign-ins for this run only, such as one that is to leave nothing behind.
package actor MemoryCredentials: CredentialStore {
  private var signIns: [String: StoredSignIn] = [:]
  private var busy: Set<String> = []
  private var waiting: [String: [CheckedContinuation<Void, Never>]] = [:]

  package init() {}

  package func read(_ account: String) throws(CredentialError) -> StoredSignIn? { signIns[account] }

  package func write(
    _ signIn: StoredSignIn, for account: String, replacing spent: Secret?
  ) throws(CredentialError) -> CredentialPlace {
    signIns[account] = signIn
    return .memory
  }

  package func erase(_ account: String) throws(CredentialError) { signIns[account] = nil }

  package func exclusively<T: Sendable>(
    _ account: String, _ body: @Sendable () async -> T
  ) async throws(CredentialError) -> T {
    if busy.contains(account) {
      await withCheckedContinuation { waiting[account, default: []].append($0) }
    } else {
      busy.insert(account)
    }
    let result = await body()
    // Handed over while still busy, so that nobody slips in between.
    if waiting[account]?.isEmpty ?? true { busy.remove(account) } else { waiting[account]?.removeFirst().resume() }
    return result
  }
}
