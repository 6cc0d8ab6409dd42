import Dispatch
import Glibc
import Waiting
package import Wire

/// JSON-RPC over two open files of ours, a message a line: our own standard input and output, for whoever started us.
///
/// Each file has a thread of its own that waits for it; a wait that is under way ends with the file or the process.
package final class DescriptorChannel: RPCChannel, Sendable {
  private let input: Int32
  private let output: Int32
  private let limit: Int
  private let reading = DispatchQueue(label: "rpc-input")
  private let writing = DispatchQueue(label: "rpc-output")
  private let state: Locked<State>

  private struct State {
    var framing: JSONLines
    var lines: ArraySlice<JSONLines.Line> = []
    var isTooLong = false
    var isClosed = false
  }

  /// - Parameter lineLimit: the most bytes of one message.
  package init(input: Int32, output: Int32, lineLimit: Int = JSONLines.lineLimit) {
    self.input = input
    self.output = output
    limit = lineLimit
    state = Locked(State(framing: JSONLines(limit: lineLimit)))
  }

  package func send(_ message: JSONRPCMessage) async throws(RPCError) {
    let bytes = JSONLines.line(message)
    let isSent = await withCheckedContinuation { continuation in
      writing.async { [self] in continuation.resume(returning: !state.withLock { $0.isClosed } && write(bytes)) }
    }
    if !isSent { throw .closed }
  }

  private func write(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(output, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        wait(for: output, POLLOUT)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }

  package func receive() async throws(RPCError) -> JSONLines.Line? {
    while true {
      if let line = try state.withLock({ state throws(RPCError) in try next(&state) }) { return line }
      let bytes = await withCheckedContinuation { continuation in
        reading.async { [self] in continuation.resume(returning: read()) }
      }
      guard let bytes, !state.withLock({ $0.isClosed }) else { return nil }
      state.withLock { take(bytes, &$0) }
    }
  }

  private func next(_ state: inout State) throws(RPCError) -> JSONLines.Line? {
    if let line = state.lines.popFirst() { return line }
    if state.isTooLong { throw .tooLong(limit: limit) }
    return nil
  }

  private func take(_ bytes: [UInt8], _ state: inout State) {
    var lines: [JSONLines.Line] = []
    do throws(JSONLines.Failure) {
      try state.framing.feed(bytes) { lines.append($0) }
    } catch {
      state.isTooLong = true
    }
    state.lines = lines[...]
  }

  /// nil at the end.
  private func read() -> [UInt8]? {
    while true {
      var result = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: 64 << 10) { buffer, count in
        result = Glibc.read(input, buffer.baseAddress, buffer.count)
        count = max(0, result)
      }
      if result > 0 { return bytes }
      if result < 0, errno == EAGAIN { wait(for: input, POLLIN) } else if result == 0 || errno != EINTR { return nil }
    }
  }

  private func wait(for descriptor: Int32, _ event: Int32) {
    var wish = pollfd(fd: descriptor, events: Int16(event), revents: 0)
    _ = poll(&wish, 1, -1)
  }

  /// The files stay open: they are their owner's.
  package func close() async { state.withLock { $0.isClosed = true } }
}
