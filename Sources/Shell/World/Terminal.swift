package import Chat
package import Store
package import Text

/// What the person sees. A protocol because the process ends here.
package protocol Terminal: Sendable {
  /// What standard output and standard error are now; the width is measured anew at each call.
  var traits: TerminalTraits { get }

  /// Writes at once. Styles and safe text become bytes here and nowhere else.
  func write(_ text: StyledText, to channel: Channel)

  /// Writes lines of an answer that stay to standard output, and below them, where the person has not asked for no
  /// redrawing, those at its end that may still change: the next call replaces them, and whatever else is written takes
  /// them away.
  /// - Returns: false if it wrote nothing, because the earlier draft has to stay where it is: the window became narrower, and
  ///   the terminal broke its lines anew.
  func draw(_ finished: StyledLines, draft: StyledLines) -> Bool

  /// Draws an image below what was written to standard output, where a person's terminal can and may; what it is has been
  /// said in words.
  func show(_ image: CheckedImage)

  /// Shows one passing line on standard error, in place of the one before; nil takes it away. Does nothing when
  /// standard error is not a terminal or the person asked for no redrawing.
  func status(_ text: StyledText?)

  /// Makes the terminal call somebody who looks elsewhere.
  func call(_ sign: Attention)

  /// Has the terminal put a text on the clipboard (OSC 52); whether it is one that may. Whether it did, no terminal says.
  func putOnClipboard(_ text: SafeText) -> Bool

  /// The settings have changed: what is shown from now on looks as they say (`color`, `theme`, `accessible`).
  func follow(_ preferences: Preferences)

  /// A line that is being typed is drawn again, with the prompt of `LineRequest.promptNow`.
  func promptChanged()

  /// Calls `action` for each Ctrl-C or ending signal until it is set to nil. Without an action an interrupt between
  /// prompts is kept a second for the next action, and for the next question, never for a prompt; an ending signal for
  /// the next action, `LineSource.next` to return and `endingSignal` to tell.
  func whenInterrupted(_ action: (@Sendable (Interruption) -> Void)?)

  /// SIGTERM or SIGHUP once one has come.
  var endingSignal: Int32? { get }

  /// Why standard output could not be written, once it could not; a reader that went away is an ending signal.
  var outputFailure: String? { get }

  /// Lends the terminal to a child process that is waited for; its exit status as a shell counts it (128 + signal).
  /// With `captureLimit`, its standard output and error are shown and also returned, cut to the last so many bytes.
  func run(_ command: ChildCommand, captureLimit: Int?) async throws(ChildError) -> (status: Int32, output: [UInt8])

  /// Lends the terminal to a child process that shows a text, which is made as that reads it.
  func page(_ text: LongText, by command: ChildCommand) async throws(ChildError) -> PagerEnd

  /// Starts a child process that has nothing of the terminal, is not waited for, and outlives the program.
  /// - Parameter ended: told of its exit status, while the program is still there.
  func start(_ command: ChildCommand, ended: @escaping @Sendable (Int32) -> Void) throws(ChildError)

  /// Lends the terminal to one elsewhere: keys go there and its bytes to the screen, both as they are, until the person
  /// types `~.` on a line of its own or it ends. Modes and screen are as before then, whatever was done to them.
  /// - Parameter saying: what the person is told of a notice that is no output, in a line; nil for nothing.
  func attach(
    _ line: any TerminalLine, saying: @escaping @Sendable (TerminalNotice) -> StyledText?
  ) async throws(TerminalError) -> AttachEnd
}

extension Terminal {
  /// For what looks always the same.
  package func follow(_ preferences: Preferences) {}

  /// For what draws no prompt.
  package func promptChanged() {}

  /// For what cannot draw.
  package func show(_ image: CheckedImage) {}

  /// For what starts nothing.
  package func start(_ command: ChildCommand, ended: @escaping @Sendable (Int32) -> Void) throws(ChildError) {
    throw .notStarted(program: command.arguments.first ?? "", reason: "nothing is started here")
  }

