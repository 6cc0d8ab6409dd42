import Chat
import Transport
import Wire

// What stands before a sign-in.
extension KamiwazaAccount {
  func gate() async throws(BackendError) -> Gate {
    async let health = attempt("/auth/health")
    async let config = attempt("/security/public/config")
    async let offers = attempt("/auth/idp/public/providers")
    let needsSignIn = try needsSignIn(await health)
    // Neither must stand in the way: what cannot be read is not there.
    let shown = await json(config).map(ConsentConfig.init)
    let providers = await json(offers).map(IdentityProvider.list) ?? []
    return Gate(
      needsSignIn: needsSignIn, consent: shown?.consent, banner: shown?.banner ?? [], takesPassword: needsSignIn,
      takesToken: true, providers: needsSignIn ? providers : [],
      // What the server allows is told to those only who have signed in.
      rememberFor: needsSignIn ? PATPolicy.wish : nil)
  }

  private func attempt(_ path: String) async -> Result<Document, BackendError> {
    do throws(BackendError) {
      return .success(try await endpoint.get(url(path), signed: .not))
    } catch { return .failure(error) }
  }

  private func json(_ answer: Result<Document, BackendError>) -> JSON? {
    guard case .success(let document) = answer, document.isSuccess else { return nil }
    return document.json
  }

  private func needsSignIn(_ answer: Result<Document, BackendError>) throws(BackendError) -> Bool {
    let document = try answer.get()
    if document.isSuccess {
      guard let health = document.json else {
        throw .malformed(address: address, detail: OpenAIProbe.description(of: document.said))
      }
      let flag = health[either: "KAMIWAZA_USE_AUTH", "kamiwaza_use_auth", "use_auth"]
      return flag?.bool ?? !["false", "0", "no", "off"].contains(flag?.string?.lowercased() ?? "")
    }
    if [401, 403, 404].contains(document.status) { return true }
    throw failure(document)
  }
}
