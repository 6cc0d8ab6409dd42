import CProcess
import Glibc
import Waiting

/// A command that somebody else thought of, an agent say, and the end of what it writes; under a keeper (Keeper.c) that
/// ends it and all that came of it (docs/rules.md A6, A7).
///
/// It has nothing to read, and its standard error is among its output, in the order in which it came. What it left
/// running in the background is ended when it has ended itself. One thread moves the bytes (CommandThread.swift).
package final class CommandRun: Sendable {
  /// The bytes of output that are handed out when nobody says how many.
  package static let usualLimit = 1 << 20
  /// The most that may be asked for.
  package static let greatestLimit = 8 << 20

  /// What there is of the output.
  package struct Output: Sendable, Equatable {
    /// Ill-formed bytes stand in it as U+FFFD. Not to be trusted.
    package let text: String
    /// Whether more came than the limit, so that the beginning was cut away, at a character.
    package let isTruncated: Bool
    /// nil while it runs.
    package let end: CommandEnd?
  }

  struct State {
    var text: CommandText
    var isTextOver = false
    var isStopping = false
    var start: Result<Void, ChildProgram.Failure>?
    var end: CommandEnd?
    /// Whether it and all that came of it has ended, and its thread too.
    var isGone = false

    var startWaiter: CheckedContinuation<Result<Void, ChildProgram.Failure>, Never>?
    var goneWaiters: [CheckedContinuation<Void, Never>] = []
    /// Those who wait for news, of the text or the end.
    var bells: [Int: AsyncStream<Void>.Continuation] = [:]
    var lastBell = 0
  }

  private let state: Locked<State>
  private let wake: Int32

  /// Starts the keeper, and the thread that serves it; `hasStarted` tells what became of the command.
  init(_ program: ChildProgram, umask: UInt32, outputLimit: Int) throws(ChildProgram.Failure) {
    state = Locked(State(text: CommandText(limit: min(max(0, outputLimit), CommandRun.greatestLimit))))
    wake = process_wake()
    guard wake >= 0 else { throw .problem(String(cString: strerror(errno))) }
    do throws(ChildProgram.Failure) {
      let pipes = try ChildPipes(starting: program, umask: umask, isCommand: true)
      CommandThread.start(for: self, with: pipes, wokenBy: wake)
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

  /// What there is of the output now. All that the command wrote itself is in it once it has an end.
  package func output() -> Output {
    change { Output(text: $0.text.output, isTruncated: $0.text.isTruncated, end: $0.end) }
  }

  /// How it ended, once it has: the command itself, whoever of those it started still runs or holds its output open.
  /// nil when the task is cancelled first, which does nothing to the command.
  package func ended() async -> CommandEnd? {
    for await _ in news() {
      if let end = change({ $0.end }) { return end }
    }
    return change { $0.end }
  }

  /// Ends it and all that came of it: they are asked to, and two seconds later made to. Returns when nothing is left,
  /// also in a task that is cancelled, and soon when it has ended. What there is of the output can still be read.
  package func kill() async {
    change { state in
      state.isStopping = true
      var one: UInt64 = 1
      // The thread closes it when it is gone.
      if !state.isGone { _ = Glibc.write(wake, &one, 8) }
    }
    await untilGone()
  }

  /// Its output as it comes, from the beginning: for showing it live. Each that iterates over it gets all; who is slow
  /// misses what is kept no more. It ends with the output, or when the task is cancelled.
  package var pieces: CommandPieces { CommandPieces(run: self) }

  /// Waits until nothing of it is left.
  func untilGone() async {
    await withCheckedContinuation { waiter in
      let isGone = change { (state) -> Bool in
        if !state.isGone { state.goneWaiters.append(waiter) }
        return state.isGone
      }
      if isGone { waiter.resume() }
    }
  }

  /// Rings at once, and whenever something has changed since.
  func news() -> AsyncStream<Void> {
    let (bells, bell) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let number = change { (state) -> Int in
      state.lastBell += 1
      state.bells[state.lastBell] = bell
      return state.lastBell
    }
    bell.onTermination = { [weak self] _ in self?.change { _ = $0.bells.removeValue(forKey: number) } }
    bell.yield()
    return bells
  }

  /// Has all who wait look at what changed.
  func ring() {
    for bell in change({ Array($0.bells.values) }) { bell.yield() }
  }

  /// What is resumed or rung in here would come back for the lock.
  func change<T: Sendable>(_ body: (inout State) -> T) -> T { state.withLock { body(&$0) } }
}
