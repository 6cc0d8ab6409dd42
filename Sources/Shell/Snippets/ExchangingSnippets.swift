import Store
import Text
import Wire

/// The parts of `/snippets` that hand snippets from one program to another (docs/snippets.md 3).
extension Snippets {
  /// Takes over what a file has. Nothing that is there is written over unless that was asked for, and what came from a
  /// file is run only when the person says so.
  mutating func takeOver(
    _ path: String, _ dates: SnippetDates?, onClash clash: Clash, _ desk: inout Desk
  ) async throws(ShellError) {
    look(&desk)
    let text = try await desk.readText(path)
    guard let json = try? JSON(parsing: text),  // what cannot be read has none
      var document = SnippetDocument(json, dates: dates, now: desk.world.now()),
      !document.snippets.isEmpty || !document.categories.isEmpty
    else { throw .badSnippet(.noneIn(path)) }
    let leftOut = try await leaveOutSecrets(of: &document, desk)
    let taken = try changing(&desk) { [document] list throws(Failure) in try list.take(document, onClash: clash) }
    for line in SnippetPage.report(taken, unreadable: document.unreadable) { desk.say(line) }
    if !leftOut.isEmpty { desk.say(SnippetPage.secretsLeftOut(leftOut), .warning) }
  }

  /// The names of those that are left out.
  private func leaveOutSecrets(
    of document: inout SnippetDocument, _ desk: Desk
  ) async throws(ShellError) -> [String] {
    let secret = document.snippets.filter { LikelySecret.isLikely(in: $0.text) }.map(\.name)
    guard !secret.isEmpty, !desk.options.answersYes else { return [] }
    if desk.options.canAsk, try await desk.agrees(SnippetPage.secretQuestion(secret)) { return [] }
    document.snippets.removeAll { LikelySecret.isLikely(in: $0.text) }
    return secret
  }

  /// - Parameters:
  ///   - path: nil is standard output; a file that is there is never written over.
  ///   - dates: writes the bare list that other programs read, with its moments so.
  mutating func handOut(
    _ path: String?, in category: String?, _ dates: SnippetDates?, _ desk: inout Desk
  ) throws(ShellError) {
    look(&desk)
    var document = SnippetDocument(snippets: entries, categories: categories)
    if let category {
      document.snippets.removeAll { $0.category?.lowercased() != category.lowercased() }
      document.categories.removeAll { $0.name.lowercased() != category.lowercased() }
    }
    let json = dates.map { document.list($0, now: desk.world.now()) } ?? document.json
    guard let path else { return desk.show(.text(SafeText.json(json.serialized(pretty: true)) + "\n")) }
    do throws(FileProblem) {
      try desk.world.writeNew(path, json.bytes(pretty: true) + [UInt8(ascii: "\n")])
    } catch { throw .file(error) }
    let count = document.snippets.count
    desk.say("\(count) \(count == 1 ? "snippet" : "snippets") written to \(path)")
  }
}
