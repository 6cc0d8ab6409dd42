import Store

/// What was typed behind the name of a snippet that is to run: where, and values for the places in it.
struct SnippetCall: Sendable, Equatable {
  let snippet: Snippet
  let template: Template
  private(set) var place: SnippetPlace
  private(set) var values: [String: String] = [:]

  /// - Parameter words: `WHERE`, and `NAME=VALUE` as often as there are places.
  init(_ snippet: Snippet, _ words: [String]) throws(ShellError) {
    self.snippet = snippet
    template = Template(snippet.text)
    place = SnippetPlace(snippet.kind)
    let names = template.places.map(\.name)
    for (index, word) in words.enumerated() {
      guard let equals = word.firstIndex(of: "=") else {
        guard index == 0, let place = SnippetPlace(word) else {
          throw .badSnippet(.whereToRun(word, snippet: snippet.name))
        }
        self.place = place
        continue
      }
      let name = String(word[..<equals])
      guard names.contains(name) else {
        let nearest = Nearest.words(to: name, among: names)
        throw .unknown(
          .place, name, nearest: (nearest.isEmpty ? Array(names.prefix(3)) : nearest).map { "\($0)=VALUE" })
      }
      values[name] = String(word[word.index(after: equals)...])
    }
  }

  /// The places that nothing is known for; a default is something.
  var missing: [Template.Place] { template.places.filter { values[$0.name] == nil } }

  /// What its shell is given: a line with a variable in each place, and the values of these. So no value is ever read
  /// as a part of a command, nor seen among the programs that run.
  func command(with values: [String: String]) throws(ShellError) -> (line: String, variables: [String: String]) {
    let names = Dictionary(
      uniqueKeysWithValues: template.places.enumerated().map { ($0.element.name, "PARLEY_VALUE_\($0.offset + 1)") })
    let line = try line { name in "\"$\(names[name] ?? "")\"" }
    let variables = Dictionary(uniqueKeysWithValues: names.map { ($0.value, values[$0.key] ?? "") })
    guard !([line] + variables.values).contains(where: { $0.unicodeScalars.contains("\0") }) else {
      throw .badSnippet(.holdsNUL(snippet.name))
    }
    return (line, variables)
  }

  /// The same as it is typed into a terminal, where whoever is attached sees it: each value is one quoted word.
  func typed(with values: [String: String]) throws(ShellError) -> String {
    guard mayBeShown else { throw .badSnippet(.seenInTerminal(snippet.name)) }
    let line = try line { name in ShellFilling.word(values[name] ?? "") }
    let isKey = { (scalar: Unicode.Scalar) in
      scalar.value < 0x20 && scalar != "\n" || scalar.value == 0x7F
    }
    guard !line.unicodeScalars.contains(where: isKey) else { throw .badSnippet(.holdsKeys(snippet.name)) }
    return line
  }

  /// What a person would type in its place.
  func shown(with values: [String: String]) throws(ShellError) -> String {
    guard mayBeShown else { return snippet.text }
    return place == .message
      ? template.filled(with: values) : try line { name in ShellFilling.word(values[name] ?? "") }
  }

  private func line(_ word: (String) -> String) throws(ShellError) -> String {
    do throws(ShellFilling.UnsafePlace) { return try ShellFilling.line(template, word) } catch {
      throw .badSnippet(.unsafePlace(error.name, snippet: snippet.name))
    }
  }
}

extension SnippetCall {
  /// A value for each place: given, asked for where somebody can type, or the default.
  func allValues(_ desk: Desk) async throws(ShellError) -> [String: String] {
    var values = values
    guard desk.options.canType else {
      for place in missing { values[place.name] = place.standard }
      let lacking = missing.filter { $0.standard == nil }.map(\.name)
      guard lacking.isEmpty else { throw .badSnippet(.missingValues(lacking, snippet: snippet.name)) }
      return values
    }
    for place in missing { values[place.name] = try await SnippetCall.value(of: place, desk) }
    return values
  }

  /// An empty line takes the default; without one it is no answer: an empty name makes another path of `${name}/x`.
  private static func value(of place: Template.Place, _ desk: Desk) async throws(ShellError) -> String {
    while true {
      let answer: String
      if LikelySecret.isNamed(place.name) {
        answer = try await desk.secret(after: SnippetPage.question(place)).reveal()
      } else {
        answer = try await desk.answer(to: SnippetPage.question(place), isOneLine: false)
      }
      if !answer.isEmpty { return answer }
      if let standard = place.standard { return standard }
      desk.say(SnippetPage.needsAnswer)
    }
  }

  /// Whether what is filled in may be seen again.
  private var mayBeShown: Bool { !template.places.contains { LikelySecret.isNamed($0.name) } }
}
