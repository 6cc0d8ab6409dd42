import Testing

@testable import Console

@Suite struct ArgumentTests {
  @Test func `the words of the command line are those that main is given`() {
    #expect(programArguments() == Array(CommandLine.arguments.dropFirst()))
  }
}
