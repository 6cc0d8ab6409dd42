import Testing
import Wire

@testable import Backends
@testable import Chat

struct ACPFoldTests {
  @Test func `a call is created, patched and finished, and given whole each time`() {
    var fold = ACPFold()
    let made = fold.call([
      "kind": "edit", "locations": [["path": "/w/a", "line": 3]], "rawInput": ["path": "/w/a"],
      "status": "pending", "title": "Edit a", "toolCallId": "c1", "sessionUpdate": "tool_call",
    ])
    #expect(
      made
        == Activity(
          id: "c1", title: "Edit a", kind: "edit", places: [.init(path: "/w/a", line: 3)], input: ["path": "/w/a"]))
    let running = fold.call([
      "sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "in_progress", "title": .null,
      "content": [["type": "content", "content": ["type": "text", "text": "half"]]],
    ])
    #expect(running?.status == .running)
    #expect(running?.title == "Edit a")
    #expect(running?.content == [.block(.text("half"))])
    let done = fold.call([
      "sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "completed", "rawOutput": "ok",
      "content": [
        ["type": "diff", "path": "/w/a", "oldText": .null, "newText": "x"], ["type": "terminal", "terminalId": "t1"],
      ],
      "locations": [],
    ])
    #expect(done?.status == .done)
    #expect(done?.output == "ok")
    #expect(done?.places == [])
    #expect(done?.content == [.diff(FileChange(path: "/w/a", old: nil, new: "x")), .terminal("t1")])
    #expect(done?.input == ["path": "/w/a"])
  }

  @Test func `a call without kind and status is another one that is pending`() {
    var fold = ACPFold()
    let call = fold.call(["sessionUpdate": "tool_call", "toolCallId": "c1", "title": "terminal: ls"])
    #expect(call == Activity(id: "c1", title: "terminal: ls", kind: "other", status: .pending))
  }

  @Test func `an update of a call that was never announced creates it`() {
    var fold = ACPFold()
    let call = fold.call(["sessionUpdate": "tool_call_update", "toolCallId": "ghost", "status": "failed"])
    #expect(call == Activity(id: "ghost", status: .failed))
  }

  @Test func `a word for a status that is not known leaves it, and of a new call says that it runs`() {
    var fold = ACPFold()
    let new = fold.call(["sessionUpdate": "tool_call", "toolCallId": "c1", "title": "t", "status": "thinking"])
    #expect(new?.status == .running)
    _ = fold.call(["sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "failed"])
    let same = fold.call(["sessionUpdate": "tool_call_update", "toolCallId": "c1", "status": "odd", "title": "u"])
    #expect(same?.status == .failed)
    #expect(same?.title == "u")
  }

  @Test func `what changes nothing is no event`() {
    var fold = ACPFold()
    let call: JSON = ["sessionUpdate": "tool_call", "toolCallId": "c1", "title": "t", "content": []]
    #expect(fold.events(call).count == 1)
    #expect(fold.events(call).isEmpty)
    #expect(fold.events(["sessionUpdate": "tool_call_update", "toolCallId": "c1", "content": .null]).isEmpty)
  }

  @Test(
    arguments: [
      ("title", 7), ("kind", []), ("status", true), ("content", "text"), ("content", 3), ("locations", "x"),
      ("locations", [1, .null, ["line": 3]]), ("content", [.null, 5, true, ["type": "content"]]), ("name", .null),
    ] as [(String, JSON)]) func `an odd field is passed over`(_ key: String, _ value: JSON)
  {
    var fold = ACPFold()
    var call: JSON = ["sessionUpdate": "tool_call", "toolCallId": "c1"]
    call[key] = value
    #expect(fold.call(call) == Activity(id: "c1"))
  }

  @Test func `content is read in the shapes that are in use`() {
    var fold = ACPFold()
    let call = fold.call([
      "sessionUpdate": "tool_call", "toolCallId": 12, "name": "grep",
      "content": [
        "bare", ["type": "text", "text": "no wrapping"], ["type": "content", "content": ["type": "hologram"]],
        ["type": "diff", "path": "/w/a", "oldText": "same", "newText": "same"], ["type": "diff"],
        ["type": "terminal", "terminalId": .null], ["type": "content", "content": "words"],
      ],
    ])
    #expect(call?.id == "12")
    #expect(call?.title == "grep")
    #expect(
      call?.content == [
        .block(.text("bare")), .block(.text("no wrapping")), .block(.other("hologram")),
        .diff(FileChange(path: "/w/a", old: "same", new: "same")), .block(.other("diff")),
        .block(.other("terminal")), .block(.text("words")),
      ])
  }

  @Test func `a place has a line from 1 on, or none`() {
    var fold = ACPFold()
    let call = fold.call([
      "sessionUpdate": "tool_call", "toolCallId": "c1",
      "locations": [["path": "/a", "line": 0], ["path": "/b", "line": .null], "/c", ["path": "/d", "line": 2.0]],
    ])
    #expect(call?.places == [.init(path: "/a"), .init(path: "/b"), .init(path: "/c"), .init(path: "/d", line: 2)])
  }

  @Test(
    arguments: [[:], .null, "text", ["sessionUpdate": .null], ["sessionUpdate": "tool_call", "toolCallId": ""]]
      as [JSON]) func `an update that cannot be used is a line of the log`(_ update: JSON)
  {
    var fold = ACPFold()
    let events = fold.events(update)
    #expect(events.count == 1)
    #expect(events.allSatisfy { if case .notice(.log) = $0 { true } else { false } })
  }

  @Test(arguments: ["from_the_future", "plan_update", "compaction_update"]) func `an unknown kind is named in the log`(
    _ kind: String
  ) {
    var fold = ACPFold()
    let events = fold.events(["sessionUpdate": .string(kind), "x": 1])
    #expect(events == [.notice(.log("an update of an unknown kind: \(kind)"))])
  }
}

