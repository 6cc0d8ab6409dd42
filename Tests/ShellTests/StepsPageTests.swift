import Chat
import Testing
import Text
import Wire

@testable import Shell
@testable import Store

@Suite struct StepsPageTests {
  private func call(
    _ result: StoredResult?, _ arguments: ToolCall.Arguments = .object(["a": 2, "b": "x"]), tool: String? = "add"
  ) -> StoredCall {
    StoredCall(
      ToolCall(id: "c1", name: "peer_add", arguments: arguments), tool: tool, server: tool.map { _ in "peer" },
      result: result)
  }

  private func line(_ call: StoredCall) -> String { StepsPage.line(call).string }

  @Test func `a call is one line with what came of it`() {
    #expect(line(call(StoredResult(.done, text: "5"))) == #"tool add(a: 2, b: "x") on peer: 5"#)
    #expect(line(call(StoredResult(.failed, text: "no\nway"))) == #"tool add(a: 2, b: "x") on peer failed: no way"#)
    #expect(line(call(StoredResult(.timedOut, text: "late"))) == #"tool add(a: 2, b: "x") on peer timed out: late"#)
    #expect(line(call(nil)) == #"tool add(a: 2, b: "x") on peer: no result"#)
    #expect(
      line(call(StoredResult(.unreported, text: ""))) == #"tool add(a: 2, b: "x") on peer: no result reported"#)
    let broken = call(StoredResult(.invalid, text: "cut off"), .broken("{\"a\"", .unfinished), tool: nil)
    #expect(line(broken) == #"tool peer_add({"a") invalid: cut off"#)
    #expect(!line(call(StoredResult(.done, text: "\u{1B}[31mred\u{1B}]0;title\u{7}"))).contains("\u{1B}"))
  }

  @Test func `a call whose result was not reported is no error in JSON`() {
    let object = AnswerJSON.object(call(StoredResult(Activity(id: "a", status: .unreported), text: "")))
    #expect(object["status"] == "unreported" && object["isError"] == false)
    let stopped = AnswerJSON.object(call(StoredResult(Activity(id: "a", status: .stopped), text: "")))
    #expect(stopped["status"] == "cancelled" && stopped["isError"] == true)
    let ended = ActivityPage.ended(Activity(id: "a", title: "Edit", status: .unreported), marks: .signs, columns: 80)
    #expect(ended.string == "⚒ Edit: no result reported\n")
  }

