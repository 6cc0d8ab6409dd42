import Chat
import Foundation
import Testing
import Transport
import Wire

@testable import Backends

/// A server of the era before, which answers when it begins and never again.
// Sendable: the continuation is.
private final class Silent: RPCChannel, Sendable {
  private let incoming: AsyncStream<JSONLines.Line>
  private let arrive: AsyncStream<JSONLines.Line>.Continuation
  let requests: AsyncStream<String>
  private let asked: AsyncStream<String>.Continuation

  init() {
    (incoming, arrive) = AsyncStream.makeStream()
    (requests, asked) = AsyncStream.makeStream()
  }

  func send(_ message: JSONRPCMessage) async throws(RPCError) {
    guard case .request(let id, let method, _) = message else { return }
    asked.yield(method)
    guard method == "initialize" else { return }
    arrive.yield(
      .message(
        .response(id: id, result: ["protocolVersion": "2025-06-18", "capabilities": [:], "serverInfo": [:]])))
  }

  func receive() async throws(RPCError) -> JSONLines.Line? {
    for await line in incoming { return line }
    return nil
  }

  func close() async { arrive.finish() }
}

struct DuplexTests {
  private let channel = Silent()

  private func line() async throws -> (Duplex, DuplexLine) {
    let board = CallBoard(listChanged: {})
    let duplex = Duplex(channel, board: board)
    let line = try await DuplexLine.initialize(
      duplex,
      DuplexLine.Beginning(transport: .stdio, board: board, clock: .system, patience: 60, reason: { .lost }))
    return (duplex, line)
  }

  private func end(of inbox: Inbox) async -> MCPFault? {
    for await arrival in inbox.arrivals {
      if case .ended(let fault) = arrival { return fault }
    }
    return nil
  }

  @Test func `a request that finds the channel ended was never sent, and may be made again`() async throws {
    let (duplex, line) = try await line()
    // What the reader does first when the channel ends; all else about the end may come later.
    duplex.peer.close()
    let inbox = Inbox()
    await line.carry(MCPRequest("tools/call"), id: 7, into: inbox)
    guard case .sessionGone(.lost) = await end(of: inbox) else {
      Issue.record("taken for one that was sent")
      return
    }
    await duplex.close()
  }

  @Test func `a request that was under way when the channel ended is not made again`() async throws {
    let (duplex, line) = try await line()
    let inbox = Inbox()
    async let carried: Void = line.carry(MCPRequest("tools/call"), id: 7, into: inbox)
    for await method in channel.requests where method == "tools/call" { break }
    await channel.close()
    await carried
    guard case .failed(.lost) = await end(of: inbox) else {
      Issue.record("taken for one that was never sent")
      return
    }
    await duplex.close()
  }
}
