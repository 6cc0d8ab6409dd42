import Foundation
import TestSupport

@testable import Transport

extension ChildScene {
  /// Runs a script as a command. `LONG` in it is a number of seconds that no other scene sleeps.
  func run(
    _ script: String, in folder: String = "/", adding variables: [(name: String, value: String)] = [],
    outputLimit: Int = CommandRun.usualLimit, environment: [String: String] = ProcessInfo.processInfo.environment,
    children: Children = Children()
  ) async throws -> CommandRun {
    try await children.run(
      ["sh", "-c", script.replacingOccurrences(of: "LONG", with: long)], in: folder, adding: variables,
      outputLimit: outputLimit, environment: environment)
  }
}

extension CommandRun {
  /// What it wrote, once nothing of it is left.
  func text() async -> String {
    await untilGone()
    return output().text
  }

  /// Waits until it has written this.
  func hasWritten(_ text: String) async -> Bool {
    var all = ""
    for await piece in pieces {
      all += piece
      if all.contains(text) { return true }
    }
    return false
  }
}
