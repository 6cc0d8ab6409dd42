import Text

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
