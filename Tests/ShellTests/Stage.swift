import Chat
import Foundation
import Programs
import Shell
import Store
import Text
import Wire

/// Everything around a shell in a transcript: terminal, servers, files, time. Only the store is real.
// Sendable: all state is behind the lock.
final class Stage: @unchecked Sendable {
  let home: String
  private let lock = NSLock()
  private var scene = Scene()

  struct Scene {
    /// 2026-09-21, in milliseconds since 1970.
    var now = 1_790_000_000_000
    var uptime = 100.0
    var sight = Sight()
    var traits: TerminalTraits?
    var environment: [String: String] = [:]
    var files: [String: String] = [:]
    /// The bytes of those that are not UTF-8.
    var pictures: [String: [UInt8]] = [:]
    /// Models that are said to take no images.
    var blind: Set<String> = []
    /// What servers count for the next requests that they are asked to count.
    var counts: [Int] = []
    var children: [String: (status: Int32, output: String)] = [:]
    var probes: [String: Result<FoundServer, BackendError>] = [:]
    var models: [String: Result<[Model], BackendError>] = [:]
    var answers: [[StageDirection.Word]] = []
    var doors: [String: Door] = [:]
    /// Why the keyring, where the person wants sign-ins to be, is not there.
    var keyringFailure: String?
    /// Certificates that are shown before anything is said, by the start of an address.
    var certificates: [String: ServerCertificate] = [:]
    /// Who signed each of them: a word that a file of authorities has in a line of its own.
    var signers: [String: String] = [:]
    var requests: [ChatRequest] = []
    var onInterrupt: (@Sendable (Interruption) -> Void)?
    /// What came while nothing could be stopped: it is told to the next action.
    var waitingInterruption: Interruption?
    var endingSignal: Int32?
    var typedAhead = ""
    /// Lines that were typed before the next prompt was drawn.
    var linesTypedAhead: [String] = []
    /// Whether data waits in the standard input of runs.
    var isPiped = false
    var ids = Identities()
    /// What each server has to browse, its details by id, and what was kept of it.
    var shelves: [String: [BrowseTopic: Result<[BrowseItem], BackendError>]] = [:]
    var details: [String: [BrowseField]] = [:]
    var kept: [String: [UInt8]] = [:]
    /// Seconds that the clock on the wall is ahead of UTC.
    var clockOffset = 0
    var inspections: [String: Inspection] = [:]
    var people: [String: Result<Person, BackendError>] = [:]
    var facts: [String: FileFacts] = [:]
    /// Servers of tools, what their tools give, and what they were called with.
    var toolServers: [StageToolServer] = []
    /// Another origin where a platform's list of them is answered, and whether Ctrl-C ends the first wait for it there.
    var toolList: (origin: String, isInterrupted: Bool)?
    var toolAnswers: [String: [[StageDirection.Word]]] = [:]
    var toolCalls: [(tool: String, arguments: JSON)] = []
    var closedTools: [String] = []
    /// Terminals of this machine, and what was typed into them.
    var shells: [StageShell] = []
    var typed: [String] = []
    /// The requests for titles that have left.
    var titles: [StageTitle] = []
  }

  init(home: String) { self.home = home }

  func with<T>(_ body: (inout Scene) throws -> T) rethrows -> T { try lock.withLock { try body(&scene) } }

  /// Tells what can be stopped, now or next: a call may be played before the shell waits for it.
  func interrupt(_ interruption: Interruption) {
    let action = with { scene in
      if scene.onInterrupt == nil { scene.waitingInterruption = interruption }
      return scene.onInterrupt
    }
    action?(interruption)
  }

  /// What was seen since the last call.
  func takeSight() -> [String] {
    with { scene in
      scene.sight.flush()
      defer { scene.sight = Sight() }
      return scene.sight.lines.map { scene.ids.tokens(in: $0.replacingOccurrences(of: home, with: "~")) }
    }
  }

  /// The next line that was typed ahead, where the prompt accepts it.
  func lineTypedAhead(for typedAhead: LineRequest.TypedAhead) -> String? {
    let lines = with(\.linesTypedAhead)
    guard let first = lines.first, typedAhead != .left else { return nil }
    with { $0.linesTypedAhead.removeFirst(typedAhead == .accepted ? 1 : lines.count) }
    if typedAhead == .accepted {
      remark("[left for this prompt: \(first)]")
      return first
    }
    for line in lines { remark("[discarded before this prompt: \(line)]") }
    return nil
  }

