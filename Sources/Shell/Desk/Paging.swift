import Glibc
import Text

/// The program that shows what is longer than the screen (docs/screen.md 10).
extension Desk {
  /// As a shell would read it; nil where nothing is paged: nobody reads at a terminal, a script goes on by itself, or a
  /// screen is not to be drawn over.
  var pager: String? {
    let traits = world.terminal.traits
    guard observer == nil, options.canType, options.output == .text, isAtPrompt || isOneCommand,
      traits.outputIsTerminal, traits.redraws
    else { return nil }
    let wanted = (preferences.word("pager") ?? "").trimmed
    let pager = wanted == "auto" ? usualPager : wanted
    // It shows what would be shown without it.
    return ["", "off", "cat"].contains(pager) ? nil : pager
  }

  /// As with git an empty `$PAGER` means none.
  private var usualPager: String {
    if let named = world.environment["PAGER"] { return named.trimmed }
    return isThere("less") ? "less" : ""
  }

  private func isThere(_ program: String) -> Bool {
    if case .success = world.findProgram(program) { true } else { false }
  }

  /// Whether the prompt below a text would move some of it out of sight.
  func isTall(_ text: LongText) -> Bool {
    let traits = world.terminal.traits
    var count = RowCount(columns: traits.columns)
    for piece in text {
      count.add(piece)
      if count.rows >= traits.rows { return true }
    }
    return false
  }

  /// - Returns: why nothing was shown; nil where it was, as far as the person wanted.
  func page(_ text: LongText, by pager: String) async -> SafeText? {
    // What is more than a name is for the shell to read.
    let isName = pager.allSatisfy { $0.isLetter || $0.isNumber || "._-/+".contains($0) }
    if isName, !isThere(pager) { return Wording.pagerFailed(pager, "is not there") }
    // A signal that ends us is to reach the program itself, not a shell before it.
    let command = ChildCommand(
      isName ? [pager] : ["/bin/sh", "-c", pager], variables: pagerVariables, takesScreen: true)
    do throws(ChildError) {
      let end = try await world.terminal.page(text, by: command)
      // One that is left early has failed in nothing.
      return end.status == 0 || end.hasRead || end.status == 128 + SIGINT
        ? nil : Wording.pagerFailed(pager, "failed (exit status \(end.status))")
    } catch {
      guard case .notStarted(_, let reason) = error else { return nil }
      return Wording.pagerFailed(pager, "cannot be started (\(reason))")
    }
  }

  private var pagerVariables: [String: String] {
    // As git has it, where the person has not set them: colours are shown, what fits after all is not held, and what was
    // read stays on the screen.
    var variables = ["LESS": "FRX", "LV": "-c"].filter { name, _ in world.environment[name] == nil }
    // What is read here others wrote: no filter of the person's, made for files of theirs, goes by what it looks like. That
    // is all that happens unasked. LESSSECURE would forbid what the person asks for, and have less pass over Ctrl-Z: the
    // shell that has the terminal then would share the keyboard with it.
    variables["LESSOPEN"] = ""
    // It would keep what was searched for.
    if options.isPrivate { variables["LESSHISTFILE"] = "-" }
    return variables
  }
}
