import Chat
import Text
import Wire

/// What a server asks the person in the middle of a call (MCP contract, section 5).
extension Toolbox {
  /// The person's answer; without a person it is declined at once.
  mutating func reply(to question: ToolQuestion, of offered: OfferedTool, _ desk: Desk) async -> ToolQuestion.Reply {
    guard desk.options.canAsk else {
      desk.say("\(offered.server.name) asks something, and there is no terminal to ask on: declined", .warning)
      return .decline
    }
    do throws(ShellError) {
      switch question.subject {
      case .form(let fields):
        tell(FormPage.head(question.message, server: offered.server, columns: desk.noticeColumns), desk)
        tell(FormPage.leaving, desk)
        return try await fill(fields, desk)
      case .page(let url):
        return try await showPage(url, question.message, offered.server, desk)
      }
    } catch {
      desk.say("cancelled", .warning)
      return .cancel
    }
  }

  private func tell(_ text: StyledText, _ desk: Desk) { desk.world.terminal.write(text, to: .notices) }

  /// Each field in turn, then all of them once more.
  private func fill(_ fields: [FormField], _ desk: Desk) async throws(ShellError) -> ToolQuestion.Reply {
    // What stands in the brackets: at first what the server suggests, then what was answered.
    var values: [String: JSON] = [:]
    for field in fields { values[field.name] = field.standard }
    while true {
      for (index, field) in fields.enumerated() {
        values[field.name] = try await value(of: field, standard: values[field.name], isFirst: index == 0, desk)
      }
      let answers = fields.compactMap { field in values[field.name].map { JSON.Member(field.name, $0) } }
      tell(FormPage.review(answers, fields), desk)
      switch try await desk.answer(to: .text("send? [y]es, [e]dit, [N]o ", .warning), leavesTypedAhead: true)
        .lowercased()
      {
      case "y", "yes": return .accept(.object(answers))
      case "e", "edit": continue
      default: return .decline
      }
    }
  }

  /// Asks until the value is one that the field takes; Enter takes what stands in the brackets, a dash leaves it out.
  private func value(of field: FormField, standard: JSON?, isFirst: Bool, _ desk: Desk) async throws(ShellError)
    -> JSON?
  {
    tell(FormPage.field(field), desk)
    while true {
      let line = try await desk.answer(to: FormPage.prompt(field, standard), leavesTypedAhead: isFirst)
      if line.isEmpty {
        if let standard { return standard }
        if !field.isRequired { return nil }
        desk.say("it is needed; Ctrl-C leaves the form", .warning)
        continue
      }
      if line == FormPage.leftOut, standard != nil, !field.isRequired { return nil }
      do throws(FormProblem) { return try field.value(line) } catch { desk.say(FormPage.words(error), .warning) }
    }
  }

  /// Nothing is opened without a yes, and nothing but a page of the web.
  private func showPage(
    _ url: String, _ message: String, _ server: ToolServer, _ desk: Desk
  ) async throws(ShellError) -> ToolQuestion.Reply {
    tell(FormPage.head(message, server: server, columns: desk.noticeColumns), desk)
    let address: WebAddress
    do throws(WebAddress.Problem) { address = try WebAddress(url) } catch {
      desk.say(
        "it names a page that no browser should open (\(error.words)): \(Filter.command(url)); declined", .warning)
      return .decline
    }
    tell(FormPage.page(url, at: address), desk)
    guard try await desk.agrees("open this page?", leavesTypedAhead: true) else { return .decline }
    if !desk.world.openBrowser(url) { desk.say("open it in a browser", .plain) }
    return .accept(nil)
  }
}

/// Why a field does not take what was typed.
enum FormProblem: Error, Sendable, Equatable {
  case notANumber, notWhole, notYesOrNo
  case below(Double), above(Double)
  case tooShort(Int), tooLong(Int)
  case notFormatted(String)
  case noChoice(count: Int)
  case tooFew(Int), tooMany(Int)
}

extension FormField {
  /// The value that a line stands for.
  func value(_ line: String) throws(FormProblem) -> JSON {
    switch kind {
    case .text(let shortest, let longest, let format):
      let count = line.unicodeScalars.count
      if let shortest, count < shortest { throw .tooShort(shortest) }
      if let longest, count > longest { throw .tooLong(longest) }
      if let format, !FormField.fits(line, format) { throw .notFormatted(format) }
      return .string(line)
    case .number(let from, let to, let isWhole): return try FormField.number(line, from, to, isWhole: isWhole)
    case .flag:
      switch line.lowercased() {
      case "y", "yes", "true", "on", "1": return true
      case "n", "no", "false", "off", "0": return false
      default: throw .notYesOrNo
      }
    case .choice(let choices): return .string(try FormField.choice(line, choices))
    case .choices(let choices, let fewest, let most):
      var values: [JSON] = []
      for word in line.split(separator: ",") {
        let value = JSON.string(try FormField.choice(String(word).trimmed, choices))
        if !values.contains(value) { values.append(value) }
      }
      if let fewest, values.count < fewest { throw .tooFew(fewest) }
      if let most, values.count > most { throw .tooMany(most) }
      return .array(values)
    }
  }

  private static func number(
    _ line: String, _ from: Double?, _ to: Double?, isWhole: Bool
  ) throws(FormProblem) -> JSON {
    guard let number = Double(line), number.isFinite else { throw .notANumber }
    if let from, number < from { throw .below(from) }
    if let to, number > to { throw .above(to) }
    guard isWhole else { return .double(number) }
    guard let whole = Int(line) ?? Int(exactly: number) else { throw .notWhole }
    return .int(whole)
  }

  /// By its number in the list, its value or its title.
  private static func choice(_ word: String, _ choices: [Choice]) throws(FormProblem) -> String {
    let wanted = word.lowercased()
    if let exact = choices.first(where: { $0.value == word }) { return exact.value }
    if let number = Int(word), number >= 1, number <= choices.count { return choices[number - 1].value }
    let similar = choices.first { $0.value.lowercased() == wanted || $0.title?.lowercased() == wanted }
    guard let similar else { throw .noChoice(count: choices.count) }
    return similar.value
  }

  /// Lightly: the server judges.
  private static func fits(_ text: String, _ format: String) -> Bool {
    switch format {
    case "email":
      let parts = text.split(separator: "@", omittingEmptySubsequences: false)
      return parts.count == 2 && parts.allSatisfy { !$0.isEmpty && !$0.contains(where: \.isWhitespace) }
    case "uri":
      guard let colon = text.firstIndex(of: ":"), text.first?.isLetter == true else { return false }
      return text.index(after: colon) != text.endIndex && !text.contains(where: \.isWhitespace)
    case "date": return text.wholeMatch(of: /\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])/) != nil
    case "date-time":
      return text.wholeMatch(of: /\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(:\d{2}(\.\d+)?)?([Zz]|[+-]\d{2}:\d{2})?/) != nil
    default: return true
    }
  }

  /// Whether a server asks for what no form is a place for.
  var looksSecret: Bool {
    let words = [name, title ?? ""].joined(separator: " ").lowercased()
    return [
      "password", "passwd", "passphrase", "secret", "token", "api key", "api_key", "apikey", "credential", "pin code",
    ]
    .contains(where: words.contains)
  }
}
