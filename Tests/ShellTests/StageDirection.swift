import Chat
import Shell
import Wire

/// What happens around the person: servers and their answers, files, time. `"…"` is text, other words are words.
struct StageDirection {
  let verb: String
  let words: [Word]
  /// The lines of a file.
  let body: [String]

  enum Word: Equatable {
    case plain(String)
    case text(String)

    var string: String {
      switch self {
      case .plain(let string), .text(let string): string
      }
    }
  }

  /// What a transcript can direct; see `Stage.follow`.
  static let verbs = [
    "server", "finds", "lists", "answers", "file", "file-gone", "picture", "blind", "counts", "on-disk", "environment",
    "terminal", "pipe", "piped", "later", "command",
    "signal", "sent", "disk", "prompt", "tab", "recall", "door", "shows", "no-keyring",
    "shelf", "detail", "clock", "inspects", "person", "mode", "chmod", "tool-server", "tool-answers", "called",
    "offered", "elsewhere-removed", "closed", "tools-listed-at", "shell", "typed",
    "types-ahead", "asks-title", "titles", "titled", "refuses",
  ]

  static func begins(_ line: String) -> Bool {
    guard line.hasPrefix("[") else { return false }
    let word = line.dropFirst().prefix { $0 != " " && $0 != "]" }
    return verbs.contains(String(word))
  }

  init(_ text: String, body: [String]) throws {
    var words = try StageDirection.words(of: text)
    verb = words.removeFirst().string
    self.words = words
    self.body = body
  }

  var strings: [String] { words.map(\.string) }

  private static func words(of text: String) throws -> [Word] {
    var words: [Word] = []
    var rest = Substring(text)
    while let first = rest.first {
      if first == " " {
        rest.removeFirst()
      } else if first == "\"" {
        rest.removeFirst()
        var quoted = ""
        while let character = rest.popFirst(), character != "\"" {
          quoted.append(character == "\\" ? try escape(&rest) : character)
        }
        words.append(.text(quoted))
      } else {
        let word = rest.prefix { $0 != " " }
        words.append(.plain(String(word)))
        rest = rest[word.endIndex...]
      }
    }
    return words
  }

  private static func escape(_ rest: inout Substring) throws -> Character {
    switch rest.popFirst() {
    case "n": return "\n"
    case "t": return "\t"
    case "e": return "\u{1B}"
    case "u":
      let digits = rest.dropFirst().prefix { $0 != "}" }
      rest = rest[digits.endIndex...].dropFirst()
      guard let value = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(value) else {
        throw BadDirection(text: "\\u{\(digits)}")
      }
      return Character(scalar)
    case .some(let character): return character
    case nil: throw BadDirection(text: "\\")
    }
  }
}

/// A stage direction that cannot be followed.
struct BadDirection: Error {
  var text: String
}

/// One thing a scripted answer does.
enum Beat: Sendable {
  case event(ChatEvent)
  /// The person presses Ctrl-C.
  case ctrlC
  /// The same, once the answer is there.
  case laterCtrlC
  /// The window is closed, when this had been typed for the next prompt.
  case closes(typed: String)
  /// Time passes, in seconds.
  case after(Double)
  case fail(BackendError)
}

extension StageDirection {
  /// The words of `[answers …]`; without another end the server ends the answer well.
  static func beats(of words: [Word], from address: String) throws -> [Beat] {
    var beats: [Beat] = []
    var rest = words[...]
    var isEnded = false
    while let word = rest.popFirst() {
      switch word {
      case .text(let text): beats.append(.event(.text(text)))
      case .plain("thinking"): beats.append(.event(.reasoning(try text(&rest))))
      case .plain("as"): beats.append(.event(.started(model: try text(&rest))))
      case .plain("usage"):
        beats.append(.event(.usage(Usage(promptTokens: try number(&rest), completionTokens: try number(&rest)))))
      case .plain("after"): beats.append(.after(try double(&rest)))
      case .plain("ctrl-c"): beats.append(.ctrlC)
      case .plain("closes"): beats.append(.closes(typed: try text(&rest)))
      case .plain("later-ctrl-c"): beats.append(.laterCtrlC)
      case .plain("busy-for"): beats.append(.event(.notice(.waiting(.rateLimited, seconds: try number(&rest)))))
      case .plain("loading-for"): beats.append(.event(.notice(.waiting(.loadingModel, seconds: try number(&rest)))))
      case .plain("at-once"): beats.append(.event(.notice(.notStreamed)))
      case .plain("moves-system"): beats.append(.event(.notice(.systemPromptMoved)))
      case .plain("leaves-out"):
        let key = try text(&rest)
        beats.append(.event(.notice(.settingLeftOut(key: key, value: try double(&rest)))))
      case .plain("garbled"): beats.append(.event(.notice(.unreadable(try text(&rest)))))
      case .plain("declines"): beats.append(.event(.notice(.refusal)))
      case .plain("coming"): beats.append(.event(.toolCallComing(name: rest.popFirst()?.string)))
      case .plain("calls"): beats.append(.event(.toolCall(try toolCall(&rest, isBroken: false, beats.count))))
      case .plain("garbles-call"): beats.append(.event(.toolCall(try toolCall(&rest, isBroken: true, beats.count))))
      case .plain("length"): (beats, isEnded) = (beats + [.event(.finished(.length))], true)
      case .plain("filtered"): (beats, isEnded) = (beats + [.event(.finished(.filtered))], true)
      case .plain("other-end"): (beats, isEnded) = (beats + [.event(.finished(.other(try text(&rest))))], true)
      case .plain("cut-off"): isEnded = true
      case .plain(let failure):
        beats.append(.fail(try error(failure, &rest, from: address)))
        isEnded = true
      }
    }
    return isEnded ? beats : beats + [.event(.finished(.stop))]
  }

