import Glibc
import Programs

/// A program to be started, its environment settled.
package struct ChildProgram: Sendable {
  package let name: String
  let path: String
  let arguments: [String]
  let variables: [String: String]
  let folder: String?

  /// Why a program was not started.
  package enum Failure: Error, Sendable, Equatable {
    case notFound
    /// It is there, and no program.
    case notExecutable
    case noFolder(String)
    /// In the system's words.
    case problem(String)
    /// Everything is being ended.
    case ending
  }

  /// Finds the program where a shell would, but not in folders of `PATH` that are relative.
  /// - Parameters:
  ///   - command: the program and what it is called with; at least the program.
  ///   - environment: ours, of which the program gets what docs/rules.md A5 leaves.
  ///   - passing: names of variables that it gets besides.
  ///   - adding: variables that are not ours and that it gets before ours, its `PATH` among them.
  ///   - folder: where it starts; nil is where we are.
  package init(
    _ command: [String], environment: [String: String], passing: [String] = [],
    adding additions: [(name: String, value: String)] = [], in folder: String? = nil
  ) throws(Failure) {
    guard let name = command.first, !name.isEmpty else { throw .notFound }
    guard !command.contains(where: { $0.contains("\0") }) else { throw .problem("a zero byte in an argument") }
    if let folder, ChildProgram.kind(folder) != S_IFDIR { throw .noFolder(folder) }
    let added = try ChildProgram.checked(additions)
    self.name = name
    path = try ChildProgram.find(name, added["PATH"] ?? environment["PATH"], in: folder)
    arguments = command
    variables = ChildEnvironment.variables(of: environment, passing: passing).merging(added) { _, added in added }
    self.folder = folder
  }

  /// The last of a name counts. What would harm is refused by name, so that nobody takes it for passed.
  private static func checked(_ additions: [(name: String, value: String)]) throws(Failure) -> [String: String] {
    for (name, value) in additions {
      guard !name.isEmpty, !name.contains("="), !name.contains("\0"), !value.contains("\0") else {
        throw .problem("a variable that cannot be one")
      }
      guard !ChildEnvironment.isNeverPassed(name) else {
        throw .problem("the variable \(name) is passed to no program")
      }
    }
    return Dictionary(additions.map { ($0.name, $0.value) }) { _, last in last }
  }

  private static func find(_ name: String, _ path: String?, in folder: String?) throws(Failure) -> String {
    do throws(Programs.Failure) {
      // The program is started from its folder, so a relative path may stay as it is.
      return try Programs.find(name, along: path, from: folder)
    } catch {
      switch error {
      case .notFound: throw .notFound
      case .notExecutable: throw .notExecutable
      }
    }
  }

  private static func kind(_ path: String) -> mode_t? {
    var facts = stat()
    return stat(path, &facts) == 0 ? facts.st_mode & S_IFMT : nil
  }
}

/// How a program ended.
package struct ChildExit: Sendable, Equatable {
  /// That of a shell: 128 and the signal when one ended it.
  package var status: Int32
  /// The last line of its standard error that is not empty. Not to be trusted.
  package var lastWords: String

  package init(status: Int32, lastWords: String) {
    self.status = status
    self.lastWords = lastWords
  }
}
