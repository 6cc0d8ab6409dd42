import Foundation

/// The examples of the CommonMark specification, and those of GitHub's additions, as a package of the system has them.
enum MarkdownExamples {
  static let folder = "/usr/share/gocode/src/github.com/yuin/goldmark"

  static var areHere: Bool { FileManager.default.fileExists(atPath: folder + "/_test/spec.json") }

  /// The source of each.
  static func all() throws -> [String] {
    struct Example: Decodable { let markdown: String }
    let specification = try Data(contentsOf: URL(fileURLWithPath: folder + "/_test/spec.json"))
    var sources = try JSONDecoder().decode([Example].self, from: specification).map(\.markdown)
    for name in ["table", "strikethrough", "tasklist", "linkify"] {
      let text = try String(contentsOfFile: folder + "/extension/_test/\(name).txt", encoding: .utf8)
      sources += examples(in: text)
    }
    return sources
  }

  /// Each stands between a line `//- - - …` and the next of them.
  private static func examples(in text: String) -> [String] {
    var sources: [String] = []
    var lines: [Substring] = []
    var borders = 0
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("//- -") {
        borders += 1
        if borders % 2 == 0 { sources.append(lines.joined(separator: "\n") + "\n") }
        lines = []
      } else if line.hasPrefix("//= =") {
        borders = 0
        lines = []
      } else {
        lines.append(line)
      }
    }
    return sources
  }
}
