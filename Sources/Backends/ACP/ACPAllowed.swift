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

  /// A command as it was shown: a program and its arguments, or a line.
  private struct Command {
    let words: [[UInt8]]

    init(_ words: [String]) { self.words = words.map { Array($0.utf8) } }

    /// Whether words run exactly it: they are the same, or what becomes of a line when a shell is given it, or of one
    /// without a shell's signs when it is split at its blanks.
    func isRun(by other: [String]) -> Bool {
      if words == other.map({ Array($0.utf8) }) { return true }
      guard words.count == 1, let line = words.first else { return false }
      if other.count == 3, ["sh", "bash", "/bin/sh", "/bin/bash"].contains(other[0]), ["-c", "-lc"].contains(other[1]) {
        return Array(other[2].utf8) == line
      }
      guard line.allSatisfy(Command.isPlain) else { return false }
      return line.split(separator: UInt8(ascii: " ")).map(Array.init) == other.map { Array($0.utf8) }
    }

    /// What no shell reads anything into.
    private static func isPlain(_ byte: UInt8) -> Bool {
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      default: " -_./,:+@".utf8.contains(byte)
      }
    }
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
    guard let place = commands.firstIndex(where: { $0.isRun(by: words) }) else { return false }
    commands.remove(at: place)
    return true
  }
}
