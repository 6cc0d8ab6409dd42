import Backends
import Chat
import Foundation
import Invocation
import Store

/// The keys of the environment, each for one server only: `PARLEY_TOKEN` for the server that the run starts with,
/// `OPENAI_API_KEY` for `OPENAI_BASE_URL`, or without one for OpenAI itself, `KAMIWAZA_API_KEY` for `KAMIWAZA_BASE_URL`, or
/// without one for the server that the run starts with when that is a Kamiwaza.
struct Keys: Sendable {
  private let keys: [Bound]
  /// The variable of a key for the server that the run starts with that no request can carry: to go on without it would
  /// be to ask as somebody else.
  let unusable: String?

  /// The variables that hold secrets, which child processes have no business with.
  static let variables = ["PARLEY_TOKEN", "OPENAI_API_KEY"] + kamiwazaKeys
  private static let kamiwazaKeys = ["KAMIWAZA_API_KEY", "KAMIWAZA_API_TOKEN"]

  /// A secret and whose it is.
  private struct Bound: Sendable {
    let variable: String
    let secret: Secret
    let address: ServerAddress
    /// The only kind of server it is for; nil is any.
    let kind: String?

    /// nil for one that no request can carry.
    var credential: Credential? { try? Credential(secret.reveal(), for: address) }
  }

  init(_ environment: [String: String], _ options: Options, _ servers: Servers) {
    // A line end comes along from many a file of secrets, and is in no key.
    func value(_ name: String) -> String? {
      let value = environment[name]?.trimmingCharacters(in: .whitespacesAndNewlines)
      return value == "" ? nil : value
    }
    func bound(_ names: [String], to typed: String?, kind: String? = nil) -> Bound? {
      // An address that cannot be read is told when it is used; no key goes anywhere on its account.
      guard let variable = names.first(where: { value($0) != nil }), let secret = value(variable), let typed,
        let address = try? ServerAddress(typed)
      else { return nil }
      return Bound(variable: variable, secret: Secret(secret), address: address, kind: kind)
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
    unusable = Keys.unusable(keys, for: options.startServer ?? start, servers)
  }

  /// - Parameter start: the name or address of the server that the run starts with: what the line names comes first.
  private static func unusable(_ keys: [Bound], for start: String?, _ servers: Servers) -> String? {
    let kept = start.flatMap { servers.named($0) ?? servers.at($0) }
    guard let address = (kept?.server.url ?? start).flatMap({ try? ServerAddress($0) }) else { return nil }
    return keys.first { key in
      key.credential == nil && key.address.shares(address) && (key.kind == nil || key.kind == kept?.server.kind)
    }?.variable
  }

  /// The key that may be sent to an address; the credential itself refuses any other origin. `kind` is that of the server,
  /// nil when it is not known yet.
  @Sendable func credential(for address: ServerAddress, kind: String?) -> Credential? {
    for key in keys where key.address.shares(address) && (key.kind == nil || key.kind == kind) {
      if let credential = key.credential { return credential }
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
