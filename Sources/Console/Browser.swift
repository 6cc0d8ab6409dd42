import CTerminal
import Foundation
import Programs

/// The person's browser: a program of its own, which outlives this one and has nothing of its terminal.
package struct Browser: Sendable {
  private let program: String
  private let environment: [String: String]

  /// nil when there is none to start: neither `$BROWSER` nor a screen for `xdg-open`.
  package init?(_ environment: [String: String]) {
    let isThere: (String) -> Bool = { !(environment[$0] ?? "").isEmpty }
    guard isThere("BROWSER") || isThere("DISPLAY") || isThere("WAYLAND_DISPLAY") else { return nil }
    let named = (environment["BROWSER"] ?? "").split(separator: ":").map(String.init)
    // One that is not there leaves it to the next.
    let found = (named + ["xdg-open"]).lazy.compactMap { try? Programs.find($0, along: environment["PATH"]) }
    guard let path = found.first else { return nil }
    program = path
    self.environment = environment
  }

  /// Shows a page; false when it is no address of the web, or the program cannot be started.
  package func open(_ url: String) -> Bool {
    let scheme = url.prefix { $0 != ":" }.lowercased()
    guard ["http", "https"].contains(scheme), url.dropFirst(scheme.count).hasPrefix("://"),
      url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F })
    else { return false }
    // Our private umask is not for the files that the browser makes; posix_spawn cannot set another.
    let mask = String(console_original_umask(), radix: 8)
    let words = ["sh", "-c", "umask \(mask); exec \"$@\"", "sh", program, url]
    var arguments = words.map { strdup($0) } + [nil]
    var variables = environment.map { strdup("\($0)=\($1)") } + [nil]
    defer { for pointer in arguments + variables { free(pointer) } }
    var child: pid_t = 0
    guard console_spawn_detached(&child, "/bin/sh", &arguments, &variables) == 0 else { return false }
    let started = child
    // Its own thread, which waits for the end of the child so that no zombie is left; it ends with the process.
    Thread.detachNewThread {
      var status: Int32 = 0
      while waitpid(started, &status, 0) < 0, errno == EINTR {}
    }
    return true
  }
}

/// What this machine calls itself, without its domain. No name server is asked.
package func shortHostName() -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  guard gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
  let name = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
  return String(decoding: name.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
}
