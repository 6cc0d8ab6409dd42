/// A variable of the environment that counts more than a setting does, in every run that has it.
package struct SettingOverride: Sendable, Equatable {
  /// Its name.
  package let variable: String
  /// As it stands in the environment, not filtered.
  package let value: String

  private static let variables = ["accessible": "ACCESSIBLE", "color": "NO_COLOR"]

  /// nil where nothing is set that counts more than this setting.
  package init?(of key: String, in environment: [String: String]) {
    guard let variable = Self.variables[key], let value = Self.value(of: variable, in: environment) else { return nil }
    (self.variable, self.value) = (variable, value)
  }

  /// nil where it is not set. An empty one counts as that (no-color.org).
  package static func value(of variable: String, in environment: [String: String]) -> String? {
    environment[variable].flatMap { $0.isEmpty ? nil : $0 }
  }
}
