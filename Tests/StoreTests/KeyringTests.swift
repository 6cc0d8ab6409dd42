import Chat
import Foundation
import TestSupport
import Testing
import Wire

@testable import Store

private let signIn = StoredSignIn(
  .device, token: Secret("canary-\u{E9}\"\\n"), tokenID: "id", expiresAt: 5, username: "ada")

/// A clock that stands, for programs that answer: they may have to wait for a core.
private let standing: Deadline.Clock = { [now = ContinuousClock.now] in now }

/// A clock that stands, and goes on by three seconds, the whole patience, each time a program is seen to hang.
private func hanging(_ count: @escaping @Sendable () -> Int) -> Deadline.Clock {
  { [now = ContinuousClock.now] in now + .seconds(3) * count() }
}

private let never = Deadline(in: .seconds(3), on: standing)

@Suite(.serialized, .ownThread) struct KeyringTests {
  @Test(.programs("dbus-run-session", "gnome-keyring-daemon", "secret-tool"))
  func `the desktop's keyring keeps a sign-in, and gives it up`() async throws {
    try await withBus(gnomeKeyring) { environment, directory in
      let environment = try only("secret-tool", environment, directory)
      let path = directory + "/data/credentials.json"
      let credentials = Credentials(path, .auto, environment: environment, clock: standing)
      #expect(try await credentials.probe() == .keyring)
      #expect(try await credentials.write(signIn, for: kz) == .keyring)
      #expect(sightings(of: "canary", below: directory + "/data").isEmpty)
      #expect(try await Credentials(path, .file, environment: environment, clock: standing).read(kz) == signIn)
      var renewed = signIn
      renewed.token = Secret("canary-2")
      #expect(try await credentials.write(renewed, for: kz) == .keyring)
      #expect(try await Credentials(path, .keyring, environment: environment, clock: standing).read(kz) == renewed)

      // Without its bus it is out of reach, which is no sign-out.
      let cut = Credentials(path, .auto, environment: ["PATH": environment["PATH"] ?? ""])
      await #expect(throws: CredentialError.self) { try await cut.read(kz) }
      await #expect(throws: CredentialError.self) { try await cut.erase(kz) }
      #expect(try await credentials.read(kz) == renewed)

      try await credentials.erase(kz)
      #expect(try await credentials.read(kz) == nil)
      let tool = try #require(SecretProgram("secret-tool", environment))
      let found = try tool.run(["search", "service", "parley"], [], until: never)
      #expect(found.output.isEmpty)
      #expect(!content(path).contains("kz.lan"))
    }
  }

  @Test(.programs("dbus-run-session", "gnome-keyring-daemon", "docker-credential-secretservice"))
  func `docker's helper for the keyring keeps a sign-in, and gives it up`() async throws {
    try await withBus(gnomeKeyring) { environment, directory in
      let path = directory + "/data/credentials.json"
      let credentials = Credentials(path, .helper("secretservice"), environment: environment, clock: standing)
      #expect(try await credentials.probe() == .helper("secretservice"))
      #expect(try await credentials.write(signIn, for: kz) == .helper("secretservice"))
      var renewed = signIn
      renewed.token = Secret("canary-2")
      await credentials.choose(.auto)
      #expect(try await credentials.write(renewed, for: kz) == .keyring)
      #expect(try await Credentials(path, .auto, environment: environment, clock: standing).read(kz) == renewed)
      #expect(sightings(of: "canary", below: directory + "/data").isEmpty)
      try await credentials.erase(kz)
      #expect(try await credentials.read(kz) == nil)
      let helper = try #require(SecretProgram("docker-credential-secretservice", environment))
      let listed = try helper.run(["list"], [], until: never).output
      #expect(try JSON(parsing: listed) == [:])
    }
  }

