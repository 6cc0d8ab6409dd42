import Testing

@testable import Shell

struct AskCommandTests {
  @Test func `the servers come first, and the rest is the message`() {
    let (places, text) = AskCommand.parts(" @gpu1  @lab:qwen:7b Who is @nobody?\nSay it.")
    #expect(places == ["gpu1", "lab:qwen:7b"])
    #expect(text == "Who is @nobody?\nSay it.")
    #expect(AskCommand.parts("@one @one hi").places == ["one"])
    #expect(AskCommand.parts("@ hi").places == [])
  }

  @Test func `a model stands behind the first colon`() {
    #expect(AskCommand.split("lab:qwen:7b") == ("lab", "qwen:7b"))
    #expect(AskCommand.split("lab") == ("lab", nil))
    #expect(AskCommand.split("lab:") == ("lab:", nil))
  }
}
