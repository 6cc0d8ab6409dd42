import Foundation
import Glibc
import TestSupport

@testable import Transport

/// Programs for the tests, whose processes can be found by a mark that is in their command lines.
struct ChildScene {
  let mark = "\(Int.random(in: 100_000...999_999))\(Int.random(in: 100_000...999_999))"

  /// A number of seconds that no other scene sleeps.
  var long: String { "600.\(mark)" }

  func shell(
    _ script: String, environment: [String: String] = ProcessInfo.processInfo.environment, passing: [String] = [],
    in folder: String? = nil
  ) throws -> ChildProgram {
    try ChildProgram(
      ["sh", "-c", script.replacingOccurrences(of: "LONG", with: long)], environment: environment, passing: passing,
      in: folder)
  }

  /// The processes of the scene that are not dead; without the keeper, which has the command line of its program.
  func processes() -> [String] {
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []  // none would fail the test
    return numbers.filter { Int($0) != nil }.filter { number in
      // A process that ended meanwhile is none.
      guard let line = FileManager.default.contents(atPath: "/proc/\(number)/cmdline") else { return false }
      let words = String(decoding: line, as: UTF8.self)
      return words.contains(mark) && !words.hasPrefix("parley-keeper")
    }
  }

  /// Waits until so many of its processes run.
  func hasStarted(_ count: Int) async -> Bool {
    await eventually { processes().count >= count }
  }
}

extension ChildProcess {
  /// At least so many bytes, or everything when the end comes first.
  func read(_ count: Int) async -> String {
    var bytes: [UInt8] = []
    while bytes.count < count, let more = await read() { bytes += more }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Everything until the end.
  func readToEnd() async -> String {
    var bytes: [UInt8] = []
    while let more = await read() { bytes += more }
    return String(decoding: bytes, as: UTF8.self)
  }
}
