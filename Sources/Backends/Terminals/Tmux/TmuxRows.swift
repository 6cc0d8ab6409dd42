import Chat

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
      hasClaude: words.map(ForegroundWords.isClaude), createdAt: Int(fields[6]).map { $0 * 1000 },
      lastActivity: Int(fields[7]).map { $0 * 1000 }, columns: Int(fields[8]), rows: Int(fields[9]),
      watchers: Int(fields[10]))
  }
}
