import CTerminal
import Foundation
import Shell
import Text

/// The line editor: libedit has the keys, the commands and the modes; what is seen is drawn by `Painter`.
///
/// libedit's own drawing goes nowhere. It loses its place with text taller than the screen, with combining marks and with
/// characters of no width, and it cannot show a list or a folded paste.
// On the console's thread only.
final class Editor {
  unowned let loop: ConsoleLoop
  let buffer: EditBuffer
  /// What belongs to the line being read.
  var line: EditedLine
  /// The outcome, once there is one: libedit's own answer cannot tell an end from a signal.
  var outcome: LineResult?
  /// The text that Ctrl-K and its like took, for Ctrl-Y.
  var killed: EditText = []
  var afterKill: EditedLine.State?
  /// Text for the line that waits until no line is typed ahead.
  private var postponed = ""
  var vi = ViState()
  /// The pastes of the last lines, which stand folded where those are recalled.
  var pastes: [String] = []
  /// What was looked for last.
  var sought: EditText = []

  let editLine: OpaquePointer
  private let sink: UnsafeMutablePointer<console_sink>
  private var decoder = KeyDecoder()
  /// What libedit gets next: the rest of an escape sequence, or a key put back.
  private var queue: [EditUnit] = []
  private var queueIsSequence = false
  private var editing = ""
  private let acting = TerminalModes.acting
  /// Those of the line that is read.
  var modes: termios?
  private var recallMemory = UnsafeMutableBufferPointer<EditUnit>.allocate(capacity: 1)

  init?(_ loop: ConsoleLoop) {
    self.loop = loop
    sink = .allocate(capacity: 1)
    sink.initialize(to: console_sink())
    guard let nowhere = console_sink_open(sink), let input = fdopen(STDIN_FILENO, "r"),
      let editLine = el_init_fd(
        "parley", input, nowhere, nowhere, STDIN_FILENO, loop.screen.promptDescriptor, STDERR_FILENO)
    else { return nil }
    self.editLine = editLine
    buffer = EditBuffer(editLine: editLine)
    line = EditedLine(LineRequest(prompt: []))
    _ = console_set_owner(editLine, Unmanaged.passUnretained(self).toOpaque())
    _ = console_set_reader(editLine) { editLine, character in
      guard let character, let editor = Editor.owner(of: editLine), let next = editor.nextCharacter() else { return 0 }
      character.pointee = next
      return 1
    }
    console_history(
      editLine,
      { owner, back in
        guard let owner else { return nil }
        return Unmanaged<Editor>.fromOpaque(owner).takeUnretainedValue().recalled(Int(back))
      }, Unmanaged.passUnretained(self).toOpaque())
    addKeyFunctions(to: editLine)
    setModes()
  }

  /// A recalled line for libedit, which reads it before it asks for another.
  private func recalled(_ back: Int) -> UnsafePointer<EditUnit>? {
    guard let line = line.recalled(back) else { return nil }
    recallMemory.deallocate()
    recallMemory = .allocate(capacity: line.count + 1)
    _ = recallMemory.initialize(from: line.filter { $0 != 0 } + [0])
    return UnsafePointer(recallMemory.baseAddress)
  }

  static func owner(of editLine: OpaquePointer?) -> Editor? {
    console_owner(editLine).map { Unmanaged<Editor>.fromOpaque($0).takeUnretainedValue() }
  }

  /// At the prompt every byte is ours, so that a paste may hold any; between prompts libedit leaves the modes of waiting.
  private func setModes() {
    for flag in ["-isig", "-ixon", "-icrnl", "-inlcr", "-igncr", "+noflsh"] {
      _ = console_setty(editLine, wide("-d"), wide(flag))
    }
    for flag in ["-icanon", "-echo", "-iexten", "+noflsh", "+isig", "-icrnl", "-inlcr", "-igncr"] {
      _ = console_setty(editLine, wide("-x"), wide(flag))
    }
  }

  func read(_ request: LineRequest) -> LineResult {
    if request.editing != editing {
      editing = request.editing
      bindKeys(of: editLine, editing: editing)
    }
    loop.takeBack()
    let aside = takeAside(request.typedAhead)
    let request = withInitialText(request)
    // The next prompt may be one for a secret, which has a decoder of its own.
    defer { loop.typed = aside + (decoder.isInPaste ? [] : decoder.takeRest()) + loop.typed }
    line = EditedLine(request)
    outcome = nil
    vi.last.beginLine()
    vi.again = []
    modes = nil
    afterKill = nil
    console_history_rewind()
    queue = request.initial.isEmpty ? [] : [KeyFunction.begin.code]
    queueIsSequence = false

    var count: Int32 = 0
    let text = el_wgets(editLine, &count)
    if outcome == nil, let text, count > 0 {
      // A key that the person bound to libedit's own newline.
      var ended = EditText(zeroTerminated: text, count: Int(count))
      if ended.last == 10 { ended.removeLast() }
      outcome = line.result(line.expanded(ended))
      finish(ended)
    }
    loop.takeBack()
    let result = outcome ?? .end
    if result == .end { loop.screen.leavePrompt() }
    return result
  }

  /// Returns the request with the text to put on the line. If the user has typed the next line already, the text waits
  /// for the prompt after it: it would become the start of that line.
  private func withInitialText(_ request: LineRequest) -> LineRequest {
    guard request.typedAhead == .accepted, !request.isQuestion else { return request }
    var request = request
    if request.initial.isEmpty { request.initial = postponed }
    postponed = ""
    guard !request.initial.isEmpty else { return request }
    loop.keepTyped()
    if loop.typed.contains(0x0D) { swap(&postponed, &request.initial) }
    return request
  }

