import CTerminal
import Chat
import Foundation
import Shell
import Text
import Waiting

/// The one place that writes to standard output and standard error. What passes (a status line, the line being typed)
/// makes way for what stays.
// Everything that changes is reached under the lock.
final class Screen: @unchecked Sendable {
  let outputIsTerminal: Bool
  let noticesAreTerminal: Bool
  /// Under a lock of its own, for it is also read under the other.
  private let look: Locked<ConsoleOptions>
  private let lock = NSLock()
  private var painter: Painter
  private var codes: StyleCodes
  /// The end of an answer while it grows.
  private var drafted = DraftPainter()
  /// Whether the last draft was left on the screen when the window became narrower.
  private var hasLeftDraft = false
  private var showsStatus = false
  private var column = Column.start
  private var outputFailure: String?
  private var readerGone: (@Sendable () -> Void)?

  private enum Column { case start, middle, unknown }

  init(_ options: ConsoleOptions) {
    look = Locked(options)
    painter = Painter(options.palette)
    codes = StyleCodes(options.palette)
    outputIsTerminal = isatty(STDOUT_FILENO) == 1
    noticesAreTerminal = isatty(STDERR_FILENO) == 1
  }

  var options: ConsoleOptions { look.withLock { $0 } }

  /// Shows what comes from now on in another way.
  func look(like options: ConsoleOptions) {
    look.withLock { $0 = options }
    lock.withLock {
      painter.palette = options.palette
      codes = StyleCodes(options.palette)
    }
  }

  /// Why standard output could not be written, once it could not.
  var whyOutputFailed: String? { lock.withLock { outputFailure } ?? whyClosingFails }

