import Chat
import Shell
import Wire

/// What a prompt is answered with (docs/acp.md 4 and 11).
enum PromptAnswer {
  static func stopped(_ reason: String, _ usage: Usage?) -> JSON {
    var result: JSON = ["stopReason": .string(reason)]
    if let input = usage?.promptTokens, let output = usage?.completionTokens {
      result["usage"] = [
        "inputTokens": .int(input), "outputTokens": .int(output), "totalTokens": .int(input &+ output),
      ]
    }
    return result
  }

  /// In the words that a terminal would show: editors show the message, and nothing of the data.
  /// - Parameter complaint: nil where no reason is known.
  static func failure(_ complaint: Complaint?, offersSignIn: Bool = false) -> RPCFailure {
    guard let complaint else { return RPCFailure(code: RPCFailure.internalError, message: "the answer failed") }
    return RPCFailure(
      code: complaint.status == .signIn && offersSignIn ? ACPCode.authRequired : RPCFailure.internalError,
      message: ([complaint.text] + complaint.hints).map(\.string).joined(separator: "; "),
      data: [
        "status": .int(Int(complaint.status.rawValue)), "reason": .string(complaint.text.string),
        "hints": .array(complaint.hints.map { .string($0.string) }),
      ])
  }
}
