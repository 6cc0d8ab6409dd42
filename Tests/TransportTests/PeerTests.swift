import Foundation
import TestSupport
import Testing
import Wire

@testable import Transport

/// What a peer was told and sent, in order.
private final class Log: @unchecked Sendable {
  private let lock = NSLock()
  private var sent: [JSONRPCMessage] = []
  private var heard: [String] = []
  private var requests: [RPCRequest] = []

  func send(_ message: JSONRPCMessage) { lock.withLock { sent.append(message) } }
  func hear(_ text: String) { lock.withLock { heard.append(text) } }
  func ask(_ request: RPCRequest) { lock.withLock { requests.append(request) } }

  var allSent: [JSONRPCMessage] { lock.withLock { sent } }
  var allHeard: [String] { lock.withLock { heard } }
  var allRequests: [RPCRequest] { lock.withLock { requests } }

  /// Knows the methods that begin with "known".
  var handler: RPCHandler {
    RPCHandler(
      request: { request in
        self.hear("? \(request.method)")
        guard request.method.hasPrefix("known") else { return false }
        self.ask(request)
        return true
      },
      notification: { method, _ in self.hear("! \(method)") },
      note: { self.hear("\($0)") })
  }

  func peer() -> RPCPeer { RPCPeer(send: { self.send($0) }, handler: handler) }

  func sends(_ count: Int) async -> Bool { await eventually { allSent.count >= count } }
}

/// A peer that its own sending can reach.
// Sendable: it is set before anything is sent.
private final class Held: @unchecked Sendable {
  weak var peer: RPCPeer?
}

/// Two ends in memory: what is sent at one is received at the other.
private final class MemoryChannel: RPCChannel, @unchecked Sendable {
  private let incoming: AsyncStream<JSONLines.Line>
  private let arrive: AsyncStream<JSONLines.Line>.Continuation
  private let lock = NSLock()
  private var other: MemoryChannel?

  init() { (incoming, arrive) = AsyncStream.makeStream() }

  static func pair() -> (MemoryChannel, MemoryChannel) {
    let ends = (MemoryChannel(), MemoryChannel())
    ends.0.other = ends.1
    ends.1.other = ends.0
    return ends
  }

  func send(_ message: JSONRPCMessage) async throws(RPCError) {
    guard let other = lock.withLock({ other }) else { throw .closed }
    other.arrive.yield(.message(message))
  }

  func receive() async throws(RPCError) -> JSONLines.Line? {
    for await line in incoming { return line }
    return nil
  }

  func close() async {
    let other = lock.withLock {
      defer { self.other = nil }
      return self.other
    }
    arrive.finish()
    other?.arrive.finish()
  }
}

private func outcome(_ body: () async throws(RPCError) -> JSON) async -> String {
  do throws(RPCError) {
    return try await body().serialized()
  } catch {
    switch error {
    case .refused(let failure): return "refused \(failure.code) \(failure.message)"
    case .closed: return "closed"
    case .neverSent: return "never sent"
    case .cancelled: return "cancelled"
    case .tooLong: return "too long"
    case .unsent(let error): return "unsent \(error)"
    case .unreadable: return "unreadable"
    }
  }
}

struct PeerTests {
  @Test func `a request that could not be sent says so, though the channel ended meanwhile`() async {
    struct Refused: Error {}
    let held = Held()
    let peer = RPCPeer(send: { _ throws(RPCError) in
      held.peer?.close()
      throw .unsent(Refused())
    })
    held.peer = peer
    #expect(await outcome { () async throws(RPCError) in try await peer.request("a") } == "unsent Refused()")
  }

  @Test func `answers find their requests, in any order`() async {
    let log = Log()
    let peer = log.peer()
    async let first = outcome { () async throws(RPCError) in try await peer.request("a", ["x": 1]) }
    #expect(await log.sends(1))
    async let second = outcome { () async throws(RPCError) in try await peer.request("b") }
    #expect(await log.sends(2))
    async let third = outcome { () async throws(RPCError) in try await peer.request("c") }
    #expect(await log.sends(3))
    #expect(log.allSent[0] == .request(id: .int(1), method: "a", params: ["x": 1]))
    await peer.receive(.error(id: .int(2), RPCFailure(code: 0, message: "no")))
    await peer.receive(.response(id: .double(3), result: "third"))
    await peer.receive(.response(id: .int(1), result: "first"))
    #expect(await first == "\"first\"")
    #expect(await second == "refused 0 no")
    #expect(await third == "\"third\"")
    #expect(log.allHeard.isEmpty)
  }

