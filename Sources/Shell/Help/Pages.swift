package import Store
package import Text

extension Help {
  /// Every word that has a page.
  package var names: [String] {
    commands.map(\.name) + Topics.all.map(\.name) + Setting.all.map(\.key)
  }

  /// The page of a command, a setting or a topic; a part of its name is enough when only one begins so.
  package func page(_ word: String) -> StyledText? {
    let name = word.hasPrefix("/") ? String(word.dropFirst()) : word
    if let page = exactPage(name) { return page }
    // A command and a setting may share a name, and then a page.
    let matches = Set(names.filter { $0.hasPrefix(name) })
    return matches.count == 1 ? matches.first.flatMap(exactPage) : nil
  }

  /// Whether a page has this very name.
  package func knows(_ word: String) -> Bool {
    let name = word.hasPrefix("/") ? String(word.dropFirst()) : word
    return command(called: name) != nil || names.contains(name)
  }

  private func exactPage(_ name: String) -> StyledText? {
    let ofSetting = Setting.all.first { $0.key == name }.map(Help.setting)
    let ofTopic = Topics.all.first { $0.name == name }.map { StyledText.text($0.body + "\n") }
    if let command = command(called: name) {
      return Help.command(command) + (ofSetting.map { .text("\nThe setting \(name)\n\n", .strong) + $0 } ?? [])
        + (ofTopic.map { .text("\n") + $0 } ?? [])
    }
    return ofTopic ?? ofSetting
  }

  private func command(called name: String) -> Command? {
    commands.first { $0.name == name || $0.aliases.contains(name) }
  }

  /// One setting: an example first.
  package static func setting(_ setting: Setting) -> StyledText {
    .text("Example\n", .strong)
      + .text("    /settings \(setting.key) \(setting.exampleValue)\n\n")
      + .text("\(SafeText.paragraph(setting.summary))\n")
      + (setting.details.isEmpty ? [] : .text("\n\(SafeText.paragraph(setting.details))\n\n"))
      + .text("Takes \(setting.accepted); the default is \(setting.standard.text).\n")
  }
}
