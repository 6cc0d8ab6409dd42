import Chat
import Waiting

/// What others are given out for: the refresh token, and the token that it came with.
struct SpentTokens: Sendable {
  var refresh: Secret
  var access: Secret
}

/// The sign-in of one server in this run: what the user typed in it, else the key of the environment, else what the store
/// of credentials has. Tokens are renewed before they expire, one renewal at a time however many requests wait, in all
/// processes (docs/rules.md C10).
actor Bearer {
  typealias Renewal = @Sendable (SpentTokens, TokenEndpoint?) async throws(BackendError) -> Tokens
  private typealias Outcome = Result<StoredSignIn?, BackendError>

  /// Signs nothing.
  static var none: Bearer { Bearer(account: "", store: MemoryCredentials()) }

  /// The key of the environment, which goes before a stored sign-in and is never renewed; nil once the user has signed in
  /// in this run.
  nonisolated var key: Credential? { isKeyReplaced.withLock { $0 } ? nil : environmentKey }
  /// Whether the environment has a key for this server, which the next start uses.
  nonisolated var hasEnvironmentKey: Bool { environmentKey != nil }
  nonisolated let mask = SecretMask()

  private nonisolated let environmentKey: Credential?
  private nonisolated let isKeyReplaced = Locked(false)

  private let account: String
  private let store: any CredentialStore
  private let clock: TimeSource
  private let renewal: Renewal?
  /// The most seconds before its end that a token is renewed.
  private let margin: Int

  private var held = Held.unread
  /// A refresh token once spent must not lose its successor: a renewal outlives a caller who gives up.
  private let renewals = SingleFlight<Outcome>()
  /// A refresh token that was refused: it is not tried again.
  private var dead: Secret?
  /// Who gave out the tokens of a browser sign-in of this run; where the sign-in itself says so, this is nil.
  private var issuer: TokenEndpoint?

  private enum Held {
    case unread
    /// There was nothing when the store was read.
    case nothing
    /// The person signed out: what the store may still have is not used.
    case forgotten
    case stored(StoredSignIn)
    /// The store did not take it.
    case inMemory(StoredSignIn)

    var signIn: StoredSignIn? {
      switch self {
      case .unread, .nothing, .forgotten: nil
      case .stored(let signIn), .inMemory(let signIn): signIn
      }
    }
  }

  /// `account` is a server's `url`.
  init(
    account: String, key: Credential? = nil, store: any CredentialStore, clock: TimeSource = .system,
    margin: Int = 30, renewal: Renewal? = nil
  ) {
    self.margin = margin
    self.account = account
    environmentKey = key
    self.store = store
    self.clock = clock
    self.renewal = renewal
    mask.add(key?.secret)
  }
}

// What signs a request.
extension Bearer {
  /// Whether there is anything to sign a request with. A store that cannot be read may have something.
  var hasSignIn: Bool {
    get async {
      guard key == nil else { return true }
      do throws(BackendError) { return try await stored != nil } catch { return true }
    }
  }

  /// What is kept for the server. Throws `credentials` when the store cannot be read, which is asked again then.
  var stored: StoredSignIn? {
    get async throws(BackendError) {
      if case .unread = held {
        let found = try await read()
        if case .unread = held { hold(found.map { .stored($0) } ?? .nothing) }
      }
      return held.signIn
    }
  }

  private func read() async throws(BackendError) -> StoredSignIn? {
    do throws(CredentialError) { return try await store.read(account) } catch { throw .credentials(error) }
  }

  /// What is stored, renewed when it is about to expire; nil when there is nothing.
  func token() async throws(BackendError) -> Secret? {
    guard let signIn = try await stored, isDue(signIn) else { return held.signIn?.token }
    do throws(BackendError) {
      return try await renewed(signIn)?.token
    } catch {
      // What still has some seconds to go is as good as a new one.
      guard error != .cancelled, let expiry = signIn.expiresAt, now < expiry else { throw error }
      return signIn.token
    }
  }

  /// Another token than one that a server refused, or than none; nil when there is none.
  func token(after refused: Secret?) async throws(BackendError) -> Secret? {
    if let signIn = try await stored {
      if signIn.token != refused { return try await token() }
      if signIn.refresh != nil, renewal != nil { return try await renewed(signIn)?.token }
    }
    // Somebody may have signed in in another shell.
    switch held {
    case .nothing, .stored: break
    case .unread, .forgotten, .inMemory: return nil
    }
    let before = held.signIn
    guard let there = try await read(), there.token != refused, held.signIn == before else { return nil }
    hold(.stored(there))
    return try await token()
  }

  /// Under a tenth of its life remains, or under the margin of a long one (docs/kamiwaza.md 3.3, docs/terminals.md 8).
  private func isDue(_ signIn: StoredSignIn) -> Bool {
    guard renewal != nil, signIn.refresh != nil, let expiry = signIn.expiresAt else { return false }
    // A file may have any number in it: none of them may overflow.
    let margin = min(max(signIn.lifetime ?? 300, 0), margin * 10) * 100
    return expiry < now + max(margin, 1)
  }

  private var now: Int { Int(clock.sinceEpoch() * 1000) }

