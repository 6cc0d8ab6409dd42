import CProcess
import Foundation
import Glibc

/// A long-lived program that is spoken with over its standard input and output, under a keeper (Keeper.c) that ends it
/// and all that came of it (docs/rules.md A6).
///
/// One thread moves the bytes (ChildThread.swift). The lock guards `state`; no continuation is resumed while it is
/// held.
package final class ChildProcess: @unchecked Sendable {
  /// Bytes over which no more is read until the reader has taken what there is, and over which a writer waits.
  static let bufferLimit = 1 << 20
  /// The bytes of standard error that are kept (docs/rules.md A7).
  static let wordsLimit = 64 << 10

  package let name: String

  struct State {
    var unsent = UnsentBytes()
    var isInputClosed = false
    var unread: [UInt8] = []
    var isOutputOver = false
    var words: [UInt8] = []
    var isStopping = false
    var start: Result<Void, ChildProgram.Failure>?
    var status: Int32?
    /// Whether it and all that came of it has ended, and its thread too.
    var isGone = false

    var startWaiter: CheckedContinuation<Result<Void, ChildProgram.Failure>, Never>?
    var readWaiter: CheckedContinuation<[UInt8]?, Never>?
    var writeWaiters: [Int: CheckedContinuation<Bool, Never>] = [:]
    var lastWrite = 0
    var endWaiters: [CheckedContinuation<ChildExit, Never>] = []
  }

  private let lock = NSLock()
  private var state = State()
  private let wake: Int32

  /// Starts the keeper, and the thread that serves it; `hasStarted` tells what became of the program.
  init(_ program: ChildProgram, umask: UInt32) throws(ChildProgram.Failure) {
    name = program.name
    wake = process_wake()
    guard wake >= 0 else { throw .problem(String(cString: strerror(errno))) }
    do throws(ChildProgram.Failure) {
      ChildThread.start(for: self, with: try ChildPipes(starting: program, umask: umask), wokenBy: wake)
    } catch {
      Glibc.close(wake)
      throw error
    }
  }

  func hasStarted() async throws(ChildProgram.Failure) {
    let result = await withCheckedContinuation { waiter in
      let ready = change {
        if $0.start == nil { $0.startWaiter = waiter }
        return $0.start
      }
      if let ready { waiter.resume(returning: ready) }
    }
    try result.get()
  }

  /// Sends all of these bytes, not mixed with those of another call; false when its input is closed. Returns when they
  /// are on their way; waits while much is, unless the task is cancelled, which takes back nothing.
  package func write(_ bytes: [UInt8]) async -> Bool {
    let (isTaken, number) = change { (state) -> (Bool, Int?) in
      guard !state.isInputClosed else { return (false, nil) }
      state.unsent.append(bytes)
      guard state.unsent.count > ChildProcess.bufferLimit else { return (true, nil) }
      state.lastWrite += 1
      return (true, state.lastWrite)
    }
    if isTaken { wakeThread() }
    guard let number else { return isTaken }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { waiter in
        let ready = change { (state) -> Bool? in
          guard !state.isInputClosed else { return false }
          guard state.unsent.count > ChildProcess.bufferLimit, !Task.isCancelled else { return true }
          state.writeWaiters[number] = waiter
          return nil
        }
        if let ready { waiter.resume(returning: ready) }
      }
    } onCancel: {
      change { $0.writeWaiters.removeValue(forKey: number) }?.resume(returning: true)
    }
  }

  /// All bytes that have come since the last call, at least one; nil at the end. It has one reader.
  package func read() async -> [UInt8]? {
    let bytes = await withCheckedContinuation { (waiter: CheckedContinuation<[UInt8]?, Never>) in
      let (isReady, bytes) = change { (state) -> (Bool, [UInt8]?) in
        if let bytes = state.takeUnread() { return (true, bytes) }
        if !state.isOutputOver { state.readWaiter = waiter }
        return (state.isOutputOver, nil)
      }
      if isReady { waiter.resume(returning: bytes) }
    }
    wakeThread()
    return bytes
  }

  /// Ends it: its input closes, and one second later it is asked to end, two later made to. What it still writes is not
  /// read. Returns when nothing of it is left, and how it ended, which it may have done before.
  @discardableResult
  package func stop() async -> ChildExit {
    change { $0.isStopping = true }
    wakeThread()
    return await ended()
  }

  /// How it ended, once it and all that came of it has.
  package func ended() async -> ChildExit {
    await withCheckedContinuation { waiter in
      let exit = change { (state) -> ChildExit? in
        guard state.isGone else {
          state.endWaiters.append(waiter)
          return nil
        }
        return state.exit
      }
      if let exit { waiter.resume(returning: exit) }
    }
  }

  /// The end of what it has written to its standard error. Not to be trusted.
  package var log: String { change { String(decoding: $0.words, as: UTF8.self) } }

  func change<T>(_ body: (inout State) -> T) -> T { lock.withLock { body(&state) } }

  private func wakeThread() {
    lock.withLock {
      var one: UInt64 = 1
      if !state.isGone { _ = Glibc.write(wake, &one, 8) }
    }
  }
}

extension ChildProcess.State {
  var exit: ChildExit { ChildExit(status: status ?? 128 + SIGKILL, lastWords: lastWords) }

  var lastWords: String {
    let lines = words.split { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    let line = lines.last { !$0.allSatisfy { $0 == 0x20 || $0 == 0x09 } }
    return String(decoding: line ?? [], as: UTF8.self)
  }

  mutating func takeUnread() -> [UInt8]? {
    guard !unread.isEmpty else { return nil }
    defer { unread = [] }
    return unread
  }

  mutating func addWords(_ bytes: ArraySlice<UInt8>) {
    words += bytes
    if words.count > 2 * ChildProcess.wordsLimit { words.removeFirst(words.count - ChildProcess.wordsLimit) }
  }
}

/// Bytes that are sent from the front, each moved once at most.
struct UnsentBytes {
  private var bytes: [UInt8] = []
  private var sent = 0

  var count: Int { bytes.count - sent }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ more: [UInt8]) {
    if sent > bytes.count / 2 {
      bytes.removeFirst(sent)
      sent = 0
    }
    bytes += more
  }

  /// What `write(2)` says; nil when there is nothing to be sent.
  mutating func write(to descriptor: Int32) -> Int? {
    guard !isEmpty else { return nil }
    let count = bytes.withUnsafeBytes { buffer in
      Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: buffer[sent...]).baseAddress, buffer.count - sent)
    }
    let code = errno
    if count > 0 { sent += count }
    if isEmpty { (bytes, sent) = ([], 0) }
    errno = code
    return count
  }
}
