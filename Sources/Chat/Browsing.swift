/// Lists of what a server has, to be read and not changed.
package protocol Browsing: Sendable {
  /// What there is to browse, in the order it is offered.
  var topics: [BrowseTopic] { get }

  /// All items with the fields that stand in a list.
  func list(_ topic: BrowseTopic) async throws(BackendError) -> [BrowseItem]

  /// One of them with all its fields.
  func detail(_ item: BrowseItem, of topic: BrowseTopic) async throws(BackendError) -> BrowseItem
}

package enum BrowseTopic: String, Sendable, CaseIterable {
  case models, catalog, apps, tools, templates
}

package struct BrowseItem: Sendable, Equatable {
  /// What the server knows it by.
  package var id: String
  package var name: String
  /// In the order they are shown; the same keys in every item of a list.
  package var fields: [BrowseField]

  package init(id: String, name: String, fields: [BrowseField]) {
    self.id = id
    self.name = name
    self.fields = fields
  }
}

package struct BrowseField: Sendable, Equatable {
  /// Its key in JSON, such as `deployedAt`: stable.
  package var key: String
  /// Such as `DEPLOYED AT`.
  package var title: String
  package var value: BrowseValue

  package init(_ key: String, _ title: String, _ value: BrowseValue) {
    self.key = key
    self.title = title
    self.value = value
  }
}

package indirect enum BrowseValue: Sendable, Equatable {
  case none
  case text(String)
  case int(Int)
  /// A size in bytes.
  case bytes(Int)
  case flag(Bool)
  /// Milliseconds since 1970.
  case moment(Int)
  /// A word of the server's, and what it means for whoever reads it.
  case status(String, Tone)
  case list([BrowseValue])
  /// Fields within a field, such as those of a file.
  case record([BrowseField])

  package enum Tone: String, Sendable { case good, underWay, bad, neutral }
}
