import Chat
import Store
import Text

/// What is said that is not a failure.
enum Wording {
  static func notice(_ notice: Notice) -> SafeText {
    switch notice {
    case .waiting(.rateLimited, let seconds): "the server is busy: asking again in \(seconds) s, Ctrl-C ends it"
    case .waiting(.overloaded, let seconds): "the server is overloaded: asking again in \(seconds) s, Ctrl-C ends it"
    case .waiting(.loadingModel, let seconds): "the server is loading its model: asking again in \(seconds) s"
    case .notStreamed: "the server does not stream: the answer comes in one piece"
    case .systemPromptMoved:
      "the model has no system role; the system prompt is sent with the first message "
        + "(/settings system-prompt unset removes it)"
    case .settingLeftOut(let key, let value):
      "the server rejected \(key) \(String(value)); sent without it (/settings \(key) unset removes it)"
    case .unreadable(let line): "passed over an unreadable line: \(line)"
    case .otherAnswers: "the server sent several answers: only the first is shown"
    case .refusal: "the model declined"
    case .toolsInText: "the server takes no tools: the model is told of them in words"
    case .callNotUnderstood: "the answer seems to hold a tool call in an unknown form: nothing was run"
    case .imaginedResult: "the model made up a result: it was left out"
    case .newConversation: "new session there: nothing of what was said before is known"
    case .resumedConversation: "session resumed: the agent goes on where it was"
    case .stillBusy: "the agent is still busy with what was stopped; Ctrl-C ends the agent"
    case .connectionLost: "the connection was lost: connecting again, Ctrl-C stops waiting"
    case .connectedAgain: "connected again: it has gone on meanwhile"
    case .nothingHeard: "nothing has come since: the answer may have been lost, and Ctrl-C stops waiting"
    case .leftOut(let file): "@\(file) cannot go along: only its name is sent"
    case .wentOnElsewhere: "this conversation went on elsewhere: your message is a branch beside that"
    case .routed(let model?, let route?): "answered by \(model), for \(route)"
    case .routed(let model, let route): "answered by \(model ?? route ?? "another model")"
    case .foldsHistory: "the server remembers nothing: what was said before goes along with each message"
    case .forgotHistory:
      "the server did not know what was said before: it goes along from now on, and /retry asks again with it"
    case .modelReplaced(let asked, let other): "the server took another model than '\(asked)': \(other) answers"
    case .mayRunOn: "the server could not be told to stop: it may still be at it"
    case .said(let text): "the agent says: \(text)"
    case .stopped(let word): "stopped: \(word)"
    case .log(let text): "log: \(text)"
    }
  }

  /// Said before an answer that the server changed when it was whole.
  static let revised: SafeText = "the server changed its answer; this is how it stands there:"

  /// Said after an answer of which something could not be read.
  static func passedOver(_ parts: Int) -> SafeText {
    parts == 1
      ? "one part of the stream could not be read and was passed over: something may be missing"
      : "\(parts) parts of the stream could not be read and were passed over: something may be missing"
  }

  /// Said after an answer that did not end well; nil for one that did.
  /// - Parameters:
  ///   - isRemembered: whether the server keeps the conversation itself, as an agent does.
  ///   - error: the stored complaint.
  static func ending(_ status: AnswerStatus, isRemembered: Bool, error: String? = nil) -> SafeText? {
    let next = goesOn(isRemembered: isRemembered)
    return switch status {
    case .complete: nil
    case .interrupted: "interrupted: \(next), /retry asks again"
    case .cutOff: "cut off: \(error.flatMap(reason) ?? "the stream ended without its end mark"); \(next)"
    case .stalled: "stalled: \(next)"
    case .length: "ended at the length limit: \(next)"
    case .filtered: "ended by the server's filter"
    case .failed: "failed: /retry asks again"
    }
  }

  /// The cause in a stored complaint, in the wording of any version: the text after its first colon.
  private static func reason(in complaint: String) -> String? {
    complaint.firstRange(of: ": ").map { String(complaint[$0.upperBound...]) }
  }

  /// The beginning of the complaint about an answer that is cut off.
  static let cutOff = "the answer was cut off"

  /// What an answer that was cut off goes on by.
  static func goesOn(isRemembered: Bool) -> SafeText {
    isRemembered ? "another message goes on" : "/continue goes on"
  }

  /// `41 tokens, 2.3 s, first after 0.4 s, 21 tokens/s`.
  static func timing(_ timing: Timing, _ usage: Usage?) -> SafeText {
    var parts: [String] = []
    if let tokens = usage?.completionTokens { parts.append("\(tokens) tokens") }
    if let prompt = usage?.promptTokens { parts.append("\(prompt) in the prompt") }
    parts.append("\(tenths(timing.totalMs)) s")
    if let first = timing.firstTokenMs {
      parts.append("first after \(tenths(first)) s")
      let writing = timing.totalMs - first
      if let tokens = usage?.completionTokens, tokens > 1, writing > 0 {
        let rate = Double(tokens) * 1000 / Double(writing)
        parts.append("\(Int(min(rate, 1e9))) tokens/s")
      }
    }
    return "\(parts.joined(separator: ", "))"
  }

  static let privately: SafeText =
    "private: nothing is written to disk, and what is kept there is not seen"

  private static func tenths(_ milliseconds: Int) -> String {
    "\(milliseconds / 1000).\(milliseconds % 1000 / 100)"
  }

  /// What this is, the first step, and where files are kept.
  static func welcome(_ paths: Paths, home: String?) -> SafeText {
    func short(_ path: String) -> String {
      guard let home, !home.isEmpty, path.hasPrefix(home + "/") else { return path }
      return "~" + path.dropFirst(home.count)
    }
    let folders = [paths.configDirectory, paths.dataDirectory].map(short)
    let files: SafeText =
      folders[0] == folders[1]
      ? "Its files are in \(folders[0])"
      : "Settings are kept in \(folders[0]), the history in \(folders[1])"
    return """
      parley talks with AI servers you run yourself.
      Type /connect ADDRESS to begin, such as /connect localhost:8080, or /help.
      \(files): /about lists them.
      """
  }

  static let leaving: SafeText = "Ctrl-D or /quit leaves"

  /// - Parameter why: what is behind the program's name in the sentence.
  static func pagerFailed(_ pager: String, _ why: SafeText) -> SafeText {
    "the pager '\(pager)' \(why): /settings pager names another"
  }
}

extension Wording {
  /// What is sent, for `--verbose`.
  static func request(_ request: ChatRequest, to server: Server) -> SafeText {
    var parts = [
      request.messages.count == 1 ? "1 message" : "\(request.messages.count) messages",
      ByteSize.text(request.messages.map(\.content.utf8.count).reduce(0, +)).string,
    ]
    if let model = request.model { parts.insert("model \(model)", at: 0) }
    if let temperature = request.sampling.temperature { parts.append("temperature \(temperature)") }
    if let limit = request.sampling.maxTokens { parts.append("max-tokens \(limit)") }
    if !request.tools.isEmpty { parts.append("tools \(request.tools.map(\.name).joined(separator: " "))") }
    return "to \(server.url): \(parts.joined(separator: ", "))"
  }
}
