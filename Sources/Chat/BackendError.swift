/// Why a server did not do what was asked. Cases carry facts; sentences are the shell's.
package enum BackendError: Error, Sendable, Equatable {
  /// No connection: the name, the port, the proxy.
  case unreachable(address: String, reason: Unreachable)
  /// A time-out fired before the first token.
  case timedOut(address: String, Wait, seconds: Double)
  /// Sign-in is needed, or what signed the person in is no longer taken: 401, and 403 from servers that know no persons.
  case unauthorized(address: String, message: String)
  /// A sign-in that the server did not take.
  case signInRefused(address: String, SignInRefusal)
  /// The certificate is not trusted; nothing was sent.
  case untrusted(Distrust)
  /// The sign-in was not sent: the person has not let it go to this origin, such as `http://10.0.0.7:61105`.
  case withheld(origin: String, Withheld)
  /// What is kept of the sign-in cannot be read, so nothing was sent: there may be one.
  case credentials(CredentialError)
  /// The prompt does not fit the model's context.
  case contextExceeded(message: String, promptTokens: Int?, contextTokens: Int?)
  /// The server does not have this model.
  case modelNotFound(name: String, message: String)
  /// The model was there, and is not running any more.
  case modelGone(name: String, state: String?)
  /// 429 that waiting did not cure.
  case rateLimited(address: String, message: String, retryAfter: Int?)
  /// Any other status from 300 on.
  case refused(address: String, status: Int, message: String)
  /// The stream reported an error after it had begun.
  case failed(message: String)
  /// The answer ended as if all were well, without a word.
  case emptyAnswer
  /// Nothing came for this long after the answer had begun.
  case stalled(seconds: Double)
  /// An answer that this program cannot read: an HTML page, broken JSON, a line without end.
  case malformed(address: String, detail: String)
  /// More than is read: of a model's answer, or of whatever else was asked for; such as `64 MiB`.
  case tooLarge(address: String, limit: String)
  /// None of the addresses tried is an API of this kind.
  case notFound(tried: [Attempt])
  /// There is no kind of server of that name.
  case unknownKind(String, known: [String])
  /// A program that could not be started.
  case notStarted(program: String, reason: String)
  /// The program ended while it was waited for; its last words are from its standard error.
  case exited(program: String, status: Int32, lastWords: String)
  /// It speaks no version of its protocol that this program does.
  case noSharedVersion(program: String, theirs: String)
  /// An agent that wants to know who asks, and its ways to sign in; the message is its own.
  case agentSignIn(message: String, [AgentSignIn])
  /// A bridge that gave no credentials.
  case notPaired(address: String, PairingRefusal)
  /// An agent does not offer that.
  case notOffered(String)
  /// The agent behind a bridge is another one than the one that was asked.
  case agentBegunAnew
  /// What the message was to follow is not in the server's conversation any more.
  case placeGone(address: String)
  /// The server does not have the conversation any more.
  case conversationGone(address: String)
  /// The connection was lost while the message was on its way, and nothing says that it arrived.
  case mayNotHaveArrived
  /// A connection that was lost, and could not be made again.
  case connectionLost(address: String, reason: Unreachable)
  /// The person stopped it.
  case cancelled

  /// Whether something came that cannot be read. What was asked for may have been done all the same.
  package var isUnreadable: Bool {
    switch self {
    case .malformed, .tooLarge: true
    default: false
    }
  }

  /// Statuses of a server that has nothing at the address that was asked.
  package static let missingRoute: Set<Int> = [404, 405, 410, 501]

  /// Whether the server answered, and has nothing at the address that was asked.
  package var saysRouteIsMissing: Bool {
    if case .refused(_, let status, _) = self { BackendError.missingRoute.contains(status) } else { false }
  }

  package enum Unreachable: Sendable, Equatable {
    case unknownHost, refused, unreachableNetwork, proxy(String), badAddress(String), reset, tls(String)
    case other(String)

    /// Whether the other side ended the connection without a word.
    package var isHangUp: Bool {
      switch self {
      case .reset: true
      // In the middle of a handshake.
      case .tls(let words): words.contains("SSL_ERROR_SYSCALL") || words.contains("reset by peer")
      default: false
      }
    }
  }

  package enum SignInRefusal: Sendable, Equatable {
    case wrongPassword, wrongToken, locked, disabled
    /// A key of the environment, in the place of which nobody can sign in.
    case wrongEnvironmentKey
    /// The server takes no passwords.
    case noPasswords
    /// The one who knows the passwords does not answer.
    case providerDown
    /// A browser sign-in that did not come to its end.
    case browser(String)
    /// Neither a password nor a token is there to sign in with.
    case nothingOffered
  }

  package enum Withheld: Sendable, Equatable {
    /// Plain http beyond this machine (docs/rules.md T9).
    case inTheClear
    /// Another host than the server's own (docs/rules.md T10).
    case anotherHost(own: String)
  }

  /// Which time-out fired (docs/shell.md 5).
  package enum Wait: Sendable, Equatable { case connect, request, firstToken }

  /// An address that was probed and what it answered.
  package struct Attempt: Sendable, Equatable {
    package var url: String
    package var outcome: Outcome

    package init(url: String, outcome: Outcome) {
      self.url = url
      self.outcome = outcome
    }

    package enum Outcome: Sendable, Equatable {
      /// An HTTP status with something that is not the API: `what` says what, such as `HTML page "Sign in"`.
      case answered(status: Int, what: String)
      case failed(Unreachable)
      case timedOut(seconds: Double)
      case untrusted
    }
  }
}
