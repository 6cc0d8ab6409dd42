import Chat
import Text
import Wire

/// How what there is to browse looks: lists and details, for people, for pipes and in JSON.
struct BrowsePage {
  /// Seconds that the person's clock is ahead of UTC at a moment; nil writes moments as ISO 8601, for programs.
  var clockOffset: ((Int) -> Int)?

  // Lists.

  /// - Parameter numbers: the place of each item in the whole list, from 1.
  func table(_ items: [BrowseItem], numbers: [Int]) -> Table {
    let columns = Self.columns(of: items)
    return Table(
      header: ["#", "NAME"] + columns.map { "\($0.title)" },
      rows: zip(items, numbers).map { item, number in
        ["\(number)", "\(item.name)"] + columns.map { text(item[$0.key]) }
      },
      alignments: [.right])
  }

  /// The cells of `table` in the colours of what they say.
  func style(_ items: [BrowseItem]) -> (_ row: Int, _ column: Int) -> Style {
    let columns = Self.columns(of: items)
    return { row, column in
      if column == 0 { return .dim }
      return column == 1 ? .plain : Self.style(of: items[row][columns[column - 2].key])
    }
  }

  /// Of the first item: the same keys are in every item of a list. A field that repeats the name is no column.
  private static func columns(of items: [BrowseItem]) -> [BrowseField] {
    (items.first?.fields ?? []).filter { $0.key != "name" }
  }

  // Details.

  /// One item with all its fields, a line or more for each that has a value.
  func detail(_ item: BrowseItem, columns: Int) -> StyledText {
    let fields = item.fields.filter { $0.key != "name" && !$0.value.isEmpty }
    return .text("\(item.name)\n", .strong) + lines(of: fields, indent: 0, columns: columns)
  }

  private func lines(of fields: [BrowseField], indent: Int, columns: Int) -> StyledText {
    let label = min((fields.map { SafeText.cells(of: $0.title) }.max() ?? 0) + 2, max(8, columns / 2))
    return fields.flatMap { field -> StyledText in
      let name: SafeText = .spaces(indent) + "\(field.title)"
      switch field.value {
      case .record(let inner):
        return .text(name + "\n", .dim)
          + lines(of: inner.filter { !$0.value.isEmpty }, indent: indent + 2, columns: columns)
      case .list(let values) where values.contains(where: \.isRecord):
        return .text(name + "\n", .dim) + values.flatMap { entry($0, indent: indent + 2, columns: columns) }
      default:
        var wrapper = Wrapper(columns: columns, indent: indent + label, column: indent + label)
        let value = wrapper.feed(block(field.value))
        return .text(name.padded(to: indent + label), .dim)
          + .text(value + wrapper.finish() + "\n", Self.style(of: field.value))
      }
    }
  }

  /// One record of a list on a line, such as a file and its size.
  private func entry(_ value: BrowseValue, indent: Int, columns: Int) -> StyledText {
    var wrapper = Wrapper(columns: columns, indent: indent + 2, column: indent)
    let words: SafeText =
      if case .record(let fields) = value {
        fields.filter { !$0.value.isEmpty }.map { text($0.value) }.joined(separator: ", ")
      } else {
        text(value)
      }
    let wrapped = wrapper.feed(words)
    return .text(.spaces(indent) + wrapped + wrapper.finish() + "\n")
  }

  /// A row for each field of an item, its key and its value.
  func rows(_ item: BrowseItem) -> Table {
    Table(
      rows: [["id", "\(item.id)"], ["name", "\(item.name)"]]
        + item.fields.filter { $0.key != "name" && $0.key != "id" }.map { ["\($0.key)", text($0.value)] })
  }

  // Values.

  private static func style(of value: BrowseValue) -> Style {
    switch value {
    case .status(_, .good): .good
    case .status(_, .underWay): .warning
    case .status(_, .bad): .error
    case .status(_, .neutral): .dim
    default: .plain
    }
  }

  /// A value on one line.
  func text(_ value: BrowseValue) -> SafeText {
    switch value {
    case .none: ""
    case .text(let text): "\(text)"
    case .int(let int): "\(int)"
    case .bytes(let count): clockOffset == nil ? "\(count)" : ByteSize.text(count)
    case .flag(let flag): flag ? "yes" : "no"
    case .moment(let moment):
      clockOffset.map { Moments.local(moment, offset: $0(moment)) } ?? "\(Moments.iso(moment))"
    case .status(let word, _): "\(word)"
    case .list(let values): values.map(text).joined(separator: ", ")
    case .record(let fields):
      fields.filter { !$0.value.isEmpty }.map { "\($0.key)=\(text($0.value))" }.joined(separator: " ")
    }
  }

  /// A value that may have lines of its own, such as a description.
  private func block(_ value: BrowseValue) -> SafeText {
    if case .text(let text) = value { Filter.block(text) } else { text(value) }
  }

  static func json(_ item: BrowseItem, number: Int?, ageSeconds: Int) -> JSON {
    var json: JSON = ["id": .string(item.id), "name": .string(item.name)]
    for field in item.fields where field.key != "id" && field.key != "name" { json[field.key] = Self.json(field.value) }
    if let number { json["number"] = .int(number) }
    json["ageSeconds"] = .int(ageSeconds)
    return json
  }

  private static func json(_ value: BrowseValue) -> JSON {
    switch value {
    case .none: .null
    case .text(let text): .string(text)
    case .int(let int), .bytes(let int): .int(int)
    case .flag(let flag): .bool(flag)
    case .moment(let moment): .string(Moments.iso(moment))
    case .status(let word, _): .string(word)
    case .list(let values): .array(values.map(Self.json))
    case .record(let fields): .object(fields.map { JSON.Member($0.key, Self.json($0.value)) })
    }
  }
}

extension BrowseItem {
  subscript(key: String) -> BrowseValue { fields.first { $0.key == key }?.value ?? .none }

  /// Whether all these words occur somewhere in it, in any case.
  func holds(_ words: [String]) -> Bool {
    let text = ([id, name] + fields.map(\.value.searched)).joined(separator: "\n").lowercased()
    return words.allSatisfy { text.contains($0.lowercased()) }
  }
}

extension BrowseValue {
  fileprivate var isEmpty: Bool {
    switch self {
    case .none: true
    case .text(let text), .status(let text, _): text.isEmpty
    case .list(let values): values.allSatisfy(\.isEmpty)
    case .record(let fields): fields.allSatisfy(\.value.isEmpty)
    default: false
    }
  }

  fileprivate var isRecord: Bool { if case .record = self { true } else { false } }

  /// What a filter looks at.
  fileprivate var searched: String {
    switch self {
    case .none, .flag: ""
    case .text(let text), .status(let text, _): text
    case .int(let int), .bytes(let int): String(int)
    case .moment(let moment): Moments.iso(moment)
    case .list(let values): values.map(\.searched).joined(separator: "\n")
    case .record(let fields): fields.map(\.value.searched).joined(separator: "\n")
    }
  }
}

extension SafeText {
  fileprivate static func cells(of untrusted: String) -> Int { ("\(untrusted)" as SafeText).cells }
}
