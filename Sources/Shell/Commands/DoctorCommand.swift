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
    let patient = try ServerCheckup.Patient.named(match.values.first, shell.links, shell.desk)
    let other = patient.flatMap { $0.isInUse(shell.links) ? nil : (server: $0.name, isKept: $0.isKept) }
    var diagnosis = Diagnosis(asJSON: asJSON, terminal: shell.desk.world.terminal) { [desk = shell.desk] hint in
      desk.asTyped(hint, for: other)
    }
    if let patient {
      var checkup = ServerCheckup(patient, shell.desk)
      try await checkup.run(&diagnosis)
    } else {
      shell.desk.say("no server yet: only the files on this machine are looked at")
    }
    await LocalCheckup(shell.desk, shell.links.kept).run(&diagnosis, &shell.talk)
    if asJSON { shell.desk.show(JSON.array(diagnosis.findings.map(\.json))) }
    if let status = diagnosis.status, shell.desk.failure == nil { shell.desk.failure = status }
    return .prompt
  }
}
