import Chat
import Wire

extension BrowseField {
  static func text(_ key: String, _ title: String, _ text: String?) -> BrowseField {
    BrowseField(key, title, text.map { .text($0) } ?? .none)
  }

  static func int(_ key: String, _ title: String, _ int: Int?) -> BrowseField {
    BrowseField(key, title, int.map { .int($0) } ?? .none)
  }

  static func bytes(_ key: String, _ title: String, _ count: Int?) -> BrowseField {
    BrowseField(key, title, count.map { .bytes($0) } ?? .none)
  }

  static func flag(_ key: String, _ title: String, _ flag: Bool?) -> BrowseField {
    BrowseField(key, title, flag.map { .flag($0) } ?? .none)
  }

  static func moment(_ key: String, _ title: String, _ moment: Int?) -> BrowseField {
    BrowseField(key, title, moment.map { .moment($0) } ?? .none)
  }

  static func status(_ key: String, _ title: String, _ status: String?) -> BrowseField {
    BrowseField(key, title, status.map { .status($0, Kamiwaza.tone(of: $0)) } ?? .none)
  }

  static func texts(_ key: String, _ title: String, _ texts: [String]) -> BrowseField {
    BrowseField(key, title, .list(texts.map { .text($0) }))
  }

  static func records(_ key: String, _ title: String, _ records: [[BrowseField]]) -> BrowseField {
    BrowseField(key, title, .list(records.map { .record($0) }))
  }
}

extension BrowseValue {
  /// Any JSON, as it is.
  init(_ json: JSON) {
    switch json {
    case .null: self = .none
    case .bool(let bool): self = .flag(bool)
    case .int(let int): self = .int(int)
    case .double(let double): self = .text(double.description)
    case .exact(let text): self = .text(text)
    case .string(let string): self = .text(string)
    case .array(let elements): self = .list(elements.map { BrowseValue($0) })
    case .object(let members): self = .record(members.map { BrowseField($0.key, $0.key, BrowseValue($0.value)) })
    }
  }
}
