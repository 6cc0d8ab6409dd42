import Shell
import Store

/// `parley(1)`, from the tables of the program.
package enum ManPage {
  package static var text: String {
    var page = Roff()
    page.line(".\\\" Written by generate-docs; change the tables and run `make docs`.")
    page.line(".TH PARLEY 1 \(Options.date) \"parley \(Options.version)\" \"User Commands\"")
    name(&page)
    options(&page)
    commands(&page)
    settings(&page)
    topics(&page)
    ending(&page)
    return page.text
  }

  private static func name(_ page: inout Roff) {
    page.section("NAME")
    page.line("parley \\- \(Roff.escaped(Options.summary))")
    page.section("SYNOPSIS")
    for (index, form) in CommandLineHelp.forms.enumerated() {
      if index > 0 { page.line(".br") }
      page.line(Roff.usage(form.usage))
    }
    page.section("DESCRIPTION")
    page.prose(
      """
      parley is a line-oriented shell for talking with AI servers that you run yourself: Kamiwaza \
      platforms, and those that speak the OpenAI API, such as llama.cpp, vLLM, Ollama, LM Studio and LiteLLM.
      """)
    page.paragraph(
      """
      On a terminal and without words it is a shell: a line is a message, or a command when it begins with \
      a slash. With words it sends one message, prints the answer on standard output and exits. Standard \
      input, when it is a file or a pipe, is the message, or follows the words in a fenced block. A pipe \
      that stays silent for two seconds beside words is left alone.
      """)
    page.paragraph(
      """
      Standard output carries the answer or the data asked for and nothing else; progress, reasoning, \
      notices and errors go to standard error. Each session is kept in a local history.
      """)
    for form in CommandLineHelp.forms { page.entry(Roff.usage(form.usage), "\(form.summary).") }
  }

  private static func options(_ page: inout Roff) {
    page.section("OPTIONS")
    for group in OptionRow.groups {
      page.subsection(group.title)
      for option in OptionRow.group(group.keys) {
        let names = option.names.map { "\\fB\(Roff.escaped($0))\\fP" }.joined(separator: ", ")
        page.entry(names + (option.value.map { " \\fI\(Roff.escaped($0))\\fP" } ?? ""), option.summary)
      }
    }
  }

  private static func commands(_ page: inout Roff) {
    page.section("COMMANDS")
    page.prose(
      """
      A command is its name, an alias, or the start of the name when it is unambiguous. Each also works on \
      the command line, as in parley /models. Listing commands print a table on a terminal, tab-separated \
      rows in a pipe, and an array of objects with --json at their end.
      """)
    for topic in Command.Topic.allCases {
      page.subsection(topic.rawValue)
      for command in Commands.all where command.topic == topic {
        for form in command.forms {
          let summary = form.summary.isEmpty ? command.summary : form.summary
          page.entry(Roff.usage("/\(command.name) \(form.usage)").trimmed, sentence(summary))
        }
        for flag in command.flags {
          page.entry(Roff.usage("/\(command.name) … \(flag.usage)"), sentence(flag.summary))
        }
        let also =
          command.aliases.isEmpty ? [] : ["Also " + command.aliases.map { "/\($0)" }.joined(separator: ", ") + "."]
        let details = ([command.details] + also).filter { !$0.isEmpty }.joined(separator: " ")
        if !details.isEmpty {
          page.line(".IP")
          page.prose(details)
        }
      }
    }
  }

  private static func settings(_ page: inout Roff) {
    page.section("SETTINGS")
    page.prose("/settings KEY VALUE keeps a setting in preferences.json; --set KEY=VALUE holds for one run.")
    for setting in Setting.all {
      page.entry(
        "\\fB\(Roff.escaped(setting.key))\\fP",
        "\(sentence(setting.summary)) Takes \(setting.accepted). Default: \(setting.standard.text)"
          + (setting.details.isEmpty ? "" : ". " + setting.details))
    }
  }

  private static func topics(_ page: inout Roff) {
    for topic in Topics.all {
      // man(7) has a name for it.
      section(topic.name == "exit-codes" ? "EXIT STATUS" : topic.name.uppercased(), topic, &page)
    }
  }

  private static func section(_ title: String, _ topic: Topic, _ page: inout Roff) {
    page.section(title)
    for row in topic.rows { page.entry("\\fB\(Roff.escaped(row.term))\\fP", row.text) }
    for note in topic.notes { page.paragraph(note) }
    page.paragraph("Example:")
    page.example([topic.example])
  }

  private static func ending(_ page: inout Roff) {
    page.section("EXAMPLES")
    page.line("Begin with a server, then ask:")
    page.example(CommandLineHelp.examples)
    for command in Commands.all where !command.examples.isEmpty {
      page.paragraph("\(sentence(command.summary))")
      page.example(command.examples)
    }
    page.section("SEE ALSO")
    page.line("\\fBcurl\\fP(1), \\fBeditrc\\fP(5), \\fBsqlite3\\fP(1)")
  }

  private static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() + "." }
}

extension String {
  fileprivate var trimmed: String { String(reversed().drop { $0 == " " }.reversed()) }
}
