import Foundation
import TestSupport
import Testing

@testable import Confined

/// A path that must lead nowhere; `{root}` and `{base}` stand for the granted folder and the one above it.
struct Escape: Sendable, CustomTestStringConvertible {
  let path: String
  /// What reading says; nil leaves it open.
  let failure: ConfinedFailure?

  /// A person who may be asked is told so before.
  var isOut: Bool { failure == .outside || failure == .link }

  init(_ path: String, _ failure: ConfinedFailure? = .outside) {
    self.path = path
    self.failure = failure
  }

  var testDescription: String { String(path.prefix(60)).replacing("\0", with: "NUL") }

  func path(in grounds: Grounds) -> String {
    // By scalars, not by characters: an accent may follow.
    path.replacingOccurrences(of: "{root}", with: grounds.root, options: .literal)
      .replacingOccurrences(of: "{base}", with: grounds.base, options: .literal)
  }
}

private let byWords = [
  Escape("{root}/../outside/canary"), Escape("{root}/../canary"), Escape("{root}/../rootX/canary"),
  Escape("{root}/dir/../../outside/canary"), Escape("{root}/dir/deep/../../../outside/canary"),
  Escape("{root}/./../outside/canary"), Escape("{root}//../outside/canary"), Escape("{root}/dir/./..//../canary"),
  Escape("{root}/missing/../../canary"), Escape("{root}/../../../../../../../../../../etc/passwd"),
  Escape("{root}/../root/a.txt"), Escape("{root}/../root/../outside/canary"), Escape("{root}/.."),
  Escape("{base}/rootX/canary"), Escape("{base}/rootX/../outside/canary"), Escape("{base}/Root/canary"),
  Escape("{base}/ROOT/a.txt"), Escape("{base}/root\u{301}/a.txt"), Escape("{root}\u{200B}/a.txt"),
  Escape("{root} /a.txt"), Escape("{root}./a.txt"), Escape("{base}/canary"), Escape("{base}"), Escape("/"),
  Escape("/etc/passwd"), Escape("//etc/passwd"), Escape("/./etc/passwd"), Escape("/dev/null"), Escape("/dev/stdin"),
  Escape("/proc/self/root{base}/outside/canary"), Escape("/proc/self/root{root}/a.txt"), Escape("/proc/self/environ"),
  Escape("/proc/self/cwd/Package.swift"), Escape("/proc/self/fd/0"), Escape("/proc/self/mem"),
  Escape("{root}\u{301}/../outside/canary"), Escape("{root}/\u{301}../../outside/canary", nil),
]

private let noPaths = [
  Escape("", .malformed), Escape("a.txt", .notAbsolute), Escape("../outside/canary", .notAbsolute),
  Escape("~/.ssh/id_rsa", .notAbsolute), Escape("file://{root}/a.txt", .notAbsolute), Escape("\0", .malformed),
  Escape("{root}/a.txt\0", .malformed), Escape("{root}/a.txt\0/../../outside/canary", .malformed),
  Escape("{base}/outside/canary\0{root}/a.txt", .malformed), Escape("\0{root}/a.txt", .malformed),
  Escape("{root}/" + String(repeating: "n", count: 300), .malformed),
  Escape("{root}/" + String(repeating: "n", count: 5000), .malformed),
  Escape("{root}/" + String(repeating: "dir/../", count: 1000) + "a.txt", .malformed),
  Escape("{root}" + String(repeating: "/", count: 5000) + "a.txt", .malformed),
]

private let byLinks = [
  Escape("{root}/out"), Escape("{root}/out-absolute"), Escape("{root}/in-absolute"), Escape("{root}/out-folder/canary"),
  Escape("{root}/out-folder/folder/canary"), Escape("{root}/out-folder-absolute/canary"), Escape("{root}/out-new"),
  Escape("{root}/out-new-absolute"), Escape("{root}/out-new-folder/x"), Escape("{root}/out-by-link"),
  Escape("{root}/out-late"), Escape("{root}/top/etc/passwd"), Escape("{root}/top{base}/outside/canary"),
  Escape("{root}/parent/canary"), Escape("{root}/parent/outside/new"), Escape("{root}/parent/root/a.txt"),
  Escape("{root}/sibling/canary"), Escape("{root}/dir/far/canary"), Escape("{root}/to-folder/far/canary"),
  Escape("{root}/to-folder/../../canary"), Escape("{root}/out-folder/../root/a.txt"),
  Escape("{root}/process-top/etc/passwd"), Escape("{root}/process-top{base}/outside/canary"),
  Escape("{root}/process-here/x"), Escape("{root}/process-files/0"), Escape("{root}/process/root/etc/passwd"),
  Escape("{root}/null"), Escape("{root}/loop", .link), Escape("{root}/ping", .link),
  Escape("{root}/loop-folder/x", .link), Escape("{root}/loop/x", .link),
]

private let noFiles = [
  Escape("{root}", .notRegular(.folder)), Escape("{root}/", .notRegular(.folder)),
  Escape("{root}/.", .notRegular(.folder)), Escape("{root}/dir", .notRegular(.folder)),
  Escape("{root}/dir/", .notRegular(.folder)), Escape("{root}/dir/..", .notRegular(.folder)),
  Escape("{root}/a.txt/", .notRegular(.folder)), Escape("{root}/a.txt/.", .notRegular(.folder)),
  Escape("{root}/missing/", .notRegular(.folder)), Escape("{root}/to-folder/", .notRegular(.folder)),
  Escape("{root}/a.txt/x", .notAFolder), Escape("{root}/to-slash", .notAFolder), Escape("{root}/pipe/x", .notAFolder),
  Escape("{root}/pipe", .notRegular(.pipe)), Escape("{root}/socket", .notRegular(.socket)),
]

@Suite struct EscapeTests {
  static let all = byWords + noPaths + byLinks + noFiles

  @Test(arguments: all, [false, true]) func `a path that leads out or nowhere is neither read nor written`(
    _ escape: Escape, _ alwaysWalks: Bool
  ) async throws {
    try await withTemporaryDirectory { directory in
      let grounds = try Grounds(in: directory)
      let folder = grounds.folder(alwaysWalks: alwaysWalks)
      let (surroundings, content) = (grounds.surroundings, grounds.content)
      let path = escape.path(in: grounds)
      let read = failure { () throws(ConfinedFailure) in _ = try folder.read(path) }
      #expect(read != nil)
      if escape.isOut {
        #expect([.reading, .writing].map { folder.place(of: path, for: $0) } == [.outside, .outside])
      }
      // A link is refused as such where nobody can say that it stays in the folder.
      if let expected = escape.failure, !(alwaysWalks && read == .link) { #expect(read == expected) }
      if escape.failure == nil {
        #expect(throws: ConfinedFailure.missing) { try folder.read(path) }
      } else {
        #expect(throws: ConfinedFailure.self) { try folder.write(path, "escaped", allowing: .protectedNames) }
        #expect(grounds.content == content)
      }
      #expect(grounds.surroundings == surroundings)
      #expect(grounds.text(at: "root/a.txt") == "inside")
    }
  }

  @Test func `there are more ways out than anybody tries by hand`() {
    #expect(EscapeTests.all.count >= 60)
    #expect(Set(EscapeTests.all.map(\.path)).count == EscapeTests.all.count)
  }
}

/// What was thrown, if anything was.
func failure(_ body: () throws(ConfinedFailure) -> Void) -> ConfinedFailure? {
  do throws(ConfinedFailure) {
    try body()
    return nil
  } catch {
    return error
  }
}