  @Test(.programs("dbus-run-session", "gnome-keyring-daemon", "secret-tool"))
  func `what is moved from the keyring to the file is in one place`() async throws {
    try await withBus(gnomeKeyring) { environment, directory in
      let environment = try only("secret-tool", environment, directory)
      let path = directory + "/data/credentials.json"
      let credentials = Credentials(path, .keyring, environment: environment, clock: standing)
      #expect(try await credentials.write(signIn, for: kz) == .keyring)
      await credentials.choose(.file)
      #expect(try await credentials.write(signIn, for: kz) == .file(path))
      let tool = try #require(SecretProgram("secret-tool", environment))
      #expect(try tool.run(["search", "service", "parley"], [], until: never).output.isEmpty)
      await credentials.choose(.keyring)
      #expect(try await credentials.write(signIn, for: kz) == .keyring)
      #expect(sightings(of: "canary", below: directory + "/data").isEmpty)
      #expect(try await credentials.read(kz) == signIn)
    }
  }

  @Test(.programs("dbus-run-session", "secret-tool"), .pythonBus)
  func `a keyring that never answers costs three seconds and no sign-in`() async throws {
    // It has the name, and never looks at what it is sent.
    let silent = """
      import dbus, time
      bus = dbus.SessionBus()
      bus.request_name("org.freedesktop.secrets")
      open("owned", "w")
      time.sleep(6000)  # timed: never ends by itself
      """
    try await withBus(
      """
      cd "$HOME"; /usr/bin/python3 -c '\(silent)' >/dev/null 2>&1 &
      until [ -e owned ]; do sleep 0.02; done
      """
    ) { environment, directory in
      let environment = try only("secret-tool", environment, directory, countingIn: directory + "/calls")
      let path = directory + "/data/credentials.json"
      let calls = directory + "/calls"
      let credentials = Credentials(path, .auto, environment: environment, clock: hanging { content(calls).count })
      #expect(try await credentials.probe() == .file(path))
      #expect(try await credentials.write(signIn, for: kz) == .file(path))
      #expect(try await credentials.read(kz) == signIn)
      try await credentials.erase(kz)
      // Asked twice it would be six seconds.
      #expect(content(calls).count == 1)
    }
  }

  @Test func `a program that answers and then hangs costs three seconds and no sign-in`() async throws {
    try await withTemporaryDirectory { directory in
      let environment = try script(
        "secret-tool", in: directory, "[ $1 = lookup ] && exit 1; sleep 6000 & echo $! > \(directory.path)/pid; wait")
      let path = directory.path + "/data/credentials.json"
      let pid = directory.path + "/pid"
      let credentials = Credentials(
        path, .auto, environment: environment, clock: hanging { content(pid).contains("\n") ? 1 : 0 })
      #expect(try await credentials.write(signIn, for: kz) == .file(path))
      #expect(try await credentials.read(kz) == signIn)
      // The program's children went with it.
      let child = try #require(pid_t(content(pid).filter(\.isNumber)))
      #expect(await eventually { kill(child, 0) != 0 || isZombie(child) })
    }
  }

  @Test func `a keyring that was asked for and is not there is an error, and not a file`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.path + "/data/credentials.json"
      let none = Credentials(path, .keyring, environment: ["PATH": directory.path, "HOME": directory.path])
      await #expect(throws: CredentialError.unavailable(place: "keyring", reason: "no session bus")) {
        try await none.write(signIn, for: kz)
      }
      let environment = ["PATH": directory.path, "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere"]
      await #expect(throws: CredentialError.self) {
        try await Credentials(path, .keyring, environment: environment, clock: standing).probe()
      }
      let broken = try script("secret-tool", in: directory, "echo 'Cannot reach the service' >&2; exit 1")
      await #expect(throws: CredentialError.unavailable(place: "keyring", reason: "Cannot reach the service")) {
        try await Credentials(path, .keyring, environment: broken, clock: standing).probe()
      }
      await #expect(
        throws: CredentialError.unavailable(place: "helper:x", reason: "docker-credential-x is not installed")
      ) { try await Credentials(path, .helper("x"), environment: environment, clock: standing).write(signIn, for: kz) }
      #expect(access(path, F_OK) != 0)
    }
  }
}

