import Foundation
import TestSupport
import Testing

@testable import Confined

@Suite struct ReadingTests {
  @Test(
    arguments: [
      (nil, nil, "one\ntwo\n\nfour"), (1, nil, "one\ntwo\n\nfour"), (0, nil, "one\ntwo\n\nfour"),
      (-5, 1, "one\n"), (nil, 2, "one\ntwo\n"), (2, 1, "two\n"), (2, 2, "two\n\n"), (3, nil, "\nfour"), (4, 1, "four"),
      (4, 9, "four"), (5, nil, ""), (1, 0, ""), (1, -1, ""), (.max, .max, ""), (1, .max, "one\ntwo\n\nfour"),
    ] as [(Int?, Int?, String)])
  func `lines are counted from one and keep their ends`(_ line: Int?, _ limit: Int?, _ text: String) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.resolvingSymlinksInPath().path
      try "one\ntwo\n\nfour".write(toFile: path + "/f", atomically: false, encoding: .utf8)
      #expect(try ConfinedFolder(path).read(path + "/f", line: line, limit: limit) == text)
      #expect(try AllowedFile(path + "/f").read(line: line, limit: limit) == text)
    }
  }

  @Test func `pieces may be cut anywhere`() {
    let bytes = Array("one\r\ntwo\n\nfour\n".utf8)
    for size in 1...bytes.count {
      var range = LineRange(from: 2, limit: 2)
      for start in stride(from: 0, to: bytes.count, by: size) {
        range.take(bytes[start..<min(start + size, bytes.count)])
      }
      #expect(String(decoding: range.bytes, as: UTF8.self) == "two\n\n")
    }
  }

  @Test func `a file is read up to a size, or as far as it has to be`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.resolvingSymlinksInPath().path
      let line = String(repeating: "x", count: 1023) + "\n"
      let most = String(repeating: line, count: 8192)
      try most.write(toFile: path + "/most", atomically: false, encoding: .utf8)
      try (most + "y").write(toFile: path + "/more", atomically: false, encoding: .utf8)
      let folder = ConfinedFolder(path)
      #expect(try folder.read(path + "/most").utf8.count == confinedReadLimitBytes)
      #expect(throws: ConfinedFailure.tooLarge(limitBytes: 8 << 20)) { try folder.read(path + "/more") }
      #expect(try folder.read(path + "/more", limit: 2) == line + line)
      #expect(throws: ConfinedFailure.tooLarge(limitBytes: 8 << 20)) { try folder.read(path + "/more", line: 9000) }
    }
  }

  @Test func `what is not UTF-8 is no text`() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory.resolvingSymlinksInPath().path
      try Data(Array("good\n".utf8) + [0xC3, 0x28]).write(to: URL(fileURLWithPath: path + "/f"))
      let folder = ConfinedFolder(path)
      #expect(throws: ConfinedFailure.notText) { try folder.read(path + "/f") }
      #expect(try folder.read(path + "/f", limit: 1) == "good\n")
      // The end of a line is a byte: an accent may follow it.
      try folder.write(path + "/g", "\u{FEFF}a\n\u{301}b\n")
      #expect(try folder.read(path + "/g", line: 2) == "\u{301}b\n")
      #expect(try folder.read(path + "/g").unicodeScalars.first == "\u{FEFF}")
    }
  }
}
