import Backends
import Chat
import Console
import Foundation
import Invocation
import Programs
import Serving
import Shell
package import Store
package import Transport

/// What a process has one of, however many shells it has: connections, sign-ins and whom to trust are shared.
struct Surrounding: Sendable {
  let paths: Paths
  let environment: [String: String]
  let keepsThings: Bool
  let isVerbose: Bool
  private let http: CurlHTTP
  private let signIns: SignIns
  private let children: Children
  private let terminals: LocalTerminals
  private let credentials: Credentials
  private let knownServers: KnownServers
  private let deviceName: DeviceName
  private let pairer: Pairer
  private let began = ContinuousClock().now

  init(
    _ paths: Paths, _ environment: [String: String], _ keys: Keys, _ credentials: CredentialChoice, isVerbose: Bool,
    keepsThings: Bool
  ) {
    self.paths = paths
    self.environment = environment
    self.isVerbose = isVerbose
    self.keepsThings = keepsThings
    knownServers = KnownServers(paths.knownServers, writes: keepsThings)
    self.credentials = Credentials(paths.credentials, credentials, environment: environment, writes: keepsThings)
    http = CurlHTTP(proxy: ProxySettings(environment: environment), version: Options.version, trust: knownServers)
    signIns = SignIns(
      self.credentials, environmentKey: keys.credential,
      wires: WireMemory(WireNotes(paths.wireNotes, writes: keepsThings)))
    children = Children(umask: originalUmask())
    terminals = LocalTerminals(environment: environment, umask: originalUmask())
    deviceName = DeviceName(paths.deviceName, writes: keepsThings)
    pairer = Pairer(http, signIns)
  }

  /// Ends the programs, and saves what was begun.
  func finish() async {
    terminals.end()
    await children.end()
    await signIns.finish(within: 3)
    knownServers.finishNotes()
  }

  /// The world of a shell.
  /// - Parameters:
  ///   - place: where it is, and what an editor lends it.
  ///   - isOnly: whether the process ends with it.
  ///   - keepsTerminals: whether a person stays, so that terminals which end with it are of use.
  func world(
    _ terminal: any Terminal, at place: SessionPlace = SessionPlace(), isOnly: Bool = true, keepsTerminals: Bool = false
  ) -> World {
    let surroundings = Surroundings(
      environment: environment, children: children,
      folder: place.folder ?? FileManager.default.currentDirectoryPath,
      ownFolders: [paths.configDirectory, paths.dataDirectory], umask: originalUmask(),
      version: Options.version, sockets: http, deviceName: { deviceName.text })
    let clock = ContinuousClock()
    return World(
      terminal: terminal, environment: environment, paths: paths, now: History.systemTime,
      uptime: { (clock.now - began) / .seconds(1) },
      fileExists: { FileManager.default.fileExists(atPath: Files.expanded($0)) },
      readBytes: { path throws(FileProblem) in try await FileReading.bytes(of: path, limit: Files.limit) },
      absolutePath: { URL(fileURLWithPath: Files.expanded($0)).path },
      findProgram: { name in
        Result { () throws(Programs.Failure) in try Programs.find(name, along: environment["PATH"]) }
      },
      listFolder: { Files.names(in: $0) },
      backend: { Backends.make($0, http: http, timeouts: $1, surroundings: surroundings, signIns: signIns) },
      connectTools: { server, timeouts in
        signIns.connect(
          server, http: http, timeouts: timeouts, programs: programs(for: server, at: place), wantsLog: isVerbose)
      },
      kinds: Backends.kinds.map(\.name),
      probe: { typed, kind, isBrief, timeouts throws(BackendError) in
        try await Backends.probe(
          typed, kind: kind, isBrief: isBrief, http: http, timeouts: timeouts, credential: signIns.key)
      }, knownServers: knownServers,
      credentialKeeping: CredentialKeeping(
        probe: { () throws(CredentialError) in try await credentials.probe() },
        choose: { await credentials.choose($0) }), pairing: PairingKeeping(pairer),
      readAttachment: { path, limit throws(AttachmentProblem) in try Files.attachment(path, limit: limit) },
      writeNew: { path, bytes throws(FileProblem) in try UnfinishedFile.write(bytes, to: path) },
      readLarge: { path throws(FileProblem) in try await FileReading.bytes(of: path, limit: Files.largest) },
      makeFile: { path throws(FileProblem) in try UnfinishedFile(path).file },
      readPicture: { path throws(FileProblem) in try await Picture.text(of: path, children, environment) },
      readOwnFile: { path throws(FileError) in try PrivateFile.readUserFile(path) },
      exposures: { [paths] in paths.exposures },
      terminals: OwnTerminals(
        Tmux(children, environment: environment), else: isOnly && keepsTerminals ? terminals : nil,
        path: environment["PATH"]),
      inspect: { url, timeouts in await http.inspect(url, connectTimeout: timeouts.connect) },
      forgetConnections: { http.forgetConnections() },
      finish: { if isOnly { await finish() } },
      openBrowser: { url in Browser(environment)?.open(url) ?? false },
      hostName: shortHostName(), version: Options.version,
      clockOffset: { Files.clockOffset(at: $0) },
      browseKeeping: BrowseKeeping(BrowseCache(paths.cache), writes: keepsThings),
      terminalKeeping: TerminalKeeping(BrowseCache(paths.cache), writes: keepsThings) { [paths] server in
        Servers(paths.servers).at(server) != nil
      },
      drafts: Drafts(paths.drafts, now: History.systemTime), fileFacts: { Files.facts(of: $0) },
      checkAuthorities: { Authorities.count(in: $0) }, pause: Surrounding.pause)
  }

