import Chat
import Store
import Text
import Wire

/// What a conversation takes of what its model reads at once, in words.
enum ContextPage {
  /// What the next message goes with. - Parameter columns: cells to wrap at, where a person reads it.
  static func text(_ use: ContextUse, model: SafeText, bar: SafeText?, columns: Int?) -> StyledText {
    var line = amount(use)
    if let window = use.window, let percent = use.percent {
      line += " of \(window) tokens (\(percent)%)"
      // Behind the widest of the names.
      let room = min(24, (columns ?? 80) - line.cells - 12)
      if room > 4, let bar { line += " " + Bar.filled(Double(percent) / 100, width: room, showsSigns: bar == "█") }
    } else {
      line += " tokens; how many '\(model)' reads at once is not known"
    }
    var rows: [(name: SafeText, value: SafeText)] = [("context", line)]
    if let sent = use.sent, !sent.isEmpty { rows.append(("sent", names(of: sent))) }
    if !use.leftOut.isEmpty {
      rows.append(("left out", names(of: use.leftOut) + "; /context all sends them again"))
    }
    return DetailLines.text(rows, columns: columns)
  }

  static func json(_ use: ContextUse, model: String?, server: String) -> JSON {
    [
      "server": .string(server), "model": model.map(JSON.string) ?? .null, "tokens": .int(use.tokens),
      "isCounted": .bool(use.isCounted), "window": use.window.map(JSON.int) ?? .null,
      "sent": use.sent.map { .array($0.map(JSON.int)) } ?? .null, "leftOut": .array(use.leftOut.map(JSON.int)),
    ]
  }

  private static func amount(_ use: ContextUse) -> SafeText { use.isCounted ? "\(use.tokens)" : "about \(use.tokens)" }

  /// Such as `#2`, and `#2 to #9`.
  private static func names(of turns: [Int]) -> SafeText {
    guard let first = turns.first, let last = turns.last else { return "none" }
    return first == last ? "#\(first)" : "#\(first) to #\(last)"
  }

  /// Said when most of it is used.
  static func warning(_ percent: Int, of window: Int, model: SafeText) -> SafeText {
    "the conversation fills \(percent)% of the \(window) tokens that '\(model)' reads: \(ways)"
  }

  static let ways: SafeText = "/context drop leaves out the oldest turns, /context summary sums them up"

  /// Said before a message that does not fit.
  /// - Parameters:
  ///   - tokens: with room for the answer.
  ///   - hasKeys: whether there is a line that comes back.
  static func full(_ tokens: Int, of window: Int, model: SafeText, hasKeys: Bool) -> SafeText {
    "this message and its answer would take about \(tokens) tokens with what was said before, and '\(model)' reads \(window)"
      + (hasKeys ? "; Ctrl-C gives the line back" : "")
  }

  /// Said before one that does not fit by itself.
  static func tooLong(_ tokens: Int, isCounted: Bool, of window: Int, model: SafeText) -> SafeText {
    "this message alone is \(isCounted ? "" : "about " as SafeText)\(tokens) tokens, and '\(model)' reads \(window)"
  }

  /// - Parameters:
  ///   - leaving: the turns that would be left out.
  ///   - hasKeys: whether the answer is typed.
  static func question(leaving: [Int], maySumUp: Bool, hasKeys: Bool) -> SafeText {
    guard hasKeys else { return "The conversation is too long for the model. What is sent?" }
    return
      "d leaves out \(names(of: leaving)), \(maySumUp ? "s has all summed up, " : "")Enter sends it as it is: "
  }

  static func alternatives(leaving: [Int], maySumUp: Bool) -> Alternatives {
    var answers = [Alternatives.Answer("d", "Leave out \(names(of: leaving).string)", .allowOnce)]
    if maySumUp { answers.append(.init("s", "Sum up what was said", .allowOnce)) }
    return Alternatives(answers + [.init("send", "Send it as it is", .rejectOnce)], refusal: "send")
  }

  /// - Parameter hasSummary: whether what came before them goes with them.
  static func left(_ turns: [Int], hasSummary: Bool) -> SafeText {
    let verb = turns.count == 1 ? "is" : "are"
    return
      "\(names(of: turns)) \(verb) left out of what is sent from here on\(hasSummary ? ", with the summary" : ""); "
      + "/context all sends all turns again"
  }

  /// Said before a summary is asked for.
  static func notSummedUp(_ turns: [Int]) -> SafeText {
    turns.count == 1
      ? "\(names(of: turns)) is too much for one request: the summary knows nothing of it"
      : "\(names(of: turns)) are too much for one request: the summary knows nothing of them"
  }

  static func summedUp(_ turn: Int) -> SafeText {
    "what is sent begins with the summary in #\(turn) from here on; /context all sends all turns again"
  }

  /// Said of an answer for which the server read less than was sent.
  /// - Parameters:
  ///   - least: how many tokens there were at least.
  ///   - mayLeaveOut: whether there are turns that can be left out.
  static func dropped(read: Int, least: Int, mayLeaveOut: Bool) -> SafeText {
    let says: SafeText =
      "the server read \(read) tokens of the \(least) or more that were sent: it left out the beginning, "
    let mends: SafeText =
      "and the answer may know nothing of it. It reads more when it is started with a larger context"
    return says + mends + (mayLeaveOut ? "; " + ways : "")
  }

  /// What a model is asked for a summary with.
  static let request = """
    Sum up our conversation so far, in its own language, so that we can go on from your summary alone: what I want, what \
    was found out and decided, the names, numbers and code that are still needed, and what is open. Write the summary and \
    nothing else.
    """
}

/// Why the context stays as it is.
package enum ContextProblem: Sendable, Equatable {
  /// The server keeps the conversation itself.
  case keptThere(server: String)
  case nothingToLeaveOut
  /// So many are sent.
  case tooMany(Int)
  case nothingToSumUp
  /// Not even the last turn fits beside the request for it.
  case tooLongToSumUp
  /// The summary did not come, or not whole.
  case notSummedUp
}

extension Complaint {
  init(_ problem: ContextProblem) {
    switch problem {
    case .keptThere(let server):
      self.init("'\(server)' keeps the conversation itself, and decides what its model is sent", .usage)
    case .nothingToLeaveOut: self.init("no turn is sent that could be left out", .usage)
    case .tooMany(let most):
      self.init(
        most == 1 ? "one turn is sent, and can be left out" : "\(most) turns are sent, and can be left out",
        hint: "/context drop \(most)", .usage)
    case .nothingToSumUp: self.init("there is nothing to sum up yet", .usage)
    case .tooLongToSumUp:
      self.init(
        "it cannot be summed up: not even the last turn fits beside the request",
        hint: "/context drop leaves out the oldest turns", .usage)
    case .notSummedUp:
      self.init(
        "there is no whole summary: what is sent stays as it was", hint: "/context drop leaves out the oldest turns",
        .failure)
    }
  }
}
