import Foundation
package import Shell
import Wire

/// The lines of a file or a pipe, read as they come: `-f -`.
// Only the console's thread touches what has been read, and one line is asked for at a time.
package final class StreamLines: LineSource, @unchecked Sendable {
  private let terminal: ConsoleTerminal
  private let descriptor: Int32
  private var bytes: [UInt8] = []
  private var start = 0
  private var searched = 0
  private var ended = false

  /// - Parameter descriptor: stays open.
  package init(_ descriptor: Int32 = 0, terminal: ConsoleTerminal) {
    self.descriptor = descriptor
    self.terminal = terminal
  }

  package func next(_ request: LineRequest) async -> LineResult {
    await withCheckedContinuation { terminal.loop.post(.stream(self, $0)) }
  }

  func read(in loop: ConsoleLoop) -> LineResult {
    while true {
      if let signal = loop.endingSignal { return .signal(signal) }
      if let line = takeLine() { return line }
      if ended { return .end }
      switch loop.wait(for: [descriptor]) {
      case .ready: fill()
      case .signal(SIGINT):
        loop.receive(SIGINT)
        return .interrupted(hadText: false)
      case .signal(let signal): loop.receive(signal)
      case .order, .timeout: break
      }
    }
  }

  private func fill() {
    if start > 0 {
      bytes.removeSubrange(..<start)
      searched -= start
      start = 0
    }
    let size = 65536
    let before = bytes.count
    bytes.append(contentsOf: repeatElement(0, count: size))
    let count = bytes.withUnsafeMutableBytes { Foundation.read(descriptor, $0.baseAddress.map { $0 + before }, size) }
    bytes.removeLast(size - max(0, count))
    if count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN) { ended = true }
  }

  private func takeLine() -> LineResult? {
    let newline = bytes[max(searched, start)...].firstIndex(of: UInt8(ascii: "\n"))
    searched = bytes.count
    guard let end = newline ?? (ended && start < bytes.count ? bytes.count : nil) else { return nil }
    var line = bytes[start..<end]
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    start = min(end + 1, bytes.count)
    searched = start
    // Lines of UTF-16 do not end with this one byte: only a whole file is read in that encoding.
    if line.starts(with: [0xFF, 0xFE]) || line.starts(with: [0xFE, 0xFF]) { return .notText }
    guard let decoded = DecodedText(line) else { return .notText }
    return decoded.isRepaired ? .repairedLine(decoded.text) : .line(decoded.text)
  }
}
