import Chat
import Foundation
import Invocation
import Shell
import Store
import Text

/// A transcript as it is played: what was seen after each step.
// Sendable: one task at a time plays the steps; the line source runs in it.
final class Performance: LineSource, @unchecked Sendable {
  private let stage: Stage
  private let steps: [Transcript.Step]
  private var position = 0
  private(set) var seen: [[String]]

  init(_ transcript: Transcript, home: String) {
    stage = Stage(home: home)
    steps = transcript.steps
    seen = Array(repeating: [], count: steps.count)
  }

  func play() async throws {
    while position < steps.count {
      let step = position
      position += 1
      switch steps[step].action {
      case .run(let arguments): try await run(arguments)
      case .direct(let direction): try stage.follow(direction, request: nil)
      default: stage.remark("[nobody reads this: the run has ended]")
      }
      collect(in: position - 1)
    }
  }

  /// What the next line typed is; a run's lines end where another one begins.
  func next(_ request: LineRequest) async -> LineResult {
    if let signal = stage.with({ $0.endingSignal }) { return .signal(signal, draft: stage.with { $0.typedAhead }) }
    if !request.initial.isEmpty { stage.remark("[the line is back: \(request.initial)]") }
    let question = request.prompt.string
    if !question.hasSuffix("> "), question != "... " { stage.with { $0.sight.write(question, isNotice: true) } }
    if let line = stage.lineTypedAhead(for: request.typedAhead) { return .line(line) }
    while position < steps.count {
      if case .run = steps[position].action { return .end }
      collect(in: position - 1)
      position += 1
      stage.with { $0.now += 1000 }
      switch steps[position - 1].action {
      case .type(let line): return .line(stage.real(line))
      case .pressCtrlC(let hadText): return .interrupted(hadText: hadText)
      case .pressCtrlD: return .end
      case .direct(let direction) where direction.verb == "signal":
        let signal = direction.strings.first.flatMap { Int32($0) } ?? 15
        stage.with { $0.endingSignal = signal }
        return .signal(signal)
      case .direct(let direction) where Stage.titleVerbs.contains(direction.verb):
        do { try await stage.followTitles(direction) } catch { stage.remark("\(error)") }
      case .direct(let direction):
        do { try stage.follow(direction, request: request) } catch { stage.remark("\(error)") }
      case .run: return .end
      }
    }
    return .end
  }

  private func collect(in step: Int) { seen[step] += stage.takeSight() }

  /// As the executable does: options to a shell, a shell to an exit status.
  private func run(_ arguments: String) async throws {
    let options = try Options.reading(Words(splitting: stage.real(arguments)).words)
    let (made, isInteractive) = try shell(options)
    var shell = made
    shell.sayWarnings()
    await shell.begin()
    if shell.status == 0 || isInteractive {
      await shell.play(options, StageInput(isPiped: stage.with { $0.isPiped }), stream: { ScriptLines([]) })
    }
    await shell.end()
    if shell.status != 0 { stage.remark("[exit \(shell.status)]") }
  }

  /// The shell of a run.
  func shell(_ options: Options) throws -> (Shell, isInteractive: Bool) {
    let isInteractive = options.words.isEmpty && options.lines.isEmpty && options.file == nil
    let world = try stage.world(interactive: isInteractive)
    let preferences = try Preferences(world.paths.preferences, options)
    let shell = Shell(
      world: world,
      options: RunOptions(options, isInteractive: isInteractive, hasTerminal: world.terminal.traits.outputIsTerminal),
      preferences: preferences,
      servers: Servers(world.paths.servers, writes: !options.private),
      toolServers: ToolServers(world.paths.toolServers, writes: !options.private),
      permissions: Permissions(world.paths.permissions, writes: !options.private),
      snippets: Snippets(world.paths.snippets, writes: !options.private), person: self)
    return (shell, isInteractive)
  }
}

/// The standard input of a transcript's run: nothing, or data in a pipe.
private struct StageInput: MessageInput {
  let isPiped: Bool
  var source: MessageInputKind { isPiped ? .pipe : .nothing }
  var hasUnreadData: Bool { isPiped }
  func isReady(within seconds: Int) -> Bool { false }
  func readAll() -> [UInt8] { [] }
}

