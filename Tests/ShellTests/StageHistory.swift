import Foundation
import GRDB

/// A disk that does not take everything.
extension Stage {
  /// `turns`, `ends` of answers, `all` or `nothing`: what the history takes no more from now on.
  func setRefusal(_ words: [String]) throws {
    let refusals = [
      "turns": "CREATE TRIGGER refused_turns BEFORE INSERT ON turn BEGIN SELECT RAISE(ABORT, 'not now'); END",
      "ends": """
      CREATE TRIGGER refused_ends BEFORE UPDATE ON message WHEN new.status <> 'streaming'
        BEGIN SELECT RAISE(ABORT, 'not now'); END
      """,
      "all": "CREATE TRIGGER refused_heads BEFORE UPDATE ON session BEGIN SELECT RAISE(ABORT, 'not now'); END",
    ]
    let wanted = words == ["all"] ? Array(refusals.keys) : words
    // A line that was typed may still be on its way there.
    var configuration = Configuration()
    configuration.busyMode = .timeout(60)
    let queue = try DatabaseQueue(path: home + "/history.sqlite", configuration: configuration)
    try queue.write { db in
      for name in ["refused_turns", "refused_ends", "refused_heads"] {
        try db.execute(sql: "DROP TRIGGER IF EXISTS \(name)")
      }
      for word in wanted where word != "nothing" {
        guard let refusal = refusals[word] else { throw BadDirection(text: word) }
        try db.execute(sql: refusal)
      }
    }
    try queue.close()
  }
}
