/// A JSON Schema (draft 2020-12, and the tuples of draft 7) for checking one value: every assertion but the
/// `unevaluated…` ones, references within the schema, and no formats, which that draft makes notes.
package struct JSONSchema: Sendable, Equatable {
  package let json: JSON

  /// Why something is no schema that can be checked.
  package struct Flaw: Error, Sendable, Equatable {
    /// A JSON pointer (RFC 6901); empty for the whole.
    package var place: String
    package var problem: Problem

    package enum Problem: Sendable, Equatable {
      /// A keyword's value has another type than it must have; for a schema itself the keyword is empty.
      case badValue(keyword: String)
      case unsupported(keyword: String)
      /// A reference to something else than a place in the same schema.
      case lost(reference: String)
      case badPattern(String)
    }
  }

  /// Where a value does not fit, and why.
  package struct Misfit: Sendable, Equatable {
    /// A JSON pointer into the value; empty for the whole.
    package var place: String
    package var reason: Reason

    package enum Reason: Sendable, Equatable {
      case type(found: String, wanted: [String])
      case missing(key: String)
      case unexpected(key: String)
      /// It is none of the values that are allowed.
      case value
      /// A limit such as `minimum` of `3`.
      case limit(keyword: String, value: String)
      /// Schemas within this one, such as those of `anyOf`.
      case combination(keyword: String)
    }
  }

  /// Why a value was not looked at whole: what came of the rest counts for nothing, as a `not` would have made a fit of
  /// it. Places are JSON pointers into the value.
  package enum Unchecked: Error, Sendable, Equatable {
    /// References that go round, or alternatives that name one another.
    case tooDeep(place: String)
    /// More work than checking one value is worth.
    case tooMuch(place: String)
    /// Looking for the pattern takes longer than anybody would wait.
    case slowPattern(String, place: String)
    /// The check was ended before it knew.
    case stopped
  }

  /// Reads a schema whole, so that nothing of it is found wrong only when an answer has come.
  package init(_ json: JSON) throws(Flaw) {
    self.json = json
    var reading = JSONSchemaReading(root: json)
    try reading.read(json, at: "", depth: 0)
  }

  /// The first thing about a value that does not fit; nil when it fits.
  ///
  /// - Parameter isStopped: whether nobody waits for it any more; asked often.
  package func misfit(
    of value: JSON, isStopped: @escaping () -> Bool = { false }
  ) throws(Unchecked) -> Misfit? {
    let work = JSONSchemaWork(isStopped: isStopped)
    return try JSONSchemaCheck(root: json, work: work).misfit(of: value, in: json, at: "", depth: 0)
  }
}

extension JSON {
  /// The value at a JSON pointer (RFC 6901) that begins with `#`, as references have it; nil when there is none.
  func at(reference: String) -> JSON? {
    guard reference == "#" || reference.hasPrefix("#/") else { return nil }
    var value = self
    for part in reference.dropFirst().split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
      let key = String(part).percentDecoded.replacing("~1", with: "/").replacing("~0", with: "~")
      guard
        let next = value.object?.first(where: { $0.key.utf8.elementsEqual(key.utf8) })?.value
          ?? Int(key).flatMap({ value[$0] })
      else { return nil }
      value = next
    }
    return value
  }

  /// A member of a JSON pointer.
  static func pointer(_ place: String, _ key: String) -> String {
    place + "/" + key.replacing("~", with: "~0").replacing("/", with: "~1")
  }

  /// The same text for values that JSON Schema takes for equal: keys in any order, numbers however they are written.
  /// Compared by bytes: two ways to write an accent are two texts.
  var canonical: [UInt8] { Array(normal.serialized().utf8) }

  /// A number by its digits, however it is written.
  private var exactly: JSON { DecimalText(serialized()).map { .exact($0.text) } ?? self }

  private var normal: JSON {
    switch self {
    case .double, .exact: int.map(JSON.int) ?? exactly
    case .array(let elements): .array(elements.map(\.normal))
    case .object(let members):
      .object(
        members.map { Member($0.key, $0.value.normal) }.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
    default: self
    }
  }
}
