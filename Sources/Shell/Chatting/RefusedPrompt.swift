import Chat
import Store

/// A request that was too long, as its server counted.
struct RefusedPrompt {
  let session: SessionID
  let turn: TurnID?
  let server: String
  let model: String?
  let tokens: Int
  /// What it was reckoned to take.
  let reckoned: Int

  /// What takes so many by reckoning, as that server counts. - Parameter isAgain: whether it is the same message.
  func tokens(ofReckoned other: Int, isAgain: Bool) -> Int {
    let scale = Double(tokens) / Double(max(1, reckoned))
    // A text that is unlike most says little of another.
    return Int(min(1e15, Double(other) * (isAgain ? scale : min(4, max(0.25, scale)))))
  }
}