  /// `calls TOOL "ARGUMENTS"`, or `garbles-call TOOL "TEXT"`; the model's server numbers its calls anew in each answer.
  private static func toolCall(_ rest: inout ArraySlice<Word>, isBroken: Bool, _ number: Int) throws -> ToolCall {
    guard let name = rest.popFirst()?.string else { throw BadDirection(text: "a tool is missing") }
    let text = try text(&rest)
    return ToolCall(
      id: "call_\(number)", name: name,
      arguments: isBroken ? .broken(text, .notJSON) : .object(try JSON(parsing: Array(text.utf8))))
  }

  /// A failure by its word and what follows it.
  static func error(_ word: String, _ rest: inout ArraySlice<Word>, from address: String) throws -> BackendError {
    switch word {
    case "unreachable": .unreachable(address: address, reason: .refused)
    case "unknown-host": .unreachable(address: address, reason: .unknownHost)
    case "no-route": .unreachable(address: address, reason: .unreachableNetwork)
    case "reset": .unreachable(address: address, reason: .reset)
    case "proxy-fails": .unreachable(address: address, reason: .proxy(try text(&rest)))
    case "bad-address": .unreachable(address: address, reason: .badAddress(try text(&rest)))
    case "no-connection-in": .timedOut(address: address, .connect, seconds: try double(&rest))
    case "no-reply-in": .timedOut(address: address, .request, seconds: try double(&rest))
    case "no-token-in": .timedOut(address: address, .firstToken, seconds: try double(&rest))
    case "unauthorized": .unauthorized(address: address, message: try text(&rest))
    case "untrusted": .untrusted(Distrust(.made(for: address, called: try text(&rest)), before: .nothing))
    case "withheld-in-the-clear": .withheld(origin: try text(&rest), .inTheClear)
    case "too-long": .contextExceeded(message: "", promptTokens: try number(&rest), contextTokens: try number(&rest))
    case "too-long-says": .contextExceeded(message: try text(&rest), promptTokens: nil, contextTokens: nil)
    case "model-gone": .modelGone(name: try text(&rest), state: try text(&rest))
    case "no-such-model": .modelNotFound(name: try text(&rest), message: "not found")
    case "rate-limited": .rateLimited(address: address, message: try text(&rest), retryAfter: try number(&rest))
    case "status": .refused(address: address, status: try number(&rest), message: try text(&rest))
    case "error": .failed(message: try text(&rest))
    case "stalled": .stalled(seconds: try double(&rest))
    case "not-an-answer": .malformed(address: address, detail: try text(&rest))
    case "endless": .tooLarge(address: address, limit: try text(&rest))
    case "interrupted": .cancelled
    default: throw BadDirection(text: word)
    }
  }

  static func text(_ rest: inout ArraySlice<Word>) throws -> String {
    guard case .text(let text)? = rest.popFirst() else { throw BadDirection(text: "a text is missing") }
    return text
  }

  static func number(_ rest: inout ArraySlice<Word>) throws -> Int {
    guard let word = rest.popFirst()?.string, let number = Int(word) else {
      throw BadDirection(text: "a number is missing")
    }
    return number
  }

  static func double(_ rest: inout ArraySlice<Word>) throws -> Double {
    guard let word = rest.popFirst()?.string, let number = Double(word) else {
      throw BadDirection(text: "a number is missing")
    }
    return number
  }

  /// `smol-1b`, or `qwen-7b(32768,loaded)`.
  static func model(_ word: Word) -> Model {
    let parts = word.string.split(separator: "(", maxSplits: 1)
    let facts = parts.count > 1 ? parts[1].dropLast().split(separator: ",").map(String.init) : []
    return Model(
      id: String(parts[0]), contextWindow: facts.lazy.compactMap { Int($0) }.first,
      state: facts.first { Int($0) == nil })
  }
}
