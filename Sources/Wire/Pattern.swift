import CPattern

/// A regular expression as JSON Schema has them, found anywhere in a text: by scalars, in nearly the syntax of ECMA-262.
///
/// It differs where PCRE2 does: `\s` is of ASCII too, not only `\d` and `\w`; `\p{Letter}` is written `\p{L}`; a
/// look-behind has a fixed length.
package final class Pattern {
  private let code: OpaquePointer

  /// nil when it is none.
  package init?(_ text: String) {
    var text = text
    guard let code = text.withUTF8({ cpattern_read($0.baseAddress, $0.count) }) else { return nil }
    self.code = code
  }

  deinit { cpattern_free(code) }

  /// Whether it is found; nil when the search was ended. - Parameter spend: takes so many steps, now and then; false ends
  /// the search.
  package func isFound(in text: String, spend: @escaping (Int) -> Bool) -> Bool? {
    var text = text
    let found = withUnsafePointer(to: spend) { spend in
      text.withUTF8 { bytes in
        cpattern_find(
          code, bytes.baseAddress, bytes.count,
          { spend, steps in spend?.assumingMemoryBound(to: ((Int) -> Bool).self).pointee(steps) ?? false },
          UnsafeMutableRawPointer(mutating: spend))
      }
    }
    return found == cpattern_given_up ? nil : found == cpattern_some
  }
}
