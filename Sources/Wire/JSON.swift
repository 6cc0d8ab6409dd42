/// A JSON value (RFC 8259). Objects keep the order and the duplicates of their members.
package enum JSON: Sendable, Equatable {
  case null
  case bool(Bool)
  case int(Int)
  case double(Double)
  /// A number that neither of them holds, as it is written.
  case exact(String)
  case string(String)
  case array([JSON])
  case object([Member])

  /// A key and its value.
  package struct Member: Sendable, Equatable {
    package var key: String
    package var value: JSON

    package init(_ key: String, _ value: JSON) {
      self.key = key
      self.value = value
    }
  }

  /// Why bytes are not JSON, and after how many of them.
  package struct Failure: Error, Sendable, Equatable {
    package enum Reason: Sendable, Equatable {
      case unexpected, endOfInput, tooDeep, badNumber, badEscape, controlCharacter
    }

    package var reason: Reason
    package var offset: Int

    package init(reason: Reason, offset: Int) {
      self.reason = reason
      self.offset = offset
    }
  }
}

extension JSON {
  /// The member of that name (the last one, when there are several); setting nil removes it. A value that is not an
  /// object becomes one when a member is set.
  package subscript(key: String) -> JSON? {
    get {
      guard case .object(let members) = self else { return nil }
      return members.last { $0.key == key }?.value
    }
    set {
      var members: [Member] = []
      if case .object(let old) = self { members = old }
      guard let newValue else {
        members.removeAll { $0.key == key }
        self = .object(members)
        return
      }
      if let index = members.lastIndex(where: { $0.key == key }) {
        members[index].value = newValue
      } else {
        members.append(Member(key, newValue))
      }
      self = .object(members)
    }
  }

  /// The element at that place of an array, when it has one.
  package subscript(index: Int) -> JSON? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  package var isNull: Bool { self == .null }
  package var string: String? { if case .string(let string) = self { string } else { nil } }
  package var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
  package var array: [JSON]? { if case .array(let elements) = self { elements } else { nil } }
  package var object: [Member]? { if case .object(let members) = self { members } else { nil } }

  /// A number that is a whole one, however it is written.
  package var int: Int? {
    switch self {
    case .int(let int): int
    case .double(let double): Int(exactly: double)
    case .exact(let text): DecimalText(text)?.int
    default: nil
    }
  }

  package var double: Double? {
    switch self {
    case .int(let int): Double(int)
    case .double(let double): double
    case .exact(let text): Double(text)
    default: nil
    }
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int) { self = .int(value) }
  package init(floatLiteral value: Double) { self = .double(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(arrayLiteral elements: JSON...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(elements.map { Member($0.0, $0.1) })
  }
}