  func remark(_ line: String) { with { $0.sight.remark(line) } }

  /// What is typed, with real ids in place of tokens.
  func real(_ typed: String) -> String { with { $0.ids.real(in: typed) } }

  func world(interactive: Bool) throws -> World {
    with { scene in
      scene.endingSignal = nil
      scene.typedAhead = ""
      scene.requests = []
      scene.environment["PARLEY_HOME"] = home
    }
    let environment = with { $0.environment }
    let paths = try Paths(environment: environment)
    return World(
      terminal: StageTerminal(stage: self, isInteractive: interactive), environment: environment,
      paths: paths, now: { self.with { $0.now } }, uptime: { self.with { $0.uptime } },
      fileExists: { path in self.with { $0.files[path] != nil } },
      readBytes: { path throws(FileProblem) in
        guard let bytes = self.bytes(of: path) else { throw FileProblem(path: path, reason: "no such file") }
        return bytes
      },
      absolutePath: { $0 },
      findProgram: { name in
        let places = name.contains("/") ? [name] : ["/usr/bin/\(name)", "/bin/\(name)"]
        guard let place = places.first(where: { place in self.with { $0.files[place] != nil } }) else {
          return .failure(.notFound)
        }
        return self.with { $0.files[place] == "not executable\n" } ? .failure(.notExecutable) : .success(place)
      },
      listFolder: { _ in self.with { $0.files.keys.sorted() } },
      backend: { server, _ in
        ["openai", "kamiwaza"].contains(server.kind) ? StageBackend(server: server, stage: self) : nil
      },
      connectTools: { server, _ in StageTools(server: server, stage: self) },
      kinds: ["kamiwaza", "openai"],
      probe: { address, _, _, _ throws(BackendError) in
        guard let found = self.with({ $0.probes[address] }) else {
          throw .unreachable(address: address, reason: .other("no stage direction finds it"))
        }
        let server = try found.get()
        try self.requireTrust(in: server.url)
        return server
      }, knownServers: KnownServers(paths.knownServers),
      credentialKeeping: CredentialKeeping(
        probe: { () throws(CredentialError) in
          guard let reason = self.with({ $0.keyringFailure }) else { return .keyring }
          throw .unavailable(place: "keyring", reason: reason)
        }, choose: { choice in self.remark("[sign-ins go to: \(choice)]") }),
      readAttachment: { path, limit throws(AttachmentProblem) in try self.attachment(path, limit) },
      readOwnFile: { path throws(FileError) in self.bytes(of: path) },
      exposures: { paths.exposures },
      terminals: with { $0.shells.isEmpty } ? nil : StageTerminals(stage: self),
      inspect: { url, _ in self.inspection(of: url) },
      forgetConnections: {}, finish: {}, openBrowser: { _ in false }, hostName: "desk", version: "0.0.0",
      clockOffset: { _ in self.with { $0.clockOffset } },
      browseKeeping: BrowseKeeping(
        read: { server, topic in self.with { $0.kept["\(server) \(topic)"] } },
        write: { bytes, server, topic in self.with { $0.kept["\(server) \(topic)"] = bytes } }),
      drafts: Drafts(paths.drafts, now: { self.with { $0.now } }), fileFacts: { self.facts(of: $0) },
      checkAuthorities: { self.signers(in: $0) },
      pause: { seconds in
        // What passes by on the screen, and what is saved meanwhile, stands still.
        if seconds <= 1 {
          let (never, hold) = AsyncStream.makeStream(of: Void.self)
          for await _ in never {}
          return hold.finish()
        }
        // Over at once for what never comes; what does come is waited for.
        while !Task.isCancelled, !self.with({ $0.toolServers.contains(where: \.isSilent) }) { await Task.yield() }
      })
  }
}

extension Stage {
  /// A folder's name ends with a slash.
  fileprivate func attachment(_ path: String, _ limit: Int) throws(AttachmentProblem) -> [UInt8] {
    let bytes = bytes(of: path)
    if path.hasSuffix("/") { throw .folder }
    if path == "pipe" { throw .special("a pipe") }
    guard let bytes else { throw .missing(nearest: []) }
    return bytes
  }