  /// For what is no terminal of a person's.
  package func page(_ text: LongText, by command: ChildCommand) async throws(ChildError) -> PagerEnd {
    throw .notStarted(program: command.arguments.first ?? "", reason: "nothing is started here")
  }

  /// For what cannot call anybody.
  package func call(_ sign: Attention) {}

  /// For what has no clipboard.
  package func putOnClipboard(_ text: SafeText) -> Bool { false }

  /// For what takes nothing back.
  package func draw(_ finished: StyledLines, draft: StyledLines) -> Bool {
    if !finished.isEmpty { write(finished.spans.flatMap { $0 + .text("\n") }, to: .output) }
    return true
  }

  /// For what is no terminal of a person's.
  package func attach(
    _ line: any TerminalLine, saying: @escaping @Sendable (TerminalNotice) -> StyledText?
  ) async throws(TerminalError) -> AttachEnd {
    throw .failed("there is no terminal here to use it on")
  }
}

/// How a terminal calls somebody.
package enum Attention: Sendable, Equatable {
  case bell
  /// A line that the desktop shows (OSC 9), where the terminal has it do so.
  case message(SafeText)
}

/// How a person left a terminal that they were attached to.
package enum AttachEnd: Sendable, Equatable {
  case detached
  /// Its shell ended. - Parameter status: the exit status, where the server tells it.
  case ended(status: Int?)
  /// An ending signal came.
  case signal(Int32)
}

/// Standard output carries answers and requested data; standard error everything else (docs/shell.md 1).
package enum Channel: Sendable { case output, notices }

package struct TerminalTraits: Sendable, Equatable {
  package var outputIsTerminal: Bool
  package var noticesAreTerminal: Bool
  /// Cells in a line; 80 where there is no terminal to ask.
  package var columns: Int
  /// Lines of the screen; 24 where there is no terminal to ask.
  package var rows: Int
  /// Whether signs beyond ASCII can be shown.
  package var showsSigns: Bool
  /// Whether bold, dim and coloured text can be told from plain text.
  package var hasStyles: Bool
  /// Whether what stands on the screen may be replaced.
  package var redraws: Bool
  /// Whether a screen reader speaks what is shown.
  package var isSpoken: Bool
  /// Whether images are drawn; what cannot be drawn is not worth decoding.
  package var drawsImages: Bool

  package init(
    outputIsTerminal: Bool, noticesAreTerminal: Bool, columns: Int, rows: Int = 24, showsSigns: Bool = true,
    hasStyles: Bool = true, redraws: Bool = true, isSpoken: Bool = false, drawsImages: Bool = false
  ) {
    self.hasStyles = hasStyles
    self.redraws = redraws
    self.isSpoken = isSpoken
    self.drawsImages = drawsImages
    self.showsSigns = showsSigns
    self.outputIsTerminal = outputIsTerminal
    self.noticesAreTerminal = noticesAreTerminal
    self.columns = columns
    self.rows = rows
  }
}

/// Something travels against the stream.
package enum Interruption: Sendable, Equatable {
  /// Ctrl-C, or SIGINT.
  case interrupt
  /// SIGTERM or SIGHUP: keep what there is and leave.
  case end(signal: Int32)
}

/// A child process: argv, and what is added to a scrubbed environment.
package struct ChildCommand: Sendable, Equatable {
  package var arguments: [String]
  package var variables: [String: String]
  /// Whether it takes the whole screen: where it is killed, somebody has to give that back.
  package var takesScreen: Bool
  /// What it reads from its standard input, which is the terminal's without it.
  package var input: [UInt8]?

  package init(
    _ arguments: [String], variables: [String: String] = [:], takesScreen: Bool = false, input: [UInt8]? = nil
  ) {
    self.input = input
    self.arguments = arguments
    self.variables = variables
    self.takesScreen = takesScreen
  }
}

package enum ChildError: Error, Sendable, Equatable {
  case notStarted(program: String, reason: String)
}
