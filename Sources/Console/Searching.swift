import Shell
import Text

/// Looking for an earlier line.
extension Editor {
  /// Incremental search: letters narrow it, Ctrl-R and Ctrl-S go on, Ctrl-G gives up, Esc takes what was found; any other
  /// key takes it and does its own work. Where nothing was found the line stays as it was, and Enter does not send it.
  /// - Parameter asVi: Enter takes what was found, and does not send it.
  func search(asVi: Bool = false) {
    line.search = RecallSearch(from: state)
    while line.search != nil, let character = nextCharacter() {
      guard var search = line.search else { return }
      switch character {
      case 0x12, 0x13: search.next(older: character == 0x12) { line.recalled($0) }
      case 0x07:
        line.search = nil
        return
      case 0x08, 0x7F, KeyFunction.backspace.code: search.eraseLast { line.recalled($0) }
      case KeyFunction.paste.code:
        let pasted = EditText(String(decoding: line.pasted, as: UTF8.self)).prefix { $0 >= 32 }
        search.type(Array(pasted)) { line.recalled($0) }
      case 0x20..<0x7F, 0xA0...: search.type([character]) { line.recalled($0) }
      case 0x1B where isAlone:
        accept(search)
        return
      default:
        if character != 0x0D || !asVi && !search.hasFailed { putBack(character) }
        accept(search)
        return
      }
      line.search = search
    }
  }

  /// Goes on from the line that was found last, as vi's n does.
  func searchAgain(older: Bool) {
    var search = RecallSearch(from: state, pattern: sought)
    search.next(older: older) { line.recalled($0) }
    if !search.hasFailed { accept(search) }
  }

  private func accept(_ search: RecallSearch) {
    line.search = nil
    if search.hasFailed { return }
    if !search.pattern.isEmpty { sought = search.pattern }
    guard search.place >= 0 else { return }
    if line.place == -1 { line.draft = state }
    line.place = search.place
    let shown = line.shown(search.place, knowing: pastes) ?? search.shown
    buffer.replaceAll(with: shown, cursor: shown.count < search.shown.count ? nil : search.cursor)
  }
}
