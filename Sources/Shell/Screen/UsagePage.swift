import Chat
import Text
import Wire

/// What was used, added up by session, by model and by day.
enum UsagePage {
  enum Part: String, CaseIterable { case session, model, day }

  /// - Parameters:
  ///   - parts: what to add up by.
  ///   - source: who counted: `server` or `history`.
  ///   - bar: the character that bars are made of; nil for no bars.
  static func listing(_ records: [UsageRecord], by parts: [Part], source: String, bar: SafeText?) -> Listing {
    Listing(
      columns: [Listing.Column("BY", "by"), Listing.Column("NAME", "name")] + Bar.columns(of: bar) + [
        Listing.Column("TOKENS", "tokens"),
        Listing.Column("COST") { $0["cost"]?.double.map { "\(ModelPage.amount($0))" } ?? "" },
      ], rows: parts.flatMap { rows(of: sums(records, by: $0), $0, source) }, whenEmpty: "nothing was counted yet")
  }

  private static func rows(of sums: [Sum], _ part: Part, _ source: String) -> [JSON] {
    let most = sums.map(\.weight).max() ?? 0
    return sums.map { sum in
      [
        "by": .string(part.rawValue), "name": .string(sum.name), "id": .string(sum.id),
        "tokens": sum.tokens.map(JSON.int) ?? .null, "promptTokens": sum.promptTokens.map(JSON.int) ?? .null,
        "completionTokens": sum.completionTokens.map(JSON.int) ?? .null, "cost": sum.cost.map(JSON.double) ?? .null,
        "messages": sum.messages.map(JSON.int) ?? .null, "share": .double(most > 0 ? sum.weight / most : 0),
        "source": .string(source),
      ]
    }
  }

  /// What belongs together.
  struct Sum: Equatable {
    var id: String
    var name: String
    var tokens: Int?
    var promptTokens: Int?
    var completionTokens: Int?
    var cost: Double?
    var messages: Int?

    fileprivate var weight: Double { Double(tokens ?? 0) }

    fileprivate mutating func add(_ record: UsageRecord) {
      func sum(_ one: Int?, _ other: Int?) -> Int? {
        guard let one, let other else { return one ?? other }
        let (sum, isBeyond) = one.addingReportingOverflow(other)
        return isBeyond ? .max : sum
      }
      tokens = sum(tokens, record.tokens)
      promptTokens = sum(promptTokens, record.promptTokens)
      completionTokens = sum(completionTokens, record.completionTokens)
      messages = sum(messages, record.messages)
      if let more = record.cost { cost = (cost ?? 0) + more }
    }
  }

  /// Sessions and models with the most tokens first, days the newest first.
  static func sums(_ records: [UsageRecord], by part: Part) -> [Sum] {
    var sums: [String: Sum] = [:]
    for record in records {
      let (id, name) = key(of: record, part)
      sums[id, default: Sum(id: id, name: name)].add(record)
    }
    let sorted = sums.values.sorted { ($0.weight, $1.id) > ($1.weight, $0.id) }
    return part == .day ? sorted.sorted { $0.id > $1.id } : sorted
  }

  private static func key(of record: UsageRecord, _ part: Part) -> (id: String, name: String) {
    switch part {
    case .session:
      let title = record.title ?? ""
      return (record.session, title.isEmpty ? String(record.session.prefix(8)) : title)
    case .model: return (record.model ?? "", record.model ?? "?")
    case .day:
      let day = record.at.map { Moments.day($0 / 1000) } ?? "?"
      return (day, day)
    }
  }
}
