package import Store
package import Text

extension Help {
  /// Every word that has a page.
  package static var names: [String] {
    Commands.all.map(\.name) + Topics.all.map(\.name) + Setting.all.map(\.key)
  }

  /// The page of a command, a setting or a topic; a part of its name is enough when only one begins so.
  package static func page(_ word: String) -> StyledText? {
    let name = word.hasPrefix("/") ? String(word.dropFirst()) : word
    if let page = exactPage(name) { return page }
    // A command and a setting may share a name, and then a page.
    let matches = Set(names.filter { $0.hasPrefix(name) })
    return matches.count == 1 ? matches.first.flatMap(exactPage) : nil
  }

  /// Whether a page has this very name.
  package static func knows(_ word: String) -> Bool {
    let name = word.hasPrefix("/") ? String(word.dropFirst()) : word
    return Commands.names[name] != nil || names.contains(name)
  }

  private static func exactPage(_ name: String) -> StyledText? {
    let ofSetting = Setting.all.first { $0.key == name }.map(setting)
    let ofTopic = Topics.all.first { $0.name == name }.map { StyledText.text($0.body + "\n") }
    if let full = Commands.names[name], let command = Commands.named(full) {
      return Help.command(command) + (ofSetting.map { .text("\nThe setting \(name)\n\n", .strong) + $0 } ?? [])
        + (ofTopic.map { .text("\n") + $0 } ?? [])
    }
    return ofTopic ?? ofSetting
  }

  /// One setting: an example first.
  package static func setting(_ setting: Setting) -> StyledText {
    .text("Example\n", .strong)
      + .text("    /settings \(setting.key) \(setting.example)\n\n")
      + .text("\(SafeText.paragraph(setting.summary))\n")
      + .text("Takes \(setting.accepted); the default is \(setting.standard.text).\n")
  }
}
