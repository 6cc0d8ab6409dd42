import Foundation
import Testing

@testable import Transport

/// A frame as a server sends it.
private func frame(_ kind: UInt8, _ payload: [UInt8] = [], isLast: Bool = true) -> [UInt8] {
  precondition(payload.count < 126)
  return [(isLast ? 0x80 : 0) | kind, UInt8(payload.count)] + payload
}

private let text: UInt8 = 1
private let continuation: UInt8 = 0
private let ping: UInt8 = 9

@Suite struct FramesTests {
  @Test func `frames cut anywhere are the same messages`() throws {
    let bytes =
      frame(text, Array("grüße".utf8)) + frame(text, Array("a".utf8), isLast: false) + frame(ping, [1, 2])
      + frame(continuation, Array("b".utf8)) + frame(text)
    let expected = ["grüße", "ab", ""].map { Array($0.utf8) }
    for cut in 0...bytes.count {
      let frames = try Frames(messageLimit: 100)
      #expect(frames.absorb(bytes[..<cut]) + frames.absorb(bytes[cut...]) == expected)
    }
    let frames = try Frames(messageLimit: 100)
    #expect(bytes.indices.flatMap { frames.absorb(bytes[$0...$0]) } == expected)
  }

  @Test func `a message has a limit, in however many frames it comes`() throws {
    let piece = frame(continuation, [97], isLast: false)
    let start = frame(text, [97], isLast: false)
    let good = try Frames(messageLimit: 10)
    let whole = good.absorb((start + (1...8).flatMap { _ in piece } + frame(continuation, [97]))[...])
    #expect(whole == [[UInt8](repeating: 97, count: 10)])

    let bad = try Frames(messageLimit: 10)
    #expect(bad.absorb((start + (1...10).flatMap { _ in piece })[...]).isEmpty)
    #expect(bad.hasBreach)
    #expect(!bad.takeOutgoing().isEmpty)
    #expect(bad.absorb(frame(text, [97])[...]).isEmpty)
  }

  @Test func `answers to pings wait for room, and none is left out`() throws {
    let frames = try Frames(messageLimit: 100)
    let count = 100_000
    _ = frames.absorb((1...count).flatMap { _ in frame(ping) }[...])
    #expect(!frames.isHungry)
    var sent = 0
    while !frames.isHungry || frames.hasMore {
      let bytes = frames.takeOutgoing()
      #expect(!bytes.isEmpty && bytes.count < Frames.outgoingLimit + 4096)
      sent += bytes.count
      _ = frames.absorb([])
    }
    #expect(sent == count * 6)
  }

  @Test func `each frame has a mask of its own`() throws {
    let frames = try Frames(messageLimit: 100)
    let masks = (1...100).map { _ in
      frames.send([97, 98, 99, 100])
      let bytes = frames.takeOutgoing()
      #expect(Array(bytes[..<2]) == [0x81, 0x84])
      #expect(zip(bytes[2..<6], bytes[6...]).map { $0 ^ $1 } == [97, 98, 99, 100])
      return Array(bytes[2..<6])
    }
    #expect(Set(masks).count > 90)
  }
}

@Suite struct SilenceTests {
  private let start = SuspendingClock.now

  @Test func `a silence is asked about once, and is a loss when no answer comes`() {
    var silence = Silence(Silence.Limits(60), from: start)
    #expect(silence.verdict(at: start) == .wait(until: start + .seconds(30)))
    #expect(silence.verdict(at: start + .seconds(30)) == .ask)
    #expect(silence.verdict(at: start + .seconds(31)) == .wait(until: start + .seconds(60)))
    #expect(silence.verdict(at: start + .seconds(60)) == .lost)
  }

  @Test func `whatever comes ends it`() {
    var silence = Silence(Silence.Limits(60), from: start)
    #expect(silence.verdict(at: start + .seconds(40)) == .ask)
    silence.hear(at: start + .seconds(69))
    #expect(silence.verdict(at: start + .seconds(70)) == .wait(until: start + .seconds(99)))
    #expect(silence.verdict(at: start + .seconds(99)) == .ask)
  }

  @Test func `time in which the process stood still leaves time for an answer`() {
    var silence = Silence(Silence.Limits(60), from: start)
    #expect(silence.verdict(at: start + .seconds(1000)) == .ask)
    #expect(silence.verdict(at: start + .seconds(1001)) == .wait(until: start + .seconds(1030)))
  }

  @Test func `a silence without an end is never asked about`() {
    var silence = Silence(Silence.Limits(.infinity), from: start)
    #expect(silence.verdict(at: start + .seconds(1_000_000)) == .wait(until: nil))
  }
}

@Suite struct UpgradeTests {
  @Test func `a key has the answer that RFC 6455 gives for it`() {
    #expect(Upgrade.accept(of: "dGhlIHNhbXBsZSBub25jZQ==") == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=")
  }

  @Test(arguments: [
    ("wss://Example.org", "/", "Example.org"), ("https://example.org:443/a?b", "/a?b", "example.org"),
    ("WS://[::1]:8765/a b", nil, nil), ("ws://[::1]:8765/ä/../b?ö", "/b?%c3%b6", "[::1]:8765"),
    ("wss://example.org:80/#x", "/", "example.org:80"),
  ])
  func `what is asked for, and whom, is in the address`(url: String, target: String?, host: String?) throws {
    let upgrade = try? Upgrade(HTTPRequest("GET", url), userAgent: "test")
    let lines = upgrade.map { String(decoding: $0.bytes, as: UTF8.self).components(separatedBy: "\r\n") }
    #expect(lines?[0] == target.map { "GET \($0) HTTP/1.1" })
    #expect(lines?[1] == host.map { "Host: \($0)" })
  }
}
