package import Chat
package import Programs
package import Store
import Wire

/// Everything outside the shell that the shell may touch. Nothing is optional, so a test cannot escape its world.
package struct World: Sendable {
  package var terminal: any Terminal
  package var environment: [String: String]
  package var paths: Paths
  /// Milliseconds since 1970.
  package var now: @Sendable () -> Int
  /// How many seconds the person's clock is ahead of UTC at a moment, in milliseconds since 1970.
  package var clockOffset: @Sendable (_ moment: Int) -> Int
  /// Seconds of a clock that only goes forward.
  package var uptime: @Sendable () -> Double
  /// Waits for so many seconds, or until the task is cancelled.
  package var pause: @Sendable (_ seconds: Double) async -> Void
  /// Whether a path names something on disk.
  package var fileExists: @Sendable (String) -> Bool
  /// The content of a file of ours that the user edits, unless others could have written it; nil if there is none.
  package var readOwnFile: @Sendable (String) throws(FileError) -> [UInt8]?
  /// The files of ours that others could have written.
  package var exposures: @Sendable () -> [UntrustedFile]
  /// The whole content of a file; `Desk.readText` is for text files.
  package var readBytes: @Sendable (String) async throws(FileProblem) -> [UInt8]
  /// The same of a file that may be much larger, such as what another program has written of all its sessions.
  package var readLarge: @Sendable (String) async throws(FileProblem) -> [UInt8]
  /// The same of an ordinary file alone, up to so many bytes: nothing is waited for, and what is larger is not read.
  package var readAttachment: @Sendable (_ path: String, _ limit: Int) throws(AttachmentProblem) -> [UInt8]
  /// Makes a file; one that is there already is never written over.
  package var writeNew: @Sendable (_ path: String, _ bytes: [UInt8]) throws(FileProblem) -> Void
  /// Begins a file; one that is there already is never written over.
  package var makeFile: @Sendable (_ path: String) throws(FileProblem) -> NewFile
  /// A path that says where it is from anywhere.
  package var absolutePath: @Sendable (String) -> String
  /// Where a program is that is started by this name.
  package var findProgram: @Sendable (String) -> Result<String, Programs.Failure>
  /// The names in a folder, folders with a `/` at the end.
  package var listFolder: @Sendable (String) -> [String]
  /// Who speaks to a server; nil when its kind is unknown.
  package var backend: @Sendable (Server, Timeouts) -> (any Backend)?
  /// What a server's kind can be.
  package var kinds: [String]
  /// Speaks with a server of tools that the person added; those of a platform are its backend's.
  package var connectTools: @Sendable (ToolServer, Timeouts) -> any ToolConnection
  /// Finds out what an address is; of one kind when that is given, and briefly when only a question is to be asked.
  package var probe:
    @Sendable (_ address: String, _ kind: String?, _ isBrief: Bool, Timeouts) async throws(BackendError) -> FoundServer
  /// Whom to trust.
  package var knownServers: KnownServers
  /// Where sign-ins go.
  package var credentialKeeping: CredentialKeeping
  /// Pairs with bridges to agents.
  package var pairing: PairingKeeping
  /// What a picture of a two-dimensional code says.
  package var readPicture: @Sendable (_ path: String) async throws(FileProblem) -> String
  /// Terminals of this machine that outlive us; nil where there are none to be had.
  package var terminals: (any Terminals)?
  /// Looks at a server without saying anything to it.
  package var inspect: @Sendable (_ url: String, Timeouts) async -> Inspection
  /// How many certificates a file of authorities has; nil when it cannot be read, or has none.
  package var checkAuthorities: @Sendable (_ path: String) -> Int?
  /// Closes connections that stand, so that a change of trust holds from the next request on (docs/rules.md T6).
  package var forgetConnections: @Sendable () -> Void
  /// Waits for what was begun and must be kept, such as a sign-in that is being renewed.
  package var finish: @Sendable () async -> Void
  /// Shows a page in the person's browser; false when there is none to start.
  package var openBrowser: @Sendable (_ url: String) -> Bool
  /// What this machine calls itself.
  package var hostName: String
  /// What was last seen of a server's things to browse.
  package var browseKeeping: BrowseKeeping
  /// What was last seen of a server's terminals.
  package var terminalKeeping: TerminalKeeping
  /// Lines that were not sent when their terminal went away.
  package var drafts: Drafts
  /// The facts about a file of ours, without opening it.
  package var fileFacts: @Sendable (_ path: String) -> FileFacts?
  /// The program's own version, such as `0.1.0`.
  package var version: String

  package init(
    terminal: any Terminal, environment: [String: String], paths: Paths, now: @escaping @Sendable () -> Int,
    uptime: @escaping @Sendable () -> Double, fileExists: @escaping @Sendable (String) -> Bool,
    readBytes: @escaping @Sendable (String) async throws(FileProblem) -> [UInt8],
    absolutePath: @escaping @Sendable (String) -> String,
    findProgram: @escaping @Sendable (String) -> Result<String, Programs.Failure>,
    listFolder: @escaping @Sendable (String) -> [String],
    backend: @escaping @Sendable (Server, Timeouts) -> (any Backend)?,
    connectTools: @escaping @Sendable (ToolServer, Timeouts) -> any ToolConnection, kinds: [String],
    probe:
      @escaping @Sendable (_ address: String, _ kind: String?, _ isBrief: Bool, Timeouts)
      async throws(BackendError) -> FoundServer,
    knownServers: KnownServers, credentialKeeping: CredentialKeeping,
    pairing: PairingKeeping = .none,
    readAttachment: @escaping @Sendable (_ path: String, _ limit: Int) throws(AttachmentProblem) -> [UInt8] = {
      _, _ throws(AttachmentProblem) in throw .unreadable(reason: "nothing but text here")
    },
    writeNew: @escaping @Sendable (_ path: String, _ bytes: [UInt8]) throws(FileProblem) -> Void = {
      path, _ throws(FileProblem) in throw FileProblem(path: path, reason: "nothing is written here")
    },
    readLarge: @escaping @Sendable (String) async throws(FileProblem) -> [UInt8] = {
      path throws(FileProblem) in throw FileProblem(path: path, reason: "nothing large is read here")
    },
    makeFile: @escaping @Sendable (_ path: String) throws(FileProblem) -> NewFile = {
      path throws(FileProblem) in throw FileProblem(path: path, reason: "nothing is written here", isWritten: true)
    },
    readPicture: @escaping @Sendable (_ path: String) async throws(FileProblem) -> String = {
      path throws(FileProblem) in throw FileProblem(path: path, reason: "no pictures here")
    },
    readOwnFile: @escaping @Sendable (String) throws(FileError) -> [UInt8]? = { _ throws(FileError) in nil },
    exposures: @escaping @Sendable () -> [UntrustedFile] = { [] },
    terminals: (any Terminals)? = nil,
    inspect: @escaping @Sendable (_ url: String, Timeouts) async -> Inspection,
    forgetConnections: @escaping @Sendable () -> Void, finish: @escaping @Sendable () async -> Void,
    openBrowser: @escaping @Sendable (_ url: String) -> Bool, hostName: String, version: String,
    clockOffset: @escaping @Sendable (_ moment: Int) -> Int = { _ in 0 },
    browseKeeping: BrowseKeeping = BrowseKeeping(read: { _, _ in nil }, write: { _, _, _ in }),
    terminalKeeping: TerminalKeeping = .none,
    drafts: Drafts,
    fileFacts: @escaping @Sendable (_ path: String) -> FileFacts? = { _ in nil },
    checkAuthorities: @escaping @Sendable (_ path: String) -> Int? = { _ in nil },
    pause: @escaping @Sendable (_ seconds: Double) async -> Void
  ) {
    self.terminal = terminal
    self.environment = environment
    self.paths = paths
    self.now = now
    self.uptime = uptime
    self.fileExists = fileExists
    self.readBytes = readBytes
    self.readOwnFile = readOwnFile
    self.exposures = exposures
    self.readAttachment = readAttachment
    self.writeNew = writeNew
    self.readLarge = readLarge
    self.makeFile = makeFile
    self.absolutePath = absolutePath
    self.findProgram = findProgram
    self.listFolder = listFolder
    self.backend = backend
    self.connectTools = connectTools
    self.kinds = kinds
    self.probe = probe
    self.knownServers = knownServers
    self.credentialKeeping = credentialKeeping
    self.pairing = pairing
    self.readPicture = readPicture
    self.terminals = terminals
    self.inspect = inspect
    self.forgetConnections = forgetConnections
    self.finish = finish
    self.openBrowser = openBrowser
    self.hostName = hostName
    self.version = version
    self.clockOffset = clockOffset
    self.browseKeeping = browseKeeping
    self.terminalKeeping = terminalKeeping
    self.drafts = drafts
    self.fileFacts = fileFacts
    self.checkAuthorities = checkAuthorities
    self.pause = pause
  }
}

