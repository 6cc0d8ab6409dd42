import Foundation
import Wire

/// What the one who started it says on standard input; one line is answered by one line.
struct Control: Sendable {
  let playground: Playground
  let folder: StateFolder
  let fronts: [Front]

  func answer(_ line: String) async -> String {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    let name = words.count == 2 ? words[1] : ""
    do {
      switch words.first ?? "" {
      case "swap-certificate": return try swapCertificate()
      case "stop": return await change(name) { $0.stop() }
      case "start": return await change(name) { $0.start() }
      case "fail":
        return await change(name) { $0.fail(code: "RUNTIME_ERROR", message: "the engine stopped with exit code 137") }
      case "expire":
        try await playground.accounts.expireAccessTokens()
        return "ok"
      case "revoke": return "ok \(try await playground.accounts.revokePersonalTokens())"
      case "given":
        return JSON.array(await playground.accounts.given.map(JSON.string)).serialized()
      case "drop": return "ok \(fronts.reduce(0) { $0 + $1.drop() })"
      case "count":
        let counts = await playground.counts.all.sorted { $0.key < $1.key }
        return JSON.object(counts.map { JSON.Member($0.key, .int($0.value)) }).serialized()
      default: return "error: no such command: \(line)"
      }
    } catch {
      return "error: \(error)"
    }
  }

  private func swapCertificate() throws -> String {
    guard playground.options.tls else { return "error: there is no certificate without --tls" }
    let fresh = try ServingCertificate.renew(in: folder)
    for front in fronts { try front.use(fresh) }
    return "ok \(fresh.fingerprint.word)"
  }

  private func change(_ name: String, _ change: @Sendable (inout Deployment) -> Void) async -> String {
    await playground.deployments.change(name, change) ? "ok" : "error: no deployment '\(name)'"
  }
}
