import Glibc

/// The process that writes an answer, told apart from a later process with the same number.
struct Owner: Equatable, Sendable {
  var boot: String
  var process: Int32
  /// In clock ticks since boot, as the kernel writes it.
  var start: String

  init(boot: String, process: Int32, start: String) {
    self.boot = boot
    self.process = process
    self.start = start
  }

  static let current = Owner(boot: bootID(), process: getpid(), start: startTime(of: getpid()) ?? "")

  init?(_ text: String) {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 3, let process = Int32(parts[1]) else { return nil }
    self.init(boot: String(parts[0]), process: process, start: String(parts[2]))
  }

  var text: String { "\(boot)/\(process)/\(start)" }

  var isAlive: Bool { self == .current || boot == Owner.bootID() && start == Owner.startTime(of: process) }

  private static func bootID() -> String {
    guard let bytes = try? AtomicFile.read("/proc/sys/kernel/random/boot_id") else { return "" }  // no /proc
    return String(decoding: bytes.prefix(36), as: UTF8.self)
  }

  /// Field 22 of `/proc/PID/stat` (proc(5)), counted from behind the name, which may hold anything.
  private static func startTime(of process: Int32) -> String? {
    guard let bytes = try? AtomicFile.read("/proc/\(process)/stat") else { return nil }  // gone
    let text = String(decoding: bytes, as: UTF8.self)
    guard let name = text.lastIndex(of: ")") else { return nil }
    let fields = text[name...].split(separator: " ")
    // A zombie writes nothing more.
    guard fields.count > 20, fields[1] != "Z" else { return nil }
    return String(fields[20])
  }
}
