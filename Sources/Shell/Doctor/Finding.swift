import Text
import Wire

/// What `/doctor` looks at, in its order.
enum Check: String {
  case name, connection, certificate
  case api = "API"
  case health
  case signIn = "sign-in"
  case models, answer, preferences, servers
  case history
  case knownServers = "known_servers"
  case credentials
  /// Files without a check of their own.
  case files
}

/// What came of one check.
struct Finding {
  enum State: String { case ok, failed, skipped }

  var check: Check
  var state: State
  var detail: SafeText
  /// What to do next.
  var hint: SafeText?
  /// What a failure makes of the exit status.
  var status = ExitStatus.failure

  static func ok(_ check: Check, _ detail: SafeText) -> Finding { Finding(check: check, state: .ok, detail: detail) }

  static func skipped(_ check: Check, _ why: SafeText) -> Finding {
    Finding(check: check, state: .skipped, detail: why)
  }

  static func failed(_ check: Check, _ complaint: Complaint) -> Finding {
    Finding(
      check: check, state: .failed, detail: complaint.text, hint: complaint.hint, status: complaint.status)
  }

  var json: JSON {
    [
      "check": .string(check.rawValue), "state": .string(state.rawValue), "detail": .string(detail.string),
      "hint": hint.map { .string($0.string) } ?? .null,
    ]
  }

  /// For a person: `ok       models         3 of 3 ready`, and what to do on a line below.
  func lines(columns: Int) -> StyledText {
    let style: Style =
      switch state {
      case .ok: .good
      case .failed: .error
      case .skipped: .dim
      }
    let label = 24
    var text: StyledText =
      .text(("\(state.rawValue)" as SafeText).padded(to: 9), style)
      + .text(("\(check.rawValue)" as SafeText).padded(to: label - 9))
      + .text(Self.wrapped(detail, after: label, columns) + "\n", state == .skipped ? .dim : .plain)
    if let hint { text += .text(.spaces(label) + Self.wrapped(hint, after: label, columns) + "\n", .hint) }
    return text
  }

  private static func wrapped(_ text: SafeText, after label: Int, _ columns: Int) -> SafeText {
    var wrapper = Wrapper(columns: columns, indent: label, column: label)
    return wrapper.feed(text) + wrapper.finish()
  }

  /// For a program: check, state, detail, hint.
  var row: Table { Table(rows: [["\(check.rawValue)", "\(state.rawValue)", detail, hint ?? ""]]) }
}

/// What `/doctor` found so far; each finding is shown as it comes.
struct Diagnosis {
  private(set) var findings: [Finding] = []
  let asJSON: Bool
  private let terminal: any Terminal
  /// A hint as it is typed here.
  private let asTyped: (SafeText) -> SafeText

  init(asJSON: Bool, terminal: any Terminal, asTyped: @escaping (SafeText) -> SafeText = { $0 }) {
    self.asJSON = asJSON
    self.terminal = terminal
    self.asTyped = asTyped
  }

  mutating func add(_ found: Finding) {
    var finding = found
    finding.hint = found.hint.map(asTyped)
    findings.append(finding)
    if asJSON { return }
    let traits = terminal.traits
    terminal.write(
      traits.outputIsTerminal ? finding.lines(columns: traits.columns) : .text(finding.row.tsv), to: .output)
  }

  /// The first check among these that is not well.
  func obstacle(among checks: [Check]) -> Check? {
    checks.first { check in findings.contains { $0.check == check && $0.state == .failed } }
  }

  /// That of the first failure.
  var status: ExitStatus? { findings.first { $0.state == .failed }?.status }
}
