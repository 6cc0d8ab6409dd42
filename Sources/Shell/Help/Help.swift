package import Text

/// Help, derived from the tables: the overview, a command, a setting, a topic.
package struct Help {
  let commands: [Command]

  package init(_ commands: [Command]) { self.commands = commands }

  /// The overview: every command of the table by topic, within 80 columns.
  package var overview: StyledText {
    var text: StyledText = .text(
      "Type a message, or a command:\n    What is the capital of France?\n    /model smol\n    /help retry\n")
    for topic in Command.Topic.allCases {
      let members = commands.filter { $0.topic == topic }
      guard !members.isEmpty else { continue }
      text += .text("\n\(topic.rawValue)\n", .strong)
      for command in members {
        for form in command.forms {
          let usage = "/\(command.name)\(form.usage.isEmpty ? "" : " \(form.usage)")"
          let summary = form.summary.isEmpty ? command.summary : form.summary
          text += .text("  \(Help.padded(usage, 30))") + .text(" \(summary)\n", .dim)
        }
      }
    }
    let topics = Topic.wrapped(Topics.all.map(\.name).joined(separator: ", "), 76).joined(separator: "\n  ")
    return text + .text("\nMore: /help COMMAND, /help SETTING, or /help and one of these:\n  \(Filter.block(topics))\n")
  }

  /// One command: an example first.
  package static func command(_ command: Command) -> StyledText {
    var text: StyledText = command.examples.isEmpty ? [] : .text("Example\n", .strong)
    for example in command.examples { text += .text("    \(example)\n") }
    text += .text("\nUsage\n", .strong)
    for form in command.forms {
      let usage = "/\(command.name)\(form.usage.isEmpty ? "" : " \(form.usage)")"
      let summary = form.summary.isEmpty ? command.summary : form.summary
      text += .text("    \(padded(usage, 36))") + .text(" \(summary)\n", .dim)
    }
    for flag in command.flags {
      text += .text("    \(padded("  " + flag.usage, 36))") + .text(" \(flag.summary)\n", .dim)
    }
    if !command.aliases.isEmpty {
      text += .text("\nAlso \(command.aliases.map { "/\($0)" }.joined(separator: ", "))\n")
    }
    if !command.details.isEmpty { text += .text("\n\(SafeText.paragraph(command.details))\n") }
    return text
  }

  /// Filled up with spaces to a width; at least one space follows.
  static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
