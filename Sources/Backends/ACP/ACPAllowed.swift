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

    /// What an input may say besides that changes nothing of what runs.
    private static let harmless: Set<String> = ["description", "timeout", "timeout_ms", "title", "summary"]

    /// nil where the input says more than a command and its arguments, or says it twice: what that means is not known.
    init?(shown input: JSON) {
      guard let members = input.object, Set(members.map(\.key)).count == members.count,
        members.allSatisfy({ ["command", "args"].contains($0.key) || Command.harmless.contains($0.key) }),
        let line = input["command"]?.string
      else { return nil }
      var words = [line]
      if let arguments = input["args"] {
        guard let list = arguments.array else { return nil }
        for argument in list {
          guard let word = argument.string else { return nil }
          words.append(word)
        }
      }
      self.words = words.map { Array($0.utf8) }
    }

    /// Whether a command is exactly it: the same, or what becomes of a line when a shell is given it, or of one without a
    /// shell's signs when it is split at its blanks.
    func isRun(by command: AgentCommand) -> Bool {
      let other = command.words.map { Array($0.utf8) }
      guard words.count == 1, let line = words.first else { return words == other }
      // A line is one that a shell reads; the name of a program that looks like it is another thing.
      if words == other { return command.isShellLine || line.allSatisfy(Command.isPlain) && !line.contains(0x20) }
      if command.words.count == 3, ["sh", "bash", "/bin/sh", "/bin/bash"].contains(command.words[0]),
        ["-c", "-lc"].contains(command.words[1])
      {
        return other[2] == line
      }
      guard line.allSatisfy(Command.isPlain) else { return false }
      return line.split(separator: UInt8(ascii: " ")).map(Array.init) == other
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
    guard activity.kind == "execute", let command = Command(shown: activity.input ?? .null) else { return }
    commands.append(command)
  }

  /// Whether this change was shown, of the file as it is.
  mutating func take(_ change: FileChange) -> Bool {
    guard !change.replacesUnseen, let place = changes.firstIndex(of: Change(change)) else { return false }
    changes.remove(at: place)
    return true
  }

  mutating func take(running command: AgentCommand) -> Bool {
    guard let place = commands.firstIndex(where: { $0.isRun(by: command) }) else { return false }
    commands.remove(at: place)
    return true
  }
}