extension Stage {
  /// Sets the scene, or looks at what no terminal shows.
  /// - Parameter request: the line that is being read, for `[tab …]`, `[prompt]` and `[recall]`.
  func follow(_ direction: StageDirection, request: LineRequest?) throws {
    let strings = direction.strings
    var rest = direction.words[...]
    switch direction.verb {
    case "server":
      // NAME URL MODEL…: one that was connected to before.
      var servers = Servers(home + "/servers.json")
      let models = direction.words.dropFirst(2).map(StageDirection.model)
      _ = try servers.add(kind: "openai", url: strings[1], name: strings[0])
      if !models.isEmpty { try servers.remember(models, of: strings[0], at: with { $0.now }) }
      if let first = servers.entries.first { try servers.use(first.server.name) }
      with { $0.models[strings[1]] = .success(models) }
    case "lists":
      // URL MODEL…, or URL FAILURE: what /models gets from now on.
      rest.removeFirst()
      let answer = try StageDirection.failure(&rest, from: strings[0])
      with {
        $0.models[strings[0]] =
          answer.map(Result.failure) ?? .success(direction.words.dropFirst().map(StageDirection.model))
      }
    case "finds": try place(direction)
    case "door": try setDoor(direction)
    case "no-keyring": with { $0.keyringFailure = strings.first }
    case "shows": setCertificate(direction)
    case "answers": with { $0.answers.append(direction.words) }
    case "file":
      let path = strings[0].replacingOccurrences(of: "~", with: home)
      // `windows`: as editors of Windows write it.
      let (mark, end) = strings.contains("windows") ? ("\u{FEFF}", "\r\n") : ("", "\n")
      let text = mark + direction.body.map { $0 + end }.joined()
      with { $0.files[path] = text }
      // `latin-1`, `utf-16`: in that encoding; `nul`: with a NUL for each ␀.
      let bytes: [UInt8]? =
        if strings.contains("latin-1") {
          text.unicodeScalars.map { UInt8($0.value) }
        } else if strings.contains("utf-16") {
          [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        } else if strings.contains("nul") {
          Array(text.replacing("␀", with: "\0").utf8)
        } else {
          nil
        }
      with { $0.pictures[path] = bytes }
    case "file-gone":
      with { $0.files[strings[0]] = nil }
    case "picture":
      // NAME WIDTH HEIGHT: the head of a PNG.
      let head: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13] + Array("IHDR".utf8)
      let size = strings[1...2].flatMap { word -> [UInt8] in
        let length = Int(word) ?? 0
        return [0, 0, UInt8(length >> 8), UInt8(length & 0xFF)]
      }
      with { scene in
        scene.files[strings[0]] = ""
        scene.pictures[strings[0]] = head + size
      }
    case "counts": with { $0.counts += strings.compactMap { Int($0) } }
    case "blind": with { $0.blind.formUnion(strings) }
    case "on-disk":
      let path = URL(fileURLWithPath: home + "/" + strings[0])
      try FileManager.default.createDirectory(at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(direction.body.map { $0 + "\n" }.joined().utf8).write(to: path)
    case "environment":
      for pair in strings {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        with { $0.environment[parts[0]] = parts.count > 1 ? parts[1] : nil }
      }
    case "terminal":
      let columns = strings.first.flatMap { Int($0) } ?? 80
      let rows = strings.dropFirst().first.flatMap { Int($0) } ?? 24
      with {
        $0.traits = TerminalTraits(outputIsTerminal: true, noticesAreTerminal: true, columns: columns, rows: rows)
      }
    case "pipe": with { $0.traits = TerminalTraits(outputIsTerminal: false, noticesAreTerminal: false, columns: 80) }
    case "types-ahead": with { $0.linesTypedAhead += strings }
    case "piped": with { $0.isPiped = strings.first != "nothing" }
    case "later": with { $0.now += 1000 * (Int(strings[0]) ?? 0) }
    case "command":
      with { $0.children[strings[0]] = (Int32(strings[1]) ?? 0, strings.count > 2 ? strings[2] : "") }
    case "sent": showRequests(whole: strings.first == "whole")
    case "disk": showFiles()
    case "prompt": remark("prompt: \(request?.prompt.string ?? "none")")
    case "recall":
      var back = 0
      while let line = request?.recall.line(back) {
        remark("\(back): \(line)")
        back += 1
      }
    case "tab": showCompletion(of: strings.joined(separator: " "), request)
    default: try followOthers(direction)
    }
  }

  /// `ADDRESS URL MODEL…`, `ADDRESS URL wants-key MODEL…`, `ADDRESS URL kamiwaza MODEL…`, `ADDRESS nothing URL STATUS "WHAT" …` or `ADDRESS FAILURE`.
  private func place(_ direction: StageDirection) throws {
    let strings = direction.strings
    var rest = direction.words.dropFirst()
    if strings[1] == "nothing" {
      rest.removeFirst()
      var attempts: [BackendError.Attempt] = []
      while let url = rest.popFirst()?.string {
        let outcome: BackendError.Attempt.Outcome =
          switch rest.popFirst()?.string {
          case "refused": .failed(.refused)
          case "times-out": .timedOut(seconds: 10)
          case "untrusted": .untrusted
          case let status: .answered(status: status.flatMap { Int($0) } ?? 0, what: try StageDirection.text(&rest))
          }
        attempts.append(.init(url: url, outcome: outcome))
      }
      with { [attempts] in $0.probes[strings[0]] = .failure(.notFound(tried: attempts)) }
    } else if let error = try StageDirection.failure(&rest, from: strings[0]) {
      with { $0.probes[strings[0]] = .failure(error) }
    } else {
      let isGuarded = strings[2] == "wants-key" || strings[2] == "kamiwaza"
      let models = direction.words.dropFirst(isGuarded ? 3 : 2).map(StageDirection.model)
      with { scene in
        scene.probes[strings[0]] = .success(
          FoundServer(
            kind: strings[2] == "kamiwaza" ? "kamiwaza" : "openai", url: strings[1], models: isGuarded ? nil : models))
        scene.models[strings[1]] = .success(models)
        if isGuarded, scene.doors[strings[1]] == nil { scene.doors[strings[1]] = Door(gate: Gate(needsSignIn: true)) }
      }
    }
  }

  private func showRequests(whole: Bool) {
    let requests = with { scene in
      defer { scene.requests = [] }
      return scene.requests
    }
    if requests.isEmpty { remark("nothing") }
    for request in requests {
      // Of several, what they ask; of one, all that it says.
      if requests.count > 1, let last = request.messages.last {
        let text = last.content.replacingOccurrences(of: "\n", with: "\n    ")
        remark("after \(request.messages.count - 1) messages, \(last.role): \(text)")
        continue
      }
      if whole {
        let temperature = request.sampling.temperature.map { "\($0)" } ?? "none"
        remark("model \(request.model ?? "none"), temperature \(temperature)")
      }
      for message in request.messages {
        remark("\(message.role): \(message.content.replacingOccurrences(of: "\n", with: "\n    "))")
        for image in message.images { remark("    [\(image.type) \(image.name), \(image.bytes.count) bytes]") }
      }
    }
  }

  private func showFiles() {
    let names = (try? FileManager.default.subpathsOfDirectory(atPath: home)) ?? []
    // SQLite's own files come and go.
    let kept = names.filter { !$0.contains(".sqlite-") && !$0.hasSuffix(".lock") }
    remark(kept.isEmpty ? "no files" : kept.sorted().joined(separator: ", "))
  }

  private func showCompletion(of line: String, _ request: LineRequest?) {
    guard let completion = request?.complete(real(line), real(line).unicodeScalars.count) else { return }
    if completion.candidates.isEmpty { remark(completion.note == "" ? "nothing" : completion.note.string) }
    for candidate in completion.candidates {
      remark(
        "\(completion.replaced.lowerBound): \(candidate.text)\(candidate.summary.isEmpty ? "" : "  \(candidate.summary)")"
      )
    }
  }
}

extension StageDirection {
  /// The failure these words name; nil when they name something else.
  static func failure(_ rest: inout ArraySlice<Word>, from address: String) throws -> BackendError? {
    let whole = rest
    guard let word = rest.popFirst()?.string else { return nil }
    do { return try error(word, &rest, from: address) } catch is BadDirection {
      rest = whole
      return nil
    }
  }
}
