import CTLS

/// Files of authorities (PEM) that a person names for a server.
package enum Authorities {
  /// How many certificates a file has; nil when it cannot be read, or has none.
  package static func count(in path: String) -> Int? {
    let count = ctls_count_authorities(path)
    return count > 0 ? Int(count) : nil
  }
}
