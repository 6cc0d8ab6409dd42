import Text

/// What to type instead of what a command does not take.
extension Complaint {
  /// A hint is a line: what is longer is not shown whole.
  private static let longest = 70

  /// - Parameters:
  ///   - place: a command's name, and the word behind it where that is one of its own.
  ///   - forms: the ways to call it; empty when they are not known.
  static func usageHint(of place: String, _ forms: [Form], besides word: String) -> SafeText {
    if Int(word) != nil, forms.contains(where: \.takesHandle) { return "did you mean /\(place) #\(word)?" }
    if let hint = formHint(of: place, forms) { return hint }
    if forms.isEmpty { return helpHint(of: place) }
    let name = place.prefix { $0 != " " }
    let usages = forms.map(\.usage).filter { !$0.isEmpty }.joined(separator: " | ")
    if usages.count > longest {
      let meant = forms.meant(by: word)
      return meant.isEmpty ? helpHint(of: place) : "did you mean \(either(meant))?"
    }
    return usages.isEmpty ? "/\(name)" : "/\(name) \(usages)"
  }

  /// What a command is missing: what its ways to be called begin with, where nothing stands behind its name.
  static func need(of place: String, _ parameter: Parameter, _ forms: [Form]) -> SafeText {
    let beginnings = forms.flatMap(\.beginnings)
    guard parameter == .words, !place.contains(" "), !beginnings.isEmpty else { return "\(parameter.rawValue)" }
    var words: [String] = []
    for word in beginnings where !words.contains(word) { words.append(word) }
    return either(words)
  }

  /// The forms that begin with a command's own word; nil when no such word is named.
  static func formHint(of place: String, _ forms: [Form]) -> SafeText? {
    let words = place.split(separator: " ").map(String.init)
    guard words.count > 1 else { return nil }
    let usages = forms.filter { $0.firstWords.contains(words[1]) }.map { form in
      var rest = form
      rest.parts.removeFirst()
      return ([words[1]] + [rest.usage]).filter { !$0.isEmpty }.joined(separator: " ")
    }
    return usages.isEmpty ? nil : "/\(words[0]) \(usages.joined(separator: " | "))"
  }

  static func helpHint(of place: String) -> SafeText { "/help \(place.prefix { $0 != " " }) shows how" }
}

extension [Form] {
  /// The words of their own that are like another, or mean the same.
  fileprivate func meant(by word: String) -> [String] {
    let own = flatMap(\.firstWords)
    let nearest = Nearest.words(to: word, among: own)
    if !nearest.isEmpty { return nearest }
    let alike = Form.alike.first { $0.contains(word.lowercased()) } ?? []
    return alike.filter(own.contains)
  }
}

extension Form {
  /// Words that mean much the same.
  fileprivate static let alike = [
    ["remove", "delete", "del", "rm", "forget", "uninstall"], ["add", "new", "create", "install"],
    ["on", "enable", "use", "select"], ["off", "disable", "unselect"], ["revoke", "deny", "remove", "delete"],
  ]

  fileprivate var takesHandle: Bool {
    switch parts.first {
    case .required(let parameter), .optional(let parameter): [.handle, .part].contains(parameter)
    case .word, .choice, nil: false
    }
  }

  /// What it begins with, up to the first thing that must stand in it.
  fileprivate var beginnings: [String] {
    if let parameter = parts.first?.parameter { return [parameter.rawValue] }
    guard case .required(let parameter)? = parts.dropFirst().first else { return firstWords }
    return firstWords.map { "\($0) \(parameter.rawValue)" }
  }

  /// The words that it may begin with.
  fileprivate var firstWords: [String] {
    switch parts.first {
    case .word(let word): [word]
    case .choice(let words): words
    default: []
    }
  }
}
