/// What terminals may be called where it is ours to say.
enum TerminalNames {
  /// All else may mean something in names, formats and commands of tmux's, or be a server's.
  static func isName(_ name: String) -> Bool {
    !name.isEmpty && name.utf8.count <= 100 && !name.hasPrefix("-")
      && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
  }

  /// What a terminal is called that begins in a folder.
  static func free(for folder: String, besides taken: Set<String>) -> String {
    let last = folder.split(separator: "/").last.map(String.init) ?? "root"
    let name = String(last.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") ? $0 : "_" })
    let base = name.hasPrefix("-") ? "_" + name : name
    guard taken.contains(base) else { return base }
    return (2...).lazy.map { "\(base)-\($0)" }.first { !taken.contains($0) } ?? base
  }
}
