import Chat
package import Store
import Text

extension Complaint {
  /// What a failure of the history is called.
  init(_ error: HistoryError) {
    switch error {
    case .busy(let seconds):
      self.init("the history was locked by another program for \(seconds) s", hint: "try again", .storeUnusable)
    case .full(let path):
      self.init("the disk is full: \(path) was not written", hint: "make room, then try again", .storeUnusable)
    case .damaged(let path, let detail):
      self.init(
        "the history \(path) is damaged (\(detail))",
        hint: "/db recover sets it aside and saves what it can; so does the next start",
        .storeUnusable)
    case .unwritable(let path, let detail):
      self.init("cannot write \(path) (\(detail))", hint: "PARLEY_HOME names another folder", .storeUnusable)
    case .exposed(let exposure): self.init(exposure)
    case .strangeSchema(let problems):
      self.init(
        "the history is not used: \(Wording.list(problems))", hint: "/db recover fixes that",
        .storeUnusable)
    case .damagedInUse(let path):
      self.init(
        "the history \(path) is damaged, and another parley has it open", hint: "leave the other one, then start again",
        .storeUnusable)
    case .noFile:
      self.init(
        "the history of this run is in memory: there is no file of it", hint: "without --private it is the one on disk",
        .usage)
    case .noSession(let words):
      self.init("no session '\(words)'", hint: "/history lists them", .usage)
    case .noTurn:
      self.init("that turn is not in the history any more", hint: "/history show lists them", .usage)
    case .deletedTextInLog(let reason):
      self.init(
        "done, but deleted text may still be in the log beside the history (\(reason))",
        hint: "close the other program, then /db vacuum", .storeUnusable)
    case .answeredElsewhere:
      self.init(
        "another shell went on with this answer: its text was not overwritten", hint: "/history show has it", .usage)
    case .closed:
      self.init("the history is closed", .storeUnusable)
    case .failed(let code, let detail):
      self.init("the history failed (\(detail), SQLite \(code))", .storeUnusable)
    }
  }
}

extension Wording {
  /// What is wrong with the file of known servers; nil when nothing is.
  static func knownServers(_ problems: [KnownServers.Problem], _ path: String) -> SafeText? {
    var lines: [String] = []
    for problem in problems {
      switch problem {
      case .line(let number): lines.append(String(number))
      case .unreadable(.exposed(let exposure)): return exposed(exposure)
      case .unreadable(let error): return Complaint(error).text
      }
    }
    guard !lines.isEmpty else { return nil }
    let which = lines.prefix(8).joined(separator: ", ") + (lines.count > 8 ? ", …" : "")
    return "line \(which) of known_servers cannot be read, or not wholly"
  }

  /// A copy that forgetting could not write anew.
  static func removed(copy: String) -> SafeText { "the backup \(copy) could not be written anew, and was removed" }

  /// Files that may still have what was forgotten.
  static func mayRemain(in files: [String]) -> SafeText {
    "it may still be in what was set aside as damaged: rm \(files.map(Words.quoted).joined(separator: " ")) removes that"
  }

  /// The first problems of the history, and how many more there are.
  static func list(_ problems: [String]) -> SafeText {
    let first = problems.prefix(3).joined(separator: ", ")
    return problems.count > 3 ? "\(first) and \(problems.count - 3) more" : "\(first)"
  }

  /// What happened when the history was opened.
  static func history(_ notice: HistoryNotice) -> SafeText {
    switch notice {
    case .recovered(let answers):
      answers == 1
        ? "an answer was being written when parley ended: it is kept, marked interrupted"
        : "\(answers) answers were being written when parley ended: they are kept, marked interrupted"
    case .quarantined(let file, let saved):
      "the history was damaged: it is kept as \(file); \(saved.sessions) sessions and \(saved.messages) messages were saved"
    case .inMemory(.strangeSchema(let problems)):
      "nothing of this run is kept: \(Complaint(HistoryError.strangeSchema(problems)).text); /db recover fixes that"
    case .inMemory(.exposed(let exposure)): "nothing of this run is kept: " + exposed(exposure)
    case .inMemory(let error):
      "nothing of this run is kept: \(Complaint(error).text)"
    case .readOnly(let error):
      "earlier sessions can be read, and nothing of this run is kept: \(Complaint(error).text)"
    case .newer(let found, let known):
      "the history is of a later version (\(found), this one knows \(known)): it is read, and nothing of this run is kept"
    case .remote(let fileSystem):
      "the history is on \(fileSystem): do not use it from two machines at once"
    case .foreignFolder(let path, let owner):
      "user \(owner) owns \(path) and can delete or replace the files of parley in it"
    }
  }
}

