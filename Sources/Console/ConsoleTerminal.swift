import CTerminal
package import Chat
import Foundation
package import Shell
package import Store
package import Text

/// The real terminal. One to a process: it owns the signals that `hardenProcess` blocked.
package final class ConsoleTerminal: Terminal {
  let loop: ConsoleLoop
  private let look: (@Sendable (Preferences) -> ConsoleOptions)?

  /// - Parameter look: what other settings make of the options; nil where none are changed.
  package init(_ options: ConsoleOptions, look: (@Sendable (Preferences) -> ConsoleOptions)? = nil) {
    self.look = look
    loop = ConsoleLoop(options)
    loop.start()
  }

  package func follow(_ preferences: Preferences) {
    if let options = look?(preferences) { loop.screen.look(like: options) }
  }

  package var traits: TerminalTraits {
    let size = loop.screen.size
    return TerminalTraits(
      outputIsTerminal: loop.screen.outputIsTerminal, noticesAreTerminal: loop.screen.noticesAreTerminal,
      columns: size.columns, rows: size.rows, showsSigns: loop.screen.options.signs,
      hasStyles: loop.screen.options.colour, redraws: loop.screen.options.redraws,
      isSpoken: loop.screen.options.isSpoken, drawsImages: loop.screen.drawsImages)
  }

  package func write(_ text: StyledText, to channel: Channel) { loop.screen.write(text, to: channel) }

  package func draw(_ finished: StyledLines, draft: StyledLines) -> Bool { loop.screen.draw(finished, draft: draft) }

  package func show(_ image: CheckedImage) { loop.screen.show(image) }

  package func call(_ sign: Attention) {
    guard loop.screen.noticesAreTerminal || loop.screen.outputIsTerminal else { return }
    switch sign {
    case .bell: loop.screen.tell("\u{07}")
    case .message(let text): loop.screen.tell("\u{1B}]9;\(text.string)\u{07}")
    }
  }

  package func putOnClipboard(_ text: SafeText) -> Bool {
    guard loop.screen.noticesAreTerminal || loop.screen.outputIsTerminal else { return false }
    guard let command = Clipboard.command(for: text.string, environment: ProcessInfo.processInfo.environment) else {
      return false
    }
    loop.screen.tell(command)
    return true
  }

  package func promptChanged() { loop.rouse() }

  package func status(_ text: StyledText?) { loop.screen.status(text) }

  package func whenInterrupted(_ action: (@Sendable (Interruption) -> Void)?) { loop.whenInterrupted(action) }

  package var outputFailure: String? { loop.screen.whyOutputFailed }

  package var endingSignal: Int32? { loop.endingSignal }

  package func run(
    _ command: ChildCommand, captureLimit: Int?
  ) async throws(ChildError) -> (status: Int32, output: [UInt8]) {
    let result = await withCheckedContinuation { loop.post(.child(command, captureLimit: captureLimit, $0)) }
    let end = try result.get()
    return (end.status, end.output)
  }

  package func page(_ text: LongText, by command: ChildCommand) async throws(ChildError) -> PagerEnd {
    try await withCheckedContinuation { loop.post(.page(text, command, $0)) }.get()
  }
}

extension ConsoleTerminal {
  package func attach(
    _ line: any TerminalLine, saying: @escaping @Sendable (TerminalNotice) -> StyledText?
  ) async throws(TerminalError) -> AttachEnd {
    let attachment = Attachment(line, loop, saying)
    let left = await withCheckedContinuation { loop.post(.attach(attachment, $0)) }
    await attachment.finish()
    if let left { return left }
    return try attachment.end?.get() ?? .detached
  }
}

/// Lines typed at the terminal, with editing, recall, completion and paste.
package struct LineEditor: LineSource {
  private let terminal: ConsoleTerminal

  package init(_ terminal: ConsoleTerminal) { self.terminal = terminal }

  package func next(_ request: LineRequest) async -> LineResult {
    await withCheckedContinuation { terminal.loop.post(.line(request, $0)) }
  }
}
