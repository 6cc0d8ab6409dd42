import Store
import Text
import Wire

/// The branches of a session: one for each turn that nothing follows, and where the conversation stands.
struct BranchPage {
  private let places: [TurnPlace]
  private let parents: [TurnID: TurnID]
  private let path: Set<TurnID>
  private let head: TurnID?

  /// - Parameter path: the turns up to where the conversation stands, oldest first.
  init(_ places: [TurnPlace], standingAt path: [TurnID]) {
    self.places = places
    parents = places.reduce(into: [:]) { $0[$1.id] = $1.parent }
    self.path = Set(path)
    head = path.last
  }

  /// - Parameter isSeen: whether a person reads it, who needs the answers only to tell alike questions from another. Who
  /// reads it by columns finds the same ones each time.
  func listing(now: Int, isSeen: Bool) -> Listing {
    let rows = rows
    let isAlike = Set(rows.map { $0["question"]?.string }).count < rows.count
    let answer = isAlike || !isSeen ? [Listing.Column("ANSWER", "answer")] : []
    return Listing(
      columns: [
        Listing.Column("") { $0["current"]?.bool == true ? "*" : "" },
        Listing.Column("TURN") { "#\($0["turn"]?.int ?? 0)" },
        Listing.Column("TURNS", "turns"),
        Listing.Column("AFTER") { $0["after"]?.int.map { "#\($0)" } ?? "" },
        Listing.Column("AGE") { age(of: $0["createdAt"]?.int ?? now, at: now) },
        Listing.Column("STATUS") { $0["status"]?.string == "complete" ? "" : "\($0["status"]?.string ?? "")" },
        Listing.Column("QUESTION", "question"),
      ] + answer, rows: rows, whenEmpty: "no turns yet: type a message")
  }

  private var rows: [JSON] {
    let followed = Set(parents.values)
    return places.filter { !followed.contains($0.id) || $0.id == head }.map(row)
  }

  private func row(_ place: TurnPlace) -> JSON {
    let line = line(to: place.id)
    let shared = place.id == head ? nil : line.dropFirst().first { path.contains($0) }
    let after = shared.flatMap { id in places.first { $0.id == id }?.number }
    return [
      "turn": .int(place.number), "current": .bool(place.id == head), "turns": .int(line.count),
      "after": after.map(JSON.int) ?? .null, "createdAt": .int(place.createdAt),
      "status": place.status.map { .string($0.rawValue) } ?? .null, "question": .string(place.opening),
      "answer": .string(place.answer),
    ]
  }

  /// A turn and those before it, the last one first. A parent is older: a line that another program bent into a circle
  /// ends.
  private func line(to turn: TurnID) -> [TurnID] {
    var line = [turn]
    while let parent = line.last.flatMap({ parents[$0] }), line.count <= places.count { line.append(parent) }
    return line
  }
}
