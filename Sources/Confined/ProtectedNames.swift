/// What is done with a file.
package enum FilePurpose: Sendable { case reading, writing }

/// Names that the person is asked about even where everything else is allowed (docs/rules.md A3).
enum ProtectedNames {
  /// Whether one of the names, or some that follow one another, keep a secret, or for writing also whether a program
  /// obeys what stands there.
  static func contain(_ names: Names, for purpose: FilePurpose) -> Bool {
    let folded = names.parts.map(folded)
    if folded.contains(where: isSecret) { return true }
    return purpose == .writing && (folded.contains(where: obeyed.contains) || holdsObeyed(folded))
  }

  /// A name as the most forgiving file system compares it: without case, without what cannot be seen, and without dots
  /// and spaces at its end.
  static func folded(_ name: Name) -> String {
    var scalars = String(decoding: name.bytes, as: UTF8.self).unicodeScalars
    scalars.removeAll { $0.properties.isDefaultIgnorableCodePoint }
    // Upper case first: some letters, such as the long s, meet their likes only there.
    var folded = String(scalars).uppercased().lowercased().unicodeScalars
    while let last = folded.last, last == " " || last == "." { folded.removeLast() }
    return String(folded)
  }

  private static func isSecret(_ name: String) -> Bool {
    secrets.contains(name) || name.utf8.starts(with: ".env".utf8)
      || keyEndings.contains { name.utf8.reversed().starts(with: $0.utf8.reversed()) }
  }

  private static func holdsObeyed(_ names: [String]) -> Bool {
    obeyedFolders.contains { folder in
      names.indices.contains { names[$0...].starts(with: folder) }
    }
  }

  private static let keyEndings = [".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".ppk"]

  private static let secrets: Set = [
    ".ssh", ".gnupg", ".aws", ".azure", ".kube", ".netrc", "_netrc", ".npmrc", ".yarnrc.yml", ".pypirc",
    ".git-credentials", ".pgpass", ".my.cnf", ".htpasswd", ".vault-token", ".dockercfg",
    "id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "id_ecdsa_sk", "id_ed25519_sk",
  ]

  private static let obeyed: Set = [
    // Version control, and the hooks it runs. The second is what Windows calls the first.
    ".git", "git~1", ".hg", ".svn", ".gitconfig", ".gitmodules", ".hgrc", ".husky", ".githooks",
    ".pre-commit-config.yaml", "lefthook.yml", ".lefthook.yml",
    // What shells and desktops read when they start.
    ".profile", ".login", ".logout", ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases",
    ".zshrc", ".zprofile", ".zshenv", ".zlogin", ".zlogout", ".cshrc", ".tcshrc", ".kshrc", ".mkshrc", ".inputrc",
    "config.fish", ".xprofile", ".xinitrc", ".xsession", ".xsessionrc", ".pam_environment", ".vimrc", ".exrc",
    // Continuous integration.
    ".gitlab-ci.yml", ".gitlab-ci.yaml", ".travis.yml", ".circleci", ".buildkite", ".drone.yml", ".woodpecker",
    ".woodpecker.yml", "jenkinsfile", "azure-pipelines.yml", "bitbucket-pipelines.yml", ".cirrus.yml", ".appveyor.yml",
    "appveyor.yml",
    // Editors and agents, which run what such files name.
    ".vscode", ".idea", ".devcontainer", ".devcontainer.json", ".claude", ".codex", ".cursor", ".gemini", ".mcp.json",
  ]

  private static let obeyedFolders = [
    [".github", "workflows"], [".github", "actions"], [".gitea", "workflows"], [".forgejo", "workflows"],
    [".config", "git"], [".config", "fish"], [".config", "autostart"], [".config", "systemd"],
    [".config", "environment.d"],
  ]
}
