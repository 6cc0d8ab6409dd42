import Store
import Text
import Wire

/// The parts of `/snippets` that list and change what is kept.
extension Snippets {
  /// As the file is now; what is wrong with it is said once.
  mutating func look(_ desk: inout Desk) {
    refresh()
    if let problem { desk.sayOnce(Wording.snippets(problem), .warning) }
  }

  /// Those of a category, and in which all of the words are; nil and none are no condition.
  mutating func list(
    in category: String? = nil, with words: [String] = [], asJSON: Bool, _ desk: inout Desk
  ) async throws(ShellError) {
    look(&desk)
    let wanted = words.map { $0.lowercased() }
    let found = zip(1..., entries).filter { _, snippet in
      guard category == nil || snippet.category?.lowercased() == category?.lowercased() else { return false }
      let text = [snippet.name, snippet.text, snippet.category ?? ""].joined(separator: "\n").lowercased()
      return wanted.allSatisfy(text.contains)
    }
    var listing = SnippetPage.listing(found.map { (place: $0.0, snippet: $0.1) }, categories)
    if !entries.isEmpty { listing.whenEmpty = "no snippet is like that" }
    try await desk.show(listing, asJSON: asJSON)
  }

  mutating func show(_ word: String, asJSON: Bool, _ desk: inout Desk) async throws(ShellError) {
    let snippet = try meant(by: word, &desk)
    if asJSON || desk.options.output != .text {
      let place = (entries.firstIndex { $0.name == snippet.name } ?? 0) + 1
      return desk.show(SnippetPage.object(snippet, at: place, categories))
    }
    try await desk.show(
      long: SnippetPage.detail(snippet, categories, clock: desk.world.clockOffset, columns: desk.wrapColumns))
  }

  mutating func add(
    _ name: String, _ text: String, _ change: SnippetChange, _ desk: inout Desk
  ) async throws(ShellError) {
    look(&desk)
    // Said before anything is asked; another shell may still be faster.
    guard SnippetName.isGood(name) else { throw .snippets(.badName(name)) }
    if named(name) != nil { throw .snippets(.nameTaken(name)) }
    var text = text
    if text.isBlank {
      guard desk.options.canType else { throw .missing(.text, command: "snippets add") }
      text = try await desk.answer(to: .text("text: "), isOneLine: false)
      if text.isBlank { throw .missing(.text, command: "snippets add") }
    }
    guard try await mayKeep(text, desk) else { return }
    var snippet = Snippet(name: name, text: text, createdAt: desk.world.now())
    change.apply(to: &snippet)
    try changing(&desk) { list throws(Failure) in try list.add(snippet) }
    desk.say(SnippetPage.kept(snippet, isPrivate: desk.options.isPrivate))
  }

  /// - Parameter text: what it says from now on; empty without another change has it edited on the line.
  mutating func edit(
    _ word: String, _ text: String, _ change: SnippetChange, _ desk: inout Desk
  ) async throws(ShellError) {
    let snippet = try meant(by: word, &desk)
    var text = text
    if text.isBlank, change.isNothing {
      guard desk.options.canType else { throw .badSnippet(.nothingToChange(snippet.name)) }
      text = try await desk.edited(snippet.text)
      if text == snippet.text || text.isBlank { return desk.say("left as it is") }
    }
    // What says nothing is no snippet.
    if text.isBlank { text = "" } else { guard try await mayKeep(text, desk) else { return } }
    try changing(&desk) { list throws(Failure) in
      try list.edit(snippet.name) { snippet in
        if !text.isEmpty { snippet.text = text }
        // What the person wrote, no file did.
        if !text.isEmpty { snippet.isForeign = false }
        change.apply(to: &snippet)
      }
    }
    desk.say("changed snippet '\(SnippetPage.name(snippet.name))'")
  }

  mutating func rename(_ word: String, to newName: String, _ desk: inout Desk) throws(ShellError) {
    let snippet = try meant(by: word, &desk)
    try changing(&desk) { list throws(Failure) in try list.rename(snippet.name, to: newName) }
    desk.say("snippet '\(SnippetPage.name(snippet.name))' is now '\(SnippetPage.name(newName))'")
  }

  mutating func remove(_ word: String, _ desk: inout Desk) async throws(ShellError) {
    let snippet = try meant(by: word, &desk)
    guard try await desk.confirm(SnippetPage.removeQuestion(snippet)) else { return }
    try changing(&desk) { list throws(Failure) in try list.remove(snippet.name) }
    desk.say("removed snippet '\(SnippetPage.name(snippet.name))'")
  }

  mutating func move(_ word: String, to place: Int, _ desk: inout Desk) throws(ShellError) {
    let snippet = try meant(by: word, &desk)
    let reached = try changing(&desk) { list throws(Failure) in try list.move(snippet.name, to: place) }
    desk.say("snippet '\(SnippetPage.name(snippet.name))' is number \(reached)")
  }

  mutating func switchOn(_ word: String, _ isOn: Bool, _ desk: inout Desk) throws(ShellError) {
    let snippet = try meant(by: word, &desk)
    try changing(&desk) { list throws(Failure) in try list.edit(snippet.name) { $0.isActive = isOn } }
    desk.say("snippet '\(SnippetPage.name(snippet.name))' is \(isOn ? "on" : "off")")
  }
}

extension Snippets {
  /// By its name, in whatever case, or the beginning of one that no other has.
  mutating func meant(by word: String, _ desk: inout Desk) throws(ShellError) -> Snippet {
    look(&desk)
    if let exact = named(word) { return exact }
    let wanted = word.lowercased()
    let same = entries.filter { $0.name.lowercased() == wanted }
    let matches = same.isEmpty && !word.isEmpty ? entries.filter { $0.name.lowercased().hasPrefix(wanted) } : same
    guard let only = matches.first else {
      throw .unknown(.snippet, word, nearest: Nearest.words(to: word, among: entries.map(\.name)))
    }
    guard matches.count == 1 else {
      throw .ambiguous(
        .snippet, word, matches: matches.prefix(8).map(\.name), more: max(0, matches.count - 8))
    }
    return only
  }

  /// Changes the list, and says what had to be set aside for it.
  @discardableResult
  mutating func changing<T>(
    _ desk: inout Desk, _ change: (inout Snippets) throws(Failure) -> T
  ) throws(ShellError) -> T {
    let value: T
    do throws(Failure) { value = try change(&self) } catch { throw .snippets(error) }
    if case .broken(_, .some) = problem, let problem { desk.sayOnce(Wording.snippets(problem), .warning) }
    return value
  }

  /// A snippet is a file that nobody guards as sign-ins are guarded (docs/rules.md C5).
  private func mayKeep(_ text: String, _ desk: Desk) async throws(ShellError) -> Bool {
    guard LikelySecret.isLikely(in: text) else { return true }
    if !desk.options.answersYes { desk.say(SnippetPage.secretHint) }
    return try await desk.confirm(SnippetPage.secretQuestion([]), isHidden: true)
  }
}

extension Desk {
  /// A text as the person mends it on the line.
  fileprivate func edited(_ text: String) async throws(ShellError) -> String {
    let request = LineRequest(
      prompt: .text("text: "), initial: text, editor: editor, editing: preferences.editing, isQuestion: true)
    guard case .line(let line) = await person.next(request) else { throw .interrupted }
    return line.trimmed.isEmpty ? text : line.trimmed
  }
}
