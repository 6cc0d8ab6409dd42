package import Store
import Text
import Waiting

/// What a run is to the person: the world it is in, what was asked of it, and what was said so far.
///
/// Everybody who says or asks something is lent it.
package struct Desk {
  package let world: World
  package let options: RunOptions
  /// Who answers a yes-or-no question, whatever lines are being run.
  package let person: any LineSource
  /// Who is told in values what happens; nil where the terminal is all there is.
  let observer: (any TurnObserver)?
  package var preferences: Preferences
  /// The names of the commands, as hints mention them.
  let commands: Set<String>
  /// Those of them that need a person at a prompt.
  let promptCommands: Set<String>
  /// The first failure of a run that is not interactive.
  var failure: ExitStatus?
  /// What was said in this run and is not said again.
  var said: Set<String> = []
  /// What the run is for; it ends with that.
  var purpose = Purpose.lines
  /// Whether what the line did last was to read an answer.
  var isAnswering = false
  /// Whether a sign-in is wanted and has not succeeded.
  var lacksSignIn = false
  /// Whether the next prompt discards what was typed before it: an answer to a sign-in that has just failed.
  var discardsTypedAhead = false
  /// How the last command of `notify` ended that failed, until it is said.
  let notifyFailure = Locked(Int32?.none)
  /// Set when a switch failed in a script: all scripts that run each other end (setting on-error).
  var endsScripts = false
  /// How many scripts run each other.
  var scriptDepth = 0
  /// Where the line of a script stands that is being run, as its failures say it.
  var place: SafeText = ""

  enum Purpose { case lines, oneCommand, oneMessage }

  init(
    world: World, options: RunOptions, person: any LineSource, observer: (any TurnObserver)?, preferences: Preferences,
    commands: Set<String>, promptCommands: Set<String>
  ) {
    self.promptCommands = promptCommands
    self.observer = observer
    self.world = world
    self.options = options
    self.person = person
    self.preferences = preferences
    self.commands = commands
  }

  /// Whether the line is a command from outside that has the run to itself, and not a script's.
  var isOneCommand: Bool { purpose == .oneCommand && scriptDepth == 0 }

  /// Whether the line that is being run was typed at a prompt.
  var isAtPrompt: Bool { options.isInteractive && scriptDepth == 0 }
}

/// How wide things are, and how they are shown.
extension Desk {
  /// Cells to wrap at, where standard output is a terminal.
  var wrapColumns: Int? {
    let traits = world.terminal.traits
    return traits.outputIsTerminal ? traits.columns : nil
  }

  /// Cells to wrap at, where notices go to a terminal.
  var noticeColumns: Int? {
    let traits = world.terminal.traits
    return traits.noticesAreTerminal ? traits.columns : nil
  }

  /// Whether answers are shown as their Markdown means, and not as it is written.
  var rendersMarkdown: Bool {
    let traits = world.terminal.traits
    guard traits.outputIsTerminal else { return false }
    return switch preferences.word("render") {
    case "plain": false
    case "markdown": true
    default: traits.redraws || traits.isSpoken
    }
  }

  /// How they are, where they are.
  var markdownLook: MarkdownLook? { rendersMarkdown ? world.terminal.traits.look : nil }

  var marks: ToolMarks {
    preferences.flag("accessible") || !world.terminal.traits.showsSigns ? .words : .signs
  }

  /// The character that bars are made of; nil where bars are left out, because a screen reader reads each character.
  var barSign: SafeText? {
    if world.terminal.traits.isSpoken || preferences.flag("accessible") { return nil }
    return world.terminal.traits.showsSigns ? "█" : "#"
  }

  /// How what the model thinks is shown; nil when it is not.
  var reasoningStyle: Style? {
    if options.isQuiet { return nil }
    return switch preferences.reasoning {
    case "hide", "fold": nil
    case "show": .plain
    default: .dim
    }
  }

  /// The person's editor, as a shell would read it.
  var editor: String {
    for name in ["VISUAL", "EDITOR"] {
      if let editor = world.environment[name], !editor.isEmpty { return editor }
    }
    return preferences.editor ?? "vi"
  }
}
