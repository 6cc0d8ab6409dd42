import Glibc

/// A file that is replaced whole in a folder that is held open (docs/rules.md C4): after a crash the old or the new
/// content is there.
struct WholeFile {
  let folder: Descriptor
  let name: Name
  /// What the file is now; nil for a new one.
  let existing: stat?
  /// Rights of a new file.
  let mode: mode_t

  func write(_ bytes: [UInt8]) throws(ConfinedFailure) {
    let temporary = Name(bytes: Array(".parley-\(String(UInt64.random(in: .min ... .max), radix: 36)).new".utf8))
    let file = try folder.opening { folder in
      temporary.withCString { openat(folder, $0, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600) }
    }
    do throws(ConfinedFailure) {
      try fill(file, with: bytes)
      try dress(file)
      try file.call { fsync($0) }
      try file.flush()
      try folder.call { folder in
        temporary.withCString { old in name.withCString { renameat(folder, old, folder, $0) } }
      }
    } catch {
      _ = try? folder.call { folder in temporary.withCString { unlinkat(folder, $0, 0) } }  // the first error counts
      throw error
    }
    folder.syncAsFolder()
  }

  private func fill(_ file: Descriptor, with bytes: [UInt8]) throws(ConfinedFailure) {
    var written = 0
    while written < bytes.count {
      written += try file.call { number in
        bytes.withUnsafeBytes { raw in
          Glibc.write(number, raw.baseAddress.map { $0 + written }, raw.count - written)
        }
      }
    }
  }

  /// Gives it the owner and the rights of what it replaces, but not set-user-ID and the like: it has new content.
  private func dress(_ file: Descriptor) throws(ConfinedFailure) {
    if let existing, existing.st_uid != geteuid() || existing.st_gid != getegid() {
      // Root can give it back to its owner; anybody else owns it already and may not be in its group.
      _ = try? file.call { fchown($0, existing.st_uid, existing.st_gid) }
    }
    try file.call { fchmod($0, existing.map { $0.st_mode & 0o777 } ?? mode) }
  }
}

extension Descriptor {
  /// Has the names in this folder survive a crash, where the file system does that for a folder.
  func syncAsFolder() {
    // The names have changed by now, whatever comes of this.
    let folder = try? opening { openat($0, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    _ = try? folder?.call { fsync($0) }
  }
}
