import CTerminal
import Foundation
import Wire

/// A function of ours that keys can be bound to, by name in `.editrc` too.
struct KeyFunction {
  let name: String
  /// Stands for the function where no key does: C1 controls, which no key sends. 0 where a key always does.
  let code: EditUnit
  /// Bound in both editing modes.
  let keys: [String]
  /// Bound in the emacs mode alone; vi has its own.
  let emacsKeys: [String]
  let call: console_key

  private init(
    _ name: String, _ code: EditUnit = 0, keys: [String] = [], emacs: [String] = [], call: @escaping console_key
  ) {
    self.name = "parley-" + name
    self.code = code
    self.keys = keys
    emacsKeys = emacs
    self.call = call
  }

  static let begin = KeyFunction("begin", 0x80) { line, _ in on(line) { $0.begin() } }
  static let backspace = KeyFunction("backspace", 0x8C, keys: ["\u{08}", "\u{7F}"]) { line, _ in
    on(line) { $0.deleteBackward() }
  }
  static let paste = KeyFunction("paste", 0x81) { line, _ in on(line) { $0.paste() } }

  /// Queued behind vi's commands, which may leave the cursor on a newline.
  static let viStep = KeyFunction("vi-step", 0x99) { line, _ in on(line) { $0.viStep() } }

