import Chat
import Text

/// What befell an agent, in words.
extension Complaint {
  /// nil for what can befall any server.
  init?(ofAgent error: BackendError) {
    switch error {
    case .notStarted(let program, let reason):
      self.init(
        "cannot start \(VisibleText.oneLine(program)) (\(reason))", hint: "/agent run COMMAND names another",
        .unreachable)
    case .exited(let program, let status, let words):
      let last: SafeText = words.isEmpty ? "" : ": " + VisibleText.oneLine(words).cut(to: 200)
      self.init(
        "\(program) ended with exit status \(Int(status))" + last,
        hint: "the next message starts it again; /agent log shows what it wrote", .unreachable)
    case .noSharedVersion(let program, let theirs):
      self.init(
        "\(program) speaks another version of the Agent Client Protocol (\(theirs); 1 is spoken here)",
        hint: "a newer or older release of it may speak 1", .refused)
    case .agentSignIn(let message, let ways):
      // Others are chosen by number.
      let names = ways.map(\.id).filter(\.isPlainWord).joined(separator: ", ")
      self.init(
        "the agent wants you to sign in\(message.isEmpty ? "" : " (\(message))" as SafeText)",
        hint: ways.isEmpty
          ? "it offers no way to: sign in with its own program"
          : names.isEmpty ? "/agent login lists its ways" : "/agent login WAY; its ways: \(names)",
        .signIn)
    case .notOffered(let what):
      self.init("the agent does not offer \(what)", hint: "/agent info shows what it can do", .usage)
    case .agentBegunAnew:
      self.init(
        "the agent was started anew and does not know this message", hint: nil, .cutOff)
    case .mayNotHaveArrived:
      self.init(
        "the connection was lost while the message was on its way: it may not have arrived",
        hint: "/agent info shows the connection", .cutOff)
    case .connectionLost(let address, let reason):
      self.init(
        "the connection to \(address) was lost and could not be made again (\(Complaint.why(reason)))",
        hint: "the next message tries it once more", .cutOff)
    case .notPaired(let address, let refusal):
      let (text, hint) = Complaint.pairing(refusal, at: address)
      self.init(text, hint: hint, refusal == .dropped ? .unreachable : .refused)
    default: return nil
    }
  }

  /// What an agent did not get leave for, where there is nobody to ask.
  /// - Parameter isAlways: whether all that can be allowed beforehand is.
  static func notAllowed(_ activity: Activity, agent: String, isAlways: Bool) -> Complaint {
    notAllowed(
      "'" + ActivityPage.name(activity).cut(to: 120) + "'", agent,
      isAlways ? "run it on a terminal, where you choose among its ways to answer" : Complaint.allowing)
  }

  static func notAllowed(_ act: AgentAct, agent: String, isAlways: Bool) -> Complaint {
    let (verb, what): (SafeText, String) =
      switch act {
      case .read(let path, _): ("read", path)
      case .write(let change, _): ("write", change.path)
      case .run(let command): ("run", command.words.joined(separator: " "))
      }
    return notAllowed(
      "to " + verb + " '" + VisibleText.oneLine(what).cut(to: 120) + "'", agent,
      isAlways
        ? "run it on a terminal: files outside of its folder, and names that hold secrets, are asked about always"
        : Complaint.allowing)
  }

  private static let allowing: SafeText =
    "/settings tools.approval always lets it do whatever it asks leave for; only what parley does for it stays in its folder"

  private static func notAllowed(_ what: SafeText, _ agent: String, _ hint: SafeText) -> Complaint {
    Complaint(
      "agent '\(agent)' was refused " + what + ": you have not allowed it, and there is no terminal to ask on",
      hint: hint, .failure)
  }

  /// A question with no way to answer it, or more than anybody can read.
  static func notAnswerable(_ activity: Activity, _ ways: Int, agent: String) -> Complaint {
    let why: SafeText = ways == 0 ? "it offers no way to answer" : "it offers \(ways) ways to answer, too many to read"
    return Complaint(
      "agent '\(agent)' was refused '" + ActivityPage.name(activity).cut(to: 120) + "': " + why, .failure)
  }
}

extension String {
  /// Whether it is a word that can be typed as it is, and pass for nothing else.
  fileprivate var isPlainWord: Bool {
    (1...40).contains(utf8.count)
      && utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }
}
