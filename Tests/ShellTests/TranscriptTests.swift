import Foundation
import TestSupport
import Testing

/// What a person types and sees. `PARLEY_RECORD=1` writes what is seen into the files, for `git diff` to show.
@Suite struct TranscriptTests {
  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
    "Transcripts")
  static let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
    .filter { $0.hasSuffix(".transcript") }.sorted()

  @Test func `there are transcripts`() { #expect(!TranscriptTests.names.isEmpty) }

  @Test(arguments: names) func `what is typed brings what is seen`(name: String) async throws {
    let file = TranscriptTests.folder.appendingPathComponent(name)
    let transcript = try Transcript(String(contentsOf: file, encoding: .utf8))
    // Lines are broken by the length of its path: everywhere the same.
    let seen = try await withTemporaryDirectory(in: URL(filePath: "/tmp")) { directory in
      let performance = Performance(transcript, home: directory.path)
      try await performance.play()
      return transcript.text(seen: performance.seen)
    }
    if ProcessInfo.processInfo.environment["PARLEY_RECORD"] != nil {
      try seen.write(to: file, atomically: true, encoding: .utf8)
    } else if seen != transcript.text {
      Issue.record("\(name): not what was expected (-) but this (+):\n\(difference(transcript.text, seen))")
    }
  }
}

/// The lines that differ, with the three before and behind each.
func difference(_ expected: String, _ seen: String) -> String {
  let old = expected.split(separator: "\n", omittingEmptySubsequences: false)
  let new = seen.split(separator: "\n", omittingEmptySubsequences: false)
  let change = new.difference(from: old)
  var removed: Set<Int> = []
  var inserted: Set<Int> = []
  for line in change {
    switch line {
    case .remove(let offset, _, _): removed.insert(offset)
    case .insert(let offset, _, _): inserted.insert(offset)
    }
  }
  var lines: [(text: String, differs: Bool)] = []
  var (left, right) = (0, 0)
  while left < old.count || right < new.count {
    if left < old.count, removed.contains(left) {
      lines.append(("- \(old[left])", true))
      left += 1
    } else if right < new.count, inserted.contains(right) {
      lines.append(("+ \(new[right])", true))
      right += 1
    } else {
      lines.append(("  \(old[left])", false))
      (left, right) = (left + 1, right + 1)
    }
  }
  return lines.indices.filter { index in
    lines[max(0, index - 3)...min(lines.count - 1, index + 3)].contains(where: \.differs)
  }.map { lines[$0].text }.joined(separator: "\n")
}
