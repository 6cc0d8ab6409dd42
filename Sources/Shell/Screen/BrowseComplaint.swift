package import Chat
import Text

/// Why there was nothing to browse. Cases carry facts; `Complaint` has the sentences.
package enum BrowseError: Error, Sendable, Equatable {
  case nothing(server: String)
  case noTopic(BrowseTopic, server: String, has: [BrowseTopic])
  case noItem(String, BrowseTopic)
  case noRow(Int, BrowseTopic, count: Int)
}

extension Complaint {
  /// What a failure to browse is called.
  init(_ error: BrowseError) {
    switch error {
    case .nothing(let server): self.init("server '\(server)' has nothing to browse", .usage)
    case .noTopic(let topic, let server, let has):
      self.init(
        "server '\(server)' has no \(topic.rawValue) to browse",
        hint: has.isEmpty ? nil : "it has \(has.map(\.rawValue).joined(separator: ", "))", .usage)
    case .noItem(let words, let topic):
      self.init(
        "nothing among the \(topic.rawValue) has '\(words)'", hint: "/browse \(topic.rawValue) lists them", .usage)
    case .noRow(let number, let topic, let count):
      self.init(
        "there is no number \(number) among the \(topic.rawValue): there are \(count)",
        hint: "/browse \(topic.rawValue) lists them", .usage)
    }
  }
}