  /// Removes what was typed before the prompt is drawn, unless the line accepts it.
  /// - Returns: the part that is left for a later prompt.
  private func takeAside(_ typedAhead: LineRequest.TypedAhead) -> [UInt8] {
    switch typedAhead {
    case .accepted: return []
    case .left: return takeTypedAhead()
    case .discarded:
      loop.typed = takeTypedAhead()
      loop.discardTyped()
      return []
    }
  }

  /// Reads the input that was typed before the prompt.
  func takeTypedAhead() -> [UInt8] {
    loop.keepTyped()
    defer { loop.typed = [] }
    // Half a paste ends in this line: it holds no Enter.
    return (decoder.isInPaste ? [] : decoder.takeRest()) + loop.typed
  }

  // What is typed.

  /// The next character for libedit or a modal key function; nil when reading is over.
  func nextCharacter() -> EditUnit? {
    if sink.pointee.cleared {
      loop.screen.clear()
    } else if sink.pointee.rang, queueIsSequence {
      // A sequence that nothing is bound to: the rest of it must not become text.
      queue = []
    }
    if sink.pointee.rang { vi.last.refuse() }
    sink.pointee = console_sink()
    mendViZero()
    while outcome == nil {
      if !queue.isEmpty { return queue.removeFirst() }
      if !vi.again.isEmpty {
        vi.isDoneAgain = true
        let character = vi.again.removeFirst()
        noteForVi(character)
        return character
      }
      queueIsSequence = false
      if let key = decoder.next() {
        vi.isDoneAgain = false
        line.below = []
        if let character = character(for: key) { return character }
      } else {
        fill()
      }
    }
    return nil
  }

  /// Lets go of the rest of an escape sequence.
  func dropSequence() { if queueIsSequence { queue = [] } }

  /// Makes a character be the next one again.
  func putBack(_ character: EditUnit) { queue.insert(character, at: 0) }

  /// Has libedit get these next.
  func enqueue(_ characters: EditText) { queue = characters + queue }

  /// Whether nothing else has come.
  var isAlone: Bool { queue.isEmpty && decoder.isEmpty && loop.typed.isEmpty }

  private func character(for key: Key) -> EditUnit? {
    let isFirst = line.isUntouched
    // Ctrl-L shows the line anew, and is no change of it.
    if case .scalar(0x0C) = key {} else { line.isUntouched = false }
    switch key {
    case .scalar(let scalar):
      if scalar != 0, scalar < 0x80, actsAtOnce(UInt8(scalar)) { return nil }
      line.noteForUndo(state)
      noteForVi(EditUnit(bitPattern: scalar))
      if scalar == 0x2F, isFirst, !line.request.initial.isEmpty { buffer.replaceAll(with: []) }
      return EditUnit(bitPattern: scalar)
    case .sequence(let bytes):
      line.noteForUndo(state)
      // No count goes on behind it.
      vi.keys = []
      vi.last.breakOff()
      // In vi's insert mode an ESC would end the mode before the rest of the sequence is seen.
      if console_is_vi(editLine), let function = KeyFunction.bySequence[bytes] { return function.code }
      queue = bytes.dropFirst().map(EditUnit.init)
      queueIsSequence = true
      return 0x1B
    case .paste(let bytes):
      line.noteForUndo(state, isPaste: true)
      vi.last.breakOff()
      line.pasted = bytes
      return KeyFunction.paste.code
    }
  }

  var state: EditedLine.State { EditedLine.State(text: buffer.text, cursor: buffer.cursor, place: line.place) }

  /// The characters that the terminal itself would act on, had we let it.
  private func actsAtOnce(_ byte: UInt8) -> Bool {
    switch byte {
    case acting.interrupt: interrupted()
    case acting.suspend: Foundation.kill(0, SIGTSTP)
    case acting.quit: Foundation.kill(0, SIGQUIT)
    default: return false
    }
    return true
  }

  /// Waits for more input; the screen is brought up to date first unless more is already there.
  private func fill() {
    if !loop.typed.isEmpty {
      decoder.append(loop.typed)
      loop.typed = []
      return
    }
    loop.waitForForeground()
    if modes == nil, loop.modes.isForeground { modes = loop.modes.current }
    var event = loop.wait(for: [STDIN_FILENO], milliseconds: 0)
    if event == .timeout {
      repaint()
      let waitsForEscape =
        decoder.holdsPossibleReply || decoder.holdsLoneEscape && (line.search != nil || console_is_vi(editLine))
      // Who rouses us has another prompt.
      event = loop.wait(for: [STDIN_FILENO, loop.wakeDescriptor], milliseconds: waitsForEscape ? 50 : nil)
    }
    switch event {
    case .ready:
      take()
      // A mark inside the paste is recognised by what follows it in the same burst.
      while outcome == nil, decoder.holdsPasteEnd, loop.hasTyped(within: 15) { take() }
    case .timeout where decoder.holdsPossibleReply: decoder.takePossibleReplyAsKeys()
    case .timeout:
      if case .scalar(let escape) = decoder.takeLoneEscape() {
        // Before the cursor steps back: what was typed is one step.
        line.noteForUndo(state)
        queue = [EditUnit(bitPattern: escape)]
        vi.keys = []
        vi.last.note(EditUnit(bitPattern: escape))
      }
    case .signal(let signal): receive(signal)
    case .order: break
    }
  }

  private func take() {
    let isOpen = loop.readTyped()
    decoder.append(loop.typed)
    loop.typed = []
    if !isOpen {
      loop.end(SIGHUP)
      outcome = .signal(SIGHUP, draft: line.expanded(buffer.text))
    }
  }
}

/// A string for libedit.
func wide(_ string: String) -> EditText { EditText(string) + [0] }
