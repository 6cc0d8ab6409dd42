import Store
import Testing
import Text

@testable import Shell

@Suite struct CommandTableTests {
  @Test func `no two commands answer to one name`() {
    let names = Commands.all.flatMap { [$0.name] + $0.aliases }
    #expect(Set(names).count == names.count)
    #expect(names.allSatisfy { !$0.contains("/") && $0 == $0.lowercased() && !$0.isEmpty })
  }

  @Test(arguments: Commands.all.map(\.name)) func `a command says what it does and how`(name: String) throws {
    let command = try #require(Commands.named(name))
    #expect(!command.summary.isEmpty && command.summary.count < 50)
    #expect(!command.summary.hasSuffix("."))
    #expect(!command.forms.isEmpty)
    #expect(!command.examples.isEmpty)
    #expect((command.forms + command.unlisted).allSatisfy { $0.run != nil })
    for form in command.forms { #expect(form.summary.count < 50 && !form.summary.hasSuffix(".")) }
  }

  @Test(arguments: Commands.all.map(\.name)) func `an example is a call of its command`(name: String) throws {
    let command = try #require(Commands.named(name))
    for example in command.examples {
      let line = example.hasPrefix("parley ") ? String(example.dropFirst(7)) : example
      guard case .command(name, let arguments) = Input(line, names: Commands.names, isPath: { _ in false }) else {
        Issue.record("\(example) does not call /\(name)")
        continue
      }
      #expect(Words(splitting: arguments.text).openQuote == nil)
      var words = arguments
      _ = words.takeJSONFlag()
      for flag in command.flags { while words.take(flag, among: command.flags) != nil {} }
      #expect(command.forms.contains { $0.reading(of: words.words).isWhole }, "\(example)")
    }
  }

  @Test func `every topic of the overview has a command`() {
    for topic in Command.Topic.allCases { #expect(Commands.all.contains { $0.topic == topic }) }
  }
}

@Suite struct HelpTests {
  @Test func `every line of help fits 80 columns`() throws {
    let help = Help(Commands.all)
    let pages = try [help.overview] + help.names.map { try #require(help.page($0)) }
    for line in pages.flatMap({ $0.map(\.text).joined().lines }) where line.cells > 80 {
      Issue.record("\(line.cells) columns: \(line.string)")
    }
  }

  @Test(arguments: Help(Commands.all).names) func `a page begins with an example`(name: String) throws {
    let page = try #require(Help(Commands.all).page(name))
    #expect(page.string.hasPrefix("Example\n    "))
  }

  @Test func `a prefix is enough where only one page begins so`() {
    #expect(Help(Commands.all).page("timin") == Help(Commands.all).page("/timing"))
    #expect(Help(Commands.all).page("timeout") == nil)
  }
}
