import Foundation

/// Finds the address that a server means by a path or a URL.
enum URLJoining {
  /// As URLs are resolved (RFC 3986, section 5); nil for what is none.
  static func resolve(_ reference: String, against url: String) -> String? {
    guard let base = URL(string: url), let resolved = URL(string: reference.trimmingBlanks, relativeTo: base) else {
      return nil
    }
    return resolved.absoluteURL.absoluteString
  }

  /// Whether the path of a URL ends in one of these, a slash at the end or not.
  static func path(of url: String, endsIn suffixes: [String]) -> Bool {
    var path = url.prefix { $0 != "?" && $0 != "#" }
    while path.hasSuffix("/") { path.removeLast() }
    return suffixes.contains { path.hasSuffix($0) }
  }

  /// A URL without slashes at its end.
  static func trimmed(_ url: String) -> String {
    var url = url[...]
    while url.hasSuffix("/") { url.removeLast() }
    return String(url)
  }
}
