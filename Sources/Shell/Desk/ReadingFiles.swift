import Text
import Wire

/// Files that the user names. A slow one says that it is read, and Ctrl-C ends the wait.
extension Desk {
  /// Returns the text of a file, without a byte-order mark. Throws `file` if it cannot be decoded.
  func readText(_ path: String) async throws(ShellError) -> String {
    let bytes = try await read(path, world.readBytes)
    do throws(FileProblem) {
      let decoded = try world.decode(bytes, of: path)
      if decoded.isRepaired {
        throw FileProblem(path: path, reason: "it is not UTF-8; iconv -t UTF-8 converts it")
      }
      return decoded.text
    } catch { throw .file(error) }
  }

  /// Reads the lines of a script. Warns if parts of it could not be decoded.
  func scriptLines(in path: String) async throws(ShellError) -> [String] {
    let bytes = try await read(path, world.readBytes)
    do throws(FileProblem) { return try scriptLines(bytes, of: path) } catch { throw .file(error) }
  }

  /// Returns the lines of a script. Warns if parts of it could not be decoded.
  func scriptLines(_ bytes: [UInt8], of path: String) throws(FileProblem) -> [String] {
    let decoded = try world.decode(bytes, of: path)
    if decoded.isRepaired { warn(Wording.repaired("\(path)")) }
    return decoded.text.textLines
  }

  /// The bytes of a file that may be large.
  func readLarge(_ path: String) async throws(ShellError) -> [UInt8] { try await read(path, world.readLarge) }

  private func read<T: Sendable>(
    _ path: String, _ read: @escaping @Sendable (String) async throws(FileProblem) -> T
  ) async throws(ShellError) -> T {
    switch await interruptible(for: "reading \(path)", { () throws(FileProblem) in try await read(path) }) {
    case .success(let content): return content
    case .failure(let problem): throw problem.isCancelled ? .interrupted : .file(problem)
    }
  }
}
