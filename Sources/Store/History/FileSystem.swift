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
    guard let type = mount(of: path, in: table)?.type else { return nil }
    let shared = ["nfs", "cifs", "smb", "afs", "9p", "ceph", "lustre", "gfs2", "ocfs2", "beegfs"]
    let overFUSE = ["sshfs", "rclone", "s3fs", "gluster", "gcsfuse", "davfs", "juicefs"]
    let isRemote =
      shared.contains { type.hasPrefix($0) }
      || type.hasPrefix("fuse.") && (shared + overFUSE).contains { type.contains($0) }
    return isRemote ? type : nil
  }

  /// Whether a path is on a file system other than the one of `/`, or on a part of it that is mounted elsewhere; false
  /// without `/proc`.
  static func isBelowMount(_ path: String) -> Bool {
    guard let table = try? AtomicFile.read("/proc/self/mountinfo") else { return false }
    return isBelowMount(path, in: String(decoding: table, as: UTF8.self))
  }

  static func isBelowMount(_ path: String, in table: String) -> Bool {
    mount(of: path, in: table).map { $0.point != "/" } ?? false
  }

  private static func mount(of path: String, in table: String) -> (point: String, type: String)? {
    var best: (point: String, type: String)?
    for line in table.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 6, let dash = fields.firstIndex(of: "-"), dash + 1 < fields.count else { continue }
      let point = fields[4].replacing("\\040", with: " ")
      let isAbove = point == "/" || path == point || path.hasPrefix(point + "/")
      guard isAbove, point.utf8.count >= best?.point.utf8.count ?? 0 else { continue }
      best = (String(point), String(fields[dash + 1]))
    }
    return best
  }
}
