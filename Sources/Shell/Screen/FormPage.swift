import Chat
import Text
import Wire

/// A server's question on screen: who asks stands first, and all else is its own words.
enum FormPage {
  static func head(_ message: String, server: ToolServer, columns: Int?) -> StyledText {
    var flow = Wrapper(columns: max(20, (columns ?? 80) - 2))
    let body = flow.feed(Filter.block(message)) + flow.finish()
    let lines = body.lines.map { "| " + $0 }.joined(separator: "\n")
    return .text("tool server '\(server.name)' asks you:\n", .warning) + .text(lines + "\n")
  }

  static let leaving: StyledText = .text("Ctrl-C leaves the form; nothing is sent then\n", .dim)

  /// Typed for nothing at all, where Enter alone is something.
  static let leftOut = "-"

  /// What a field wants.
  static func field(_ field: FormField) -> StyledText {
    var text: StyledText = []
    if field.looksSecret {
      text += .text("This looks like a secret: a form is no place for one. Ctrl-C leaves it.\n", .warning)
    }
    if let summary = field.summary, !summary.isEmpty { text += .text("  " + Filter.inline(summary) + "\n", .dim) }
    for (index, choice) in field.choices.enumerated() {
      let title: SafeText = choice.title.map { $0 == choice.value ? "" : "  " + Filter.inline($0) } ?? ""
      text += .text("  \(index + 1)  " + Filter.inline(choice.value) + title + "\n")
    }
    return text
  }

  /// `Title (a whole number from 1 to 9) [3]: `.
  static func prompt(_ field: FormField, _ standard: JSON?) -> StyledText {
    var text = Filter.inline(field.title ?? field.name, width: 60)
    let notes = [expected(field), field.isRequired ? "" : "optional"].filter { !$0.isEmpty }
    if !notes.isEmpty { text += " (" + notes.joined(separator: ", ") + ")" }
    if let standard {
      text += " [" + shown(standard) + (field.isRequired ? "]" : "; \(leftOut) leaves it out]")
    }
    return .text(text + ": ")
  }

  private static func expected(_ field: FormField) -> SafeText {
    switch field.kind {
    case .text(_, _, let format): format.map { Filter.inline($0, width: 20) } ?? ""
    case .number(let from, let to, let isWhole):
      (isWhole ? "a whole number" : "a number") + (from.map { " from \(number($0))" } ?? "")
        + (to.map { " up to \(number($0))" } ?? "")
    case .flag: "y or n"
    case .choice(let choices): "1 to \(choices.count)"
    case .choices(let choices, _, _): "some of 1 to \(choices.count), with commas"
    }
  }

  private static func number(_ number: Double) -> String { Int(exactly: number).map(String.init) ?? String(number) }

  private static func shown(_ value: JSON) -> SafeText {
    switch value {
    case .string(let text): Filter.command(text)
    case .bool(let flag): flag ? "y" : "n"
    case .array(let values): values.map(shown).joined(separator: ", ")
    default: Filter.command(value.serialized())
    }
  }

  /// What is about to be sent.
  static func review(_ answers: [JSON.Member], _ fields: [FormField]) -> StyledText {
    answers.flatMap { answer -> StyledText in
      .text("  " + Filter.command(answer.key) + ": ", .strong) + .text(Filter.command(answer.value.serialized()) + "\n")
    }
  }

  /// The host stands alone, so that no address can hide it.
  static func page(_ url: String, at address: WebAddress) -> StyledText {
    .text("  host  ", .dim) + .text(Filter.command(address.host) + ", port \(address.port)\n", .strong)
      + .text("  page  ", .dim) + .text(Filter.command(url) + "\n")
  }

  static func words(_ problem: FormProblem) -> SafeText {
    switch problem {
    case .notANumber: "that is not a number"
    case .notWhole: "that is not a whole number"
    case .notYesOrNo: "y or n"
    case .below(let least): "it is at least \(number(least))"
    case .above(let most): "it is at most \(number(most))"
    case .tooShort(let count): "it has at least \(count) characters"
    case .tooLong(let count): "it has at most \(count) characters"
    case .notFormatted(let format): "that is not of the form '\(format)'"
    case .noChoice(let count): "one of the choices, by its number from 1 to \(count) or its name"
    case .tooFew(let count): "at least \(count)"
    case .tooMany(let count): "at most \(count)"
    }
  }
}

extension FormField {
  fileprivate var choices: [Choice] {
    switch kind {
    case .choice(let choices), .choices(let choices, _, _): choices
    default: []
    }
  }
}
