import Chat
import Wire

/// What was seen of one topic of a server: the list with the moment it was asked for, and details that were looked at.
/// Pure; `BrowseKeeping` keeps its bytes.
struct BrowseRecord: Equatable {
  /// Milliseconds since 1970.
  var listedAt: Int
  var items: [BrowseItem]
  var details: [Detail] = []

  struct Detail: Equatable {
    var item: BrowseItem
    var seenAt: Int
  }

  init(_ items: [BrowseItem], at moment: Int) {
    self.items = items
    listedAt = moment
  }

  /// Takes a new list; details of what is still on it stay.
  mutating func list(_ items: [BrowseItem], at moment: Int) {
    self.items = items
    listedAt = moment
    let ids = Set(items.map(\.id))
    details.removeAll { !ids.contains($0.item.id) }
  }

  mutating func note(_ detail: BrowseItem, at moment: Int) {
    details.removeAll { $0.item.id == detail.id }
    details.append(Detail(item: detail, seenAt: moment))
  }

  /// The names in a kept list, each once; none where nothing is kept that can be read.
  static func names(_ keeping: BrowseKeeping, _ server: String, _ topic: BrowseTopic) -> [String] {
    guard let record = keeping.read(server, topic).flatMap(BrowseRecord.init(bytes:)) else { return [] }
    var seen: Set<String> = []
    return record.items.map(\.name).filter { seen.insert($0).inserted }
  }
}

extension BrowseRecord {
  var bytes: [UInt8] {
    let json: JSON = [
      "listedAt": .int(listedAt), "items": .array(items.map(JSON.init(kept:))),
      "details": .array(details.map { ["seenAt": .int($0.seenAt), "item": JSON(kept: $0.item)] }),
    ]
    return json.bytes()
  }

  /// nil when the bytes are nothing that `bytes` made.
  init?(bytes: [UInt8]) {
    guard let json = try? JSON(parsing: bytes),  // a broken file is the same as none
      let listedAt = json["listedAt"]?.int, let items = json["items"]?.array?.asItems,
      let details = json["details"]?.array
    else { return nil }
    self.init(items, at: listedAt)
    for detail in details {
      guard let item = detail["item"].flatMap(BrowseItem.init(kept:)), let seenAt = detail["seenAt"]?.int else {
        return nil
      }
      self.details.append(Detail(item: item, seenAt: seenAt))
    }
  }
}

extension [JSON] {
  /// nil when one of them is none.
  fileprivate var asItems: [BrowseItem]? {
    let items = compactMap(BrowseItem.init(kept:))
    return items.count == count ? items : nil
  }
}

extension JSON {
  fileprivate init(kept item: BrowseItem) {
    self = ["id": .string(item.id), "name": .string(item.name), "fields": .array(item.fields.map(JSON.init(kept:)))]
  }

  fileprivate init(kept field: BrowseField) {
    self = ["key": .string(field.key), "title": .string(field.title), "value": JSON(kept: field.value)]
  }

  /// A value that JSON has no kind for is an object with one member that names it.
  fileprivate init(kept value: BrowseValue) {
    self =
      switch value {
      case .none: .null
      case .text(let text): .string(text)
      case .int(let int): .int(int)
      case .bytes(let count): ["bytes": .int(count)]
      case .flag(let flag): .bool(flag)
      case .moment(let moment): ["moment": .int(moment)]
      case .status(let word, let tone): ["status": .string(word), "tone": .string(tone.rawValue)]
      case .list(let values): .array(values.map(JSON.init(kept:)))
      case .record(let fields): ["record": .array(fields.map(JSON.init(kept:)))]
      }
  }
}

extension BrowseItem {
  fileprivate init?(kept json: JSON) {
    guard let id = json["id"]?.string, let name = json["name"]?.string, let list = json["fields"]?.array else {
      return nil
    }
    let fields = list.compactMap(BrowseField.init(kept:))
    guard fields.count == list.count else { return nil }
    self.init(id: id, name: name, fields: fields)
  }
}

extension BrowseField {
  fileprivate init?(kept json: JSON) {
    guard let key = json["key"]?.string, let title = json["title"]?.string,
      let value = json["value"].flatMap(BrowseValue.init(kept:))
    else { return nil }
    self.init(key, title, value)
  }
}

extension BrowseValue {
  fileprivate init?(kept json: JSON) {
    switch json {
    case .null: self = .none
    case .string(let text): self = .text(text)
    case .int(let int): self = .int(int)
    case .bool(let flag): self = .flag(flag)
    case .double, .exact: return nil
    case .array(let list):
      let values = list.compactMap(BrowseValue.init(kept:))
      guard values.count == list.count else { return nil }
      self = .list(values)
    case .object:
      if let moment = json["moment"]?.int {
        self = .moment(moment)
      } else if let count = json["bytes"]?.int {
        self = .bytes(count)
      } else if let word = json["status"]?.string, let tone = json["tone"]?.string.flatMap(Tone.init(rawValue:)) {
        self = .status(word, tone)
      } else if let list = json["record"]?.array {
        let fields = list.compactMap(BrowseField.init(kept:))
        guard fields.count == list.count else { return nil }
        self = .record(fields)
      } else {
        return nil
      }
    }
  }
}