/// Keeps what was last seen of a server's things to browse, as bytes whose meaning is `BrowseRecord`'s.
package struct BrowseKeeping: Sendable {
  /// nil when nothing is kept.
  package var read: @Sendable (_ server: String, _ topic: BrowseTopic) -> [UInt8]?
  /// What cannot be kept is asked for again.
  package var write: @Sendable (_ bytes: [UInt8], _ server: String, _ topic: BrowseTopic) -> Void

  /// What was seen when somebody was signed in is nobody's business afterwards.
  package var forget: @Sendable (_ server: String) -> Void

  package init(
    read: @escaping @Sendable (_ server: String, _ topic: BrowseTopic) -> [UInt8]?,
    write: @escaping @Sendable (_ bytes: [UInt8], _ server: String, _ topic: BrowseTopic) -> Void,
    forget: @escaping @Sendable (_ server: String) -> Void = { _ in }
  ) {
    self.forget = forget
    self.read = read
    self.write = write
  }
}

/// Keeps what was last seen of a server's terminals, as bytes whose meaning is `TerminalRecord`'s. What is forgotten of a
/// server by `BrowseKeeping` is forgotten here too.
package struct TerminalKeeping: Sendable {
  /// nil when nothing is kept.
  package var read: @Sendable (_ server: String) -> [UInt8]?
  /// What cannot be kept is asked for again.
  package var write: @Sendable (_ bytes: [UInt8], _ server: String) -> Void

  package init(
    read: @escaping @Sendable (_ server: String) -> [UInt8]?,
    write: @escaping @Sendable (_ bytes: [UInt8], _ server: String) -> Void
  ) {
    self.read = read
    self.write = write
  }

  package static let none = TerminalKeeping(read: { _ in nil }, write: { _, _ in })
}

