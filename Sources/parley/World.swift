import Backends
import Chat
import Console
import Foundation
import Invocation
import Shell
import Store
import Transport

extension World {
  /// The world of a real run.
  static func real(
    _ terminal: ConsoleTerminal, _ paths: Paths, _ servers: Servers, _ environment: [String: String]
  ) -> World {
    // Child processes have no business with it.
    unsetenv("PARLEY_TOKEN")
    let http = CurlHTTP(proxy: ProxySettings(environment: environment), version: Options.version)
    let keys = Keys(environment, servers)
    let clock = ContinuousClock()
    let began = clock.now
    return World(
      terminal: terminal, environment: environment, paths: paths, now: History.systemTime,
      uptime: { (clock.now - began) / .seconds(1) },
      fileExists: { FileManager.default.fileExists(atPath: Files.expanded($0)) },
      readFile: { path throws(FileProblem) in try Files.read(path) }, listFolder: { Files.names(in: $0) },
      backend: { Backends.make($0, http: http, credential: keys.credential) },
      probe: { typed, timeouts throws(BackendError) in
        try await Backends.probe(typed, http: http, timeouts: timeouts, credential: keys.credential)
      }, version: Options.version)
  }
}

/// Files as commands see them.
enum Files {
  /// `~` and `~/…` are the person's home.
  static func expanded(_ path: String) -> String { (path as NSString).expandingTildeInPath }

  static func read(_ path: String) throws(FileProblem) -> String {
    let bytes: [UInt8]?
    do throws(FileError) { bytes = try AtomicFile.read(expanded(path)) } catch {
      throw FileProblem(path: path, reason: Complaint(error).text.string)
    }
    guard let bytes else { throw FileProblem(path: path, reason: "no such file") }
    return String(decoding: bytes, as: UTF8.self)
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
