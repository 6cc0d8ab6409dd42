/// What a program is told of our environment: little, and no secret (docs/rules.md A5).
package enum ChildEnvironment {
  /// - Parameter passing: names that the person chose; they are passed whatever they hold.
  package static func variables(of environment: [String: String], passing names: [String]) -> [String: String] {
    let chosen = Set(names)
    return environment.filter { name, value in
      guard !isNeverPassed(name), !name.isEmpty, !name.contains("="), !name.contains("\0"), !value.contains("\0")
      else { return false }
      return chosen.contains(name) || isUsual(name) && !soundsSecret(name) && !looksSecret(value)
    }
  }

  /// Whether somebody else may have a program told a variable of this name (docs/rules.md A5).
  package static func mayBeAdded(_ name: String) -> Bool {
    isName(name) && !isNeverPassed(name) && !["PATH", "BASH_ENV", "ENV", "IFS"].contains(name)
  }

  /// Whether it is a name as shells know them.
  package static func isName(_ name: String) -> Bool {
    guard let first = name.utf8.first, !(0x30...0x39).contains(first) else { return false }
    return name.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x5F
    }
  }

  private static func isUsual(_ name: String) -> Bool { usual.contains(name) || name.hasPrefix("LC_") }

  private static let usual: Set<String> = [
    "HOME", "USER", "LOGNAME", "PATH", "LANG", "TERM", "COLORTERM", "TZ", "TMPDIR", "SHELL",
  ]

  /// What would load code into the program, write down its secrets, or is the key to a server of models.
  package static func isNeverPassed(_ name: String) -> Bool {
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