/// What can be known of a file without opening it.
package struct FileFacts: Sendable, Equatable {
  package enum Kind: Sendable { case file, folder, link, other }

  package var kind: Kind
  /// The permission bits.
  package var mode: Int
  package var isOwn: Bool
  package var isReadable: Bool
  package var isWritable: Bool

  package init(_ kind: Kind, mode: Int, isOwn: Bool = true, isReadable: Bool = true, isWritable: Bool = true) {
    self.kind = kind
    self.mode = mode
    self.isOwn = isOwn
    self.isReadable = isReadable
    self.isWritable = isWritable
  }
}

/// Why a file could not be read.
package struct FileProblem: Error, Sendable, Equatable {
  package var path: String
  package var reason: String
  /// Whether it was to be made.
  package var isWritten: Bool
  /// Whether the user stopped it.
  package var isCancelled = false

  package init(path: String, reason: String, isWritten: Bool = false) {
    self.isWritten = isWritten
    self.path = path
    self.reason = reason
  }

  package static func cancelled(_ path: String) -> FileProblem {
    var problem = FileProblem(path: path, reason: "interrupted")
    problem.isCancelled = true
    return problem
  }
}

/// Where sign-ins are kept, as far as the shell has a say in it.
package struct CredentialKeeping: Sendable {
  /// Where a new sign-in would go: asked before a password is (docs/rules.md C1).
  package var probe: @Sendable () async throws(CredentialError) -> CredentialPlace
  /// From now on; what is kept already stays where it is.
  package var choose: @Sendable (CredentialChoice) async -> Void

  package init(
    probe: @escaping @Sendable () async throws(CredentialError) -> CredentialPlace,
    choose: @escaping @Sendable (CredentialChoice) async -> Void
  ) {
    self.probe = probe
    self.choose = choose
  }
}

extension World {
  /// Decodes the text of a file that the user named.
  func decode(_ bytes: [UInt8], of path: String) throws(FileProblem) -> DecodedText {
    guard let decoded = DecodedText(bytes) else { throw FileProblem(path: path, reason: "it is not text") }
    return decoded
  }
}