  @Test func `the rounds of a turn stand between question and answer`() throws {
    let step = ToolStep(
      text: "I add.", model: "m", usage: Usage(promptTokens: 1),
      calls: [
        call(
          StoredResult(.done, text: String(repeating: "5", count: 300), whole: #"{"isError":false}"#, milliseconds: 3)),
        call(nil),
      ])
    let turn = Turn.unsaved(
      in: .random(), number: 1, parent: nil, question: "2 + 3?", steps: [step],
      answer: StoredAnswer(text: "Five.", status: .complete), at: 0)
    let pieces = SessionPage.pieces(of: turn, in: Session(), columns: 40, look: nil)
    let lines = pieces.map(\.string).joined().split(separator: "\n")
    #expect(lines.map { $0.prefix(8) } == ["#1 2 + 3", "I add.", "tool add", "tool add", "Five."])
    #expect(lines[2].count == 40 && lines[2].hasSuffix("…"))
    let steps = try #require(SessionPage.json(turn)["steps"])
    #expect(steps.array?.count == 1)
    #expect(steps[0]?["text"] == "I add.")
    #expect(steps[0]?["usage"]?["promptTokens"] == 1)
    let calls = try #require(steps[0]?["toolCalls"])
    #expect(calls[0]?["name"] == "peer_add")
    #expect(calls[0]?["tool"] == "add")
    #expect(calls[0]?["server"] == "peer")
    #expect(calls[0]?["arguments"]?["a"] == 2)
    #expect(calls[0]?["result"]?.string?.count == 300)
    #expect(calls[0]?["isError"] == false)
    #expect(calls[0]?["status"] == "done")
    #expect(calls[0]?["whole"]?["isError"] == false)
    #expect(calls[0]?["milliseconds"] == 3)
    #expect(calls[1]?["status"] == .null && calls[1]?["result"] == .null && calls[1]?["isError"] == .null)
  }
}

@Suite struct SearchWordsTests {
  @Test func `a word with a known name before its colon limits the search`() throws {
    let typed = ["pool", "role:tool", "since:2d", "model:qwen", "server:gpu", "status:cut-off", "http://x", "a:", ":b"]
    let search = try SearchWords(typed, now: 1_000_000_000) { _ in 0 }
    #expect(search.words == ["pool", "http://x", "a:", ":b"])
    var filter = SearchFilter()
    filter.role = .tool
    filter.since = 1_000_000_000 - 172_800_000
    filter.model = "qwen"
    filter.server = "gpu"
    filter.status = .cutOff
    #expect(search.filter == filter)
  }

  @Test func `a word behind a dash may not occur, unless it is all there is`() throws {
    let search = try SearchWords(["pool", "-cars", "--", "-"], now: 0) { _ in 0 }
    #expect(search.words == ["pool", "--", "-"] && search.filter.excluded == ["cars"])
    #expect(try SearchWords(["-Wall"], now: 0) { _ in 0 }.words == ["-Wall"])
    #expect(try SearchWords(["tag:x", "-Wall"], now: 0) { _ in 0 }.words.isEmpty)
  }

  @Test func `a whole search in one argument is split, and other words in one are a phrase`() throws {
    #expect(SearchWords.split("pool -panic") == ["pool", "-panic"])
    #expect(SearchWords.split("pool OR lake") == ["pool", "OR", "lake"])
    #expect(SearchWords.split("SINCE:30d pool") == ["SINCE:30d", "pool"])
    #expect(SearchWords.split("pool - party, or -- so") == ["pool - party, or -- so"])
    let search = try SearchWords(["ROLE:user", "Since:2d", "pool"], now: 1_000_000_000) { _ in 0 }
    #expect(search.filter.role == .user && search.filter.since != nil && search.words == ["pool"])
    #expect(throws: ShellError.self) { try SearchWords(["pool", "-Role:user"], now: 0) { _ in 0 } }
  }

  @Test func `a dash before a limit is refused, and what looks like a limit is told apart`() throws {
    #expect(throws: ShellError.self) { try SearchWords(["pool", "-role:user"], now: 0) { _ in 0 } }
    #expect(try SearchWords(["-10:30"], now: 0) { _ in 0 }.words == ["-10:30"])
    #expect(["untill:x", "role:", "foo:bar"].allSatisfy(SearchWords.isLikeLimit))
    #expect(!["http://x", "10:30", ":x", "a b:c"].contains(where: SearchWords.isLikeLimit))
  }

  @Test func `a day is one of the person's clock, and until is with it`() throws {
    let search = try SearchWords(["since:2026-11-27", "until:2026-11-27"], now: 0) { moment in
      // The clock is set back within that day.
      moment > 1_795_750_000_000 ? 3600 : 7200
    }
    #expect(search.filter.since == 1_795_730_400_000)
    #expect(search.filter.until == 1_795_730_400_000 + 90_000_000)
    #expect(search.words.isEmpty && !search.isEmpty)
  }

  @Test(arguments: [
    "since:2026-13-01", "until:2026-02-30", "since:26-1", "since:2026-+1-05", "role:system", "role:tools", "status:bad",
    "since:2", "since:d", "since:-1d",
    "since:99999999999999999999d",
  ])
  func `a limit that cannot be is an error`(_ word: String) {
    #expect(throws: ShellError.self) { try SearchWords(["pool", word], now: 0) { _ in 0 } }
  }
}
