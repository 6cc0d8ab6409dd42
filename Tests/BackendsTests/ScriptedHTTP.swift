import Foundation
import Testing

@testable import Backends
@testable import Chat
@testable import Transport

/// An HTTP that plays what a test wrote, request by request, and fails on a request that nobody expected.
// Sendable: what varies is behind the lock.
final class ScriptedHTTP: HTTP, @unchecked Sendable {
  enum Reply: Sendable {
    case response(Int, headers: [(name: String, value: String)] = [], [ScriptedBody.Piece])
    case failure(TransportError)
    /// Nothing comes until the sender gives up.
    case silence
  }

  private let lock = NSLock()
  private var replies: [Reply]
  private var seen: [HTTPRequest] = []
  private var given: [ScriptedBody] = []
  private let waiting: @Sendable () -> Void

  init(_ replies: [Reply], whenSilent waiting: @escaping @Sendable () -> Void = {}) {
    self.replies = replies
    self.waiting = waiting
  }

  var requests: [HTTPRequest] { lock.withLock { seen } }
  var bodies: [ScriptedBody] { lock.withLock { given } }
  var isPlayed: Bool { lock.withLock { replies.isEmpty } }

  func send(_ request: HTTPRequest) async throws(TransportError) -> HTTPResponse {
    let reply = lock.withLock {
      seen.append(request)
      return replies.isEmpty ? nil : replies.removeFirst()
    }
    switch reply {
    case .response(let status, let headers, let pieces):
      let body = ScriptedBody(pieces, whenSilent: waiting)
      lock.withLock { given.append(body) }
      return HTTPResponse(status: status, headers: headers, body: body)
    case .failure(let error): throw error
    case .silence:
      waiting()
      await untilCancelled()
      throw .cancelled
    case nil:
      Issue.record("nobody expected \(request.method) \(request.url)")
      throw .other("unexpected request")
    }
  }

  private func untilCancelled() async {
    let (stream, _) = AsyncStream.makeStream(of: Void.self)
    for await _ in stream {}
  }
}

/// A body of scripted pieces.
// Sendable: what varies is behind the lock.
final class ScriptedBody: HTTPBody, @unchecked Sendable {
  enum Piece: Sendable {
    case bytes([UInt8])
    case failure(TransportError)
    /// Nothing comes until the body is cancelled.
    case silence

    static func text(_ text: String) -> Piece { .bytes(Array(text.utf8)) }
  }

  private let lock = NSLock()
  private var pieces: [Piece]
  private var timeouts: [Double?] = []
  private var cancelled = false
  private let ended = AsyncStream.makeStream(of: Void.self)
  private let waiting: @Sendable () -> Void

  init(_ pieces: [Piece], whenSilent waiting: @escaping @Sendable () -> Void) {
    self.pieces = pieces
    self.waiting = waiting
  }

  /// The time-outs of all reads so far.
  var patience: [Double?] { lock.withLock { timeouts } }
  var isCancelled: Bool { lock.withLock { cancelled } }

  func next(timeout: Double?) async throws(TransportError) -> [UInt8]? {
    let piece = lock.withLock {
      timeouts.append(timeout)
      return pieces.isEmpty ? nil : pieces.removeFirst()
    }
    if isCancelled { throw .cancelled }
    switch piece {
    case .bytes(let bytes): return bytes
    case .failure(let error): throw error
    case .silence:
      waiting()
      for await _ in ended.stream {}
      throw .cancelled
    case nil: return nil
    }
  }

  func cancel() {
    lock.withLock { cancelled = true }
    ended.continuation.finish()
  }
}

/// A time that passes only while someone sleeps.
// Sendable: what varies is behind the lock.
final class TestTime: @unchecked Sendable {
  private let lock = NSLock()
  private var seconds = 0.0

  var source: TimeSource {
    TimeSource(
      now: { self.lock.withLock { self.seconds } },
      sleep: { pause in self.lock.withLock { self.seconds += pause } }, sinceEpoch: { 784_111_777 })
  }

  var now: Double { lock.withLock { seconds } }
}

/// What came of an answer: its events, and the error that ended it.
struct Outcome: Equatable {
  var events: [ChatEvent] = []
  var error: BackendError?

  init(_ events: [ChatEvent], _ error: BackendError? = nil) {
    self.events = events
    self.error = error
  }

  init(of answer: Answer) async {
    do throws(BackendError) {
      for try await event in answer { events.append(event) }
    } catch {
      self.error = error
    }
  }

  var text: String { events.map { if case .text(let text) = $0 { text } else { "" } }.joined() }
  var reasoning: String { events.map { if case .reasoning(let text) = $0 { text } else { "" } }.joined() }

  /// The same with neighbours of one kind joined, as they may be cut anywhere.
  var joined: Outcome {
    var joined: [ChatEvent] = []
    for event in events {
      switch (joined.last, event) {
      case (.text(let before), .text(let more)): joined[joined.count - 1] = .text(before + more)
      case (.reasoning(let before), .reasoning(let more)): joined[joined.count - 1] = .reasoning(before + more)
      default: joined.append(event)
      }
    }
    return Outcome(joined, error)
  }
}

extension OpenAIBackend {
  /// A backend for tests, at `http://gpu:8080/v1`.
  init(_ http: any HTTP, time: TestTime = TestTime(), credential: Credential? = nil) {
    let server = Server(name: "test", kind: "openai", url: "http://gpu:8080/v1")
    self.init(Endpoint(server, http, credential, Timeouts(), clock: time.source))
  }

  func outcome(_ question: ChatRequest = .hello) async -> Outcome { await Outcome(of: answer(question)) }
}

extension ChatRequest {
  static let hello = ChatRequest(model: "m", messages: [Message(.user, "Hello")])
}

/// An event stream of these data lines.
func sse(_ data: String...) -> String { data.map { "data: \($0)\n\n" }.joined() }

/// A chunk with this delta.
func chunk(_ delta: String, finish: String? = nil) -> String {
  "{\"choices\":[{\"index\":0,\"delta\":\(delta),\"finish_reason\":\(finish.map { "\"\($0)\"" } ?? "null")}]}"
}

func chunk(content: String) -> String { chunk("{\"content\":\"\(content)\"}") }
