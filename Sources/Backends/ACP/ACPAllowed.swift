import Chat
import Wire

/// What the person was shown and allowed in a turn: when the agent then has this program do exactly that, it is not asked
/// about again, once (docs/acp.md 5). Everything is compared by its bytes.
struct ACPAllowed: Sendable {
  private struct Change: Equatable {
    let path, new: [UInt8]
    let old: [UInt8]?

    init(_ change: FileChange) {
      path = Array(change.path.utf8)
      new = Array(change.new.utf8)
      old = change.old.map { Array($0.utf8) }
    }
  }

  private struct Command: Equatable {
    let words: [[UInt8]]

    init(_ words: [String]) { self.words = words.map { Array($0.utf8) } }
  }

  private var changes: [Change] = []
  private var commands: [Command] = []

  /// Each change that was shown, and the command of a call that runs one, by what its input says.
  mutating func add(_ activity: Activity) {
    for case .diff(let change) in activity.content { changes.append(Change(change)) }
    guard activity.kind == "execute", let input = activity.input, let line = input["command"]?.string else { return }
    // With a folder of its own it is asked about again.
    guard input["cwd"] == nil, input["env"] == nil else { return }
    commands.append(Command([line] + (input["args"]?.array ?? []).compactMap(\.string)))
  }

  /// Whether this change was shown, of the file as it is.
  mutating func take(_ change: FileChange) -> Bool {
    guard !change.replacesUnseen, let place = changes.firstIndex(of: Change(change)) else { return false }
    changes.remove(at: place)
    return true
  }

  /// - Parameter words: as the agent gives them: a line, or a program and its arguments.
  mutating func take(running words: [String]) -> Bool {
    guard let place = commands.firstIndex(of: Command(words)) else { return false }
    commands.remove(at: place)
    return true
  }
}
