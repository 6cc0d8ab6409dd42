import Chat
import Text

extension Complaint {
  /// What a server's failure is called.
  ///
  /// - Parameter kind: the server's, when it is known: Kamiwaza has sentences of its own.
  init(_ error: BackendError, server: String, kind: String? = nil) {
    if kind == "kamiwaza", let complaint = Complaint(ofKamiwaza: error, server: server) {
      self = complaint
      return
    }
    if kind == "gateway", let complaint = Complaint(ofGateway: error, server: server) {
      self = complaint
      return
    }
    if kind == "acp", case .unauthorized(let address, let message) = error {
      let why: SafeText = message.isEmpty ? "" : " (\(message))"
      self.init(
        "\(address) does not take our token\(why)", hint: "/pair pairs with it anew", .signIn)
      return
    }
    if kind == "acp", case .failed(let message) = error {
      let what: SafeText = message.isEmpty ? "" : " (\(message))"
      self.init("the agent reports an error\(what)", hint: "/agent log shows what it wrote", .refused)
      return
    }
    if kind != "acp", let complaint = Complaint(ofKeeper: error, server: server) {
      self = complaint
      return
    }
    if let complaint = Complaint(ofAgent: error) {
      self = complaint
      return
    }
    switch error {
    case .notOffered, .notStarted, .exited, .noSharedVersion, .agentSignIn, .notPaired, .agentBegunAnew,
      .mayNotHaveArrived,
      .connectionLost:
      self.init("the agent failed", .refused)
    case .unreachable(let address, let reason):
      self.init(
        "cannot reach \(address) (\(Complaint.why(reason)))", hint: Complaint.next(reason, at: address),
        Complaint.status(reason))
    case .timedOut(let address, .connect, let seconds):
      self.init(
        "cannot reach \(address) (no connection within \(Complaint.seconds(seconds)))",
        hint: "/settings timeout.connect allows more", .unreachable)
    case .timedOut(let address, .request, let seconds):
      self.init(
        "\(address) did not answer within \(Complaint.seconds(seconds))", hint: "/settings timeout.request allows more",
        .unreachable)
    case .timedOut(let address, .firstToken, let seconds):
      self.init(
        "\(address) sent no word of an answer within \(Complaint.seconds(seconds))",
        hint: "/settings timeout.first-token allows more", .unreachable)
    case .placeGone(let address):
      self.init(
        "what this message follows is not on \(address) any more", hint: "/resume shows what is there now", .refused)
    case .conversationGone(let address):
      self.init(
        "\(address) does not have this conversation any more",
        hint: "/new begins another; what is here stays in the history", .refused)
    case .unauthorized(let address, _) where kind == "chat-ui":
      self.init(
        "\(address) wants you to sign in", hint: "/login takes the cookie of a browser that is signed in", .signIn)
    case .unauthorized(let address, _) where kind == "jupyter":
      self.init(
        "\(address) wants its token", hint: "/server use \(Words.quoted(server)), then /login takes it", .signIn)
    case .unauthorized(let address, _) where kind == "code-server":
      self.init(
        "\(address) wants a name and a password, or its key",
        hint: "/server use \(Words.quoted(server)), then /login takes them", .signIn)
    case .unauthorized(let address, _) where kind == "ttyd":
      self.init(
        "\(address) wants a name and a password", hint: "/server use \(Words.quoted(server)), then /login takes them",
        .signIn)
    case .unauthorized(let address, let message):
      self.init(
        "\(address) wants a key (\(message.isEmpty ? "no reason given" : message))",
        hint: "/login takes one", .signIn)
    case .signInRefused(let address, let refusal):
      let (text, hint) = Complaint.refusal(refusal, at: address)
      self.init(text, hint: hint, .signIn)
    case .untrusted(let distrust): self.init(distrust)
    case .credentials(let error): self.init(error)
    case .withheld(let origin, .inTheClear):
      self.init(
        "the sign-in was not sent to \(origin): it is not encrypted",
        hint: "/server allow \(origin) sends it all the same",
        .signIn)
    case .withheld(let origin, .anotherHost(let own)):
      self.init(
        "the sign-in of \(own) was not sent to \(origin)", hint: "/server allow \(origin) sends it there too", .signIn)
    case .modelGone(let name, _):
      self.init("model '\(name)' is not running any more", .refused)
    case .contextExceeded(_, .some(let prompt), .some(let context)) where prompt > context && context > 0:
      self.init(
        "the conversation has \(prompt) tokens, \(prompt - context) more than the \(context) that the model reads",
        hint: "\(ContextPage.ways)", .refused)
    case .contextExceeded(let message, _, _):
      self.init("the conversation is too long for the model (\(message))", hint: "\(ContextPage.ways)", .refused)
    case .modelNotFound(let name, let message):
      self.init(
        "server '\(server)' has no model '\(name)' (\(message))",
        hint: "/models lists what it has, /model NAME chooses another", .refused)
      isAboutModel = true
    case .rateLimited(let address, let message, let retryAfter):
      self.init(
        "\(address) takes no more requests now (\(message))", hint: retryAfter.map { "it takes more in \($0) s" },
        .refused)
    case .refused(let address, let status, let message):
      self.init(
        "\(address) answered \(status)\(message.isEmpty ? "" : " (\(message))" as SafeText)",
        hint: Complaint.refusedSetting(status, message).map { "/settings \($0) unset sends none" }, .refused)
    case .failed(let message):
      self.init(
        "the server ended the answer with an error\(message.isEmpty ? "" : " (\(message))" as SafeText)", .refused)
    case .emptyAnswer:
      self.init("the server ended the answer without a word: something failed there", .refused)
    case .stalled(let seconds):
      self.init(
        "nothing came for \(Complaint.seconds(seconds)): the answer stalled", hint: "/continue goes on", .cutOff)
    case .malformed(let address, let detail):
      self.init("\(address) sent something that is not an answer (\(detail))", .refused)
    case .tooLarge(let address, let limit):
      self.init("\(address) sent more than \(limit), which is more than is read", .refused)
    case .notFound(let tried):
      let attempts = tried.map { "\($0.url): \(Complaint.outcome($0.outcome).string)" }.joined(separator: "; ")
      self.init(
        "no server this program knows at that address; tried \(attempts)",
        hint:
          "give the address that ends in /api or /v1, with its port; /connect URL --kind openai takes a server that "
          + "lists no models", .refused)
    case .unknownKind(let name, let known):
      self.init(
        "no kind of server is called '\(name)'", hint: "known are \(known.joined(separator: ", "))", .usage)
    case .cancelled:
      self.init("interrupted", .interrupted)
    }
  }