  @Test func `an answer that comes before its request has been sent is not lost`() async {
    let box = PeerBox()
    let peer = RPCPeer(send: { message in
      if case .request(let id, _, _) = message { await box.peer?.receive(.response(id: id, result: true)) }
    })
    box.peer = peer
    #expect(await outcome { () async throws(RPCError) in try await peer.request("a") } == "true")
  }

  @Test func `a request of theirs with the id of ours is no answer`() async {
    let log = Log()
    let peer = log.peer()
    async let ours = outcome { () async throws(RPCError) in try await peer.request("a") }
    #expect(await log.sends(1))
    await peer.receive(.request(id: .int(1), method: "known", params: nil))
    await log.allRequests[0].answer(.success("theirs"))
    await peer.receive(.response(id: .int(1), result: "ours"))
    #expect(await ours == "\"ours\"")
    #expect(log.allSent.last == .response(id: .int(1), result: "theirs"))
  }

  @Test func `an unknown request is refused at once, whatever its id`() async {
    let log = Log()
    let peer = log.peer()
    for id in [RPCID.null, .int(0), .double(0.5), .string("a")] {
      await peer.receive(.request(id: id, method: "roots/list", params: nil))
      #expect(log.allSent.last == .error(id: id, .unknownMethod))
    }
  }

  @Test func `what comes is handed on in its order`() async {
    let log = Log()
    let (here, there) = MemoryChannel.pair()
    let peer = RPCPeer(send: { message throws(RPCError) in try await here.send(message) }, handler: log.handler)
    let reading = Task { await peer.read(here) }
    for number in 0..<500 {
      let message: JSONRPCMessage =
        number % 10 == 0
        ? .request(id: .int(number), method: "\(number)", params: nil) : .notification(method: "\(number)", params: nil)
      try? await there.send(message)  // a failure shows below
    }
    await there.close()
    await reading.value
    #expect(log.allHeard == (0..<500).map { $0 % 10 == 0 ? "? \($0)" : "! \($0)" })
  }

