import Backends
import Chat
import Console
import Foundation
import Invocation
import Shell
package import Store
package import Transport

extension World {
  /// The world of a real run.
  static func real(
    _ terminal: ConsoleTerminal, _ paths: Paths, _ keys: Keys, _ knownServers: KnownServers,
    _ credentials: Credentials,
    _ environment: [String: String]
  ) -> World {
    let http = CurlHTTP(
      proxy: ProxySettings(environment: environment), version: Options.version, trust: knownServers)
    let signIns = SignIns(credentials, environmentKey: keys.credential)
    let clock = ContinuousClock()
    let began = clock.now
    return World(
      terminal: terminal, environment: environment, paths: paths, now: History.systemTime,
      uptime: { (clock.now - began) / .seconds(1) },
      fileExists: { FileManager.default.fileExists(atPath: Files.expanded($0)) },
      readFile: { path throws(FileProblem) in try Files.read(path) },
      absolutePath: { URL(fileURLWithPath: Files.expanded($0)).path }, listFolder: { Files.names(in: $0) },
      backend: { Backends.make($0, http: http, signIns: signIns) },
      kinds: Backends.kinds.map(\.name),
      probe: { typed, _, timeouts throws(BackendError) in
        try await Backends.probe(typed, http: http, timeouts: timeouts, credential: signIns.key)
      }, knownServers: knownServers,
      inspect: { url, timeouts in await http.inspect(url, connectTimeout: timeouts.connect) },
      forgetConnections: { http.forgetConnections() },
      openBrowser: { url in Browser(environment)?.open(url) ?? false },
      hostName: shortHostName(), version: Options.version)
  }
}

/// Files as commands see them.
enum Files {
  /// `~` and `~/…` are the person's home.
  static func expanded(_ path: String) -> String { (path as NSString).expandingTildeInPath }

  static func read(_ path: String) throws(FileProblem) -> String {
    // Pipes too, such as a shell's <(…).
    let descriptor = open(expanded(path), O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw FileProblem(path: path, reason: FileError.reason(errno)) }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    do {
      return String(decoding: try file.readToEnd() ?? Data(), as: UTF8.self)
    } catch {
      throw FileProblem(path: path, reason: FileError.reason(errno))
    }
  }

  static func names(in folder: String) -> [String] {
    let path = expanded(folder)
    // A folder that cannot be read completes nothing.
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    return names.map { name in
      var isFolder: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: path + "/" + name, isDirectory: &isFolder)
      return isFolder.boolValue ? name + "/" : name
    }
  }
}

/// What the store knows of certificates is what the network expects.
extension KnownServers: Trust {
  package func expectation(of host: String, port: Int) -> TrustExpectation {
    switch entry(of: host, port: port)?.trust {
    case .pinned(let pin): TrustExpectation(pin: pin)
    case .authorities(let file): TrustExpectation(authorities: file)
    case .system: TrustExpectation(wasTrustedBySystem: true)
    case nil: TrustExpectation()
    }
  }

  package func noteSystemTrust(in host: String, port: Int) {
    noteSystemTrust(of: host, port: port, at: History.systemTime())
  }
}
