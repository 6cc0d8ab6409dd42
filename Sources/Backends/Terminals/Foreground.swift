import Glibc

/// The program in the foreground of a shell's terminal, as the system tells it.
enum Foreground {
  /// The words that it was started with; nil where that cannot be known. - Parameter shell: a process of the terminal.
  static func words(of shell: Int) -> [String]? {
    // The name of the program stands between the outermost brackets and may have any in it.
    guard let stat = read("/proc/\(shell)/stat"), let end = stat.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    let fields = String(decoding: stat[(end + 1)...], as: UTF8.self).split(separator: " ")
    guard fields.count > 5, let group = Int(fields[5]), group > 0, let line = read("/proc/\(group)/cmdline") else {
      return nil
    }
    return line.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Where a process is; nil where that cannot be known.
  static func folder(of process: Int) -> String? {
    var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/\(process)/cwd", &bytes, bytes.count)
    return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
  }

  private static func read(_ path: String) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { Glibc.close(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(file, &bytes, bytes.count)
    return count > 0 ? Array(bytes[..<count]) : nil
  }
}
