import Chat
import Text
import Wire

/// What a server asks the person in the middle of a call (docs/mcp.md 5).
extension Toolbox {
  /// The person's answer; without a person it is declined at once.
  mutating func reply(to question: ToolQuestion, of server: ToolServer, _ desk: Desk) async -> ToolQuestion.Reply {
    guard desk.options.canType else {
      desk.say("\(server.name) asks something, and there is no terminal to ask on: declined", .warning)
      return .decline
    }
    do throws(ShellError) {
      switch question.subject {
      case .form(let fields):
        tell(FormPage.head(question.message, server: server, columns: desk.noticeColumns), desk)
        tell(FormPage.leaving, desk)
        return try await fill(fields, desk)
      case .page(let url):
        return try await showPage(url, question.message, server, desk)
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
      switch try await desk.answer(to: .text("send? [y]es, [e]dit, [N]o ", .warning))
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
      // The form is on the screen by its second field, and all values are shown again before they are sent.
      let line = try await desk.answer(
        to: FormPage.prompt(field, standard), isOneLine: false, typedAhead: isFirst ? .left : .accepted)
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
    guard try await desk.agrees("open this page?") else { return .decline }
    if !desk.world.openBrowser(url) { desk.say("open it in a browser", .plain) }
    return .accept(nil)
  }
}
