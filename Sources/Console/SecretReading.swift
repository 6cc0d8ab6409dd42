import CTerminal
import Foundation
import Shell
import Text
import Wire

/// Reading what nobody may see: no echo, no recall, no completion, nothing kept (docs/rules.md C5, C8).
extension ConsoleLoop {
  /// One line that is not shown. From a file or a pipe it is read without a prompt.
  func readSecret(_ request: LineRequest) -> LineResult {
    let secret = SecretBytes()
    defer { secret.wipe() }
    guard isatty(STDIN_FILENO) == 1 else { return readSecretStream(into: secret) }
    guard takeTerminal(), hideTyping() else { return .end }
    defer { takeBack() }
    var aside: [UInt8] = []
    if request.typedAhead != .accepted {
      keepTyped()
      if request.typedAhead == .discarded { discardTyped() }
      swap(&aside, &typed)
    }
    var decoder = KeyDecoder(keepsSecrets: true)
    defer {
      // Input after the secret belongs to the next prompt.
      typed = aside + typed + decoder.takeRest()
    }
    write(request.prompt)
    while true {
      while let key = decoder.next() {
        if let result = take(key, into: secret, request) { return result }
      }
      if !typed.isEmpty {
        decoder.append(typed)
        typed.wipe()
        continue
      }
      switch wait(for: [STDIN_FILENO]) {
      case .ready:
        guard readHidden(into: &decoder) else { return terminalGone() }
        // A mark inside the paste is recognised by what follows it in the same burst.
        while decoder.holdsPasteEnd, hasTyped(within: 15) {
          guard readHidden(into: &decoder) else { return terminalGone() }
        }
      case .signal(let signal):
        if let result = receive(signal, hadText: !secret.isEmpty, request) { return result }
      default: break
      }
    }
  }

  /// What a key does; nil while the line goes on.
  private func take(_ key: Key, into secret: SecretBytes, _ request: LineRequest) -> LineResult? {
    let acting = TerminalModes.acting
    switch key {
    case .scalar(UInt32(acting.interrupt)) where acting.interrupt != 0:
      write([Span("\n")])
      return .interrupted(hadText: !secret.isEmpty)
    case .scalar(UInt32(acting.suspend)) where acting.suspend != 0: kill(0, SIGTSTP)
    case .scalar(UInt32(acting.quit)) where acting.quit != 0: kill(0, SIGQUIT)
    case .scalar(0x0D), .scalar(0x0A), .sequence([0x1B, 0x0D]), .sequence([0x1B, 0x0A]):
      return finish(secret, request)
    case .scalar(0x04) where secret.isEmpty:
      write([Span("\n")])
      return .end
    case .scalar(0x7F), .scalar(0x08): secret.removeLast()
    case .scalar(0x15): secret.wipe()
    case .scalar(let value):
      if value >= 0x20, let scalar = Unicode.Scalar(value) { secret.append(UTF8.encode(scalar) ?? .init()) }
    case .sequence: break
    case .paste(let bytes):
      secret.append(bytes)
      bytes.wipeInPlace()
    }
    return nil
  }

  /// The secret, or another go when it is longer than any: a part of it would only be refused later.
  private func finish(_ secret: SecretBytes, _ request: LineRequest) -> LineResult? {
    write([Span("\n")])
    guard secret.isTooLong else { return .line(secret.text) }
    secret.wipe()
    screen.write([Span("longer than 64 KiB: nothing was taken\n", .warning)], to: .notices)
    write(request.prompt)
    return nil
  }

  private func receive(_ signal: Int32, hadText: Bool, _ request: LineRequest) -> LineResult? {
    switch signal {
    case SIGINT where !isInterruptOfChild:
      write([Span("\n")])
      return .interrupted(hadText: hadText)
    case SIGTERM, SIGHUP:
      write([Span("\n")])
      end(signal)
      return .signal(signal)
    case SIGTSTP:
      write([Span("\n")])
      stop()
      return hideTyping() ? nil : .end
    case SIGCONT:
      guard hideTyping() else { return .end }
      write(request.prompt)
    default: break
    }
    return nil
  }