  @Test func `a request is answered once, and again when its id is used again`() async {
    let log = Log()
    let peer = log.peer()
    await peer.receive(.request(id: .int(5), method: "known", params: nil))
    await peer.receive(.request(id: .int(5), method: "known again", params: nil))
    let requests = log.allRequests
    await requests[1].answer(.success("second"))
    await requests[0].answer(.failure(RPCFailure(code: 1, message: "first")))
    await requests[0].answer(.success("late"))
    await requests[1].answer(.success("late"))
    #expect(
      log.allSent
        == [.response(id: .int(5), result: "second"), .error(id: .int(5), RPCFailure(code: 1, message: "first"))])
  }

  @Test(arguments: [RPCID.int(1), .double(1), .string("1")])
  func `an answer is found however its id is spelt`(_ id: RPCID) async {
    let log = Log()
    let peer = log.peer()
    async let first = outcome { () async throws(RPCError) in try await peer.request("a") }
    #expect(await log.sends(1))
    await peer.receive(.response(id: id, result: 2))
    #expect(await first == "2")
    #expect(log.allHeard.isEmpty)
  }

  @Test func `answers that nobody waits for are noted and passed over`() async {
    let log = Log()
    let peer = log.peer()
    async let first = outcome { () async throws(RPCError) in try await peer.request("a") }
    #expect(await log.sends(1))
    await peer.receive(.response(id: .int(99), result: 1))
    await peer.receive(.response(id: .string("one"), result: 1))
    await peer.receive(.error(id: .int(77), RPCFailure(code: 1, message: "")))
    await peer.receive(.error(id: nil, RPCFailure(code: 2, message: "x")))
    await peer.receive(.junk("hello"))
    await peer.receive(.malformed(.batch))
    await peer.receive(.response(id: .int(1), result: 2))
    #expect(await first == "2")
    await peer.receive(.response(id: .int(1), result: 3))
    let notes: [RPCNote] = [
      .unknownAnswer(.int(99)), .unknownAnswer(.string("one")), .unknownAnswer(.int(77)),
      .unassignedError(RPCFailure(code: 2, message: "x")), .junk("hello"), .malformed(.batch), .unknownAnswer(.int(1)),
    ]
    #expect(log.allHeard == notes.map { "\($0)" })
    #expect(log.allSent.last == JSONRPCMessage.Malformed.batch.answer)
  }

  @Test func `a cancelled request is forgotten`() async {
    let log = Log()
    let peer = log.peer()
    let asking = Task {
      await outcome { () async throws(RPCError) in
        try await peer.request("slow")
      }
    }
    #expect(await log.sends(1))
    asking.cancel()
    #expect(await asking.value == "cancelled")
    await peer.receive(.response(id: .int(1), result: 1))
    #expect(log.allHeard == ["\(RPCNote.unknownAnswer(.int(1)))"])
  }

  @Test func `a request in a cancelled task does not leave`() async {
    let log = Log()
    let peer = log.peer()
    let asking = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return await outcome { () async throws(RPCError) in
        try await peer.request("a")
      }
    }
    #expect(await asking.value == "cancelled")
    #expect(log.allSent.isEmpty)
    #expect(log.allHeard.isEmpty)
  }

  @Test func `the end fails what waits and what comes later`() async {
    let log = Log()
    let (here, there) = MemoryChannel.pair()
    let peer = RPCPeer(send: { message throws(RPCError) in try await here.send(message) }, handler: log.handler)
    let reading = Task { await peer.read(here) }
    async let first = outcome { () async throws(RPCError) in try await peer.request("a") }
    async let second = outcome { () async throws(RPCError) in try await peer.request("b") }
    try? await there.send(.request(id: .int(1), method: "known", params: nil))  // a failure shows below
    #expect(await eventually { log.allRequests.count == 1 })
    await there.close()
    #expect(await first == "closed")
    #expect(await second == "closed")
    await reading.value
    #expect(await outcome { () async throws(RPCError) in try await peer.request("c") } == "never sent")
    await log.allRequests[0].answer(.success(1))
    await peer.receive(.notification(method: "late", params: nil))
    #expect(log.allHeard == ["? known"])
  }

  @Test func `a request that cannot be sent fails alone`() async {
    struct Broken: Error {}
    let log = Log()
    let peer = RPCPeer(send: { message throws(RPCError) in
      if case .request(_, "bad", _) = message { throw .unsent(Broken()) }
      log.send(message)
    })
    async let good = outcome { () async throws(RPCError) in try await peer.request("good", id: .string("mine")) }
    #expect(await log.sends(1))
    #expect(await outcome { () async throws(RPCError) in try await peer.request("bad") } == "unsent Broken()")
    await peer.receive(.response(id: .string("mine"), result: 1))
    #expect(await good == "1")
  }

  @Test func `a flood of requests is refused beyond eight, and costs nothing`() async {
    let log = Log()
    let peer = log.peer()
    for number in 0..<10_000 { await peer.receive(.request(id: .int(number), method: "known", params: nil)) }
    #expect(log.allRequests.count == 8)
    #expect(log.allSent.count == 9_992)
    #expect(log.allHeard.filter { $0.hasPrefix("tooMany") }.count == 9_992)
    await log.allRequests[0].answer(.success(1))
    await peer.receive(.request(id: .int(1), method: "known", params: nil))
    #expect(log.allRequests.count == 9)
  }

  @Test func `two peers that ask each other at once are both answered`() async {
    let (here, there) = MemoryChannel.pair()
    let echo = RPCHandler(request: { request in
      // Ends with its one answer.
      Task { await request.answer(.success(request.params ?? .null)) }
      return true
    })
    let left = RPCPeer(send: { message throws(RPCError) in try await here.send(message) }, handler: echo)
    let right = RPCPeer(send: { message throws(RPCError) in try await there.send(message) }, handler: echo)
    let reading = [Task { await left.read(here) }, Task { await right.read(there) }]
    for number in 0..<200 {
      async let one = outcome { () async throws(RPCError) in try await left.request("a", .int(number)) }
      async let two = outcome { () async throws(RPCError) in try await right.request("b", .int(-number)) }
      #expect(await one == "\(number)")
      #expect(await two == "\(-number)")
    }
    await here.close()
    for reader in reading { await reader.value }
  }
}

private final class PeerBox: @unchecked Sendable {
  var peer: RPCPeer?
}