@Suite(.ownThread) struct HelperTests {
  /// A helper that keeps what it gets in files, says what docker's say, and writes down its arguments and environment.
  private static let helper = """
    cd "$(dirname "$0")"; echo "$@" >> calls; env >> environment
    [ -e silent ] && sleep 6000
    case $1 in
      store) python3 -c 'import json, sys; d = json.load(sys.stdin); json.dump(d, open("kept", "w")); print(d["ServerURL"])' >> urls ;;
      get) cat > asked; [ -e kept ] || { echo 'credentials not found in native keychain'; exit 1; }; cat kept ;;
      erase) cat > asked; [ -e stubborn ] || rm -f kept ;;
    esac
    """

  @Test(.programs("python3"))
  func `a docker credential helper keeps a sign-in and learns nothing else`() async throws {
    try await withTemporaryDirectory { directory in
      let bin = directory.path + "/bin"
      var environment = try script("docker-credential-mine", in: directory, Self.helper)
      for name in ["PARLEY_TOKEN", "OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY"] { environment[name] = "canary-env" }
      environment["PASSWORD_STORE_DIR"] = "/store"
      let path = directory.path + "/data/credentials.json"
      let credentials = Credentials(path, .helper("mine"), environment: environment, clock: standing)
      #expect(try await credentials.read(kz) == nil)
      #expect(access(bin + "/calls", F_OK) != 0)
      #expect(try await credentials.write(signIn, for: "https://u:canary-pw@kz.lan:8443?t=canary-q") == .helper("mine"))
      #expect(try await Credentials(path, .auto, environment: environment, clock: standing).read(kz) == signIn)
      #expect(sightings(of: "canary", below: directory.path) == ["bin/kept"])
      #expect(content(bin + "/urls") == kz + "/parley-sign-in\n")
      #expect(content(bin + "/environment").contains("PASSWORD_STORE_DIR=/store"))

      // Somewhere else afterwards: the older copy goes.
      await credentials.choose(.file)
      #expect(try await credentials.write(signIn, for: kz) == .file(path))
      #expect(access(bin + "/kept", F_OK) != 0)
      await credentials.choose(.helper("mine"))
      #expect(try await credentials.write(signIn, for: kz) == .helper("mine"))

      try AtomicFile.write([], to: bin + "/stubborn")
      await #expect(throws: CredentialError.stillThere(place: "helper:mine")) { try await credentials.erase(kz) }
      unlink(bin + "/stubborn")
      try await credentials.erase(kz)
      #expect(sightings(of: "canary", below: directory.path).isEmpty)
      #expect(try await credentials.read(kz) == nil)
    }
  }

  @Test(.programs("python3"))
  func `without the index a sign-out looks wherever a sign-in may be`() async throws {
    try await withTemporaryDirectory { directory in
      let bin = directory.path + "/bin"
      _ = try script("secret-tool", in: directory, "exit 1")  // it has nothing
      let environment = try script("docker-credential-secretservice", in: directory, Self.helper)
      let path = directory.path + "/data/credentials.json"
      for choice in [CredentialChoice.helper("secretservice"), .auto, .keyring] {
        let credentials = Credentials(path, choice, environment: environment, clock: standing)
        _ = try await credentials.write(signIn, for: kz)
        #expect(sightings(of: "canary", below: directory.path) == ["bin/kept"])
        try AtomicFile.write(Array("{ broken".utf8), to: path)
        try AtomicFile.write([], to: bin + "/stubborn")
        await #expect(throws: CredentialError.self) { try await credentials.erase(kz) }
        unlink(bin + "/stubborn")
        try await credentials.erase(kz)
        #expect(sightings(of: "canary", below: directory.path).isEmpty)
      }
    }
  }

