import CPattern

/// A regular expression as JSON Schema has them: ECMA-262's, by scalars, found anywhere in a text.
///
/// `\d`, `\w` and `\s` are of ASCII.
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
      // A step may walk the whole text, but few do: each place of a megabyte may be tried.
      work.charge = 1 + bytes.count / 32_768
      return cpattern_find(
        code, bytes.baseAddress, bytes.count,
        { work in
          guard let work else { return false }
          return Unmanaged<JSONSchemaWork>.fromOpaque(work).takeUnretainedValue().spendOnPattern()
        }, Unmanaged.passUnretained(work).toOpaque())
    }
    return found == cpattern_given_up ? nil : found == cpattern_some
  }
}
