import Addresses
package import Chat
import Foundation
import Glibc
import Waiting

extension CurlHTTP {
  /// Looks at a server before anything is said to it: what its name stands for, whether a connection stands, and for
  /// https its certificate, trusted or not. No byte of a request is sent.
  package func inspect(_ url: String, connectTimeout: Double) async -> Inspection {
    do throws(TransportError) {
      let request = HTTPRequest("GET", url, connectTimeout: connectTimeout, headersTimeout: nil)
      try request.check()
      let server = try ServerKey.parsed(url).key
      async let addresses = addresses(of: server, for: url, timeout: connectTimeout)
      let (sight, failure) = await look(request)
      return Inspection(
        host: server.host, port: server.port, addresses: await addresses, failure: failure?.unreachable,
        certificate: sight?.certificate, verdict: sight?.verdict)
    } catch {
      return Inspection(host: "", port: 0, failure: error.unreachable)
    }
  }

  private func look(_ request: HTTPRequest) async -> (Sight?, TransportError?) {
    let exchange = begin(request, isLook: true)
    do throws(TransportError) {
      _ = try await exchange.waitForHead()
      return (exchange.sight, nil)
    } catch {
      // What is not trusted has been seen all the same, also where that is for want of a file of authorities.
      if let sight = exchange.sight, case .distrusted = sight.verdict { return (sight, nil) }
      return (exchange.sight, error)
    }
  }

  /// Empty where a proxy does the looking up.
  private func addresses(of server: ServerKey, for url: String, timeout: Double) async -> [String] {
    if server.isAddress { return [server.host] }
    guard settings.proxy.proxy(for: url) == nil || settings.proxy.isException(server.host) else { return [] }
    return await Lookup.addresses(of: server.host, timeout: timeout)
  }
}

extension ProxySettings {
  /// Whether a name is among the exceptions, which hold for the names below them too.
  func isException(_ host: String) -> Bool {
    exceptions.lowercased().split { $0 == "," || $0 == " " }.contains { exception in
      let name = exception.drop { $0 == "." }
      return name == "*" || host == name || host.hasSuffix("." + name)
    }
  }
}

/// One look-up of a name. `getaddrinfo` cannot be stopped: the answer that comes too late finds nobody waiting.
private final class Lookup: Sendable {
  private let state = Locked(State())

  private struct State {
    var waiter: CheckedContinuation<[String], Never>?
    var found: [String]?
  }

  static func addresses(of name: String, timeout: Double) async -> [String] {
    let lookup = Lookup()
    Thread.detachNewThread { lookup.finish(with: resolve(name)) }
    DispatchQueue.global().asyncAfter(deadline: .now() + max(0, min(timeout, 1e6))) { lookup.finish(with: []) }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { lookup.wait($0) }
    } onCancel: {
      lookup.finish(with: [])
    }
  }

  private func wait(_ newWaiter: CheckedContinuation<[String], Never>) {
    let found = state.withLock { state in
      if state.found == nil { state.waiter = newWaiter }
      return state.found
    }
    if let found { newWaiter.resume(returning: found) }
  }

  private func finish(with addresses: [String]) {
    let waiter = state.withLock { state in
      if state.found == nil { state.found = addresses }
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(returning: addresses)
  }

  private static func resolve(_ name: String) -> [String] {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var first: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(name, nil, &hints, &first) == 0 else { return [] }
    defer { freeaddrinfo(first) }
    var found: [String] = []
    for entry in sequence(first: first, next: { $0?.pointee.ai_next }) {
      guard let entry = entry?.pointee, let text = text(of: entry), !found.contains(text) else { continue }
      found.append(text)
    }
    return found
  }

  private static func text(of entry: addrinfo) -> String? {
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    guard
      getnameinfo(entry.ai_addr, entry.ai_addrlen, &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST) == 0
    else { return nil }
    return String(decoding: host.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