  fileprivate func bytes(of path: String) -> [UInt8]? {
    with { $0.pictures[path] ?? $0.files[path].map { Array($0.utf8) } }
  }

  /// What was directed, else what is on disk.
  fileprivate func facts(of path: String) -> FileFacts? {
    if let directed = with({ $0.facts[path] }) { return directed }
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return nil }
    return FileFacts(isFolder.boolValue ? .folder : .file, mode: isFolder.boolValue ? 0o700 : 0o600)
  }
}

/// Session ids as tokens, in order of appearance: `session1` is as wide as the eight characters that lists show.
struct Identities {
  private var tokens: [String: String] = [:]

  mutating func tokens(in line: String) -> String {
    var line = line
    for pattern in [/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/, /\b[0-9a-f]{8}\b/] {
      line.replace(pattern) { match in
        let start = String(match.output.prefix(8))
        if start == "10000000" { return start }  // the most that max-tokens takes
        let token = tokens[start] ?? "session\(tokens.count + 1)"
        tokens[start] = token
        return token
      }
    }
    line.replace(/\d{8}T\d{6}Z/, with: { _ in "DATE" })
    // Which it is depends on the SQLite and the folder of this machine.
    line.replace(/journal (WAL|TRUNCATE): [^"\t]*/, with: { _ in "journal JOURNAL" })
    return line
  }

  func real(in typed: String) -> String {
    tokens.reduce(typed) { line, pair in line.replacingOccurrences(of: pair.value, with: pair.key) }
  }
}

/// A terminal that remembers what it was told to show.
struct StageTerminal: Terminal {
  let stage: Stage
  let isInteractive: Bool

  var traits: TerminalTraits {
    stage.with { $0.traits }
      ?? TerminalTraits(outputIsTerminal: isInteractive, noticesAreTerminal: isInteractive, columns: 80)
  }

  func write(_ text: StyledText, to channel: Channel) {
    stage.with { $0.sight.write(text.string, isNotice: channel == .notices) }
  }

  func status(_ text: StyledText?) {
    guard var text = text?.string, traits.noticesAreTerminal else { return }
    // What turns, and the seconds beside it, come with a real clock: only what stands there at once is seen here.
    if text.hasPrefix("⠋ ") { text.removeFirst(2) }
    if let first = text.unicodeScalars.first, (0x2800...0x28FF).contains(first.value) { return }
    if text.hasPrefix("waiting") || text.hasPrefix("asking ") { return }
    if !text.contains("asking again"), text.contains(/\ [0-9]+ s(, Ctrl-C stops)?$/) { return }
    stage.remark("[for a moment: \(text)]")
  }

  func call(_ sign: Attention) {
    switch sign {
    case .bell: stage.remark("[the terminal rings]")
    case .message(let text): stage.remark("[the desktop says: \(text.string)]")
    }
  }

  func whenInterrupted(_ action: (@Sendable (Interruption) -> Void)?) {
    let waiting = stage.with { scene -> Interruption? in
      scene.onInterrupt = action
      guard action != nil else { return nil }
      defer { scene.waitingInterruption = nil }
      return scene.waitingInterruption
    }
    if let waiting { action?(waiting) }
  }

  var outputFailure: String? { nil }

  var endingSignal: Int32? { stage.with { $0.endingSignal } }

  func run(_ command: ChildCommand, captureLimit: Int?) async throws(ChildError) -> (status: Int32, output: [UInt8]) {
    let line = command.arguments.last ?? ""
    guard let child = stage.with({ $0.children[line] }) else {
      throw .notStarted(program: command.arguments.first ?? "", reason: "no such file or directory")
    }
    stage.with { $0.sight.write(child.output, isNotice: false) }
    return (child.status, captureLimit == nil ? [] : Array(child.output.utf8))
  }

  /// One that fails reads nothing.
  func page(_ text: LongText, by command: ChildCommand) async throws(ChildError) -> PagerEnd {
    let line = command.arguments.last ?? ""
    guard let child = stage.with({ $0.children[line] }) else {
      throw .notStarted(program: command.arguments.first ?? "", reason: "no such file or directory")
    }
    guard child.status == 0 else { return PagerEnd(status: child.status, hasRead: false) }
    let lines = text.map(\.string).joined().split(separator: "\n")
    let told = command.variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
    stage.remark("[\(told) \(line) shows \(lines.count) lines, from: \(lines.first ?? "")]")
    return PagerEnd(status: 0, hasRead: true)
  }

  /// What it writes is seen by nobody.
  func start(_ command: ChildCommand, ended: @escaping @Sendable (Int32) -> Void) throws(ChildError) {
    let line = command.arguments.last ?? ""
    guard let child = stage.with({ $0.children[line] }) else {
      throw .notStarted(program: command.arguments.first ?? "", reason: "no such file or directory")
    }
    let told = command.variables.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
    stage.remark("[started: \(told.joined(separator: ", "))]")
    ended(child.status)
  }
}

/// A server that plays what the transcript directs.
struct StageBackend: Backend {
  let server: Server
  let stage: Stage
  let abilities: Abilities = [.models, .systemPrompt, .sampling, .continues, .tools, .images]

  func takesImages(_ model: String?) async -> Bool? {
    stage.with { scene in model.map { scene.blind.contains($0) } == true ? false : nil }
  }

  func countTokens(of question: ChatRequest) async -> Int? {
    stage.with { $0.counts.isEmpty ? nil : $0.counts.removeFirst() }
  }

  func models() async throws(BackendError) -> [Model] {
    try stage.requireTrust(in: server.url)
    try stage.requireEntry(to: server)
    guard let models = stage.with({ $0.models[server.url] }) else {
      throw .unreachable(address: server.url, reason: .other("no stage direction lists its models"))
    }
    return try models.get()
  }

  var browsing: (any Browsing)? {
    stage.with { $0.shelves[server.url] } == nil ? nil : StageShelves(url: server.url, stage: stage)
  }

  var account: (any Account)? {
    let isGuarded = stage.with { $0.people[server.url] != nil || $0.doors[server.url] != nil }
    return isGuarded ? StageAccount(server: server, stage: stage) : nil
  }

  var tooling: (any Tooling)? {
    stage.with { $0.toolServers.contains { $0.url == nil } } ? StageTooling(server: server, stage: stage) : nil
  }

  func answer(_ question: ChatRequest) -> Answer {
    if StageTitle.isOne(question) { return StageTitle(question, on: stage).answer() }
    let part = Part(stage: stage, server: server, question)
    return Answer(next: { () async throws(BackendError) in try part.next() }, stop: { part.stop() })
  }
}

/// An answer as it is played. The script is taken when it is first read.
// Sendable: all state is behind the lock.
private final class Part: @unchecked Sendable {
  private let stage: Stage
  private let server: Server
  private let question: ChatRequest
  private let lock = NSLock()
  private var beats: [Beat]?
  private var isStopped = false

  init(stage: Stage, server: Server, _ question: ChatRequest) {
    self.stage = stage
    self.server = server
    self.question = question
  }

  func stop() { lock.withLock { isStopped = true } }

  func next() throws(BackendError) -> ChatEvent? {
    try stage.requireTrust(in: server.url)
    try stage.requireEntry(to: server, forMessage: true)
    begin()
    while true {
      if lock.withLock({ isStopped }) { throw .cancelled }
      switch lock.withLock({ beats?.isEmpty == false ? beats?.removeFirst() : nil }) {
      case nil: return nil
      case .event(let event): return event
      case .fail(let error): throw error
      case .after(let seconds): stage.with { $0.uptime += seconds }
      case .ctrlC: stage.interrupt(.interrupt)
      case .closes(let typed):
        stage.with { ($0.endingSignal, $0.typedAhead) = (1, typed) }
        stage.interrupt(.end(signal: 1))
      case .laterCtrlC: stage.with { $0.waitingInterruption = .interrupt }
      }
    }
  }

  private func begin() {
    guard lock.withLock({ beats == nil }) else { return }
    let words = stage.with { scene in
      scene.requests.append(question)
      return scene.answers.isEmpty ? nil : scene.answers.removeFirst()
    }
    let played: [Beat]
    do {
      guard let words else { throw BadDirection(text: "no stage direction says what it answers") }
      played = try StageDirection.beats(of: words, from: server.url)
    } catch {
      played = [.fail(.failed(message: "\(error)"))]
    }
    lock.withLock { beats = played }
  }
}
