import Glibc

/// Where programs are.
package enum Programs {
  /// Why a program cannot be started.
  package enum Failure: Error, Sendable, Equatable {
    case notFound
    /// It is there, and is a folder or a file that may not be run.
    case notExecutable
  }

  /// The folders that are looked through where `PATH` says nothing.
  package static let standardPath = "/usr/local/bin:/usr/bin:/bin"

  /// Finds a program where a shell would (POSIX, 2.9.1.4), but never in a folder that `PATH` names relative to where one
  /// happens to be.
  /// - Parameters:
  ///   - name: with a slash in it a path, which is given back as it is.
  ///   - path: the value of `PATH`.
  ///   - folder: what a relative `name` is relative to; nil is where we are.
  package static func find(_ name: String, along path: String?, from folder: String? = nil) throws(Failure) -> String {
    if name.contains("/") {
      let place = name.hasPrefix("/") ? name : (folder.map { "\($0)/" } ?? "") + name
      guard let kind = kind(of: place) else { throw .notFound }
      guard kind == S_IFREG, access(place, X_OK) == 0 else { throw .notExecutable }
      return name
    }
    let folders = (path ?? standardPath).split(separator: ":").filter { $0.hasPrefix("/") }
    let files = folders.map { "\($0)/\(name)" }.filter { kind(of: $0) == S_IFREG }
    guard let program = files.first(where: { access($0, X_OK) == 0 }) else {
      throw files.isEmpty ? .notFound : .notExecutable
    }
    return program
  }

  private static func kind(of path: String) -> mode_t? {
    var facts = stat()
    return stat(path, &facts) == 0 ? facts.st_mode & S_IFMT : nil
  }
}
