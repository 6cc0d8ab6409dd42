import Chat
import Store

/// An answer while it is written: the fold over its events, the same for the screen, the history and JSON.
struct GrowingAnswer {
  private(set) var text: String
  private(set) var reasoning: String
  private(set) var model: String?
  private(set) var usage: Usage?
  private(set) var finish: FinishReason?
  private(set) var calls: [ToolCall] = []
  /// How many parts of the stream could not be read: some of the answer may be missing.
  private(set) var unreadable = 0
  let began: Double
  private var firstToken: Double?

  /// - Parameters:
  ///   - began: when the request was handed over, in seconds of the world's uptime.
  ///   - earlier: the answer so far, when it is gone on with.
  init(began: Double, continuing earlier: StoredAnswer? = nil) {
    self.began = began
    text = earlier?.text ?? ""
    reasoning = earlier?.reasoning ?? ""
  }

  /// Whether nothing of the answer has come yet.
  var isUntouched: Bool { firstToken == nil && finish == nil }

  mutating func absorb(_ event: ChatEvent, at uptime: Double) {
    switch event {
    case .started(let name): model = name ?? model
    case .text(let piece):
      firstToken = firstToken ?? uptime
      text += piece
    case .reasoning(let piece):
      firstToken = firstToken ?? uptime
      reasoning += piece
    case .usage(let counts): usage = counts
    case .toolCall(let call):
      firstToken = firstToken ?? uptime
      calls.append(call)
    case .activity: firstToken = firstToken ?? uptime
    case .revised(let whole):
      firstToken = firstToken ?? uptime
      text = whole
    case .notice(.unreadable): unreadable += 1
    case .toolCallComing, .notice, .question, .conversation, .named, .title: break
    case .finished(let reason): finish = reason
    }
  }

  /// What has come becomes a step of the turn, and the answer begins anew behind it.
  mutating func takeStep() -> (text: String, reasoning: String) {
    defer { (text, reasoning) = ("", "") }
    return (text, reasoning)
  }

  /// How it ended, given what ended it besides its own events.
  func status(error: BackendError?) -> AnswerStatus {
    switch (error, finish) {
    case (.cancelled, _): .interrupted
    case (.stalled, _): .stalled
    case (.some, _): .failed
    case (nil, nil): .cutOff
    case (nil, .length): .length
    case (nil, .filtered): .filtered
    case (nil, .other): .cutOff
    case (nil, .stop): unreadable == 0 ? .complete : .cutOff
    }
  }

  func timing(at uptime: Double) -> Timing {
    Timing(
      firstTokenMs: firstToken.map { Int((($0 - began) * 1000).rounded()) },
      totalMs: Int(((uptime - began) * 1000).rounded()))
  }
}
