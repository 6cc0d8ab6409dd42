import Backends
import Chat
import Invocation
import Store

/// The keys of the environment, each for one server only: `PARLEY_TOKEN` for the server that the run starts with,
/// `OPENAI_API_KEY` for `OPENAI_BASE_URL`, or without one for OpenAI itself.
struct Keys: Sendable {
  private let token: Bound?
  private let openAI: Bound?

  /// A secret and whose it is.
  private struct Bound: Sendable {
    let secret: String
    let address: ServerAddress
  }

  init(_ environment: [String: String], _ options: Options, _ servers: Servers) {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    func bound(_ name: String, to typed: String?) -> Bound? {
      // An address that cannot be read is told when it is used; no key goes anywhere on its account.
      guard let secret = value(name), let typed, let address = try? ServerAddress(typed) else { return nil }
      return Bound(secret: secret, address: address)
    }
    let start = value("PARLEY_SERVER") ?? options.startServer ?? value("OPENAI_BASE_URL") ?? servers.current?.server.url
    token = bound("PARLEY_TOKEN", to: start.map { servers.named($0)?.server.url ?? $0 })
    openAI = bound("OPENAI_API_KEY", to: value("OPENAI_BASE_URL") ?? "https://api.openai.com/v1")
  }

  /// The key that may be sent to an address; the credential itself refuses any other origin.
  func credential(for address: ServerAddress) -> Credential? {
    for key in [token, openAI] {
      guard let key, key.address.shares(address) else { continue }
      // One that cannot be used with this address is not sent: the server then says that it wants one.
      if let credential = try? Credential(key.secret, for: key.address) { return credential }
    }
    return nil
  }
}

extension Options {
  /// The server that the command line names: by option, or as what to connect to.
  fileprivate var startServer: String? {
    server ?? (words.first == "/connect" ? words.dropFirst().first : nil)
  }
}

extension ServerAddress {
  /// Whether both may mean the same server.
  fileprivate func shares(_ other: ServerAddress) -> Bool {
    let mine = Set(candidates.compactMap { Origin(url: $0) })
    return other.candidates.contains { Origin(url: $0).map(mine.contains) ?? false }
  }
}
