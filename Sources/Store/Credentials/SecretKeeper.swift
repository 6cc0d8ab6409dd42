import Chat
import Glibc
import Wire

/// One program's way of keeping a secret for an account: that of the docker credential helpers, or of `secret-tool`.
struct SecretKeeper {
  private let keeper: Keeper
  private let name: String
  private let program: SecretProgram

  /// nil for the file.
  init?(_ keeper: Keeper, _ environment: [String: String]) throws(CredentialError) {
    guard let name = keeper.program else { return nil }
    guard let program = SecretProgram(name, environment) else {
      throw .unavailable(place: keeper.text, reason: "\(name) is not installed")
    }
    self.keeper = keeper
    self.name = name
    self.program = program
  }

  /// nil when it keeps nothing for the account.
  func read(_ account: AccountName, until deadline: Deadline) throws(CredentialError) -> StoredSignIn? {
    let answer = try run(reading(account), until: deadline)
    if isNothing(answer) { return nil }
    guard answer.status == 0, let secret = secret(in: answer.output) else { throw failure(answer.status) }
    guard let json = try? JSON(parsing: secret), let signIn = StoredSignIn(json) else {  // that says what is wrong
      throw .program(name: name, reason: "what it keeps is no sign-in")
    }
    return signIn
  }

  func write(
    _ signIn: StoredSignIn, for account: AccountName, until deadline: Deadline
  ) throws(CredentialError) {
    let secret = signIn.revealed.serialized()
    let call: Call
    switch keeper {
    case .secretTool:
      call = (["store", "--label", "parley: \(account.text)"] + attributes(account), secret)
    default:
      let json: JSON = [
        "ServerURL": .string(url(account)), "Username": "parley", "Secret": .string(secret),
      ]
      call = (["store"], json.serialized())
    }
    let answer = try run(call, until: deadline)
    guard answer.status == 0 else { throw failure(answer.status) }
  }

  /// Its own word for whether there was anything is not asked: reading tells what is left.
  func erase(_ account: AccountName, until deadline: Deadline) throws(CredentialError) {
    _ = try run(
      keeper == .secretTool ? (["clear"] + attributes(account), "") : (["erase"], url(account)), until: deadline)
    if try read(account, until: deadline) != nil { throw .stillThere(place: keeper.text) }
  }

  /// Whether it answers at all: it is asked for what cannot be there. Nothing secret has been said to it, so that its
  /// own words can be repeated.
  func probe(until deadline: Deadline) throws(CredentialError) {
    let answer: SecretProgram.Answer
    do { answer = try run(reading(AccountName("https://parley.invalid")), until: deadline) } catch {
      guard case .program(_, let reason) = error else { throw error }
      throw .unavailable(place: keeper.text, reason: "\(name): \(reason)")
    }
    guard answer.status == 0 || isNothing(answer) else {
      let words = String(decoding: answer.complaint.isEmpty ? answer.output : answer.complaint, as: UTF8.self)
      let line = words.split(whereSeparator: \.isNewline).first.map { String($0.prefix(200)) }
      throw .unavailable(place: keeper.text, reason: line ?? "\(name): exit status \(answer.status)")
    }
  }

  private typealias Call = (arguments: [String], input: String)

  private func reading(_ account: AccountName) -> Call {
    keeper == .secretTool ? (["lookup"] + attributes(account), "") : (["get"], url(account))
  }

  private func attributes(_ account: AccountName) -> [String] { ["service", "parley", "account", account.text] }

  /// A path of its own: docker may keep a sign-in for the same server.
  private func url(_ account: AccountName) -> String { account.text + "/parley-sign-in" }

  private func secret(in output: [UInt8]) -> [UInt8]? {
    if keeper == .secretTool { return output }
    return (try? JSON(parsing: output))?["Secret"]?.string.map { Array($0.utf8) }  // nil says that it is none
  }

  /// `secret-tool` says nothing at all; a helper has words for it (docker/docker-credential-helpers, `credentials`).
  private func isNothing(_ answer: SecretProgram.Answer) -> Bool {
    if keeper == .secretTool {
      return answer.output.isEmpty && answer.complaint.isEmpty && (0...1).contains(answer.status)
    }
    return answer.status != 0
      && String(decoding: answer.output + answer.complaint, as: UTF8.self).contains("credentials not found")
  }

  private func run(_ call: Call, until deadline: Deadline) throws(CredentialError)
    -> SecretProgram.Answer
  {
    do { return try program.run(call.arguments, Array(call.input.utf8), until: deadline) } catch {
      switch error {
      case .noAnswer: throw .program(name: name, reason: "no answer in time")
      case .tooLong: throw .program(name: name, reason: "the answer does not end")
      case .notStarted(let code): throw .program(name: name, reason: FileError.reason(code))
      }
    }
  }

  /// Without the program's words, which could be the secret.
  private func failure(_ status: Int32) -> CredentialError { .program(name: name, reason: "exit status \(status)") }
}

extension Credentials {
  /// Without one a program would try to start one, on a display that is not there.
  static func hasSessionBus(_ environment: [String: String]) -> Bool {
    if environment["DBUS_SESSION_BUS_ADDRESS"]?.isEmpty == false { return true }
    return environment["XDG_RUNTIME_DIR"].map { access($0 + "/bus", F_OK) == 0 } ?? false
  }
}
