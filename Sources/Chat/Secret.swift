import Glibc

/// A password, a key or a token: never printed, encoded or reflected. Its bytes stay out of swap and core dumps as far
/// as the system lets them, and are wiped when it goes (docs/rules.md C6, C7).
package final class Secret: Sendable {
  // Sendable: written once, before anybody else has it.
  nonisolated(unsafe) private let bytes: UnsafeMutableRawBufferPointer

  package init(_ text: String) {
    let page = Int(sysconf(Int32(_SC_PAGESIZE)))
    let size = max(1, (text.utf8.count + page - 1) / page) * page
    let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let memory, memory != MAP_FAILED else { preconditionFailure("out of memory") }
    // Best effort: a process may lock only so much, and what is not locked is still wiped.
    mlock(memory, size)
    madvise(memory, size, Int32(MADV_DONTDUMP))
    madvise(memory, size, Int32(MADV_WIPEONFORK))
    count = text.utf8.count
    bytes = UnsafeMutableRawBufferPointer(start: memory, count: size)
    bytes.copyBytes(from: text.utf8)
  }

  private let count: Int

  deinit {
    guard let start = bytes.baseAddress else { return }
    explicit_bzero(start, bytes.count)
    munmap(start, bytes.count)
  }

  package var isEmpty: Bool { count == 0 }

  /// The text, for what must carry it: a request, or the store of credentials. The copy cannot be wiped: keep it short.
  package func reveal() -> String { String(decoding: bytes.prefix(count), as: UTF8.self) }
}

extension Secret {
  package var byteCount: Int { count }

  /// Calls `body` with the bytes in place, to compare them without making a copy that cannot be wiped.
  package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    body(UnsafeBufferPointer(rebasing: UnsafeRawBufferPointer(bytes).assumingMemoryBound(to: UInt8.self)[..<count]))
  }
}

extension Secret: Equatable {
  package static func == (one: Secret, other: Secret) -> Bool {
    guard one.count == other.count else { return false }
    return zip(one.bytes, other.bytes).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  package var description: String { "<secret>" }
  package var debugDescription: String { "<secret>" }
  package var customMirror: Mirror { Mirror(reflecting: "<secret>") }
}