  private func hold(_ held: Held) {
    self.held = held
    mask.add(held.signIn?.token)
    mask.add(held.signIn?.refresh)
  }
}

// What is kept.
extension Bearer {
  /// Keeps a sign-in in the place of the one before, and uses it instead of a key of the environment until this run ends.
  /// Where the store does not take it, it is kept for this run.
  /// - Parameter unlessThere: what another process has kept meanwhile stays, and counts.
  func keep(
    _ signIn: StoredSignIn, issuer: TokenEndpoint? = nil, unlessThere: Bool = false
  ) async -> (place: CredentialPlace, problem: CredentialError?) {
    self.issuer = issuer
    dead = nil
    isKeyReplaced.withLock { $0 = true }
    do throws(CredentialError) {
      // Under the lock, so that a renewal under way does not write over it.
      return try await store.exclusively(account) {
        if unlessThere, await self.holdWhatIsThere() { return (.memory, nil) }
        return await self.write(signIn, replacing: nil)
      }
    } catch {
      hold(.inMemory(signIn))
      return (.memory, error)
    }
  }

  private func holdWhatIsThere() async -> Bool {
    // A store that cannot be read is written to, and says so then.
    guard let there = try? await read() else { return false }
    hold(.stored(there))
    return true
  }

  /// Forgets what is kept, here at once and in the store wherever it was put (docs/rules.md C9). A key of the environment
  /// is used again.
  func forget() async throws(CredentialError) {
    hold(.forgotten)
    isKeyReplaced.withLock { $0 = false }
    issuer = nil
    var failure: CredentialError?
    do throws(CredentialError) {
      failure = try await store.exclusively(account) { await self.erase() }
    } catch {
      // Erasing spends nothing: it is done without the lock too. That another process may write it again is told.
      failure = await erase() ?? error
    }
    hold(failure == nil ? .nothing : .forgotten)
    if let failure { throw failure }
  }

  private func erase() async -> CredentialError? {
    do throws(CredentialError) {
      try await store.erase(account)
      return nil
    } catch { return error }
  }

  private func write(
    _ signIn: StoredSignIn, replacing spent: Secret?
  ) async -> (place: CredentialPlace, problem: CredentialError?) {
    // Before the store has it, so that no request waits for a keyring.
    hold(.inMemory(signIn))
    do throws(CredentialError) {
      let place = try await store.write(signIn, for: account, replacing: spent)
      if held.signIn == signIn { hold(.stored(signIn)) }
      return (place, nil)
    } catch {
      return (.memory, error)
    }
  }
}

// Renewing.
extension Bearer {
  nonisolated var isRenewing: Bool { renewals.isUnderWay }

  /// Waits for the renewal under way.
  nonisolated func finishRenewal() async { await renewals.finish() }

  /// nil when somebody has signed out meanwhile.
  private func renewed(_ spent: StoredSignIn) async throws(BackendError) -> StoredSignIn? {
    guard let outcome = await renewals.outcome(of: { await self.outcome(ofRenewing: spent) }) else { throw .cancelled }
    return try outcome.get()
  }

  private func outcome(ofRenewing spent: StoredSignIn) async -> Outcome {
    do throws(CredentialError) {
      return try await store.exclusively(account) { await self.renewUnderLock(spent) }
    } catch {
      // Somebody else has the lock, and is spending the same refresh token.
      return await madeByAnother(than: spent, else: error)
    }
  }

  /// What there is without spending anything.
  private func madeByAnother(than spent: StoredSignIn, else error: CredentialError) async -> Outcome {
    guard case .stored = held else { return .failure(.credentials(error)) }
    do throws(BackendError) {
      guard let there = try await read(), there.token != spent.token, !isDue(there), held.signIn == spent else {
        return .failure(.credentials(error))
      }
      hold(.stored(there))
      return .success(there)
    } catch {
      return .failure(error)
    }
  }

  private func renewUnderLock(_ spent: StoredSignIn) async -> Outcome {
    var latest = spent
    if case .stored = held {
      let there: StoredSignIn?
      do throws(BackendError) {
        there = try await read()
      } catch {
        // Another process may have spent the refresh token already.
        return .failure(error)
      }
      guard let there else {
        hold(.nothing)
        return .success(nil)
      }
      if there.token != spent.token {
        hold(.stored(there))
        if !isDue(there) { return .success(there) }
        latest = there
      }
    }
    guard held.signIn?.token == latest.token else { return .success(held.signIn) }
    guard let refresh = latest.refresh, let renewal else { return .success(nil) }
    guard refresh != dead else { return .failure(.unauthorized(address: address, message: "")) }
    do throws(BackendError) {
      let tokens = try await renewal(
        SpentTokens(refresh: refresh, access: latest.token), issuer ?? latest.issuer.map { TokenEndpoint($0) })
      let next = tokens.signIn(now: clock.sinceEpoch(), before: latest)
      // Signed out or in anew while the server was thinking.
      guard held.signIn?.token == latest.token else { return .success(held.signIn) }
      _ = await write(next, replacing: refresh)
      return .success(next)
    } catch {
      if case .unauthorized = error { dead = refresh }
      return .failure(error)
    }
  }

  private var address: String { Origin(url: account)?.description ?? account }
}
