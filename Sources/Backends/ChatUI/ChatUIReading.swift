import Chat
import Transport
import Wire

/// Reading what an answer says while it is written.
extension ChatUIAnswer {
  /// Seconds without a sign of life, of a server that gives some, after which it is not heard any more.
  private static let silence = 30.0
  /// Seconds for what may follow the end of an answer.
  private static let afterwards = 10.0

  func read(_ body: any HTTPBody) async {
    // Its title may follow, and not for ever.
    if fold.hasEnded { endedAt = endedAt ?? api.endpoint.clock.now() }
    if let endedAt, api.endpoint.clock.now() - endedAt > ChatUIAnswer.afterwards {
      body.cancel()
      return lose()
    }
    let limit =
      fold.hasEnded
      ? ChatUIAnswer.afterwards
      : fold.keepsAlive ? ChatUIAnswer.silence : fold.hasBegun ? question.timeouts.idle : question.timeouts.firstToken
    let outcome: Result<[UInt8]?, TransportError> = await whileReading.wait(
      {
        do throws(TransportError) { return .success(try await body.next(timeout: limit)) } catch {
          return .failure(error)
        }
      }, endedBy: { body.cancel() })
    switch outcome {
    case .success(let bytes?): take(bytes, of: body)
    case .success(nil):
      lines.end { take($0) }
      lose()
    case .failure:
      body.cancel()
      lose()
    }
  }

  private func take(_ bytes: [UInt8], of body: any HTTPBody) {
    do throws(ChatUILines.TooLong) {
      try lines.feed(bytes) { take($0) }
    } catch {
      body.cancel()
      lose()
    }
  }

  /// Nothing more comes this way.
  private func lose() { phase = fold.hasEnded || whileReading.isStopped ? .written : .lost(tries: 0) }

  private func take(_ line: ChatUILines.Line) {
    switch line {
    // How what was listened to again ended: nothing of it is there any more.
    case .update(let update) where update["type"] == nil && update["status"]?.string == "gone": canListen = false
    case .update(let update): fold.add(update)
    case .end: break
    case .unreadable(let text): events.append(.notice(.unreadable(text)))
    }
  }
}
