import Glibc

/// What kind of file system a path is on.
enum FileSystem {
  /// The name of the path's file system when other hosts may share it; nil for a local one, or without `/proc`.
  static func remoteName(of path: String) -> String? {
    guard let table = try? AtomicFile.read("/proc/self/mountinfo"), let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return remoteName(of: String(cString: real), in: String(decoding: table, as: UTF8.self))
  }

  /// - Parameter table: mountinfo's lines (proc_pid_mountinfo(5)), the later over the earlier.
  static func remoteName(of path: String, in table: String) -> String? {
    var best: (length: Int, type: Substring) = (0, "")
    for line in table.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 6, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count else { continue }
      let mount = fields[4].replacing("\\040", with: " ")
      let isAbove = mount == "/" || path == mount || path.hasPrefix(mount + "/")
      guard isAbove, mount.utf8.count >= best.length else { continue }
      best = (mount.utf8.count, fields[dash + 1])
    }
    let shared = ["nfs", "cifs", "smb", "afs", "9p", "ceph", "lustre", "gfs2", "ocfs2", "beegfs"]
    let overFUSE = ["sshfs", "rclone", "s3fs", "gluster", "gcsfuse", "davfs", "juicefs"]
    let isRemote =
      shared.contains { best.type.hasPrefix($0) }
      || best.type.hasPrefix("fuse.") && (shared + overFUSE).contains { best.type.contains($0) }
    return isRemote ? String(best.type) : nil
  }
}
