import FlyingFox
import FlyingSocks
import Transport

/// Events handed on as they come, and a comment for each second of silence: only writing shows that the reader has
/// left, which is how a call is cancelled on the newer wire (docs/mcp.md 1).
struct EventRelay: AsyncBufferedSequence {
  typealias Element = UInt8

  let body: any HTTPBody

  func makeAsyncIterator() -> Iterator { Iterator(body) }

  struct Iterator: AsyncBufferedIteratorProtocol {
    private enum Piece {
      case bytes([UInt8])
      case silence
    }

    private var pieces: AsyncThrowingStream<Piece, any Error>.Iterator
    private var rest: ArraySlice<UInt8> = []
    /// The end of what was handed on: a comment must not cut an event in two.
    private var end: [UInt8] = []

    init(_ body: any HTTPBody) {
      let (stream, handle) = AsyncThrowingStream<Piece, any Error>.makeStream()
      pieces = stream.makeAsyncIterator()
      // Both end with the stream, which ends with its reader.
      let reading = Task {
        do {
          while let bytes = try await body.next(timeout: nil) { handle.yield(.bytes(bytes)) }
          handle.finish()
        } catch {
          handle.finish(throwing: error)
        }
      }
      let ticking = Task {
        while true {
          try await Task.sleep(for: .seconds(1))
          handle.yield(.silence)
        }
      }
      handle.onTermination = { _ in
        reading.cancel()
        ticking.cancel()
      }
    }

    mutating func next() async throws -> UInt8? { try await nextBuffer(suggested: 1)?.first }

    mutating func nextBuffer(suggested count: Int) async throws -> ArraySlice<UInt8>? {
      while rest.isEmpty {
        guard let piece = try await pieces.next() else { return nil }
        switch piece {
        case .bytes(let bytes):
          rest = bytes[...]
          end = Array((end + bytes.suffix(4)).suffix(4))
        case .silence:
          if isBetweenEvents { rest = Array(": \n\n".utf8)[...] }
        }
      }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }

    private var isBetweenEvents: Bool {
      end.isEmpty || end.suffix(2) == Array("\n\n".utf8) || end == Array("\r\n\r\n".utf8)
    }
  }
}
