import Foundation
import Shell
import Store
import Testing

@testable import Invocation

@Suite struct DocumentsTests {
  private let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  @Test(arguments: Documents.all.map(\.path))
  func `a checked-in document says what the tables say`(path: String) throws {
    let made = try #require(Documents.all.first { $0.path == path }).text
    let checkedIn = try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    #expect(made == checkedIn, "\(path) is stale: run `make docs` and check it in")
  }

  @Test func `every option is in help, man page and completion`() {
    #expect(OptionRow.all.contains { $0.key == "server" })
    #expect(OptionRow.groups.flatMap(\.keys).sorted() == OptionRow.all.map(\.key).sorted())
    let offered = texts("parley -")
    for option in OptionRow.all {
      #expect(!option.summary.isEmpty)
      for name in option.names {
        #expect(offered.contains(name))
        #expect(ManPage.text.contains("\\fB\(Roff.escaped(name))\\fP"))
      }
      #expect(CommandLineHelp.text.contains(option.usage))
    }
  }

  @Test func `every command is in help, man page and completion`() {
    let overview = Help(Commands.all).overview.string
    let offered = texts("parley /")
    for command in Commands.all {
      #expect(overview.contains("/\(command.name)"))
      #expect(offered.contains("/\(command.name)"))
      #expect(ManPage.text.contains("\n\\fB/\(command.name)\\fP"))
      #expect(Help(Commands.all).page(command.name) != nil)
    }
  }

  @Test func `every setting is in help, man page and completion`() {
    let offered = texts("parley --set ")
    for setting in Setting.all {
      #expect(offered.contains("\(setting.key)="))
      #expect(texts("parley /help \(setting.key)").contains(setting.key))
      #expect(ManPage.text.contains("\n\\fB\(Roff.escaped(setting.key))\\fP\n"))
      #expect(Help(Commands.all).page(setting.key) != nil)
    }
  }

  @Test func `every topic is in help, man page and completion`() {
    for topic in Topics.all {
      #expect(Help(Commands.all).overview.string.contains(topic.name))
      #expect(texts("parley /help \(topic.name)").first == topic.name)
      for row in topic.rows { #expect(ManPage.text.contains("\\fB\(Roff.escaped(row.term))\\fP\n")) }
      for note in topic.notes {
        for line in Topic.wrapped(note, 66) { #expect(ManPage.text.contains(Roff.escaped(line))) }
      }
    }
  }

  @Test func `help fits 80 columns and the pages 78`() {
    #expect(CommandLineHelp.text.split(separator: "\n").allSatisfy { $0.count <= 80 })
    for topic in Topics.all {
      #expect(topic.body.string.split(separator: "\n").allSatisfy { $0.count <= 78 }, "\(topic.name)")
    }
  }

  @Test func `what roff would obey is escaped`() {
    #expect(Roff.escaped(#".TH \n"#) == #"\&.TH \en"#)
    #expect(Roff.escaped("'quoted' - `x` ~ ^ \"") == #"\(aqquoted\(aq \- \(gax\(ga \(ti \(ha \(dq"#)
    #expect(Roff.usage("/history show [SESSION]") == #"\fB/history\fP \fBshow\fP [\fISESSION\fP]"#)
  }

  private func texts(_ line: String) -> [String] { LineCompletion(line).candidates { _ in .empty }.map(\.text) }
}

extension Completer {
  /// Of somebody who has no files yet.
  static var empty: Completer {
    Completer(
      servers: Servers(nil), preferences: Preferences("/nonexistent/preferences.json"), server: nil,
      sessions: { _ in SessionNames() }, listFolder: { _ in [] })
  }
}