  /// False where the terminal would show what is typed all the same: then nothing is read. A job in the background is
  /// stopped here, as it would be for reading.
  private func hideTyping() -> Bool {
    takeBack()
    console_touched(true, true)
    modes.set(TerminalModes.hidden)
    guard let now = modes.current else { return false }
    return now.c_lflag & tcflag_t(ECHO | ICANON) == 0
  }

  private func write(_ text: StyledText) {
    screen.write(text, to: screen.outputIsTerminal ? .output : .notices)
  }

  /// Takes what waits in the terminal; false at its end.
  private func readHidden(into decoder: inout KeyDecoder) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 16384, alignment: 1) { buffer in
      let count = Foundation.read(STDIN_FILENO, buffer.baseAddress, buffer.count)
      decoder.append(UnsafeRawBufferPointer(buffer)[..<max(0, count)])
      if let start = buffer.baseAddress { explicit_bzero(start, max(0, count)) }
      return count > 0 || (count < 0 && (errno == EINTR || errno == EAGAIN))
    }
  }

  /// A byte at a time: what follows the line is for whoever reads next.
  private func readSecretStream(into secret: SecretBytes) -> LineResult {
    var isLine = false
    // What is too long may have no end.
    while !isLine, !secret.isTooLong {
      switch wait(for: [STDIN_FILENO]) {
      case .ready:
        var byte: UInt8 = 0
        let count = Foundation.read(STDIN_FILENO, &byte, 1)
        if count < 0, errno == EINTR || errno == EAGAIN { continue }
        if count <= 0 {
          guard !secret.isEmpty else { return .end }
          isLine = true
        } else if byte == UInt8(ascii: "\n") {
          isLine = true
        } else {
          secret.append(CollectionOfOne(byte))
        }
      case .signal(SIGINT): return .interrupted(hadText: !secret.isEmpty)
      case .signal(let signal) where signal == SIGTERM || signal == SIGHUP:
        end(signal)
        return .signal(signal)
      case .signal(SIGTSTP): console_stop()
      default: break
      }
    }
    guard !secret.isTooLong else {
      screen.write([Span("longer than 64 KiB: nothing was taken\n", .warning)], to: .notices)
      return .end
    }
    return .line(secret.text)
  }
}

/// The bytes of a secret while it is typed: in one place that never moves, and wiped (docs/rules.md C7).
// On the console's thread only.
final class SecretBytes {
  /// More than any token has.
  static let limit = 64 << 10

  private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: SecretBytes.limit, alignment: 4096)
  private var count = 0
  /// Whether something came for which there was no room.
  private(set) var isTooLong = false

  init() {
    if let start = bytes.baseAddress { mlock(start, bytes.count) }
  }

  deinit {
    wipe()
    if let start = bytes.baseAddress { munlock(start, bytes.count) }
    bytes.deallocate()
  }

  var isEmpty: Bool { count == 0 && !isTooLong }

  /// The text without line ends at its end, which a copied token often has, and without a byte-order mark.
  var text: String {
    var end = count
    while end > 0, [0x0A, 0x0D].contains(bytes[end - 1]) { end -= 1 }
    return String(decoding: bytes[..<end].withoutByteOrderMark, as: UTF8.self)
  }

  func append(_ more: some Collection<UInt8>) {
    guard !isTooLong, count + more.count <= bytes.count else { return isTooLong = true }
    for byte in more {
      bytes[count] = byte
      count += 1
    }
  }

  /// Takes away the last character.
  func removeLast() {
    guard count > 0 else { return }
    repeat {
      count -= 1
    } while count > 0 && bytes[count] & 0xC0 == 0x80
    bytes[count] = 0
  }

  func wipe() {
    if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
    count = 0
    isTooLong = false
  }
}

extension [UInt8] {
  /// Overwrites and empties it.
  mutating func wipe() {
    withUnsafeMutableBytes { buffer in
      if let start = buffer.baseAddress { explicit_bzero(start, buffer.count) }
    }
    removeAll(keepingCapacity: true)
  }

  /// Overwrites what others may hold too: a change by the ordinary way would be made to a copy.
  fileprivate func wipeInPlace() {
    withUnsafeBytes { buffer in
      if let start = buffer.baseAddress { explicit_bzero(UnsafeMutableRawPointer(mutating: start), buffer.count) }
    }
  }
}