  @Test(.programs("python3"))
  func `a helper that does not answer is no sign-out, and a sign-out that it misses is said`() async throws {
    try await withTemporaryDirectory { directory in
      let bin = directory.path + "/bin"
      let environment = try script("docker-credential-mine", in: directory, Self.helper)
      let path = directory.path + "/data/credentials.json"
      let credentials = Credentials(path, .helper("mine"), environment: environment, clock: standing)
      _ = try await credentials.write(signIn, for: kz)
      try AtomicFile.write([], to: bin + "/silent")
      let silence = CredentialError.program(name: "docker-credential-mine", reason: "no answer in time")
      let calls = { @Sendable in content(bin + "/calls").split(separator: "\n").count }
      let before = calls()
      let hurried = Credentials(
        path, .helper("mine"), environment: environment, clock: hanging { calls() - before })
      await #expect(throws: silence) { try await hurried.erase(kz) }
      // Three seconds for all that it is asked, and not for each: what comes second is not asked at all.
      #expect(calls() == before + 1)
      unlink(bin + "/silent")
      try await credentials.erase(kz)
      #expect(sightings(of: "canary", below: directory.path).isEmpty)
    }
  }

  @Test func `a program's words about a secret are not repeated`() async throws {
    try await withTemporaryDirectory { directory in
      let environment = try script(
        "docker-credential-loud", in: directory,
        "[ $1 = get ] && { echo 'credentials not found'; exit 1; }; cat; cat >&2; exit 3")
      let path = directory.path + "/credentials.json"
      await #expect(throws: CredentialError.program(name: "docker-credential-loud", reason: "exit status 3")) {
        try await Credentials(path, .helper("loud"), environment: environment, clock: standing).write(signIn, for: kz)
      }
    }
  }

  @Test func `much is written and read, and a program that reads nothing stops nobody`() async throws {
    try await withTemporaryDirectory { directory in
      let environment = try script("echoing", in: directory, "cat")
      let echoing = try #require(SecretProgram("echoing", environment))
      let much = [UInt8](repeating: 7, count: 400_000)
      #expect(try echoing.run([], much, until: never).output == much)
      let deaf = try #require(SecretProgram("deaf", try script("deaf", in: directory, "exec <&-; exit 4")))
      #expect(try deaf.run([], much, until: never).status == 4)
      let endless = try #require(SecretProgram("endless", try script("endless", in: directory, "yes")))
      #expect(throws: SecretProgram.Failure.self) { try endless.run([], [], until: never) }
    }
  }

  @Test(arguments: [
    ("PARLEY_TOKEN", true), ("KAMIWAZA_API_KEY", true), ("aws_secret_access_key", true), ("DB_PASSWORD", true),
    ("PASSWORD_STORE_DIR", false), ("HOME", false), ("GPG_TTY", false), ("SSH_AUTH_SOCK", false),
  ])
  func `variables that carry secrets are known by their names`(_ name: String, _ isSecret: Bool) {
    #expect(SecretProgram.isSecret(name) == isSecret)
  }

  @Test(arguments: ["auto", "keyring", "file", "helper:pass"])
  func `the setting names a choice`(_ text: String) throws {
    let setting = try Setting.named("credential-store")
    #expect(try setting.value(from: text) == .text(text))
    #expect(CredentialChoice(text) != nil)
  }

  @Test(arguments: ["helper:", "helper:../x", "helper:a b", "other", "secret-tool"])
  func `the setting takes nothing else`(_ text: String) throws {
    #expect(throws: SettingError.self) { try Setting.named("credential-store").value(from: text) }
  }
}

private let searchPath = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin"

extension Trait where Self == ConditionTrait {
  /// Skips a test, and says what is missing, where these programs are not installed.
  fileprivate static func programs(_ names: String...) -> Self {
    let missing = names.filter { SecretProgram($0, ["PATH": searchPath]) == nil }
    return .enabled(if: missing.isEmpty, "not installed: \(missing.joined(separator: ", "))")
  }

  /// The same where the system's Python cannot speak to a bus.
  fileprivate static var pythonBus: Self { .enabled(if: hasPythonBus, "not installed: python3-dbus") }
}

