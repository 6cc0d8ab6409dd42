extension Setting {
  /// Every setting there is (shell contract, section 5), in the order they are shown. The file, the command, the help
  /// and the completion know no other.
  package static let all: [Setting] = [
    Setting(
      "system-prompt", .text, .text("You are a helpful assistant."), unset: true, "system prompt of new sessions"),
    Setting("temperature", .number(0...2), .number(0.7), unset: true, "how freely new sessions answer"),
    Setting("max-tokens", .integer(1...10_000_000), .unset, "longest answer in tokens"),
    Setting("top-p", .number(0...1), .unset, "how much of the likely words is considered"),
    Setting("seed", .integer(0...Int.max), .unset, "makes answers repeatable where the server can"),
    Setting("stop", .list, .unset, "texts that end an answer"),

    Setting("color", .choice(["auto", "never"]), .text("auto"), "when to use colour"),
    Setting("reasoning", .choice(["show", "dim", "fold", "hide"]), .text("dim"), "how a model's reasoning is shown"),
    Setting("timing", .flag, .flag(false), "show tokens and times after each answer"),
    Setting("accessible", .flag, .flag(false), "plain lines for screen readers: nothing is redrawn"),

    Setting("editing", .choice(["emacs", "vi"]), .text("emacs"), "keys of the line editor"),
    Setting("prompt", .text, .unset, "text before the line, instead of the model's name"),
    Setting("editor", .text, .unset, "program for long messages, instead of $VISUAL and $EDITOR"),
    Setting("on-error", .choice(["continue", "stop"]), .text("continue"), "what a script does after an error"),

    Setting("timeout.connect", .seconds(0.1...3600), .number(10), "time to reach a server"),
    Setting("timeout.request", .seconds(0.1...86_400), .number(30), "time for a request that is not an answer"),
    Setting("timeout.first-token", .seconds(0.1...86_400), .unset, "time until an answer begins"),
    Setting("timeout.idle", .seconds(0.1...86_400), .number(300), unset: true, "time between two signs of life"),
  ]

  private static let byKey = Dictionary(uniqueKeysWithValues: all.map { ($0.key, $0) })

  package static func named(_ key: String) throws(SettingError) -> Setting {
    guard let setting = byKey[key] else { throw .unknownKey(key, nearest: nearest(to: key)) }
    return setting
  }

  /// The keys that `key` may have been meant as, the likeliest first.
  static func nearest(to key: String) -> [String] {
    let key = key.lowercased().replacing("_", with: "-")
    let near = all.map(\.key).compactMap { known -> (key: String, distance: Int)? in
      if known == key { return (known, 0) }
      let distance = editDistance(key, known)
      if distance <= max(1, known.count / 3) { return (known, distance) }
      return key.count > 2 && known.contains(key) ? (known, known.count) : nil
    }
    return near.sorted { ($0.distance, $0.key) < ($1.distance, $1.key) }.prefix(3).map(\.key)
  }
}

/// How many letters must be added, removed, replaced or swapped with their neighbour to make one word the other.
func editDistance(_ first: String, _ second: String) -> Int {
  let first = Array(first.unicodeScalars)
  let second = Array(second.unicodeScalars)
  var above: [Int] = []
  var row = Array(0...second.count)
  for i in first.indices {
    var next = [i + 1]
    for j in second.indices {
      var distance = min(next[j] + 1, row[j + 1] + 1, row[j] + (first[i] == second[j] ? 0 : 1))
      if i > 0, j > 0, first[i] == second[j - 1], first[i - 1] == second[j] {
        distance = min(distance, above[j - 1] + 1)
      }
      next.append(distance)
    }
    above = row
    row = next
  }
  return row[second.count]
}