  /// What an editor lends starts where its session is, with the variables that are its alone.
  private func programs(for server: ToolServer, at place: SessionPlace) -> ToolPrograms {
    guard let lent = place.lent(server) else { return ToolPrograms(children: children, environment: environment) }
    return ToolPrograms(
      children: children, environment: environment.merging(lent.variables) { _, lent in lent }, folder: place.folder)
  }

  /// Waits for so many seconds, or until the task is cancelled.
  static let pause: @Sendable (Double) async -> Void = { seconds in
    // A cancelled sleep has ended, which is all that is asked of it.
    try? await Task.sleep(for: .seconds(seconds))
  }
}

extension PairingKeeping {
  init(_ pairer: Pairer) {
    self.init(
      read: { text, plain throws(PairingProblem) in try pairer.read(text, plain: plain) },
      link: { host, code, plain throws(PairingProblem) in try pairer.link(to: host, code: code, plain: plain) },
      redeem: { link, shown, plain, timeouts throws(BackendError) in
        try await pairer.redeem(link, shown: shown, plain: plain, timeouts: timeouts)
      },
      keep: { await pairer.keep($0, for: $1) },
      forget: { server throws(CredentialError) in try await pairer.forget(server) })
  }
}

extension WireMemory {
  /// On disk.
  init(_ notes: WireNotes) {
    self.init(
      recall: { notes.memory(of: $0).flatMap { MCPVerdict(text: $0) } },
      keep: { address, verdict in
        if let verdict { notes.remember(verdict.text, of: address) } else { notes.forget(address) }
      })
  }
}

extension BrowseKeeping {
  /// In the cache; a private run reads it, and writes nothing.
  init(_ cache: BrowseCache, writes: Bool) {
    self.init(
      read: { server, topic in cache.read(server: server, topic: topic.rawValue)?.bytes },
      write: { bytes, server, topic in
        guard writes else { return }
        // What cannot be kept is asked for again.
        try? cache.write(bytes, server: server, topic: topic.rawValue, at: History.systemTime())
      }, forget: { cache.forget($0) })
  }
}

extension TerminalKeeping {
  private static let topic = "terminals"

