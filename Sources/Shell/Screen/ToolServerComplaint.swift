import Chat
package import Programs
import Store
import Text

/// What is wrong with what was typed about a server of tools.
package enum ToolServerSlip: Sendable, Equatable {
  case name(String)
  case address(String)
  case program(String, Programs.Failure)
  case variable(String)
  case unsetVariable(String)
  case variableForAddress(String)
  case ofPlatform(String, platform: String)
  case ofProgram(String)
  case missingArgument(String, prompt: String)
  case emptyPrompt(String)
  case noServersIn(String)
  /// A file that was to list tool servers.
  case notJSON(String, line: Int, reason: String)
  case foreign(String, problem: String)
}

extension Complaint {
  init(_ slip: ToolServerSlip) {
    switch slip {
    case .name(let word):
      self.init(
        "'\(word)' is no name for a tool server", hint: "letters, digits, - and _, such as notes", .usage)
    case .address(let word):
      self.init(
        "'\(word)' is no address of a tool server",
        hint: "http://HOST:PORT/mcp or https://…; a program stands behind --", .usage)
    case .program(let word, .notFound):
      self.init("there is no program '\(word)'", hint: "its whole path works anywhere", .usage)
    case .program(let word, .notExecutable):
      self.init("'\(word)' is no program that can be started", hint: "is it a folder, or without chmod +x?", .usage)
    case .variable(let word):
      self.init("--env takes the name of a variable, not '\(word)'", hint: "its value comes from your shell", .usage)
    case .unsetVariable(let word): self.init("the variable \(word) is not set", hint: "export it first", .usage)
    case .variableForAddress(let word):
      self.init("--env \(word) is for programs", hint: "/tools login signs in to an address", .usage)
    case .missingArgument(let name, let prompt):
      self.init("prompt '\(prompt)' needs \(name)", hint: "\(name)=VALUE behind it", .usage)
    case .noServersIn(let path):
      self.init("\(path) lists no tool servers", hint: #"it takes {"mcpServers": {"NAME": {…}}}"#, .usage)
    case .notJSON(let path, let line, let reason):
      self.init("\(path):\(line): not JSON: \(reason)", .usage)
    case .foreign(let name, let problem): self.init("'\(name)' cannot be added: \(problem)", .usage)
    case .emptyPrompt(let name): self.init("prompt '\(name)' came without any text", .refused)
    case .ofProgram(let name):
      self.init(
        "tool server '\(name)' is parley's own: it is not removed, and has no sign-in",
        hint: "/tools off \(name) offers it no longer", .usage)
    case .ofPlatform(let name, let platform):
      self.init(
        "tool server '\(name)' belongs to \(platform)",
        hint: "it is signed in to with /login, and cannot be removed here",
        .usage)
    }
  }

  init(_ failure: ToolServers.Failure) {
    switch failure {
    case .noServer(let name): self.init("no tool server '\(name)'", hint: "/tools lists them", .usage)
    case .nameTaken(let name):
      self.init(
        "there is a tool server '\(name)' already", hint: "/tools remove \(Words.quoted(name)) first", .usage)
    case .file(let error): self.init(error)
    }
  }
}