  static func why(_ reason: BackendError.Unreachable) -> SafeText {
    switch reason {
    case .unknownHost: "unknown host"
    case .refused: "connection refused"
    case .unreachableNetwork: "no route to it"
    case .proxy(let detail): "proxy: \(detail)"
    case .badAddress(let detail): "not an address: \(detail)"
    case .reset: "connection reset"
    case .tls(let detail) where detail.contains("wrong version number"): "it does not speak TLS"
    case .tls(let detail): "TLS: \(detail)"
    case .other(let detail): "\(detail)"
    }
  }

  /// The sampling setting that a refusal names. One that the user set is not left out without a word.
  private static func refusedSetting(_ status: Int, _ message: String) -> SafeText? {
    guard [400, 422].contains(status) else { return nil }
    if message.contains("temperature") { return "temperature" }
    return message.contains("top_p") ? "top-p" : nil
  }

  private static func status(_ reason: BackendError.Unreachable) -> ExitStatus {
    if case .badAddress = reason { .usage } else { .unreachable }
  }

  private static func next(_ reason: BackendError.Unreachable, at address: String) -> SafeText {
    switch reason {
    case .tls(let words) where words.hasPrefix("the authorities in "):
      "/server forget-trust \(address) does without that file"
    case .tls(let words) where words.contains("wrong version number"): "an address that begins with http:// needs none"
    case .unknownHost, .badAddress: "check the name, then /connect ADDRESS"
    case .refused: "is the server running on that port?"
    case .proxy: "no_proxy names the hosts that need no proxy"
    default: "is it there, and is this its address?"
    }
  }

  static func outcome(_ outcome: BackendError.Attempt.Outcome) -> SafeText {
    switch outcome {
    case .answered(let status, let what): "\(status) \(what)"
    case .failed(let reason): why(reason)
    case .timedOut(let limit): "no answer within \(seconds(limit))"
    case .untrusted: "certificate not trusted"
    }
  }

  /// `30 s`, `0.5 s`.
  static func seconds(_ seconds: Double) -> SafeText {
    seconds == seconds.rounded() ? "\(Int(seconds)) s" : "\(String(seconds)) s"
  }
}

extension Complaint {
  /// A certificate that is not trusted, and the command that would trust it (docs/rules.md T2).
  init(_ distrust: Distrust) {
    let certificate = distrust.certificate
    let command: SafeText = "/server trust \(distrust.address) \(certificate.fingerprint.word)"
    let problems: SafeText = certificate.problems.isEmpty ? "" : " (\(TrustPage.problems(certificate)))"
    guard certificate.canBePinned else {
      self.init(
        "the certificate of \(distrust.address) is not trusted\(problems)",
        hint: "it needs a certificate with a stronger key",
        .untrusted)
      return
    }
    switch distrust.before {
    case .nothing:
      self.init(
        "the certificate of \(distrust.address) is not trusted\(problems); it is \(certificate.fingerprint.word)",
        hint: "if that is the right one: \(command)", .untrusted)
    case .pinned(let old):
      self.init(
        """
        the certificate of \(distrust.address) has changed\(problems); it was \(old.fingerprint.word), it is \
        \(certificate.fingerprint.word) now
        """, hint: "if you know why: \(command)", .untrusted)
    case .system:
      self.init(
        """
        the certificate of \(distrust.address) has changed: this system trusted it before, and does not now\
        \(problems); it is \(certificate.fingerprint.word)
        """, hint: "if you know why: \(command)", .untrusted)
    case .authorities(let file):
      self.init(
        """
        the certificate of \(distrust.address) is not signed by the authorities in \(file)\(problems); it is \
        \(certificate.fingerprint.word)
        """, hint: "if you know why: \(command)", .untrusted)
    case .damaged(let line):
      self.init(
        """
        the certificate of \(distrust.address) is not trusted\(problems): the entry of this server in known_servers, \
        line \(line), cannot be read; it is \(certificate.fingerprint.word)
        """, hint: "if you know that it is the right one: \(command)", .untrusted)
    }
  }
}
