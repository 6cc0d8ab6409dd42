import Foundation
import Testing
import Wire

@testable import Transport

/// JSON-RPC over two open files of ours.
@Suite struct DescriptorChannelTests {
  private let input = Pipe()
  private let output = Pipe()

  private func channel(limit: Int = 1 << 20) -> DescriptorChannel {
    DescriptorChannel(
      input: input.fileHandleForReading.fileDescriptor, output: output.fileHandleForWriting.fileDescriptor,
      lineLimit: limit)
  }

  @Test func `lines come one after the other, and then the end`() async throws {
    let channel = channel()
    let text = #"{"jsonrpc":"2.0","method":"a"}"# + "\nnoise\n" + #"{"jsonrpc":"2.0","method":"b"}"# + "\n"
    try input.fileHandleForWriting.write(contentsOf: Data(text.utf8))
    try input.fileHandleForWriting.close()
    #expect(try await channel.receive() == .message(.notification(method: "a", params: nil)))
    #expect(try await channel.receive() == .junk("noise"))
    #expect(try await channel.receive() == .message(.notification(method: "b", params: nil)))
    #expect(try await channel.receive() == nil)
  }

  @Test func `what is sent is a line, however long`() async throws {
    let channel = channel()
    let long = String(repeating: "x", count: 300_000)
    async let sent: Void = channel.send(.notification(method: long, params: ["text": "two\nlines"]))
    var bytes: [UInt8] = []
    while bytes.last != UInt8(ascii: "\n") { bytes += output.fileHandleForReading.availableData }
    try await sent
    #expect(
      JSONLines.read(Array(bytes.dropLast())) == .message(.notification(method: long, params: ["text": "two\nlines"])))
    #expect(bytes.count { $0 == UInt8(ascii: "\n") } == 1)
  }

  @Test func `a line over the limit ends it`() async throws {
    let channel = channel(limit: 10)
    try input.fileHandleForWriting.write(contentsOf: Data("0123456789abcdef\n".utf8))
    await #expect(throws: RPCError.self) { _ = try await channel.receive() }
  }

  @Test func `nothing is sent where nobody reads`() async throws {
    let channel = channel()
    try output.fileHandleForReading.close()
    signal(SIGPIPE, SIG_IGN)
    await #expect(throws: RPCError.self) { try await channel.send(.notification(method: "a", params: nil)) }
  }

  @Test func `a closed one takes nothing`() async {
    let channel = channel()
    await channel.close()
    await #expect(throws: RPCError.self) { try await channel.send(.notification(method: "a", params: nil)) }
  }
}
