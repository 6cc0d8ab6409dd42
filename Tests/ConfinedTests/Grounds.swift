import Foundation
import Glibc
import TestSupport

@testable import Confined

/// A folder that is granted, with all that leads out of it, and what is around it.
struct Grounds {
  let base: String
  var root: String { base + "/root" }

  init(in directory: URL) throws {
    base = directory.resolvingSymlinksInPath().path
    for folder in ["root/dir/deep", "root/.git", "root/.ssh", "root/sub", "outside/folder", "rootX", "Root"] {
      try FileManager.default.createDirectory(atPath: base + "/" + folder, withIntermediateDirectories: true)
    }
    for file in ["root/a.txt", "root/dir/b.txt", "root/dir/deep/c.txt", "root/caf\u{E9}.txt"] {
      try put("inside", at: file)
    }
    for file in ["root/.git/config", "root/.ssh/config", "root/.env"] { try put("protected", at: file) }
    for file in ["outside/canary", "outside/linked", "outside/folder/canary", "rootX/canary", "Root/canary", "canary"] {
      try put("canary", at: file)
    }
    for (name, target) in links {
      try made(symlink(target.replacing("{base}", with: base), root + "/" + name))
    }
    try made(link(base + "/outside/linked", root + "/hard"))
    try made(mkfifo(root + "/pipe", 0o600))
    try makeSocket()
  }

  func put(_ text: String, at path: String) throws {
    try text.write(toFile: base + "/" + path, atomically: false, encoding: .utf8)
  }

  func text(at path: String) -> String? { try? String(contentsOfFile: base + "/" + path, encoding: .utf8) }

  func folder(alwaysWalks: Bool = false, ownFolders: [String] = []) -> ConfinedFolder {
    ConfinedFolder(root, ownFolders: ownFolders, alwaysWalks: alwaysWalks)
  }

  /// Every file and folder that is not in the folder, with what is in it.
  var surroundings: [String: String] {
    var found: [String: String] = [:]
    for path in (try? FileManager.default.subpathsOfDirectory(atPath: base)) ?? [] where !path.hasPrefix("root/") {
      found[path] = text(at: path) ?? ""
    }
    return found
  }

  /// Everything in the folder.
  var content: Set<String> { Set((try? FileManager.default.subpathsOfDirectory(atPath: root)) ?? []) }

  private func made(_ result: Int32) throws {
    guard result == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
  }

  private func makeSocket() throws {
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // The whole path may be too long for an address.
    let folder = Glibc.open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    defer { close(folder) }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: "/proc/self/fd/\(folder)/socket".utf8) }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    try made(
      withUnsafePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
      })
  }
}

private let links = [
  ("to-file", "a.txt"), ("to-folder", "dir"), ("around", "dir/../a.txt"), ("new", "dir/new.txt"),
  ("dir/up", "../a.txt"), ("to-link", "to-file"), ("to-secret", ".env"), ("to-hooks", ".git"),
  ("out", "../outside/canary"), ("out-absolute", "{base}/outside/canary"), ("in-absolute", "{base}/root/a.txt"),
  ("out-folder", "../outside"), ("out-folder-absolute", "{base}/outside"), ("out-new", "../outside/new"),
  ("out-new-absolute", "{base}/outside/new"), ("out-new-folder", "../outside/new/folder"),
  ("out-by-link", "out-folder/canary"), ("out-late", "dir/../../outside/canary"), ("top", "/"), ("parent", ".."),
  ("sibling", "../rootX"), ("dir/far", "../../outside"),
  ("loop", "loop"), ("ping", "pong"), ("pong", "ping"), ("loop-folder", "loop-folder/x"),
  ("null", "/dev/null"), ("process-top", "/proc/self/root"), ("process-here", "/proc/self/cwd"),
  ("process-files", "/proc/self/fd"), ("process", "/proc/self"), ("to-slash", "a.txt/"),
]
