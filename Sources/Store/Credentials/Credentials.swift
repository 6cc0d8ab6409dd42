package import Chat
import Dispatch
import Foundation
import Wire

/// Sign-ins between runs: in the desktop's keyring, by a program of the person's, or in a file
/// (docs/rules.md C1 to C4, C9, C10). Nothing is read, asked or started before it is needed, and no program at all
/// where none ever kept anything.
// Sendable: the state is only touched on the queue, the accounts in use only under the lock.
package final class Credentials: CredentialStore, @unchecked Sendable {
  /// How long programs may take in one sign-in.
  static let patience = Duration.seconds(3)

  private let file: CredentialsFile
  private let environment: [String: String]
  private let writes: Bool
  private let clock: Deadline.Clock
  private let accountsInUse = AccountsInUse()
  /// Files and programs are waited for here, and not on a thread of the tasks.
  private let queue = DispatchQueue(label: "credentials")

  private var choice: CredentialChoice
  private var keyring = Keyring.unknown
  /// How much of the patience looking for the keyring has cost.
  private var spent = Duration.zero
  /// Changes of a run that keeps nothing; nil is erased.
  private var held: [AccountName: StoredSignIn?] = [:]

  private enum Keyring {
    case unknown
    case available(Keeper)
    case missing(CredentialError)
  }

  /// Reads nothing yet.
  /// - Parameters:
  ///   - writes: false keeps changes in memory; what is kept already can be read.
  ///   - clock: tells how long programs have taken.
  package init(
    _ path: String, _ choice: CredentialChoice, environment: [String: String], writes: Bool = true,
    clock: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
  ) {
    file = CredentialsFile(path: path, home: environment["HOME"])
    self.choice = choice
    self.environment = environment
    self.writes = writes
    self.clock = clock
  }

  /// From now on; what is kept already stays where it is.
  package func choose(_ choice: CredentialChoice) async {
    await withCheckedContinuation { continuation in
      queue.async {
        self.choice = choice
        continuation.resume()
      }
    }
  }

  /// Where a new sign-in would go, to be told before a password is asked for: at most three seconds, once in a process
  /// (docs/rules.md C1).
  package func probe() async throws(CredentialError) -> CredentialPlace {
    try await onQueue { () throws(CredentialError) in
      self.writes ? try self.keeperForNew().place(self.file.path, self.choice) : .memory
    }
  }

  package func read(_ account: String) async throws(CredentialError) -> StoredSignIn? {
    let account = AccountName(account)
    return try await onQueue { () throws(CredentialError) in
      if let held = self.held[account] { return held }
      return try self.find(account)
    }
  }

  package func write(
    _ signIn: StoredSignIn, for account: String, replacing spent: Secret?
  ) async throws(CredentialError) -> CredentialPlace {
    let account = AccountName(account)
    return try await onQueue { () throws(CredentialError) in
      guard self.writes || self.isKept(spent, of: account) else {
        self.held[account] = signIn
        return .memory
      }
      return try self.keep(signIn, for: account).place(self.file.path, self.choice)
    }
  }

  package func erase(_ account: String) async throws(CredentialError) {
    let account = AccountName(account)
    try await onQueue { () throws(CredentialError) in
      guard self.writes else {
        self.held[account] = .some(nil)
        return
      }
      try self.remove(account)
    }
  }

  package func exclusively<T: Sendable>(
    _ account: String, _ body: @Sendable () async -> T
  ) async throws(CredentialError) -> T {
    let account = AccountName(account)
    let path = directory(of: file.path) + "/credentials.\(account.digest).lock"
    let use = try await accountsInUse.take(path, makingFile: writes)
    defer { accountsInUse.leave(use) }
    return await body()
  }

  private func onQueue<T: Sendable>(
    _ body: @escaping @Sendable () throws(CredentialError) -> T
  ) async throws(CredentialError) -> T {
    let result: Result<T, CredentialError> = await withCheckedContinuation { continuation in
      queue.async { continuation.resume(returning: Result(catching: body)) }
    }
    return try result.get()
  }
}

// On the queue.
extension Credentials {
  private func deadline(_ patience: Duration = Credentials.patience) -> Deadline { Deadline(in: patience, on: clock) }

  /// A refresh token is spent by its use: what is on disk must have its successor, in a private run too, or the next run
  /// would be signed out.
  private func isKept(_ spent: Secret?, of account: AccountName) -> Bool {
    // What cannot be read now is not written over.
    guard let spent, held[account] == nil, let kept = try? find(account) else { return false }
    return kept.refresh == spent
  }

  private func find(_ account: AccountName) throws(CredentialError) -> StoredSignIn? {
    guard let content = try file.read() else { return nil }
    let deadline = deadline()
    for keeper in content.keepers(of: account) {
      if let program = try SecretKeeper(keeper, environment) {
        // One that does not answer is not one that has nothing: that would look like a sign-out.
        if let signIn = try program.read(account, until: deadline) { return signIn }
      } else if let json = content.signIn(of: account) {
        guard let signIn = StoredSignIn(json) else { throw .broken(path: file.path) }
        return signIn
      }
    }
    return nil
  }

  /// Keeps it, and says what does.
  private func keep(_ signIn: StoredSignIn, for account: AccountName) throws(CredentialError) -> Keeper {
    let keeper = try keeperForNew(account)
    guard keeper != .file else {
      try keepInFile(signIn, for: account)
      return .file
    }
    do throws(CredentialError) {
      try keep(signIn, for: account, by: keeper)
      return keeper
    } catch {
      guard case .auto = choice else { throw error }
      // A keyring that fails now will fail again: it is not waited for twice.
      keyring = .missing(error)
      try keepInFile(signIn, for: account)
      return .file
    }
  }