  /// Beside the lists to browse, so that what is forgotten of a server is all of it.
  /// - Parameter isKept: whether a server is still one of the person's: another shell may have forgotten it, with all of this.
  init(_ cache: BrowseCache, writes: Bool, isKept: @escaping @Sendable (_ server: String) -> Bool = { _ in true }) {
    self.init(
      read: { cache.read(server: $0, topic: TerminalKeeping.topic)?.bytes },
      write: { bytes, server in
        guard writes, isKept(server) else { return }
        // What cannot be kept is asked for again.
        try? cache.write(bytes, server: server, topic: TerminalKeeping.topic, at: History.systemTime())
      })
  }
}

/// Files as commands see them.
enum Files {
  /// `~` and `~/…` are the person's home.
  static func expanded(_ path: String) -> String {
    // As a shell does it, which asks the user's entry only where the environment says nothing.
    if path == "~" || path.hasPrefix("~/"), let home = ProcessInfo.processInfo.environment["HOME"], !home.isEmpty {
      return home + path.dropFirst()
    }
    return (path as NSString).expandingTildeInPath
  }

  /// The most bytes that are read of a file.
  static let limit = 64 << 20
  /// The same of one that is known to be large.
  static let largest = 4 << 30

  /// The bytes of an ordinary file. It is looked at before it is opened: a pipe would be waited for, and a device may do
  /// something; and once more when it is open, for it may be another by then.
  static func attachment(_ path: String, limit: Int) throws(AttachmentProblem) -> [UInt8] {
    let place = expanded(path)
    var status = stat()
    guard stat(place, &status) == 0 else {
      if [ENOENT, ENOTDIR].contains(errno) { throw .missing(nearest: []) }
      throw .unreadable(reason: FileError.reason(errno))
    }
    try requireOrdinary(status, limit)
    let descriptor = open(place, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw .unreadable(reason: FileError.reason(errno)) }
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    guard fstat(descriptor, &status) == 0 else { throw .unreadable(reason: FileError.reason(errno)) }
    try requireOrdinary(status, limit)
    let data: Data
    do { data = try file.read(upToCount: limit + 1) ?? Data() } catch {
      throw .unreadable(reason: FileError.reason(errno))
    }
    // It may grow, and some of the system's own say that they are empty.
    guard data.count <= limit else { throw .tooLarge(bytes: data.count, limit: limit, of: nil) }
    return Array(data)
  }

  private static func requireOrdinary(_ status: stat, _ limit: Int) throws(AttachmentProblem) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: break
    case S_IFDIR: throw .folder
    case S_IFIFO: throw .special("a pipe")
    case S_IFSOCK: throw .special("a socket")
    default: throw .special("a device")
    }
    if Int(status.st_size) > limit { throw .tooLarge(bytes: Int(status.st_size), limit: limit, of: nil) }
  }

  /// In seconds, by the time zone of this machine or of `TZ`.
  static func clockOffset(at moment: Int) -> Int {
    var seconds = time_t(moment / 1000)
    var local = tm()
    return localtime_r(&seconds, &local) == nil ? 0 : local.tm_gmtoff
  }

  static func facts(of path: String) -> FileFacts? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    let kind: FileFacts.Kind =
      switch status.st_mode & S_IFMT {
      case S_IFREG: .file
      case S_IFDIR: .folder
      case S_IFLNK: .link
      default: .other
      }
    return FileFacts(
      kind, mode: Int(status.st_mode & 0o7777), isOwn: status.st_uid == geteuid(),
      isReadable: access(path, R_OK) == 0, isWritable: access(path, W_OK) == 0)
  }

  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
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
    guard let entry = entry(of: host, port: port) else { return TrustExpectation() }
    var expectation = TrustExpectation(wasTrustedBySystem: entry.wasTrustedBySystem)
    switch entry.trust {
    case .pinned(let pin): expectation.pin = pin
    case .authorities(let file): expectation.authorities = file
    case .damaged(let line): expectation.damagedLine = line
    case .system: break
    }
    return expectation
  }

  package func noteSystemTrust(in host: String, port: Int) {
    noteSystemTrust(of: host, port: port, at: History.systemTime())
  }

  package func notePinUse(in host: String, port: Int) { notePinUse(of: host, port: port, at: History.systemTime()) }
}
