import Chat
import Store
import Text

extension Links {
  /// After `/connect`: signs in where the server wants it, and takes its models.
  mutating func arrive(_ desk: inout Desk) async throws(ShellError) {
    guard link.hasModelList else {
      return desk.say("it does not list its models: \(desk.asTyped("/model")) NAME chooses the one to ask")
    }
    guard let account = link.backend.account else { return }
    if await !account.hasSignIn() {
      try await requireListToWantKey(desk)
      guard desk.options.canType else { return desk.say("it wants you to sign in: \(desk.asTyped("/login"))") }
      try await signIn(&desk)
    }
    do throws(ShellError) { try await takeModels(&desk) } catch {
      guard case .noModelList = error else { throw error }
      return try await arrive(&desk)
    }
    let ready = link.models.filter(\.isReady)
    guard let model = link.model, !ready.isEmpty else {
      throw .noModels(server: link.server.name, kind: link.server.kind)
    }
    desk.say(
      ready.count == 1
        ? "model: \(model)" : "model: \(model), one of \(ready.count) that can be asked; /model switches")
  }

  /// Throws what an OpenAI-compatible server says when it refuses its list for another reason than a missing key.
  private func requireListToWantKey(_ desk: Desk) async throws(ShellError) {
    guard link.server.kind == "openai" else { return }
    let backend = link.backend
    let listed = await desk.interruptible { () throws(BackendError) in _ = try await backend.models() }
    if case .failure(let error) = listed, case .refused = error, !error.saysRouteIsMissing {
      throw link.failure(error)
    }
  }

  /// A server that is forgotten leaves no sign-in behind, at the server or here, and nothing that was seen there.
  mutating func forgetSignIn(of name: String, _ desk: inout Desk) async throws(ShellError) {
    guard let server = kept.named(name)?.server else { return }
    desk.world.browseKeeping.forget(server.url)
    if server.bridge != nil {
      // The connection that stands is by that token.
      await closeAgent(at: server.url)
      do throws(CredentialError) { return try await desk.world.pairing.forget(server) } catch {
        throw .credentials(error)
      }
    }
    guard let backend = desk.world.backend(server, desk.preferences.timeouts), let account = backend.account,
      await account.hasSignIn()
    else { return }
    try await signOut(
      of: Link(
        server: server, backend: backend, like: kept.named(name), models: [], listedAt: nil), &desk)
  }

  /// Keeps a server's list of models. A run's own address leaves nothing behind.
  mutating func keepModels(_ desk: inout Desk) {
    let name = link.server.name
    guard link.isKept, link.isListWhole, let fetched = link.modelsFetchedAt,
      fetched != kept.named(name)?.modelsListedAt
    else { return }
    do throws(Servers.Failure) {
      try kept.remember(link.models, of: name, at: fetched)
    } catch {
      desk.say("the server's models are not kept: \(Complaint(.servers(error)).text)", .warning)
    }
  }
}