  static let all = [
    begin, paste, backspace, viStep,
    KeyFunction("enter", 0x82, keys: ["\r"]) { line, _ in on(line) { $0.enter() } },
    KeyFunction("newline", 0x83, keys: ["\n", "\u{1B}\r", "\u{1B}\n", "\u{1B}[13;2u", "\u{1B}[27;2;13~"]) { line, _ in
      on(line) { $0.newline() }
    },
    KeyFunction("complete", 0x84, keys: ["\t"]) { line, _ in on(line) { $0.complete() } },
    KeyFunction("up", 0x85, keys: ["\u{10}", "\u{1B}[A", "\u{1B}OA"]) { line, _ in on(line) { $0.up() } },
    KeyFunction("down", 0x86, keys: ["\u{0E}", "\u{1B}[B", "\u{1B}OB"]) { line, _ in on(line) { $0.down() } },
    KeyFunction("search", 0x87, keys: ["\u{12}"]) { line, _ in on(line) { $0.search() } },
    KeyFunction("edit", 0x88, keys: ["\u{18}\u{05}"]) { line, _ in on(line) { $0.edit() } },
    KeyFunction("delete-or-end", 0x89, keys: ["\u{04}"]) { line, _ in on(line) { $0.deleteOrEnd() } },
    KeyFunction("clear", 0x8A, keys: ["\u{0C}"]) { line, _ in on(line) { $0.loop.screen.clear() } },
    KeyFunction("delete", 0x8B, keys: ["\u{1B}[3~"]) { line, _ in on(line) { $0.deleteForward() } },
    KeyFunction("left", 0x8D, keys: ["\u{1B}[D", "\u{1B}OD"], emacs: ["\u{02}"]) { line, _ in
      on(line) { $0.move { $0.characterStart(before: $1) } }
    },
    KeyFunction("right", 0x8E, keys: ["\u{1B}[C", "\u{1B}OC"], emacs: ["\u{06}"]) { line, _ in
      on(line) { $0.goOn { $0.characterEnd(after: $1) } }
    },
    KeyFunction(
      "line-start", 0x8F, keys: ["\u{1B}[H", "\u{1B}OH", "\u{1B}[1~", "\u{1B}[7~"], emacs: ["\u{01}"]
    ) { line, _ in on(line) { $0.move { $0.lineStart(of: $1) } } },
    KeyFunction(
      "line-end", 0x90, keys: ["\u{1B}[F", "\u{1B}OF", "\u{1B}[4~", "\u{1B}[8~"], emacs: ["\u{05}"]
    ) { line, _ in on(line) { $0.goOn { $0.lineEnd(of: $1) } } },
    KeyFunction(
      "word-left", 0x91, keys: ["\u{1B}[1;5D", "\u{1B}[1;3D", "\u{1B}[5D"], emacs: ["\u{1B}b", "\u{1B}B"]
    ) { line, _ in on(line) { $0.move { $0.wordStart(before: $1) } } },
    KeyFunction(
      "word-right", 0x92, keys: ["\u{1B}[1;5C", "\u{1B}[1;3C", "\u{1B}[5C"], emacs: ["\u{1B}f", "\u{1B}F"]
    ) { line, _ in
      on(line) { $0.goOn(taking: { $0.wordEnd(after: $1) }, or: { $0.wordEnd(after: $1) }) }
    },
    KeyFunction("kill-line", emacs: ["\u{0B}"]) { line, _ in
      on(line) { $0.kill { text, cursor in cursor..<text.lineRest(from: cursor) } }
    },
    KeyFunction("kill-line-before", emacs: ["\u{15}"]) { line, _ in
      on(line) { $0.kill { text, cursor in text.lineBefore(cursor)..<cursor } }
    },
    KeyFunction("kill-blanked-word", emacs: ["\u{17}"]) { line, _ in
      on(line) { $0.kill { text, cursor in text.blankedStart(before: cursor)..<cursor } }
    },
    KeyFunction("kill-word-before", emacs: ["\u{1B}\u{7F}", "\u{1B}\u{08}"]) { line, _ in
      on(line) { $0.kill { text, cursor in text.wordStart(before: cursor)..<cursor } }
    },
    KeyFunction("kill-word", 0x97, keys: ["\u{1B}[3;5~"], emacs: ["\u{1B}d", "\u{1B}D"]) { line, _ in
      on(line) { $0.kill { text, cursor in cursor..<text.wordEnd(after: cursor) } }
    },
    KeyFunction("yank", emacs: ["\u{19}"]) { line, _ in on(line) { $0.insert($0.killed) } },
    KeyFunction("undo", emacs: ["\u{1F}", "\u{18}\u{15}"]) { line, _ in on(line) { $0.undo() } },
    KeyFunction("vi-up") { line, _ in
      on(line) {
        $0.up()
        $0.stepOntoLetter()
      }
    },
    KeyFunction("vi-down") { line, _ in
      on(line) {
        $0.down()
        $0.stepOntoLetter()
      }
    },
    KeyFunction("vi-search") { line, _ in on(line) { $0.search(asVi: true) } },
    KeyFunction("search-older") { line, _ in on(line) { $0.searchAgain(older: true) } },
    KeyFunction("search-newer") { line, _ in on(line) { $0.searchAgain(older: false) } },
    KeyFunction("vi-delete") { line, _ in withCount(line) { $0.viOperate(.delete) } },
    KeyFunction("vi-change") { line, _ in withCount(line) { $0.viOperate(.change) } },
    KeyFunction("vi-yank") { line, _ in withCount(line) { $0.viOperate(.yank) } },
    KeyFunction("vi-delete-to-end") { line, _ in on(line) { $0.viOperateToEnd(.delete) } },
    KeyFunction("vi-change-to-end") { line, _ in on(line) { $0.viOperateToEnd(.change) } },
    KeyFunction("vi-yank-line") { line, _ in on(line) { $0.viTake(.yank) } },
    KeyFunction("vi-change-line") { line, _ in on(line) { $0.viTake(.change) } },
    KeyFunction("vi-delete-letter") { line, _ in on(line) { $0.viOperate(.delete, isForward: true) } },
    KeyFunction("vi-delete-letter-before") { line, _ in on(line) { $0.viOperate(.delete, isForward: false) } },
    KeyFunction("vi-change-letter") { line, _ in on(line) { $0.viOperate(.change, isForward: true) } },
    KeyFunction("vi-find") { line, _ in on(line) { $0.viGoToFound() } },
    KeyFunction("vi-open-below") { line, _ in on(line) { $0.viOpen(below: true) } },
    KeyFunction("vi-open-above") { line, _ in on(line) { $0.viOpen(below: false) } },
    // libedit's would take the next key for one with Alt.
    KeyFunction("vi-escape") { line, _ in on(line) { $0.viEscape() } },
    KeyFunction("vi-repeat") { line, _ in on(line) { $0.viRepeatChange() } },
    KeyFunction("vi-join") { line, _ in on(line) { $0.viJoin() } },
    KeyFunction("vi-put-behind") { line, _ in withCount(line) { $0.viPut(below: true) } },
    KeyFunction("vi-put-before") { line, _ in withCount(line) { $0.viPut(below: false) } },
    KeyFunction("vi-line-end") { line, _ in on(line) { $0.viLineEnd() } },
    KeyFunction("vi-column") { line, _ in on(line) { $0.viColumn() } },
    KeyFunction("vi-line-indent") { line, _ in on(line) { $0.move { $0.lineIndent(of: $1) } } },
    KeyFunction("vi-insert-at-line") { line, _ in
      on(line) { $0.viInsert(at: $0.buffer.text.lineIndent(of: $0.buffer.cursor)) }
    },
    KeyFunction("vi-insert-behind-line") { line, _ in
      on(line) { $0.viInsert(at: $0.buffer.text.lineEnd(of: $0.buffer.cursor)) }
    },
    // libedit's M-x would read a command of its own in place of the line, which is lost.
    KeyFunction("ignore", 0x9A, keys: ["\u{1B}[2~"], emacs: ["\u{1B}x", "\u{1B}X"]) { line, _ in on(line) { _ in } },
  ]

  /// The functions of keys that send escape sequences.
  static let bySequence: [[UInt8]: KeyFunction] = all.reduce(into: [:]) { table, function in
    for key in function.keys where key.utf8.first == 0x1B { table[Array(key.utf8)] = function }
  }
}