extension Complaint {
  /// What a failure of the settings is called.
  init(_ error: PreferenceError) {
    switch error {
    case .setting(.unknownKey(let key, let nearest)):
      self.init(.unknown(.setting, key, nearest: nearest))
    case .setting(.badValue(let key, let value, let accepted)):
      self.init("\(key) does not take '\(value)'", hint: "it takes \(accepted)", .usage)
    case .setting(.noProgram(let key, let word, let nearest, let accepted)):
      let meant: SafeText = nearest.isEmpty ? "" : "did you mean \(Complaint.either(nearest))? "
      self.init("\(key): no program is called '\(word)'", hint: meant + "it takes \(accepted)", .usage)
    case .file(let error): self.init(error)
    case .broken(let line, let column, let reason):
      self.init("the preferences are broken at line \(line), column \(column) (\(reason))", .usage)
    case .newer(let found, let known):
      self.init(
        "the preferences are of a later version (\(found), this one knows \(known)): they were not changed", .usage)
    }
  }

  /// What a failure of the list of servers is called.
  init(_ error: Servers.Failure) {
    switch error {
    case .noServer(let name): self.init(.unknown(.server, name, nearest: []))
    case .nameTaken(let name): self.init("another server is called '\(name)'", hint: "choose another name", .usage)
    case .emptyName: self.init("a server needs a name", .usage)
    case .file(let error): self.init(error)
    }
  }

  /// A file that others could have written.
  /// - Parameter typedHere: whether the command is shown as it is typed in this shell.
  init(_ exposure: Exposure, typedHere: Bool = false) {
    let command = exposure.command.map { (typedHere ? "!" : "") + $0 }
    let hint = [exposure.advice, command].compactMap(\.self).joined(separator: ", then: ")
    self.init(
      "cannot trust \(exposure.path): \(exposure.reason)", hint: hint.isEmpty ? nil : "\(hint)", .storeUnusable)
  }

  /// What a failure of a file of ours is called.
  package init(_ error: FileError) {
    let hint: SafeText = "PARLEY_HOME names another folder"
    switch error {
    case .readOnlyDirectory(let path): self.init("cannot write in \(path): it is read-only", hint: hint, .storeUnusable)
    case .readOnlyFile(let path):
      self.init("cannot write \(path): it is not yours to change", hint: hint, .storeUnusable)
    case .notAFile(let path): self.init("\(path) is not a plain file", hint: hint, .storeUnusable)
    case .danglingLink(let path, let target):
      self.init(
        "\(path) is a link to \(target), which is missing", hint: "rm \(Words.quoted(path)) removes the link",
        .storeUnusable)
    case .exposed(let exposure): self.init(exposure)
    case .full(let path): self.init("the disk is full at \(path)", hint: "make room, then try again", .storeUnusable)
    case .locked(let path): self.init("\(path) is in use by another program", hint: "try again", .storeUnusable)
    case .failed(let path, let operation, let code):
      self.init("cannot \(operation) \(path) (\(FileError.reason(code)))", .storeUnusable)
    }
  }
}

extension Wording {
  /// What is wrong with the preference file.
  static func preferences(_ warning: PreferenceWarning) -> SafeText {
    let place: SafeText = warning.line.map { "\(warning.path):\($0): " } ?? "\(warning.path): "
    return switch warning.problem {
    case .setting(let error): place + Complaint(PreferenceError.setting(error)).text + "; its default is used"
    case .broken(let reason): place + "broken (\(reason)): the defaults are used until it is mended"
    case .unreadable(.exposed(let exposure)): exposed(exposure, "the defaults are used")
    case .unreadable(let error): Complaint(error).text + "; the defaults are used"
    case .newer(let found, let known): place + "of version \(found), this one knows \(known): read, not written"
    }
  }

  /// What is wrong with the list of servers.
  static func servers(_ problem: StateProblem) -> SafeText {
    state(problem, without: "there are no servers until /connect makes a new list")
  }

  /// What is wrong with the list of tool servers.
  static func toolServers(_ problem: StateProblem) -> SafeText {
    if case .newer(let path, let version) = problem {
      return "\(path) is of version \(version), which this one does not know: what it knows of it is used"
    }
    return state(problem, without: "there are no tool servers until /tools add makes a new list")
  }

  /// What is wrong with the list of permissions.
  static func permissions(_ problem: StateProblem) -> SafeText {
    state(problem, without: "every tool is asked about again")
  }

  /// What is wrong with the list of snippets.
  static func snippets(_ problem: StateProblem) -> SafeText {
    if case .newer(let path, let version) = problem {
      return "\(path) is of version \(version), which this one does not know: what it knows of it is used"
    }
    return state(problem, without: "there are no snippets until /snippets add makes a new list")
  }

  /// A file that others could have written, and the command that fixes it.
  private static func exposed(_ exposure: Exposure, _ loss: SafeText = "it is not used") -> SafeText {
    let complaint = Complaint(exposure)
    let lead: SafeText = exposure.advice == nil ? "; to fix it: " : "; "
    return complaint.text + "; " + loss + (complaint.hint.map { lead + $0 } ?? "")
  }

  private static func state(_ problem: StateProblem, without loss: SafeText) -> SafeText {
    switch problem {
    case .broken(let path, nil): "\(path) is broken: \(loss)"
    case .broken(let path, .some(let aside)): "\(path) was broken: it is kept as \(aside)"
    case .unsafe(let exposure): exposed(exposure)
    case .unreadable(let error): Complaint(error).text
    case .newer(let path, let version): "\(path) is of version \(version), which this one does not know: \(loss)"
    }
  }
}
