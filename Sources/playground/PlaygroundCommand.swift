import ArgumentParser
import Foundation
import Transport

/// Serves the API of a Kamiwaza installation on loopback, to try and to test parley against.
@main
struct PlaygroundCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "playground",
    abstract: "Serves the API of a Kamiwaza installation on loopback, to try and to test parley against.",
    discussion: """
      Sign in as demo (password demo) or admin (password admin). When it is ready, one line on standard output says \
      so: its address and, with --tls, the certificate's fingerprint. Lines on standard input control it, and each is \
      answered by one line: swap-certificate, stop NAME, start NAME, fail NAME (a deployment), expire (access \
      tokens), revoke (personal access tokens), drop (connections), count (JSON), quit.
      """)

  @OptionGroup var options: Options

  func run() async throws {
    for number in [SIGTERM, SIGINT] { signal(number) { _ in _exit(0) } }
    // OpenSSL writes to connections that their client has left.
    signal(SIGPIPE, SIG_IGN)
    // A session of its own: Ctrl-C at the terminal is meant for the shell, not for this.
    if options.whileStdinOpen { setsid() }

    let http = CurlHTTP(proxy: ProxySettings(), version: "playground")
    let folder = try StateFolder(options.state)
    let certificate = options.tls ? try ServingCertificate.load(from: folder) : nil
    var model: LocalModel?
    if let address = options.model { model = try await LocalModel.ask(address, by: http) }
    let relay = options.lanPort ? try Front(port: 0, certificate: certificate) : nil
    let front = try Front(port: options.port, certificate: certificate)

    let playground = Playground(
      options: options,
      accounts: try Accounts(
        folder: folder, accessLife: options.accessLife, isStrict: !options.seedShape,
        users: User.all + (options.user.flatMap(User.init).map { [$0] } ?? [])),
      deployments: Deployments(
        contextWindow: model?.contextWindow, hasModel: model != nil, legacyPort: relay?.port,
        hasTools: options.tools != nil || !options.tool.isEmpty),
      counts: Counts(), provider: IdentityProvider(), http: http, servedModel: model?.name)
    let router = Router(routes: Platform.routes(options), playground: playground, modelPort: relay?.port)
    let serving = try Serving(router)
    async let end: Void = serving.run()
    try await serving.waitUntilListening()
    let fronts = [front, relay].compactMap { $0 }
    for front in fronts { front.start(for: serving.address) }

    let address = "\(options.tls ? "https" : "http")://127.0.0.1:\(front.port)\(options.prefix)"
    say((["ready", address] + [certificate?.fingerprint.word].compactMap { $0 }).joined(separator: " "))
    let control = Control(playground: playground, folder: folder, fronts: fronts)
    for await line in Self.lines() {
      if line == "quit" {
        say("ok")
        _exit(0)
      }
      say(await control.answer(line))
    }
    if options.whileStdinOpen { _exit(0) }
    try await end
  }

  private func say(_ line: String) {
    // Past the buffer, which a pipe would keep.
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }

  /// Standard input, line by line, read on a thread of its own.
  private static func lines() -> AsyncStream<String> {
    AsyncStream { lines in
      Thread.detachNewThread {
        while let line = readLine() { lines.yield(line) }
        lines.finish()
      }
    }
  }
}
