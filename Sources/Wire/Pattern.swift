import CPattern

/// A regular expression as JSON Schema has them, found anywhere in a text: by scalars, in nearly the syntax of ECMA-262.
///
/// It differs where PCRE2 does: `\s` is of ASCII too, not only `\d` and `\w`; `\p{Letter}` is written `\p{L}`; a
/// look-behind has a fixed length.
final class Pattern {
  private let code: OpaquePointer

  /// nil when it is none.
  init?(_ text: String) {
    var text = text
    guard let code = text.withUTF8({ cpattern_read($0.baseAddress, $0.count) }) else { return nil }
    self.code = code
  }

  deinit { cpattern_free(code) }

  /// Whether it is found; nil when there was not work enough left, or nobody waits any more.
  func isFound(in text: String, _ work: JSONSchemaWork) -> Bool? {
    var text = text
    let found = text.withUTF8 { bytes in
      cpattern_find(
        code, bytes.baseAddress, bytes.count,
        { work, worth in
          guard let work else { return false }
          return Unmanaged<JSONSchemaWork>.fromOpaque(work).takeUnretainedValue().spendOnPattern(worth)
        }, Unmanaged.passUnretained(work).toOpaque())
    }
    return found == cpattern_given_up ? nil : found == cpattern_some
  }
}
