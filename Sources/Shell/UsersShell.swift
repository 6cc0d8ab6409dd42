import Text

extension Desk {
  /// The person's shell.
  var usersShell: String { world.environment["SHELL"].flatMap { $0.isEmpty ? nil : $0 } ?? "/bin/sh" }

  /// Runs a program with a text as its standard input. Throws `child`, and `programFailed` where it ends with another status
  /// than 0.
  /// - Parameter name: what is said to have failed then.
  func run(_ program: [String], called name: String, giving text: String) async throws(ShellError) {
    let status: Int32
    do throws(ChildError) {
      status = try await world.terminal.run(ChildCommand(program, input: Array(text.utf8)), captureLimit: nil).status
    } catch {
      throw .child(error)
    }
    guard status == 0 else { throw .programFailed(name, status: status) }
  }
}

/// `!command` and `!!command` (docs/shell.md 3).
extension Shell {
  /// How much of a command's output goes with a message, in bytes: the last so many.
  private static let captureLimit = 64 << 10

  /// - Parameter variables: those that the command refers to; a shell that would read that in another way is not asked.
  mutating func runInUsersShell(
    _ command: String, attaches: Bool, with variables: [String: String] = [:]
  ) async throws(ShellError) {
    guard !command.isEmpty else {
      if attaches, !talk.attachment.isEmpty {
        talk.attachment = ""
        desk.say("nothing goes with the next message")
      } else {
        desk.say("type a command after the !, such as !ls")
      }
      return
    }
    let usersShell = desk.usersShell
    let shell = !variables.isEmpty && !ShellFilling.knows(usersShell) ? "/bin/sh" : usersShell
    let child = ChildCommand([shell, "-c", command], variables: variables)
    let result: (status: Int32, output: [UInt8])
    do throws(ChildError) {
      result = try await desk.world.terminal.run(child, captureLimit: attaches ? Shell.captureLimit : nil)
    } catch {
      throw .child(error)
    }
    if attaches {
      if !talk.attachment.isEmpty { talk.attachment += "\n\n" }
      talk.attachment += Fence.around(String(decoding: result.output, as: UTF8.self), label: "$ \(command)")
      desk.say("its output goes with the next message (\(ByteSize.text(result.output.count)))")
    }
    if result.status != 0 { desk.say("exit status \(result.status)", .warning) }
  }
}