  /// Returns the error that closing standard output would report if it is a file: a network file system reports only then
  /// that it is full. A duplicate of the descriptor is closed.
  private var whyClosingFails: String? {
    var facts = stat()
    guard fstat(STDOUT_FILENO, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
    let other = dup(STDOUT_FILENO)
    guard other >= 0, close(other) != 0, errno != EINTR else { return nil }
    return String(cString: strerror(errno))
  }

  /// Calls `action` once, when the first write finds that nobody reads standard output any more.
  func whenReaderGoes(_ action: @escaping @Sendable () -> Void) { lock.withLock { readerGone = action } }

  /// Where the line being typed is drawn.
  var promptDescriptor: Int32 { outputIsTerminal ? STDOUT_FILENO : STDERR_FILENO }

  var size: (rows: Int, columns: Int) {
    var rows: Int32 = 24
    var columns: Int32 = 80
    for descriptor in [promptDescriptor, STDERR_FILENO, STDIN_FILENO]
    where console_size(descriptor, &rows, &columns) { break }
    return (Int(rows), Int(columns))
  }

  func write(_ text: StyledText, to channel: Channel) {
    let isTerminal = channel == .output ? outputIsTerminal : noticesAreTerminal
    let bytes = text.bytes(
      inColour: options.colour && isTerminal, palette: options.palette,
      signs: options.signs || channel == .output && !isTerminal,
      links: options.links && isTerminal)
    guard !bytes.isEmpty else { return }
    let descriptor = channel == .output ? STDOUT_FILENO : STDERR_FILENO
    let failure = lock.withLock { () -> Int32? in
      guard isTerminal else { return put(bytes, to: descriptor) }
      return aboveTyped {
        column = text.string.last == "\n" ? .start : .middle
        return put(bytes, to: descriptor)
      }
    }
    if let failure { closed(failure, channel) }
  }

  /// What a program is given that shows it on this terminal: nothing but characters, their styles and line ends, for not
  /// every one knows links.
  func bytes(of text: StyledText) -> [UInt8] {
    text.bytes(inColour: options.colour && outputIsTerminal, palette: options.palette, signs: options.signs)
  }

  /// Whether images may be drawn now.
  var drawsImages: Bool { options.images != nil && outputIsTerminal }

  /// Draws an image on lines of its own, where the terminal can (docs/screen.md 8).
  func show(_ image: CheckedImage) {
    guard let images = options.images, drawsImages, !TerminalModes().isBackground else { return }
    let size = size
    var cell: (width: Int32, height: Int32) = (0, 0)
    _ = console_cell_size(STDOUT_FILENO, &cell.width, &cell.height)
    guard
      let extent = ImageExtent(
        image.size, on: (size.columns, size.rows), cell: (Int(cell.width), Int(cell.height))),
      let bytes = images.bytes(drawing: image, over: extent)
    else { return }
    let failure = lock.withLock {
      aboveTyped {
        startLine()
        return put(bytes, to: STDOUT_FILENO)
      }
    }
    if let failure { closed(failure, .output) }
  }

  /// Takes away what passes, and draws the line being typed again below what was written. The lock is held.
  private func aboveTyped(_ write: () -> Int32?) -> Int32? {
    clearStatus()
    if drafted.isShowing {
      put(drafted.erase(), to: promptDescriptor)
      column = .start
    }
    let typed = painter
    if painter.isShowing {
      put(painter.erase(), to: promptDescriptor)
      column = .start
    }
    let failure = write()
    if typed.isShowing {
      startLine()
      var typed = typed
      put(typed.again(), to: promptDescriptor)
      painter = typed
    }
    return failure
  }

  func status(_ text: StyledText?) {
    // A job in the background would write over the line of whoever has the terminal.
    guard noticesAreTerminal, options.redraws, !TerminalModes().isBackground else { return }
    lock.withLock {
      // On a line that has text already it would take that text away.
      guard let text, !painter.isShowing, !drafted.isShowing, column != .middle else { return clearStatus() }
      var room = size.columns - 1
      var shown: StyledText = []
      for span in text where room > 0 {
        let words = span.text.cut(to: room)
        room -= words.cells
        shown.append(Span(words, span.style))
      }
      // Written over the one before, so that nothing flickers.
      put(
        Array("\r".utf8) + shown.bytes(inColour: options.colour, palette: options.palette, signs: options.signs)
          + Array("\u{1B}[K".utf8),
        to: STDERR_FILENO)
      showsStatus = true
    }
  }

  /// Writes lines that stay, and below them the end of the answer as it is so far.
  /// - Returns: false if it wrote nothing, because the draft before was left on the screen.
  func draw(_ finished: StyledLines, draft: StyledLines) -> Bool {
    let size = size
    let (isDrawn, failure) = lock.withLock { () -> (Bool, Int32?) in
      clearStatus()
      // The signal of the new size may come later.
      if drafted.isShowing, drafted.columns != size.columns { resizeDraft(to: size.columns) }
      if hasLeftDraft {
        hasLeftDraft = false
        return (false, nil)
      }
      if !drafted.isShowing { startLine() }
      let isHidden = TerminalModes().isBackground
      let bytes = drafted.show(
        rows(of: finished), draft: isHidden ? [] : rows(of: draft), columns: size.columns, height: size.rows)
      column = drafted.isShowing ? .middle : .start
      return (true, bytes.isEmpty ? nil : put(bytes, to: STDOUT_FILENO))
    }
    if let failure { closed(failure, .output) }
    return isDrawn
  }

  private func resizeDraft(to columns: Int) {
    let (bytes, isLeft) = drafted.resize(to: columns, reflows: Self.reflows)
    put(bytes, to: promptDescriptor)
    column = .start
    hasLeftDraft = isLeft
  }

  private func rows(of lines: StyledLines) -> [DraftPainter.Row] {
    lines.rows(inColour: options.colour, codes: codes, signs: options.signs, links: options.links)
  }

  // What follows is for the line editor.

  func paint(_ layout: Layout) {
    lock.withLock {
      clearStatus()
      if !painter.isShowing { startLine() }
      let size = size
      put(plain(painter.paint(layout, columns: size.columns, height: size.rows)), to: promptDescriptor)
    }
  }

  func finishPrompt(_ layout: Layout) {
    lock.withLock {
      put(plain(painter.finish(layout)), to: promptDescriptor)
      column = .start
    }
  }

  /// What was laid out keeps its width where `…` cannot be shown.
  private func plain(_ bytes: [UInt8]) -> [UInt8] {
    options.signs ? bytes : Array(String(decoding: bytes, as: UTF8.self).replacing("…", with: "~").utf8)
  }

  /// Leaves the line being typed where it is and goes below it, and takes away a status.
  func leavePrompt() {
    lock.withLock(leaveEverything)
  }

  /// Ends the process with the terminal as it was found.
  func leave(_ status: Int32) -> Never {
    // Another thread may be stuck in a write for ever.
    if lock.lock(before: Date(timeIntervalSinceNow: 0.1)) {
      if drafted.isShowing {
        put(drafted.leave(), to: promptDescriptor)
        column = .start
      }
      leaveEverything()
      if column == .middle, outputIsTerminal { startLine() }
    }
    console_restore()
    _exit(status)
  }

  func resized() {
    lock.withLock { () -> Void in
      if drafted.isShowing { resizeDraft(to: size.columns) }
      put(painter.eraseAfterResize(to: size.columns, reflows: Self.reflows), to: promptDescriptor)
    }
  }

  func clear() {
    lock.withLock {
      put(Array("\u{1B}[H\u{1B}[2J".utf8), to: promptDescriptor)
      painter.forget()
      drafted.forget()
      showsStatus = false
      column = .start
    }
  }

  /// Takes the screen back from a program that was killed while it had all of it: the usual buffer, a cursor that is seen,
  /// no mouse, no paste marks, plain keys and plain letters (xterm's control sequences).
  /// - Parameters:
  ///   - isAlternate: whether the other buffer may be shown.
  ///   - changesKeys: whether keys may come in another form.
  func reclaim(isAlternate: Bool = true, changesKeys: Bool = false) {
    lock.withLock {
      // Outside of the other buffer, to leave it would move the cursor to a place of long ago.
      let modes = ((isAlternate ? ["1049"] : []) + Screen.leftModes).map { "\u{1B}[?\($0)l" }.joined()
      // xterm's modifyOtherKeys, and all that kitty's protocol has put on the stack that each buffer has.
      let keys = changesKeys ? "\u{1B}[>4m\u{1B}[<99u\u{1B}[=0u" : ""
      // The region that scrolls, which alone would move the cursor; then cursor keys, the keypad, letters, insertion,
      // wrapping, and the cursor's own form.
      let rest =
        "\u{1B}7\u{1B}[r\u{1B}8\u{1B}[?25h\u{1B}[?7h\u{1B}[?1l\u{1B}>\u{0F}\u{1B}(B\u{1B}[4l\u{1B}[0m\u{1B}[0 q"
      put(Array((keys + modes + keys + rest).utf8), to: promptDescriptor)
    }
  }

  /// DEC private modes that are taken back: the mouse in all its forms, focus, pastes, an update held back.
  private static let leftModes = [
    "5", "9", "69", "1000", "1001", "1002", "1003", "1004", "1005", "1006", "1015", "1016", "2004", "2026",
  ]

  /// Has the screen as a program left it that goes on with it.
  func resume(isAlternate: Bool, marksPastes: Bool) {
    let modes = (isAlternate ? "\u{1B}[?1049h" : "") + (marksPastes ? "\u{1B}[?2004h" : "")
    if !modes.isEmpty { pass(Array(modes.utf8)) }
  }

  /// Bytes of a terminal elsewhere that the person has this one lent to, as they are.
  func pass(_ bytes: [UInt8]) {
    lock.withLock { () -> Void in put(bytes, to: promptDescriptor) }
  }

  /// A line of ours among them. The terminal is raw: a line feed alone goes straight down.
  func remark(_ text: StyledText) {
    let bytes = text.bytes(inColour: options.colour, palette: options.palette, signs: options.signs)
    pass(Array("\u{1B}[0m\r\n".utf8) + bytes + Array("\r\n".utf8))
  }

  /// Somebody else has written to the terminal.
  func wasLent() {
    lock.withLock {
      painter.forget()
      drafted.forget()
      column = .unknown
    }
  }

  /// What comes next begins a line, wherever the cursor was left.
  func beginLine() { lock.withLock(startLine) }

  /// The terminal itself has shown what was typed, with its newline.
  func wasEchoed() {
    lock.withLock { column = .start }
  }

  /// Codes that change how the terminal behaves, not what it shows.
  func tell(_ codes: String) {
    lock.withLock { () -> Void in put(Array(codes.utf8), to: promptDescriptor) }
  }

  /// xterm, GNU screen and the Linux console cut lines when they get narrower; all others break them anew.
  private static let reflows = {
    let environment = ProcessInfo.processInfo.environment
    return environment["XTERM_VERSION"] == nil && environment["STY"] == nil && environment["TERM"] != "linux"
  }()

  private func leaveEverything() {
    clearStatus()
    if drafted.isShowing {
      put(drafted.erase(), to: promptDescriptor)
      column = .start
    }
    guard painter.isShowing else { return }
    put(painter.leave(), to: promptDescriptor)
    column = .start
  }

  private func clearStatus() {
    guard showsStatus else { return }
    showsStatus = false
    put(Array("\r\u{1B}[K".utf8), to: STDERR_FILENO)
  }

  private func startLine() {
    switch column {
    case .start: break
    case .middle: put(Array("\r\n".utf8), to: promptDescriptor)
    case .unknown:
      // One cell less than a line: on a started line this goes on to the next one, on an empty line it stays.
      let blank = String(repeating: " ", count: max(0, size.columns - 1))
      put(Array((blank + "\r\u{1B}[K").utf8), to: promptDescriptor)
    }
    column = .start
  }

  private func closed(_ failure: Int32, _ channel: Channel) {
    switch (failure, channel) {
    case (EPIPE, .output): lock.withLock { readerGone.take() }?()
    // The terminal is gone, whether its signal came or not.
    case (EIO, .output) where outputIsTerminal, (EIO, .notices) where noticesAreTerminal: kill(getpid(), SIGHUP)
    // A full disk, a closed descriptor.
    case (_, .output): lock.withLock { outputFailure = outputFailure ?? String(cString: strerror(failure)) }
    // Nobody is left to tell.
    default: break
    }
  }

  /// All bytes, in as few writes as the system allows; the error number if it fails.
  @discardableResult
  private func put(_ bytes: [UInt8], to descriptor: Int32) -> Int32? {
    bytes.withUnsafeBytes { buffer in
      var rest = buffer[...]
      while !rest.isEmpty {
        let count = Foundation.write(descriptor, rest.baseAddress, rest.count)
        if count >= 0 {
          rest = rest.dropFirst(count)
        } else if errno == EAGAIN {
          var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
          poll(&waiting, 1, -1)
        } else if errno != EINTR {
          return errno
        }
      }
      return nil
    }
  }
}

extension Slice<UnsafeRawBufferPointer> {
  fileprivate var baseAddress: UnsafeRawPointer? { base.baseAddress.map { $0 + startIndex } }
}
