import Chat
import Store

/// What was last seen of terminals elsewhere, kept for when their server does not answer.
extension Links {
  /// nil where nothing is kept; of this machine nothing is.
  func seen(at place: TerminalPlace, _ desk: Desk) -> TerminalRecord? {
    place.entry.flatMap { desk.world.terminalKeeping.read($0.server.url) }.flatMap(TerminalRecord.init(bytes:))
  }

  /// A server has told what it has.
  mutating func note(_ all: [TerminalInfo], at place: TerminalPlace, _ desk: Desk) {
    noteNames(all, at: place)
    guard place.entry != nil else { return }
    let now = desk.world.now()
    var record = seen(at: place, desk) ?? TerminalRecord([], at: now)
    record.list(all, at: now)
    keep(record, of: place, desk)
  }

  /// What a terminal said last was read.
  func note(_ text: String, of id: String, at place: TerminalPlace, _ desk: Desk) {
    guard var record = seen(at: place, desk) else { return }
    record.note(text, of: id, at: desk.world.now())
    keep(record, of: place, desk)
  }

  private func keep(_ record: TerminalRecord, of place: TerminalPlace, _ desk: Desk) {
    guard let server = place.entry?.server, !desk.options.isPrivate else { return }
    desk.world.terminalKeeping.write(record.bytes, server.url)
  }

  /// What Tab knows of a place from now on.
  private mutating func noteNames(_ all: [TerminalInfo], at place: TerminalPlace) {
    let prefix = place.entry.map { $0.server.name + "/" }
    let servers = kept.entries.map { $0.server.name + "/" }
    known.terminals.removeAll { known in
      let isOfOther = known.isElsewhere && !servers.contains(where: known.name.hasPrefix)
      return isOfOther || (prefix.map(known.name.hasPrefix) ?? !known.isElsewhere)
    }
    known.terminals += all.map { (place.word(for: $0.id), $0.program ?? "", prefix != nil) }
  }
}

extension TerminalKeeping {
  /// What terminals of servers are called in commands, as they were last seen, for Tab.
  func names(of servers: [Server]) -> [(name: String, about: String)] {
    servers.flatMap { server in
      let record = read(server.url).flatMap(TerminalRecord.init(bytes:))
      return (record?.terminals ?? []).map { ("\(server.name)/\($0.info.id)", $0.info.program ?? "") }
    }
  }
}

extension Links {
  /// One of a list. - Parameter seenAt: when it was seen so, where its server does not answer now.
  func row(_ info: TerminalInfo, at place: TerminalPlace, seenAt: Int? = nil) -> TerminalPage.Row {
    let word = place.word(for: info.id)
    return TerminalPage.Row(
      word: word, server: place.entry?.server.name, info: info, seenAt: seenAt,
      connection: watched.first { $0.word == word }?.connection)
  }
}
