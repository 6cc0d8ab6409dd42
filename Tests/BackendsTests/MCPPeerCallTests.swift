import Foundation
import TestSupport
import Testing

@testable import Backends
@testable import Chat
@testable import Transport
@testable import Wire

/// What happens in a call, with real servers.
@Suite(.serialized) struct MCPPeerCallTests {
  @Test(.peers(.mcp1, .mcp2), arguments: PeerSetting.wires) func `what happens during a call`(_ setting: PeerSetting)
    async throws
  {
    let clock = StandingClock()
    let scene = try await PeerScene(setting, timeouts: Timeouts(tool: 60), clock: clock.source)
    let connection = scene.connection

    // Longer in all than it may be silent.
    let slow = await Called(
      connection.call("slow", ["seconds": 1, "steps": 4]),
      meanwhile: { event in
        // The last one is followed by the result, which nobody waits for any more.
        guard case .progress(let progress) = event, progress.done != progress.total else { return }
        // It may be there already, where the machine is slow: then this takes its minute, and no harm is done.
        _ = await eventually { clock.isAwaited(for: 60) }
        clock.advance(40)
      })
    #expect(slow.text == "slept 1.0 seconds")
    // Of those that come faster than they are read only the last is told.
    #expect((1...5).contains(slow.progress.count))
    #expect(slow.progress.last == ToolProgress(done: 4, total: 4, message: "done"))

    let lines = await Called(connection.call("log_lines", [:]))
    #expect(lines.log == ["peer: line 0", "peer: line 1", "peer: line 2"])
    await connection.close()
  }

  @Test(.peers(.mcp1, .mcp2), arguments: PeerSetting.wires) func `a tool asks the person, whose time is their own`(
    _ setting: PeerSetting
  )
    async throws
  {
    let clock = StandingClock()
    let scene = try await PeerScene(setting, timeouts: Timeouts(tool: 60), clock: clock.source)
    let connection = scene.connection

    let greeted = await Called(
      connection.call("greet", [:]), answering: .accept(["name": "Ada", "age": 36]),
      meanwhile: { event in
        if case .question = event { clock.advance(500) }
      })
    #expect(greeted.text == "Hello Ada")
    let question = try #require(greeted.questions.first)
    #expect(question.message == "Who is calling?")
    guard case .form(let fields) = question.subject else {
      Issue.record("no form: \(question.subject)")
      return
    }
    #expect(fields.map(\.name) == ["name", "age"])
    #expect(fields.map(\.isRequired) == [true, false])
    #expect(fields[0].kind == .text(shortest: 1, longest: nil, format: nil))
    #expect(fields[1].kind == .number(from: 0, to: 150, isWhole: true))

    let declined = await Called(connection.call("greet", [:]), answering: .decline)
    #expect(declined.questions.count == 1)
    #expect(declined.result?.isError == true || declined.error != nil)
    #expect(await Called(connection.call("add", ["a": 1, "b": 1])).text == "2")
    await connection.close()
  }

  @Test(.peers(.mcp1, .mcp2), arguments: PeerSetting.wires) func `a call that is stopped is cancelled at its server`(
    _ setting: PeerSetting
  )
    async throws
  {
    let scene = try await PeerScene(setting)
    let stopped = await Called(
      scene.connection.call("slow", ["seconds": 60, "steps": 1]),
      stopAt: { if case .progress = $0 { true } else { false } })
    #expect(stopped.error == .cancelled)
    if scene.peer != nil { #expect(await scene.peer?.says("slow: cancelled") == true) }
    #expect(await Called(scene.connection.call("add", ["a": 1, "b": 1])).text == "2")
    await scene.connection.close()
  }

  @Test(.peers(.mcp1, .mcp2), arguments: PeerSetting.wires) func `a call without progress is given up, and cancelled`(
    _ setting: PeerSetting
  )
    async throws
  {
    let clock = StandingClock()
    let scene = try await PeerScene(setting, timeouts: Timeouts(tool: 60), clock: clock.source)
    let silent = await Called(
      scene.connection.call("slow", ["seconds": 600, "steps": 1]),
      meanwhile: { event in
        if case .progress = event { clock.runOut(60) }
      })
    clock.stand()
    #expect(silent.error == .timedOut(.silence, seconds: 60))
    if scene.peer != nil { #expect(await scene.peer?.says("slow: cancelled") == true) }
    #expect(await Called(scene.connection.call("add", ["a": 1, "b": 1])).text == "2")
    await scene.connection.close()
  }
}
