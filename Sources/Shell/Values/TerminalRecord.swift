import Chat
import Wire

/// What was last seen of the terminals of a server: its list with the moment it came, and what each said last where that was
/// looked at (docs/terminals.md 9). Pure; `TerminalKeeping` keeps its bytes.
struct TerminalRecord: Equatable {
  /// Milliseconds since 1970.
  var listedAt: Int
  private(set) var terminals: [Seen] = []

  struct Seen: Equatable {
    var info: TerminalInfo
    var output: Output?
  }

  /// The last lines of a terminal, not to be trusted, and when they were read in milliseconds since 1970.
  struct Output: Equatable {
    var text: String
    var at: Int
  }

  /// Of the output of each, in lines and in bytes; and the terminals.
  static let (mostLines, mostBytes, mostTerminals) = (200, 64 << 10, 50)

  init(_ all: [TerminalInfo], at moment: Int) {
    listedAt = moment
    list(all, at: moment)
  }

  /// Takes a new list; what was read of those that are still on it stays.
  mutating func list(_ all: [TerminalInfo], at moment: Int) {
    let before = terminals
    listedAt = moment
    terminals = all.prefix(TerminalRecord.mostTerminals).map { info in
      // One that was made since has only its name from the one before.
      let same = before.first { $0.info.id == info.id && $0.info.createdAt == info.createdAt }
      return Seen(info: info, output: same?.output)
    }
  }

  mutating func note(_ text: String, of id: String, at moment: Int) {
    guard let index = terminals.firstIndex(where: { $0.info.id == id }) else { return }
    let end = text.lastLines(TerminalRecord.mostLines)
    terminals[index].output = Output(text: String(end.suffix(fitting: TerminalRecord.mostBytes)), at: moment)
  }

  /// The one of this name, or the only one whose name begins so.
  func terminal(_ name: String) -> Seen? {
    if let exact = terminals.first(where: { $0.info.id == name }) { return exact }
    let matches = terminals.filter { $0.info.id.hasPrefix(name) }
    return matches.count == 1 ? matches.first : nil
  }
}

extension TerminalRecord {
  var bytes: [UInt8] {
    let json: JSON = [
      "listedAt": .int(listedAt), "terminals": .array(terminals.map(JSON.init(kept:))),
    ]
    return json.bytes()
  }

  /// nil when the bytes are nothing that `bytes` made.
  init?(bytes: [UInt8]) {
    guard let json = try? JSON(parsing: bytes),  // a broken file is the same as none
      let listedAt = json["listedAt"]?.int, listedAt >= 0, let list = json["terminals"]?.array
    else { return nil }
    self.listedAt = listedAt
    terminals = list.compactMap(Seen.init(kept:))
    guard terminals.count == list.count, list.count <= TerminalRecord.mostTerminals else { return nil }
  }
}

extension JSON {
  fileprivate init(kept seen: TerminalRecord.Seen) {
    self = seen.info.json
    self["output"] = seen.output.map { ["text": .string($0.text), "at": .int($0.at)] }
  }
}

extension TerminalRecord.Seen {
  fileprivate init?(kept json: JSON) {
    guard let info = TerminalInfo(json) else { return nil }
    self.info = info
    guard let output = json["output"] else { return }
    guard let text = output["text"]?.string, let at = output["at"]?.int, at >= 0 else { return nil }
    self.output = TerminalRecord.Output(text: text, at: at)
  }
}

extension TerminalInfo {
  /// What is known of one; null is what is not.
  var json: JSON {
    [
      "id": .string(id), "name": .string(name), "pid": pid.map(JSON.int) ?? .null,
      "folder": folder.map(JSON.string) ?? .null, "program": program.map(JSON.string) ?? .null,
      "claude": hasClaude.map(JSON.bool) ?? .null, "createdAt": createdAt.map(JSON.int) ?? .null,
      "lastActivity": lastActivity.map(JSON.int) ?? .null, "columns": columns.map(JSON.int) ?? .null,
      "rows": rows.map(JSON.int) ?? .null, "watchers": watchers.map(JSON.int) ?? .null,
    ]
  }

  fileprivate init?(_ json: JSON) {
    guard let id = json["id"]?.string, let name = json["name"]?.string else { return nil }
    self.init(
      id: id, name: name, pid: json["pid"]?.int, folder: json["folder"]?.string, program: json["program"]?.string,
      hasClaude: json["claude"]?.bool, createdAt: json["createdAt"]?.int, lastActivity: json["lastActivity"]?.int,
      columns: json["columns"]?.int, rows: json["rows"]?.int, watchers: json["watchers"]?.int)
  }
}

extension String {
  /// Its last lines, with the end of the last one where that has one.
  func lastLines(_ count: Int) -> String {
    let lines = split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    return lines.suffix(lines.last?.isEmpty == true ? count + 1 : count).joined(separator: "\n")
  }

  /// Its end, in at most so many bytes.
  fileprivate func suffix(fitting limit: Int) -> Substring {
    guard utf8.count > limit else { return self[...] }
    var start = utf8.index(endIndex, offsetBy: -limit)
    // Not within a character.
    while start.samePosition(in: unicodeScalars) == nil { start = utf8.index(after: start) }
    return self[start...]
  }
}