/// libedit draws nowhere, so that it need not know what changed.
private func on(_ line: OpaquePointer?, _ work: (Editor) -> Void) -> UInt8 {
  guard let editor = Editor.owner(of: line) else { return UInt8(CC_ERROR) }
  work(editor)
  return editor.outcome == nil ? UInt8(CC_NORM) : UInt8(CC_EOF)
}

/// - Parameter work: whether a command of libedit's goes on, with the count before this one.
private func withCount(_ line: OpaquePointer?, _ work: (Editor) -> Bool) -> UInt8 {
  var goesOn = false
  let end = on(line) { goesOn = work($0) }
  return goesOn && end == UInt8(CC_NORM) ? UInt8(CC_ARGHACK) : end
}

/// Makes the functions known to libedit, once.
func addKeyFunctions(to editLine: OpaquePointer) {
  for function in KeyFunction.all {
    // libedit keeps the pointer.
    let name = UnsafeMutableBufferPointer<EditUnit>.allocate(capacity: function.name.unicodeScalars.count + 1)
    _ = name.initialize(from: wide(function.name))
    _ = console_add(editLine, name.baseAddress, function.call)
  }
}

/// Sets the editing mode, our keys, and what the person wants instead.
func bindKeys(of editLine: OpaquePointer, editing: String) {
  _ = console_set_editor(editLine, wide(editing == "vi" ? "vi" : "emacs"))
  bindOurs(on: editLine)
  for line in editingPreferences() {
    guard run(line, on: editLine) else { continue }
    bindOurs(on: editLine)
  }
}

private func bindOurs(on editLine: OpaquePointer) {
  let isVi = console_is_vi(editLine)
  for function in KeyFunction.all {
    let name = wide(function.name)
    if function.code != 0 {
      _ = console_bind(editLine, [function.code, 0], name)
      _ = console_bind_command_mode(editLine, [function.code, 0], name)
    }
    for key in function.keys + (isVi ? [] : function.emacsKeys) {
      // An ESC in vi's insert mode is a key of its own: sequences reach it as codes.
      if isVi, key.utf8.first == 0x1B { continue }
      _ = console_bind(editLine, wide(key), name)
      if isVi, key.utf8.first != 0x18 { _ = console_bind_command_mode(editLine, wide(key), name) }
    }
  }
  guard isVi else { return }
  // libedit's own know nothing of what our functions did, and show no pattern that is typed.
  let commands = [
    "j": "vi-down", "k": "vi-up", "v": "edit", "u": "undo", "/": "vi-search", "?": "vi-search", "n": "search-older",
    "N": "search-newer", "d": "vi-delete", "c": "vi-change", "y": "vi-yank", "D": "vi-delete-to-end",
    "C": "vi-change-to-end", "Y": "vi-yank-line", "S": "vi-change-line", "$": "vi-line-end", "\\^": "vi-line-indent",
    "I": "vi-insert-at-line", "A": "vi-insert-behind-line", "x": "vi-delete-letter", "X": "vi-delete-letter-before",
    "s": "vi-change-letter", "f": "vi-find", "F": "vi-find", "t": "vi-find", "T": "vi-find", ";": "vi-find",
    ",": "vi-find", "o": "vi-open-below", "O": "vi-open-above", "J": "vi-join", "|": "vi-column", ".": "vi-repeat",
    "\\e": "vi-escape",
    "p": "vi-put-behind",
    "P": "vi-put-before",
  ]
  let libedits =
    Editor.ViOperator.allCases.map { ($0.rawValue, $0.libedits) }
    + Editor.ViPut.allCases.map { ($0.rawValue, $0.libedits) }
    + [(Editor.viForward, "ed-next-char"), (Editor.viInsert, "vi-insert")]
  for (code, name) in libedits { _ = console_bind_command_mode(editLine, [code, 0], wide(name)) }
  for (key, name) in commands {
    _ = console_bind_command_mode(editLine, wide(key), wide("parley-" + name))
  }
}

/// The lines of `.editrc` (editrc(5)).
private func editingPreferences() -> [String] {
  let environment = ProcessInfo.processInfo.environment
  let path = environment["EDITRC"] ?? environment["HOME"].map { $0 + "/.editrc" } ?? ""
  guard !path.isEmpty, let bytes = FileManager.default.contents(atPath: path) else { return [] }
  return String(decoding: bytes, as: UTF8.self).textLines
    .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty && !$0.hasPrefix("#") }
}

/// Runs one line; true when it put libedit's own keys back, as `bind -v` does.
private func run(_ line: String, on editLine: OpaquePointer) -> Bool {
  guard let tokenizer = tok_winit(nil) else { return false }
  defer { tok_wend(tokenizer) }
  var count: Int32 = 0
  var words: UnsafeMutablePointer<UnsafePointer<EditUnit>?>?
  guard tok_wstr(tokenizer, wide(line), &count, &words) == 0, count > 0 else { return false }
  _ = el_wparse(editLine, count, words)
  let spelled = line.split(whereSeparator: \.isWhitespace)
  return spelled[0].hasSuffix("bind") && (spelled.contains("-v") || spelled.contains("-e"))
}
