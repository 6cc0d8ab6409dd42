import Foundation
import TestSupport
import Testing

@testable import Confined

@Suite struct ProtectedNamesTests {
  private func areProtected(_ path: String, for purpose: FilePurpose) -> Bool {
    ProtectedNames.contain(Names(Array(path.utf8)), for: purpose)
  }

  @Test(arguments: [
    ".env", ".env.local", ".envrc", "a/.ENV/b", ".ssh/config", ".SSH", ".netrc", ".npmrc", "x/.pypirc", "id_rsa",
    "keys/id_ed25519", "server.pem", "server.KEY", ".s\u{17F}h/x", ".e\u{200C}nv", ".ssh./x", ".env ",
  ]) func `secrets are asked about for reading and writing`(_ path: String) {
    #expect(areProtected(path, for: .reading))
    #expect(areProtected(path, for: .writing))
  }

  @Test(arguments: [
    ".git/config", "sub/.Git/hooks/x", ".GIT", ".g\u{200D}it/x", ".git./x", "GIT~1/x", ".hg/hgrc", ".bashrc",
    ".profile",
    ".zshrc", ".bash_profile", ".zprofile", ".zshenv", ".bash_login", "fish/config.fish", ".github/workflows/ci.yml",
    "x/.GitHub/Workflows", ".gitlab-ci.yml", ".vscode/tasks.json", ".idea/x", ".husky/pre-commit", "Jenkinsfile",
  ]) func `what programs obey is asked about for writing`(_ path: String) {
    #expect(!areProtected(path, for: .reading))
    #expect(areProtected(path, for: .writing))
  }

  @Test(arguments: [
    "a.txt", "environment", "git/config", ".gitignore", ".github/README.md", "workflows/x", "id_rsa.pub", "keys", "pem",
    "a.pem.txt", "x.env", "monkey", "profile", "my.git",
  ]) func `other names are not asked about`(_ path: String) {
    #expect(!areProtected(path, for: .writing))
  }

  @Test(arguments: [false, true]) func `they are neither read nor written before they are allowed`(
    _ alwaysWalks: Bool
  ) async throws {
    try await withTemporaryDirectory { directory in
      let grounds = try Grounds(in: directory)
      let folder = grounds.folder(alwaysWalks: alwaysWalks)
      let (secret, hook) = (grounds.root + "/.env", grounds.root + "/.git/config")
      #expect(folder.place(of: secret, for: .reading) == .inside(isProtected: true))
      #expect(folder.place(of: hook, for: .reading) == .inside(isProtected: false))
      #expect(folder.place(of: hook, for: .writing) == .inside(isProtected: true))
      #expect(throws: ConfinedFailure.protected) { try folder.read(secret) }
      #expect(throws: ConfinedFailure.protected) { try folder.write(secret, "x") }
      #expect(throws: ConfinedFailure.protected) { try folder.write(hook, "x") }
      #expect(try folder.read(secret, allowing: .protectedNames) == "protected")
      #expect(try folder.read(hook) == "protected")
      try folder.write(hook, "allowed", allowing: .protectedNames)
      #expect(grounds.text(at: "root/.git/config") == "allowed")
    }
  }

  @Test func `a link does not hide what it leads to`() async throws {
    try await withTemporaryDirectory { directory in
      let grounds = try Grounds(in: directory)
      let folder = grounds.folder()
      let content = grounds.content
      #expect(throws: ConfinedFailure.protected) { try folder.read(grounds.root + "/to-secret") }
      for path in ["to-secret", "to-hooks/config", "to-hooks/new", "to-hooks/hooks/new"] {
        #expect(folder.place(of: grounds.root + "/" + path, for: .writing) == .inside(isProtected: true))
        #expect(throws: ConfinedFailure.protected) { try folder.write(grounds.root + "/" + path, "x") }
      }
      #expect(grounds.content == content)
      #expect(grounds.text(at: "root/.git/config") == "protected")
    }
  }
}