struct ACPTurnEndTests {
  @Test(arguments: [
    (false, false, Activity.Status.unreported), (false, true, .stopped), (true, false, .stopped),
    (true, true, .stopped),
  ])
  func `an unfinished call is stopped only by a turn that was cancelled or lost`(
    wasStopped: Bool, isBroken: Bool, status: Activity.Status
  ) {
    var fold = ACPFold()
    _ = fold.call(["sessionUpdate": "tool_call", "toolCallId": "a", "title": "one"])
    _ = fold.call(["sessionUpdate": "tool_call", "toolCallId": "b", "title": "two", "status": "completed"])
    _ = fold.call(["sessionUpdate": "tool_call", "toolCallId": "c", "title": "three", "status": "in_progress"])
    _ = fold.events(["sessionUpdate": "plan", "entries": [["content": "x", "status": "in_progress"]]])
    #expect(
      fold.endTurn(wasStopped: wasStopped, isBroken: isBroken) == [
        .activity(Activity(id: "a", title: "one", status: status)),
        .activity(Activity(id: "c", title: "three", status: status)),
      ])
    #expect(fold.endTurn(wasStopped: wasStopped, isBroken: isBroken).isEmpty)
  }

  @Test func `what comes after the turn is told over what was known of the call`() {
    var fold = ACPFold()
    _ = fold.call(["sessionUpdate": "tool_call", "toolCallId": "a", "title": "one"])
    _ = fold.endTurn(wasStopped: false, isBroken: false)
    let running = fold.call(["sessionUpdate": "tool_call_update", "toolCallId": "a", "status": "in_progress"])
    #expect(running == Activity(id: "a", title: "one", status: .running))
    let late = fold.call(["sessionUpdate": "tool_call_update", "toolCallId": "a", "status": "completed"])
    #expect(late == Activity(id: "a", title: "one", status: .done))
  }

  @Test func `a call of a turn that was stopped does not go on, and may end`() {
    var fold = ACPFold()
    _ = fold.call(["sessionUpdate": "tool_call", "toolCallId": "a", "title": "one"])
    _ = fold.endTurn(wasStopped: true, isBroken: true)
    #expect(fold.events(["sessionUpdate": "tool_call_update", "toolCallId": "a", "status": "in_progress"]).isEmpty)
    let late = fold.call(["sessionUpdate": "tool_call_update", "toolCallId": "a", "status": "failed"])
    #expect(late == Activity(id: "a", title: "one", status: .failed))
  }

  @Test func `an id that is announced again in the next turn is another call`() {
    var fold = ACPFold()
    _ = fold.call(["sessionUpdate": "tool_call", "toolCallId": "1", "title": "one", "kind": "read"])
    _ = fold.endTurn(wasStopped: true, isBroken: true)
    let next = fold.call(["sessionUpdate": "tool_call", "toolCallId": "1", "title": "two"])
    #expect(next == Activity(id: "1", title: "two"))
    let running = fold.call(["sessionUpdate": "tool_call_update", "toolCallId": "1", "status": "in_progress"])
    #expect(running?.status == .running)
    _ = fold.endTurn(wasStopped: false, isBroken: false)
    _ = fold.endTurn(wasStopped: false, isBroken: false)
    let forgotten = fold.call(["sessionUpdate": "tool_call_update", "toolCallId": "1", "status": "completed"])
    #expect(forgotten == Activity(id: "1", status: .done))
  }
}

extension ACPFold {
  /// The events of an update, where nothing else is looked at.
  mutating func events(_ update: JSON) -> [ChatEvent] {
    var state = AgentState()
    return take(update, &state)
  }

  /// The call that an update leaves; nil when it gives no event, or several.
  mutating func call(_ update: JSON) -> Activity? {
    let events = events(update)
    guard events.count == 1, case .activity(let call) = events[0] else { return nil }
    return call
  }
}
