import CTerminal
import Foundation
import Shell
import Text
import Wire

/// What our keys do.
extension Editor {
  func begin() { insert(line.foldedIfLong(EditText(line.request.initial))) }

  func enter() {
    let text = buffer.text
    outcome = line.result(line.expanded(text))
    remember(line.pastes(in: text))
    finish(text)
  }

  /// Keeps the newest pastes, up to 20 and 4 MiB of them.
  private func remember(_ newest: [String]) {
    var room = 4 << 20
    let all = newest + pastes.filter { !newest.contains($0) }
    pastes = all.prefix(20).prefix {
      room -= $0.utf8.count
      return room >= 0
    }.map { $0 }
  }

  func insert(_ text: EditText) {
    buffer.replace(buffer.cursor..<buffer.cursor, with: text)
  }

  func newline() { if line.request.isOneLine { enter() } else { insert([10]) } }

  func paste() {
    let bytes = line.pasted
    line.pasted = []
    let text = line.fold(line.request.isOneLine ? firstLine(of: bytes) : bytes)
    if buffer.cursor == 0 { line.pastedAtStart = line.expanded(text) }
    insert(text)
  }

  private func firstLine(of paste: [UInt8]) -> [UInt8] {
    let lines = paste.split { $0 == 0x0A || $0 == 0x0D }
    if lines.count > 1 {
      loop.screen.write([Span("pasted only the first line; discarded the rest\n", .warning)], to: .notices)
    }
    return Array(lines.first ?? [])
  }

  func deleteOrEnd() {
    if buffer.count == 0 {
      outcome = .end
    } else {
      deleteForward()
    }
  }

  func deleteForward() {
    let (text, cursor) = (buffer.text, buffer.cursor)
    buffer.replace(cursor..<text.characterEnd(after: cursor), with: [])
  }

  func deleteBackward() {
    let (text, cursor) = (buffer.text, buffer.cursor)
    buffer.replace(text.characterStart(before: cursor)..<cursor, with: [])
  }

  func move(_ place: (EditText, Int) -> Int) { buffer.move(to: place(buffer.text, buffer.cursor)) }

  /// Takes a part of the line; one after the other they are taken together.
  func kill(_ part: (EditText, Int) -> Range<Int>) {
    let before = state
    let part = part(before.text, before.cursor)
    guard !part.isEmpty else { return }
    let taken = EditText(before.text[part])
    if afterKill == before {
      killed = part.lowerBound < before.cursor ? taken + killed : killed + taken
    } else {
      killed = taken
    }
    buffer.replace(part, with: [])
    afterKill = state
  }

  func undo() {
    guard let before = line.undone() else { return }
    buffer.replaceAll(with: before.text, cursor: before.cursor)
    line.place = before.place
  }

  /// Lends the terminal to the person's editor; what it leaves in the file becomes the line.
  func edit() {
    let text = line.expanded(buffer.text)
    let folder = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
    var template = Array((folder + "/parley-XXXXXX.md").utf8CString)
    let descriptor = mkstemps(&template, 3)
    guard descriptor >= 0 else { return complain("cannot make a file in \(folder)") }
    let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    defer { unlink(path) }
    do {
      try file.write(contentsOf: Data(text.utf8))
    } catch {
      return complain("cannot write \(path)")
    }
    let command = ChildCommand(["sh", "-c", "\(line.request.editor) \"$1\"", "sh", path])
    guard case .success(let end) = loop.runChild(command, captureLimit: nil) else { return complain("no editor runs") }
    guard end.status == 0 else { return complain("the editor ended with status \(end.status): the line is as it was") }
    guard let edited = FileManager.default.contents(atPath: path) else { return complain("cannot read \(path)") }
    let kept = String(decoding: edited, as: UTF8.self).replacing("\r\n", with: "\n").withoutByteOrderMark
      .withoutFinalNewline
    guard kept != text else { return }
    buffer.replaceAll(with: line.foldedIfLong(EditText(String(kept))))
  }

  private func complain(_ sentence: String) {
    line.below = [Cell.row(Filter.inline(sentence, width: loop.screen.size.columns - 1), .error)]
  }
}

extension EditText {
  /// To the end of the line, or over its newline.
  func lineRest(from place: Int) -> Int {
    let end = lineEnd(of: place)
    return end == place ? Swift.min(end + 1, count) : end
  }

  /// From the beginning of the line, or from its newline.
  func lineBefore(_ place: Int) -> Int {
    let start = lineStart(of: place)
    return start == place ? Swift.max(0, start - 1) : start
  }
}
