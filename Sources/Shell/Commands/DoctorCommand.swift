import Chat
import Store
import Text
import Wire

extension Commands {
  static let diagnosis = [doctor]

  private static let doctor = Command(
    "doctor", .servers, summary: "find out what does not work", forms: [Form(.optional(.server))],
    examples: ["/doctor", "/doctor lab", "parley /doctor --json"],
    details: """
      Looks at the name, the connection, the certificate, the API, your sign-in, the models and a one-token answer of \
      the server in use or of another, then at the files on this machine. Each is ok, failed or skipped; the exit \
      status is that of the first failure.
      """
  ) { shell, match throws(ShellError) in
    let asJSON = match.asJSON || shell.desk.options.output != .text
    var diagnosis = Diagnosis(asJSON: asJSON, terminal: shell.desk.world.terminal, asTyped: shell.desk.asTyped)
    if let patient = try patient(match.values.first, shell) {
      var checkup = ServerCheckup(patient, shell)
      try await checkup.run(&diagnosis)
    } else {
      shell.desk.say("no server yet: only the files on this machine are looked at")
    }
    await shell.checkFiles(&diagnosis)
    if asJSON { shell.desk.show(JSON.array(diagnosis.findings.map(\.json))) }
    if let status = diagnosis.status, shell.desk.failure == nil { shell.desk.failure = status }
    return .prompt
  }

  /// The server that is named, or the one in use; nil where there is none.
  private static func patient(_ word: String?, _ shell: Shell) throws(ShellError) -> ServerCheckup.Patient? {
    if word == nil, let link = shell.links.front { return .connected(link) }
    guard let name = word ?? shell.desk.options.server ?? shell.desk.world.environment.serverAddress else {
      return shell.links.kept.current.map(ServerCheckup.Patient.kept)
    }
    if let exact = shell.links.kept.named(name) ?? shell.links.kept.at(name) { return .kept(exact) }
    if name.contains(where: { ".:/".contains($0) }) { return .address(name) }
    return .kept(try shell.links.kept.required(name))
  }
}
