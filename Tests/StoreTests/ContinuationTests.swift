import Chat
import Foundation
import GRDB
import TestSupport
import Testing

@testable import Store

@Suite struct ContinuationTests {
  @Test func `an answer that nobody writes is free, with its newest text`() async throws {
    try await withHistory { here, path in
      var session = Session()
      let turn = try await here.say("?", in: &session, answer: StoredAnswer(text: "abc", status: .cutOff))
      try await inAnotherProcess(
        path, "UPDATE message SET content = 'abcdef', owner = ? WHERE turn = ? AND position = 1", turn)
      guard case .free(let found) = try await here.resumeAnswer(of: turn.id) else {
        Issue.record("not free")
        return
      }
      #expect(found.answer?.text == "abcdef")
      #expect(found.answer?.status == .cutOff)
      try await here.finish(turn.id, StoredAnswer(text: "abcdefghi", status: .complete))
      #expect(try await here.turn(turn.id)?.answer?.text == "abcdefghi")
      await #expect(throws: HistoryError.noTurn) { try await here.resumeAnswer(of: TurnID(key: 99)) }
    }
  }

  @Test func `an answer that this process or a dead one left unfinished is free and interrupted`() async throws {
    try await withHistory { here, _ in
      var session = Session()
      let turn = try await here.say("?", in: &session)
      here.grow(turn.id, text: "abc")
      _ = try await here.engine()  // whatever was asked before is done now
      for owner in [Owner.current.text, "another-boot/1/1"] {
        try await here.change { db in
          try db.execute(sql: "UPDATE message SET owner = ? WHERE position = 1", arguments: [owner])
        }
        guard case .free(let found) = try await here.resumeAnswer(of: turn.id) else {
          Issue.record("not free: \(owner)")
          continue
        }
        #expect(found.answer?.status == .interrupted)
      }
    }
  }

  @Test func `what another live process is writing is neither gone on with nor overwritten`() async throws {
    try await withHistory { here, path in
      var session = Session()
      let turn = try await here.say("?", in: &session, answer: StoredAnswer(text: "abc", status: .cutOff))
      let other = try Python(OtherProcess.script, path, OtherProcess.streaming, String(turn.id.key))
      #expect(other.hear().hasPrefix("done"))
      #expect(try await here.resumeAnswer(of: turn.id) == .beingWritten)
      here.grow(turn.id, text: "abc and theirs and ours")
      await #expect(throws: HistoryError.answeredElsewhere) {
        try await here.finish(turn.id, StoredAnswer(text: "abc and theirs and ours", status: .complete))
      }
      #expect(try await here.turn(turn.id)?.answer?.text == "abc and theirs")
      #expect(try await here.turn(turn.id)?.answer?.status == nil)
      other.finish()
      guard case .free(let found) = try await here.resumeAnswer(of: turn.id) else {
        Issue.record("its writer is gone")
        return
      }
      #expect(found.answer?.text == "abc and theirs")
    }
  }

  @Test func `stale thoughts do not replace what another process added`() async throws {
    try await withHistory { here, path in
      var session = Session()
      let turn = try await here.say(
        "?", in: &session, answer: StoredAnswer(text: "", reasoning: "hm", status: .cutOff))
      try await inAnotherProcess(
        path, "UPDATE message SET reasoning = 'hm, theirs', owner = ? WHERE turn = ? AND position = 1", turn)
      await #expect(throws: HistoryError.answeredElsewhere) {
        try await here.finish(turn.id, StoredAnswer(text: "", reasoning: "hm", status: .interrupted))
      }
      #expect(try await here.turn(turn.id)?.answer?.reasoning == "hm, theirs")
    }
  }

  @Test func `a stale text does not replace what another process added`() async throws {
    try await withHistory { here, path in
      var session = Session()
      let turn = try await here.say("?", in: &session, answer: StoredAnswer(text: "abc", status: .cutOff))
      try await inAnotherProcess(
        path, "UPDATE message SET content = 'abc, theirs', owner = ? WHERE turn = ? AND position = 1", turn)
      here.grow(turn.id, text: "abc, ours, and much longer")
      await #expect(throws: HistoryError.answeredElsewhere) {
        try await here.finish(turn.id, StoredAnswer(text: "abc, ours, and much longer", status: .complete))
      }
      let stored = try #require(try await here.turn(turn.id)?.answer)
      #expect(stored.text == "abc, theirs")
      #expect(stored.status == .cutOff)
    }
  }

  private func inAnotherProcess(_ path: String, _ sql: String, _ turn: StoredTurn) async throws {
    let other = try Python(OtherProcess.script, path, sql, String(turn.id.key))
    #expect(other.hear().hasPrefix("done"))
    #expect(other.finish() == 0)
  }
}

/// Changes a row as its own process does, and lives until its input ends.
private enum OtherProcess {
  static let streaming = """
    UPDATE message SET content = 'abc and theirs', status = 'streaming', owner = ? WHERE turn = ? AND position = 1
    """
  static let script = """
    import os, sqlite3, sys
    boot = open("/proc/sys/kernel/random/boot_id").read().strip()
    start = open("/proc/self/stat").read().rsplit(")", 1)[1].split()[19]
    db = sqlite3.connect(sys.argv[1], isolation_level=None)
    db.execute(sys.argv[2], (f"{boot}/{os.getpid()}/{start}", sys.argv[3]))
    print("done", flush=True)
    sys.stdin.read()
    """
}
