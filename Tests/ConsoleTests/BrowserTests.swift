import Foundation
import TestSupport
import Testing

@testable import Console

/// A browser that is a script: it notes how it was called.
@Suite(.ownThread) struct BrowserTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "parley-browser-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let script = """
      #!/bin/sh
      { echo "$# $1"; echo "token ${PARLEY_TOKEN-none}"
        cut -d' ' -f6 /proc/self/stat | sed "s/^$$\\$/own session/"; } > "$NOTES.new"
      mv "$NOTES.new" "$NOTES"
      """
    for name in ["browse", "xdg-open"] { try installProgram(script, at: folder.appending(path: name).path) }
  }

  private func environment(_ more: [String: String]) -> [String: String] {
    ["PATH": folder.path + ":/usr/bin:/bin", "NOTES": notes].merging(more) { $1 }
  }

  private var notes: String { folder.appending(path: "notes").path }

  private func waitForNotes() throws -> [String] {
    for _ in 0..<12000 where !FileManager.default.fileExists(atPath: notes) { usleep(5000) }  // timed: a minute
    defer { try? FileManager.default.removeItem(at: folder) }
    return try String(contentsOfFile: notes, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  @Test(arguments: [["DISPLAY": ":0"], ["WAYLAND_DISPLAY": "wayland-0"], ["BROWSER": "nothing:browse"]])
  func `it gets the address alone, and the environment that it is given`(_ screen: [String: String]) throws {
    let browser = try #require(Browser(environment(screen)))
    #expect(browser.open("https://gpu1.example.com/login?state=a;b&c=$(d)"))
    let lines = try waitForNotes()
    #expect(lines.prefix(2) == ["1 https://gpu1.example.com/login?state=a;b&c=$(d)", "token none"])
    #expect(lines.last == "own session")
  }

  @Test func `without a screen or a program there is none`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    #expect(Browser(environment([:])) == nil)
    #expect(Browser(["DISPLAY": ":0", "PATH": "/nowhere"]) == nil)
  }

  @Test(arguments: ["file:///etc/passwd", "javascript:alert(1)", "-x", "http:x", "https://a b", "https://a\n"])
  func `what is no page of the web is not opened`(_ url: String) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let browser = try #require(Browser(environment(["DISPLAY": ":0"])))
    #expect(!browser.open(url))
    #expect(!FileManager.default.fileExists(atPath: notes))
  }
}

struct HostNameTests {
  @Test func `the name of the machine is short`() {
    #expect(!shortHostName().isEmpty && !shortHostName().contains("."))
  }
}
