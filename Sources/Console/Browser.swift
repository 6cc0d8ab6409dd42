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
    return DetachedChild.start(program, [url], environment) == 0
  }
}

/// What this machine calls itself, without its domain. No name server is asked.
package func shortHostName() -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  guard gethostname(&buffer, buffer.count - 1) == 0 else { return "localhost" }
  let name = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
  return String(decoding: name.prefix { $0 != UInt8(ascii: ".") }, as: UTF8.self)
}
