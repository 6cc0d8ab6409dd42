/// Why a file of this program is not used: another user could have written it, or can read its secrets.
package struct Exposure: Sendable, Equatable {
  /// The step to take before running a command that keeps the content of a file.
  package static let readFirst = "check what is in it"

  package var path: String
  package var reason: String
  /// The advice in words; taken before the command if there is one.
  package var advice: String?
  /// A shell command that fixes it.
  package var command: String?

  package init(path: String, reason: String, advice: String? = nil, command: String? = nil) {
    self.path = path
    self.reason = reason
    self.advice = advice
    self.command = command
  }
}
