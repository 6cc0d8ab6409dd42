import Wire

/// The members of a JSON object, read tolerantly: what is missing, null or of another type is nil, numbers and texts
/// stand for each other, and only what cannot be done without is an error.
struct Fields {
  /// What is wrong with a document, and where.
  struct Misread: Error, Equatable {
    /// Such as `[2].instances[0].id`; empty for the document itself.
    var path: String
    var what: String

    var description: String { path.isEmpty ? what : "\(path): \(what)" }
  }

  let json: JSON
  private let path: String

  init(_ json: JSON, at path: String = "") throws(Misread) {
    guard json.object != nil else { throw Misread(path: path, what: "not an object") }
    self.json = json
    self.path = path
  }

  /// A text that must be there.
  func required(_ key: String) throws(Misread) -> String {
    if case .string(let string)? = json[key] { return string }
    guard let text = text(key) else {
      throw Misread(path: inner(key), what: json[key].map { $0.isNull } ?? true ? "missing" : "not a text")
    }
    return text
  }

  /// The first of these that is a text with something in it, or a number.
  func text(_ keys: String...) -> String? { keys.lazy.compactMap { json[$0]?.word }.first }

  /// A whole number, however it is written.
  func int(_ key: String) -> Int? {
    guard let value = json[key] else { return nil }
    return value.int ?? value.string.flatMap { Int($0.trimmingBlanks) }
  }

  func flag(_ key: String) -> Bool? {
    guard let value = json[key] else { return nil }
    if let bool = value.bool { return bool }
    return switch value.word?.lowercased() {
    case "true", "1", "yes", "on": true
    case "false", "0", "no", "off": false
    default: nil
    }
  }

  /// Milliseconds since 1970.
  func moment(_ key: String) -> Int? { json[key].flatMap(Moment.milliseconds) }

  /// The texts of a list; nil when there is none.
  func texts(_ key: String) -> [String]? { json[key]?.array.map { $0.compactMap(\.word) } }

  /// An object, as it is; nil for anything else.
  func object(_ key: String) -> [JSON.Member]? { json[key]?.object }

  /// The object under a key, read; nil when there is none.
  func one<T: KamiwazaDocument>(_ key: String, as: T.Type = T.self) throws(Misread) -> T? {
    guard let value = json[key], value.object != nil else { return nil }
    return try T(Fields(value, at: inner(key)))
  }

  /// The objects of a list, read; nil when there is none.
  func list<T: KamiwazaDocument>(_ key: String, of: T.Type = T.self) throws(Misread) -> [T]? {
    guard let value = json[key], value.array != nil else { return nil }
    return try T.list(value, at: inner(key))
  }

  private func inner(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }
}

/// Something that the platform sends as an object.
protocol KamiwazaDocument: Sendable {
  init(_ fields: Fields) throws(Fields.Misread)
}

extension KamiwazaDocument {
  init(_ json: JSON) throws(Fields.Misread) { try self.init(Fields(json)) }

  /// A list of them.
  static func list(_ json: JSON, at path: String = "") throws(Fields.Misread) -> [Self] {
    guard let elements = json.array else { throw Fields.Misread(path: path, what: "not a list") }
    var documents: [Self] = []
    for (index, element) in elements.enumerated() {
      documents.append(try Self(Fields(element, at: "\(path)[\(index)]")))
    }
    return documents
  }
}

extension JSON {
  /// A text with something in it, or a number as text.
  var word: String? {
    switch self {
    case .string(let string): string.isEmpty ? nil : string
    case .int(let int): int.description
    case .double(let double): double.description
    case .exact(let text): text
    default: nil
    }
  }
}
