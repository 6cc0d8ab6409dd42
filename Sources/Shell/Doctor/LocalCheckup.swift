import Store
import Text

/// The files of this program on this machine.
struct LocalCheckup {
  /// It is only looked at.
  private let desk: Desk
  private let servers: Servers
  private let exposures: [UntrustedFile]

  init(_ desk: Desk, _ servers: Servers) {
    self.desk = desk
    self.servers = servers
    exposures = desk.world.exposures()
  }

  /// - Parameter talk: whose history is opened, if it is not yet.
  func run(_ diagnosis: inout Diagnosis, _ talk: inout Talk) async {
    let paths = desk.world.paths
    let checked: [(check: Check, path: String)] = [
      (.preferences, paths.preferences), (.servers, paths.servers), (.history, paths.history),
      (.knownServers, paths.knownServers), (.credentials, paths.credentials),
    ]
    for (check, path) in checked {
      let isSkipped = check == .history && desk.options.isPrivate
      if !isSkipped, let untrusted = exposures.first(where: { $0.file == path }) {
        diagnosis.add(finding(check, untrusted))
      } else {
        diagnosis.add(await finding(check, path, &talk))
      }
    }
    for untrusted in exposures where !checked.contains(where: { $0.path == untrusted.file }) {
      diagnosis.add(finding(.files, untrusted))
    }
  }

  /// A file that others could have written (docs/rules.md C3).
  private func finding(_ check: Check, _ untrusted: UntrustedFile) -> Finding {
    let exposure = untrusted.exposure
    if untrusted.isUsed { return .ok(check, "\(exposure.path): \(exposure.reason)") }
    return .failed(check, Complaint(exposure, typedHere: true))
  }

  private func finding(_ check: Check, _ path: String, _ talk: inout Talk) async -> Finding {
    switch check {
    case .preferences: preferencesFinding()
    case .servers: serversFinding()
    case .history: await historyFinding(&talk)
    case .knownServers: knownServersFinding()
    default: fileFinding(check, path, whenMissing: "no file: nothing is kept in one")
    }
  }

  private func knownServersFinding() -> Finding {
    let path = desk.world.paths.knownServers
    let problems = desk.world.knownServers.problems
    let edit: SafeText = "!\(desk.editor) \(quoted(path))"
    if let words = Wording.knownServers(problems, path) {
      let isUnreadableAsAWhole = problems.contains { if case .line = $0 { false } else { true } }
      return .failed(
        .knownServers, Complaint(words, hint: isUnreadableAsAWhole ? "!ls -l \(quoted(path))" : edit, .storeUnusable))
    }
    for entry in desk.world.knownServers.entries {
      guard case .authorities(let file) = entry.trust, desk.world.checkAuthorities(file) == nil else { continue }
      let server = "\(entry.host.contains(":") ? "[\(entry.host)]" : entry.host):\(entry.port)"
      return .failed(
        .knownServers,
        Complaint(
          "the authorities in \(file), which should vouch for \(server), cannot be read",
          hint: "/server forget-trust \(server)", .storeUnusable))
    }
    return fileFinding(.knownServers, path, whenMissing: "none is trusted by hand yet")
  }

  private func preferencesFinding() -> Finding {
    let path = desk.world.paths.preferences
    if let warning = desk.preferences.warnings.first {
      return .failed(
        .preferences, Complaint(Wording.preferences(warning), hint: "!\(desk.editor) \(quoted(path))", .usage))
    }
    // Yours to edit and to link; others may read what is no secret.
    return fileFinding(.preferences, path, whenMissing: "none yet: the defaults hold", isSecret: false)
  }

  private func serversFinding() -> Finding {
    if let problem = servers.problem {
      return .failed(.servers, Complaint(Wording.servers(problem), hint: "/connect ADDRESS", .storeUnusable))
    }
    return fileFinding(.servers, desk.world.paths.servers, whenMissing: "none yet: /connect ADDRESS keeps one")
  }

  private func historyFinding(_ talk: inout Talk) async -> Finding {
    if desk.options.isPrivate { return .skipped(.history, "a private run keeps nothing") }
    let version: String
    let journal: String
    let notices: [HistoryNotice]
    do throws(ShellError) {
      let history = try await talk.fromHistory(desk) { $0 }
      notices = history.notices
      (version, journal) = try await talk.fromHistory(desk) { history throws(HistoryError) in try await history.engine()
      }
    } catch {
      return .failed(.history, Complaint(error))
    }
    var remote: String?
    for notice in notices {
      switch notice {
      case .readOnly, .newer, .inMemory:
        return .failed(.history, Complaint(Wording.history(notice), hint: "/help files", .storeUnusable))
      case .remote(let fileSystem): remote = fileSystem
      case .recovered, .quarantined, .foreignFolder: break
      }
    }
    let why: SafeText =
      if let remote {
        "on \(remote), where other machines may write it"
      } else if journal == "WAL" {
        "SQLite \(version) writes it safely from two shells at once"
      } else {
        "the safe one with SQLite \(version)"
      }
    let path = desk.world.paths.history
    let file = fileFinding(.history, path, whenMissing: "in memory")
    return file.state == .ok ? .ok(.history, "\(path) opens; journal \(journal): " + why) : file
  }

  /// Whose a file is and who else may use it (docs/shell.md 6; docs/rules.md C3).
  private func fileFinding(
    _ check: Check, _ path: String, whenMissing: SafeText, isSecret: Bool = true
  ) -> Finding {
    guard let facts = desk.world.fileFacts(path) else { return .ok(check, whenMissing) }
    func failed(_ what: SafeText, _ hint: SafeText?) -> Finding {
      .failed(check, Complaint("\(path) " + what, hint: hint, .storeUnusable))
    }
    if facts.kind == .link, check != .credentials { return .ok(check, "\(path) is a link") }
    guard facts.kind == .file else {
      return failed(facts.kind == .link ? "is a link" : "is not a file", "!ls -l \(quoted(path))")
    }
    guard facts.isOwn else { return failed("belongs to somebody else", "!ls -l \(quoted(path))") }
    let open = facts.mode & (isSecret ? 0o077 : 0o022)
    if open != 0 {
      return failed("can be used by others (\(octal(facts.mode)))", "!chmod 600 \(quoted(path))")
    }
    guard facts.isReadable, facts.isWritable else {
      return failed("cannot be \(facts.isReadable ? "written" : "read")", "!chmod 600 \(quoted(path))")
    }
    return .ok(check, "\(path) (\(octal(facts.mode)))")
  }

  private func octal(_ mode: Int) -> String {
    let digits = String(mode, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  private func quoted(_ path: String) -> String { Words.quoted(path) }
}
