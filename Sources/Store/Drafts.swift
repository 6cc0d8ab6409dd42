import Glibc

/// Lines that were being typed when their terminal went away, a file for each, until a shell takes them up.
package struct Drafts: Sendable {
  private let folder: String?
  private let now: @Sendable () -> Int

  /// - Parameter folder: nil keeps nothing.
  package init(_ folder: String?, now: @escaping @Sendable () -> Int) {
    self.folder = folder
    self.now = now
  }

  /// Keeps a line. The terminal is gone: there is nobody to tell when it cannot be kept.
  package func keep(_ text: String) {
    guard let folder else { return }
    do throws(FileError) {
      try AtomicFile.makeDirectory(folder)
      try AtomicFile.write(Array(text.utf8), to: "\(folder)/\(padded(now()))-\(getpid())")
    } catch {}
  }

  /// The lines that were kept, oldest first.
  ///
  /// - Parameter isSafe: whether a line is kept elsewhere by now; only then it is not given out again, so that a shell
  ///   that is killed at its start loses none.
  package func take(_ isSafe: (String) async -> Bool) async -> [String] {
    guard let folder else { return [] }
    var lines: [String] = []
    for name in (try? names(in: folder)) ?? [] {  // a folder that cannot be read gives none
      let path = folder + "/" + name
      // Another shell may have taken it, and one that cannot be read or trusted is skipped.
      guard let bytes = try? PrivateFile.read(path) else { continue }
      let line = String(decoding: bytes, as: UTF8.self)
      // Another shell may have given it out meanwhile.
      if await isSafe(line), unlink(path) != 0 { continue }
      lines.append(line)
    }
    return lines
  }

  /// Deletes all drafts, also those whose writing was cut short. Tries each, then throws the first error.
  package func forgetAll() throws(FileError) {
    guard let folder else { return }
    var failure: FileError?
    for name in try names(in: folder, withUnfinished: true) {
      let path = folder + "/" + name
      if unlink(path) != 0, errno != ENOENT, failure == nil {
        failure = .failed(path: path, operation: "delete", code: errno)
      }
    }
    if let failure { throw failure }
  }

  private func names(in folder: String, withUnfinished: Bool = false) throws(FileError) -> [String] {
    guard let directory = opendir(folder) else {
      if errno == ENOENT { return [] }
      throw .failed(path: folder, operation: "open", code: errno)
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let entry = readdir(directory) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      let isUnfinished = name.hasPrefix(".") && name.dropFirst().first?.isNumber == true && name.hasSuffix(".new")
      if name.first?.isNumber == true || withUnfinished && isUnfinished { names.append(name) }
    }
    return names.sorted()
  }

  /// So that names sort as moments do.
  private func padded(_ moment: Int) -> String {
    let digits = String(moment)
    return String(repeating: "0", count: max(0, 16 - digits.count)) + digits
  }
}
