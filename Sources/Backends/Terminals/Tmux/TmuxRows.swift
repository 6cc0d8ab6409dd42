import Chat
import Glibc

/// How tmux describes a window: the pane of it that keys go to.
struct TmuxRow: Equatable {
  let pane: String
  let info: TerminalInfo
  /// How to name it, and its session, to tmux exactly.
  let target: String
  let session: String
  /// The words that the program in its foreground began with; nil where that is not known.
  let foreground: [String]?

  /// Numbers first, as names may have blanks in them, and no tabs (docs/terminals.md 2).
  static let format =
    [
      "#{session_id}", "#{window_id}", "#{window_index}", "#{session_windows}", "#{pane_id}", "#{pane_pid}",
      "#{session_created}", "#{window_activity}",
      "#{pane_width}", "#{pane_height}", "#{session_attached}", "#{session_name}", "#{pane_current_command}",
      "#{pane_current_path}",
    ].joined(separator: "\t")

  /// nil for what is no such line. - Parameter foreground: the words that the foreground program of a shell began with.
  init?(_ line: Substring, foreground: (_ shell: Int) -> [String]?) {
    let fields = line.split(separator: "\t", maxSplits: 13, omittingEmptySubsequences: false).map(String.init)
    guard fields.count == 14, fields[0].hasPrefix("$"), fields[1].hasPrefix("@"), let windows = Int(fields[3]),
      let pid = Int(fields[5])
    else { return nil }
    // Not by names: these may look like what tmux calls others by.
    session = fields[0] + ":"
    target = fields[0] + ":" + fields[1]
    pane = fields[4]
    let name = fields[11]
    let words = foreground(pid)
    self.foreground = words
    info = TerminalInfo(
      // One window is its session.
      id: windows > 1 ? "\(name):\(fields[2])" : name, name: name, pid: pid,
      folder: fields[13].isEmpty ? nil : fields[13], program: fields[12].isEmpty ? nil : fields[12],
      hasClaude: words.map(TmuxRow.isClaude), createdAt: Int(fields[6]).map { $0 * 1000 },
      lastActivity: Int(fields[7]).map { $0 * 1000 }, columns: Int(fields[8]), rows: Int(fields[9]),
      watchers: Int(fields[10]))
  }

  /// Claude Code shows itself as `claude`, or as a script of that name that another program runs.
  static func isClaude(_ words: [String]) -> Bool {
    words.prefix(2).contains { word in
      let name = word.split(separator: "/").last ?? ""
      return name == "claude" || word.contains("/claude-code/")
    }
  }
}

/// The program in the foreground of a shell's terminal, as the system tells it.
enum Foreground {
  /// The words that it was started with; nil where that cannot be known. - Parameter shell: a process of the terminal.
  static func words(of shell: Int) -> [String]? {
    // The name of the program stands between the outermost brackets and may have any in it.
    guard let stat = read("/proc/\(shell)/stat"), let end = stat.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = String(decoding: stat[(end + 1)...], as: UTF8.self).split(separator: " ")
    guard fields.count > 5, let group = Int(fields[5]), group > 0, let line = read("/proc/\(group)/cmdline") else {
      return nil
    }
    return line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Where a process is; nil where that cannot be known.
  static func folder(of process: Int) -> String? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/\(process)/cwd", &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }

  private static func read(_ path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { Glibc.close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(file, &bytes, bytes.count)
    return count > 0 ? Array(bytes[..<count]) : nil
  }
}
