import Chat
import Waiting

/// Terminals whose text is shown, kept and given to models without our secrets: programs there may print what their
/// server was started with. The bytes that a person is attached to stay as they are.
struct MaskedTerminals: Terminals {
  let terminals: any Terminals
  let mask: SecretMask

  func list() async throws(TerminalError) -> [TerminalInfo] { try await terminals.list() }

  func make(_ name: String?, in folder: String?) async throws(TerminalError) -> TerminalMade {
    try await terminals.make(name, in: folder)
  }

  func attach(to id: String, columns: Int, rows: Int) async throws(TerminalError) -> TerminalWay {
    switch try await terminals.attach(to: id, columns: columns, rows: rows) {
    case .line(let line): .line(MaskedTerminalLine(line: line, mask: mask))
    case let way: way
    }
  }

  func watch(_ id: String) async throws(TerminalError) -> any TerminalLine {
    MaskedTerminalLine(line: try await terminals.watch(id), mask: mask)
  }

  func lines(of id: String, atMost limit: Int) async throws(TerminalError) -> String {
    mask.distinctSecrets.masked(try await terminals.lines(of: id, atMost: limit))
  }

  func run(_ command: String, in id: String, quiet: Double) -> TerminalRun {
    terminals.run(command, in: id, quiet: quiet).masked(by: mask)
  }

  func close(_ id: String) async throws(TerminalError) { try await terminals.close(id) }
}

private struct MaskedTerminalLine: TerminalLine {
  let line: any TerminalLine
  let mask: SecretMask

  var goesOn: Bool { line.goesOn }

  func next() async throws(TerminalError) -> TerminalNotice? {
    let notice = try await line.next()
    guard case .lines(let lines) = notice, !lines.isEmpty else { return notice }
    // As one text: a secret that is longer than the rest of its line continues on the next one.
    let masked = mask.distinctSecrets.masked(lines.joined(separator: "\n"))
    return .lines(masked.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
  }

  func type(_ keys: [UInt8]) async { await line.type(keys) }

  func resize(columns: Int, rows: Int) async { await line.resize(columns: columns, rows: rows) }

  func past(atMost limit: Int) async -> String? {
    await line.past(atMost: limit).map { mask.distinctSecrets.masked($0) }
  }

  func leave() async { await line.leave() }
}

extension TerminalRun {
  /// The same run without our secrets in its output, also where one is cut between two pieces.
  fileprivate func masked(by mask: SecretMask) -> TerminalRun {
    let run = self
    let stream = Locked(MaskedStream())
    let end = Locked<Event?>(nil)
    return TerminalRun(
      next: { () async throws(TerminalError) in
        if let end = end.withLock({ $0.take() }) { return end }
        while true {
          let event = try await run.next()
          let secrets = mask.distinctSecrets
          guard case .output(let piece) = event else {
            let rest = stream.withLock { $0.release(secrets) }
            guard !rest.isEmpty else { return event }
            end.withLock { $0 = event }
            return .output(rest)
          }
          let shown = stream.withLock { $0.feed(piece, secrets) }
          if !shown.isEmpty { return .output(shown) }
        }
      }, interrupt: run.interrupt)
  }
}
