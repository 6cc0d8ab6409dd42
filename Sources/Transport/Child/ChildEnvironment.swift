/// What a program is told of our environment: little, and no secret (docs/rules.md A5).
enum ChildEnvironment {
  /// - Parameter passing: names that the person chose; they are passed whatever they hold.
  static func variables(of environment: [String: String], passing names: [String]) -> [String: String] {
    let chosen = Set(names)
    return environment.filter { name, value in
      guard !isNeverPassed(name), !name.isEmpty, !name.contains("="), !name.contains("\0"), !value.contains("\0")
      else { return false }
      return chosen.contains(name) || isUsual(name) && !soundsSecret(name) && !looksSecret(value)
    }
  }

  private static func isUsual(_ name: String) -> Bool { usual.contains(name) || name.hasPrefix("LC_") }

  private static let usual: Set<String> = [
    "HOME", "USER", "LOGNAME", "PATH", "LANG", "TERM", "COLORTERM", "TZ", "TMPDIR", "SHELL",
  ]

  /// What would load code into the program, write down its secrets, or is the key to a server of models.
  static func isNeverPassed(_ name: String) -> Bool {
    name.hasPrefix("LD_") || name == "SSLKEYLOGFILE" || name == "PARLEY_TOKEN"
  }

  private static func soundsSecret(_ name: String) -> Bool {
    let name = name.uppercased()
    return ["TOKEN", "SECRET", "KEY", "PASS", "AUTH", "CRED"].contains(where: name.contains)
  }

  /// A signed token, a key in PEM, or one with the mark of a service that gives keys out.
  private static func looksSecret(_ value: String) -> Bool {
    if value.hasPrefix("eyJ"), value.split(separator: ".", omittingEmptySubsequences: false).count >= 3 { return true }
    let marks = [
      "sk-", "pk-", "rk_", "ghp_", "gho_", "ghs_", "github_pat_", "glpat-", "xoxb-", "xoxp-", "AKIA", "ASIA", "AIza",
      "hf_", "npm_", "pypi-",
    ]
    return value.contains("-----BEGIN") || marks.contains(where: value.hasPrefix)
  }
}
