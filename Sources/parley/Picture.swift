import Shell
import Transport

/// Pictures of two-dimensional codes, read by zbar's program: pictures come in many formats, which it knows.
enum Picture {
  /// What it says of itself is no part of the code.
  private static let script = #"exec zbarimg --nodbus --quiet --raw -Sdisable -Sqrcode.enable -- "$1" 2>/dev/null"#

  static func text(
    of path: String, _ children: Children, _ environment: [String: String]
  ) async throws(FileProblem) -> String {
    let missing = FileProblem(
      path: path, reason: "pictures are read with zbarimg, which is not here: apt-get install zbar-tools")
    let run: CommandRun
    do throws(ChildProgram.Failure) {
      run = try await children.run(["sh", "-c", script, "sh", path], in: "/", environment: environment)
    } catch { throw missing }
    // Whoever gives up does not leave it behind.
    let end = await withTaskCancellationHandler {
      await run.ended()
    } onCancel: {
      Task { await run.kill() }
    }
    let text = run.output().text
    if end?.exitCode == 127 { throw missing }
    guard end?.exitCode == 0, !text.isEmpty else {
      throw FileProblem(path: path, reason: "it is no picture with a code in it that can be read")
    }
    return text
  }
}
