import Wire

/// What this program does for an agent, as `initialize` tells it (docs/acp.md 2).
struct ACPOffer: Sendable, Equatable {
  var readsFiles = false
  var writesFiles = false
  var runsCommands = false
  /// Runs the agent's own command again in the person's terminal, to sign in.
  var signsInOnTerminal = false
  /// Shows settings that are on or off.
  var hasFlags = false
  var asksForms = false
  var showsPages = false

  /// The same for an agent on another machine: what is here is nothing of its business, and its command is not ours to
  /// run.
  var forRemote: ACPOffer {
    var offer = self
    offer.readsFiles = false
    offer.writesFiles = false
    offer.runsCommands = false
    offer.signsInOnTerminal = false
    return offer
  }

  /// `clientCapabilities` of `initialize`.
  var json: JSON {
    var json: JSON = [
      "fs": ["readTextFile": .bool(readsFiles), "writeTextFile": .bool(writesFiles)], "terminal": .bool(runsCommands),
    ]
    if signsInOnTerminal { json["auth"] = ["terminal": true] }
    if hasFlags { json["session"] = ["configOptions": ["boolean": [:]]] }
    var questions: JSON = [:]
    if asksForms { questions["form"] = [:] }
    if showsPages { questions["url"] = [:] }
    // Without either it would mean nothing.
    if questions != [:] { json["elicitation"] = questions }
    return json
  }
}