private let hasPythonBus: Bool = {
  let answer = try? SecretProgram("python3", ["PATH": "/usr/bin"])?.run(
    ["-c", "import dbus"], [], until: never)
  return answer?.status == 0
}()

/// A program for a test, and the environment in which it is found; a session bus is promised.
private func script(_ name: String, in directory: URL, _ lines: String) throws -> [String: String] {
  let folder = directory.path + "/bin"
  try AtomicFile.makeDirectory(folder)
  try installProgram("#!/bin/sh\n\(lines)\n", at: folder + "/" + name)
  // The real one that goes before it may be installed; the scripts need little else.
  let isAlone = name == "secret-tool"
  for tool in ["sleep", "cat", "sh"] where isAlone { symlink("/bin/" + tool, folder + "/" + tool) }
  return [
    "PATH": isAlone ? folder : folder + ":/usr/bin:/bin", "HOME": directory.path,
    "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
  ]
}

/// The environment, with this one program installed.
/// - Parameter calls: a file that gets a byte each time it is started.
private func only(
  _ name: String, _ environment: [String: String], _ directory: String, countingIn calls: String? = nil
) throws -> [String: String] {
  var environment = environment
  let program = try #require(SecretProgram(name, environment))
  try AtomicFile.makeDirectory(directory + "/only")
  if let calls {
    let script = "#!/bin/sh\nprintf x >> '\(calls)'\nexec '\(program.path)' \"$@\"\n"
    try installProgram(script, at: directory + "/only/" + name)
  } else {
    symlink(program.path, directory + "/only/" + name)
  }
  environment["PATH"] = directory + "/only"
  return environment
}

private func isZombie(_ child: pid_t) -> Bool {
  content("/proc/\(child)/stat").split(separator: ")").last?.hasPrefix(" Z") ?? true
}

/// Unlocked with an empty password; started when it has its name on the bus.
private let gnomeKeyring = """
  echo > "$HOME/password"
  gnome-keyring-daemon --foreground --unlock --components=secrets < "$HOME/password" >/dev/null 2>&1 &
  until dbus-send --session --print-reply --dest=org.freedesktop.DBus / org.freedesktop.DBus.NameHasOwner \
    string:org.freedesktop.secrets | grep -q true; do sleep 0.02; done
  """

/// A session bus of its own in a home of its own.
/// - Parameter command: starts what owns a name on the bus as its last child, and ends when it does.
private func withBus(
  _ command: String, _ body: ([String: String], String) async throws -> Void
) async throws {
  try await withTemporaryDirectory { directory in
    let runtime = directory.path + "/run"
    try AtomicFile.makeDirectory(runtime)
    var environment = ["HOME": directory.path, "XDG_RUNTIME_DIR": runtime, "PATH": searchPath]
    let session = Process()
    let input = Pipe()
    let output = Pipe()
    session.executableURL = URL(filePath: "/usr/bin/dbus-run-session")
    session.arguments = [
      "--", "sh", "-c", "\(command)\necho \"$DBUS_SESSION_BUS_ADDRESS\"; read -r _; kill $! 2>/dev/null",
    ]
    session.environment = environment
    session.standardInput = input
    session.standardOutput = output
    session.standardError = FileHandle.nullDevice
    // What a test starts has its signals blocked, and a daemon that hears none of them stays.
    var none = sigset_t()
    var before = sigset_t()
    sigemptyset(&none)
    pthread_sigmask(SIG_SETMASK, &none, &before)
    try session.run()
    pthread_sigmask(SIG_SETMASK, &before, nil)
    defer {
      try? input.fileHandleForWriting.close()  // its end is what is wanted
      session.waitUntilExit()
    }
    let said = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    environment["DBUS_SESSION_BUS_ADDRESS"] = said.trimmingCharacters(in: .whitespacesAndNewlines)
    try #require(!said.isEmpty)
    try await body(environment, directory.path)
  }
}
