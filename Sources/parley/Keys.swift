import Backends
import Chat
import Invocation
import Store

/// The keys of the environment, each for one server only: `PARLEY_TOKEN` for the server that the run starts with,
/// `OPENAI_API_KEY` for `OPENAI_BASE_URL`, or without one for OpenAI itself, `KAMIWAZA_API_KEY` for `KAMIWAZA_BASE_URL`, or
/// without one for the server that the run starts with when that is a Kamiwaza.
struct Keys: Sendable {
  private let keys: [Bound]

  /// The variables that hold secrets, which child processes have no business with.
  static let variables = ["PARLEY_TOKEN", "OPENAI_API_KEY"] + kamiwazaKeys
  private static let kamiwazaKeys = ["KAMIWAZA_API_KEY", "KAMIWAZA_API_TOKEN"]

  /// A secret and whose it is.
  private struct Bound: Sendable {
    let secret: Secret
    let address: ServerAddress
    /// The only kind of server it is for; nil is any.
    let kind: String?
  }

  init(_ environment: [String: String], _ options: Options, _ servers: Servers) {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    func bound(_ names: [String], to typed: String?, kind: String? = nil) -> Bound? {
      // An address that cannot be read is told when it is used; no key goes anywhere on its account.
      guard let secret = names.lazy.compactMap(value).first, let typed, let address = try? ServerAddress(typed) else {
        return nil
      }
      return Bound(secret: Secret(secret), address: address, kind: kind)
    }
    let kamiwaza = value("KAMIWAZA_BASE_URL") ?? value("KAMIWAZA_BASE_URI")
    let start =
      value("PARLEY_SERVER") ?? options.startServer ?? kamiwaza ?? value("OPENAI_BASE_URL")
      ?? servers.current?.server.url
    let startAddress = start.map { servers.named($0)?.server.url ?? $0 }
    keys = [
      bound(["PARLEY_TOKEN"], to: startAddress),
      bound(["OPENAI_API_KEY"], to: value("OPENAI_BASE_URL") ?? "https://api.openai.com/v1"),
      // Not for whatever else a run starts with: it is set for good in many a profile.
      bound(Keys.kamiwazaKeys, to: kamiwaza ?? startAddress, kind: kamiwaza == nil ? "kamiwaza" : nil),
    ].compactMap { $0 }
  }

  /// The key that may be sent to an address; the credential itself refuses any other origin. `kind` is that of the server,
  /// nil when it is not known yet.
  @Sendable func credential(for address: ServerAddress, kind: String?) -> Credential? {
    for key in keys where key.address.shares(address) && (key.kind == nil || key.kind == kind) {
      // One that cannot be used with this address is not sent: the server then says that it wants one.
      if let credential = try? Credential(key.secret.reveal(), for: key.address) { return credential }
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
