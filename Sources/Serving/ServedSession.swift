import Chat
import Shell
import Waiting
import Wire

/// A session that an editor has with us: its shell, which does one thing after another.
///
/// Jobs are done in the order in which they came, so that an answer never overtakes what was asked before it.
final class ServedSession: Sendable {
  typealias Job = @Sendable (inout Shell) async -> Void

  let id: String
  let editor: EditorTerminal
  private let jobs = EventQueue<Job>(room: { _ in .always })
  /// The session's own: it ends with the jobs.
  private let life: Task<Void, Never>
  private let known = Locked(Known())

  /// What the editor was last told, and what it wants.
  private struct Known: Sendable {
    var options: [AgentOption] = []
    var wanted: [Shell.Option: String] = [:]
    var name: String?
    var prompt: RPCID?
    var isOpening = false
  }

  /// - Parameter make: makes its shell, which nobody else has.
  init(_ id: String, _ editor: EditorTerminal, _ make: @escaping @Sendable () -> Shell) {
    self.id = id
    self.editor = editor
    life = Task { [jobs] in
      var shell = make()
      for await job in jobs { await job(&shell) }
      await shell.endPrograms()
      await shell.end()
    }
  }

  /// - Parameter others: sessions whose end is waited for first.
  func perform(after others: [ServedSession] = [], _ job: @escaping Job) throws(RPCFailure) {
    let isTaken = jobs.put { shell in
      for other in others { await other.end() }
      await job(&shell)
    }
    if !isTaken { throw .notOpen }
  }

  /// Stops what is under way, and does one thing more.
  func finish(_ interruption: Interruption = .interrupt, _ last: @escaping Job = { _ in }) {
    editor.end(interruption)
    jobs.put(last)
    jobs.finish()
  }

  /// Whether the session still accepts jobs.
  var isOpen: Bool { !jobs.isFinished }

  /// Waits for the end, behind `finish`.
  func end() async { await life.value }
}

// What was told
extension ServedSession {
  /// Whether the session has no messages yet, so that it is not in the history.
  var isBlank: Bool { known.withLock { $0.name == nil } }

  /// Whether a `session/load` or `session/resume` of the session is in progress.
  var isOpening: Bool {
    get { known.withLock { $0.isOpening } }
    set { known.withLock { $0.isOpening = newValue } }
  }

  /// The request of the prompt that is under way.
  var prompt: RPCID? {
    get { known.withLock { $0.prompt } }
    set { known.withLock { $0.prompt = newValue } }
  }

  /// Notes a wish that is fulfilled when the turn is over; the choices as they are then, nil for none there is.
  func want(_ value: String, of option: Shell.Option) -> [AgentOption]? {
    known.withLock { known in
      guard let index = known.options.firstIndex(where: { $0.id == .config(option.rawValue) }),
        known.options[index].choices.contains(where: { $0.value == value })
      else { return nil }
      known.wanted[option] = value
      known.options[index].value = value
      return known.options
    }
  }

  func fulfil(_ option: Shell.Option) { known.withLock { $0.wanted[option] = nil } }

  /// The choices there are, with what is wanted in place of what is chosen; and whether that is new to the editor.
  func note(_ offers: [AgentOption]) -> (options: [AgentOption], isNew: Bool) {
    known.withLock { known in
      let options = offers.map { offer in
        var offer = offer
        for (option, value) in known.wanted where offer.id == .config(option.rawValue) { offer.value = value }
        return offer
      }
      defer { known.options = options }
      return (options, options != known.options)
    }
  }

  /// Whether a name is new to the editor.
  func note(name: String?) -> Bool {
    known.withLock { known in
      defer { known.name = name }
      return known.name != name
    }
  }
}

extension RPCFailure {
  /// It may have been closed.
  static let notOpen = RPCFailure(code: ACPCode.notFound, message: "this session is not open here")
}