  private func keep(_ signIn: StoredSignIn, for account: AccountName, by keeper: Keeper) throws(CredentialError) {
    guard let program = try SecretKeeper(keeper, environment) else { return }
    let deadline = deadline(max(.milliseconds(400), Credentials.patience - spent))
    spent = .zero
    // Noted before it gets the secret: what is killed in between is still found by a sign-out.
    try file.change { content in
      let keepers = content.keepers(of: account)
      if !keepers.contains(keeper) { content.set(keepers + [keeper], of: account) }
    }
    try program.write(signIn, for: account, until: deadline)
    try file.change { content in
      content.set([keeper] + content.keepers(of: account).filter { $0 != keeper && $0 != .file }, of: account)
      content.set(nil as JSON?, of: account)
    }
    forgetElsewhere(account, than: keeper, until: deadline)
  }

  private func keepInFile(_ signIn: StoredSignIn, for account: AccountName) throws(CredentialError) {
    try file.change { content in
      content.set([.file] + content.keepers(of: account).filter { $0 != .file }, of: account)
      content.set(signIn.revealed, of: account)
    }
    guard case .file = choice else { return }
    forgetElsewhere(account, than: .file, until: deadline())
  }

  /// Takes older copies out of other programs. What does not answer keeps its place in the index, for the sign-out.
  private func forgetElsewhere(_ account: AccountName, than keeper: Keeper, until deadline: Deadline) {
    // The sign-in is kept: what goes wrong from here on is for the sign-out to find.
    let others = ((try? file.read()) ?? nil)?.keepers(of: account).filter { $0 != keeper } ?? []
    let gone = others.filter { other in
      (try? SecretKeeper(other, environment)?.erase(account, until: deadline)) != nil  // else it stays in the index
    }
    guard !gone.isEmpty else { return }
    try? file.change { content in  // as above
      content.set(content.keepers(of: account).filter { !gone.contains($0) }, of: account)
    }
  }

  /// Takes it away wherever it ever was. What could not be reached stays in the index, so that the next try finds it.
  private func remove(_ account: AccountName) throws(CredentialError) {
    let keepers: [Keeper]
    do { keepers = try file.read()?.keepers(of: account) ?? [] } catch {
      guard case .broken = error else { throw error }
      // The index that would tell is gone.
      keepers = possibleKeepers
    }
    var failure: CredentialError?
    var left: [Keeper] = []
    for keeper in keepers {
      do throws(CredentialError) {
        let deadline = deadline()
        try SecretKeeper(keeper, environment)?.erase(account, until: deadline)
      } catch {
        failure = failure ?? error
        left.append(keeper)
      }
    }
    if access(file.path, F_OK) == 0 {
      try file.change { [left] content in
        content.set(left, of: account)
        content.set(nil as JSON?, of: account)
      }
    }
    try file.removeAside()
    if try file.read()?.signIn(of: account) != nil { throw .stillThere(place: file.path) }
    if let failure { throw failure }
  }

  /// Every program that may have been given a sign-in, as far as it is there.
  private var possibleKeepers: [Keeper] {
    switch choice {
    case .file: []
    case .helper(let name): [.helper(name)]
    case .auto, .keyring:
      Credentials.hasSessionBus(environment)
        ? [.secretService, .secretTool].filter { SecretProgram($0.program ?? "", environment) != nil } : []
    }
  }

  /// What a sign-in is to be kept by: under `auto` what has it already, so that processes do not choose differently.
  /// - Parameter account: nil only looks whether there is a place.
  private func keeperForNew(_ account: AccountName? = nil) throws(CredentialError) -> Keeper {
    switch choice {
    case .file: return .file
    case .helper(let name):
      let program = try SecretKeeper(.helper(name), environment)
      if account == nil { try program?.probe(until: deadline()) }
      return .helper(name)
    case .keyring: return try findKeyring()
    case .auto:
      if case .missing = keyring { return .file }
      if let account, let kept = try keepers(of: account).first { return kept }
      return (try? findKeyring()) ?? .file  // why there is none is no news where it is not asked for
    }
  }

  private func keepers(of account: AccountName) throws(CredentialError) -> [Keeper] {
    do { return try file.read()?.keepers(of: account) ?? [] } catch {
      guard case .broken = error else { throw error }
      return []
    }
  }

  private func findKeyring() throws(CredentialError) -> Keeper {
    switch keyring {
    case .available(let keeper): return keeper
    case .missing(let error): throw error
    case .unknown: break
    }
    let start = clock()
    defer { spent = clock() - start }
    do throws(CredentialError) {
      guard Credentials.hasSessionBus(environment) else {
        throw CredentialError.unavailable(place: "keyring", reason: "no session bus")
      }
      let programs: [Keeper] = [.secretService, .secretTool]
      guard let keeper = programs.first(where: { SecretProgram($0.program ?? "", environment) != nil }) else {
        throw CredentialError.unavailable(
          place: "keyring", reason: "neither docker-credential-secretservice nor secret-tool is installed")
      }
      do { try SecretKeeper(keeper, environment)?.probe(until: deadline()) } catch {
        guard case .unavailable(_, let reason) = error else { throw error }
        throw .unavailable(place: "keyring", reason: reason)
      }
      keyring = .available(keeper)
      return keeper
    } catch {
      keyring = .missing(error)
      throw error
    }
  }
}
