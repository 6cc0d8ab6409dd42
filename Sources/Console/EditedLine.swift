import Foundation
import Shell
import Text

/// What the editor knows about the line being typed, besides its text.
struct EditedLine {
  struct State: Equatable {
    var text: EditText
    var cursor: Int
    /// Steps back in the recall list; -1 for the line being typed.
    var place = -1
  }

  let request: LineRequest
  /// Whether no key has come yet.
  var isUntouched = true
  /// The rows of a completion list.
  var below: [[Cell]] = []
  /// The line for which completions were listed last, and the number of candidates up to the end of that page.
  var listed: (state: State, end: Int)?
  var search: RecallSearch?
  var suggestion = Suggestion()
  /// What is suggested on the screen, and for which text.
  var suggested: (State, rest: EditText)?
  /// The bytes of a paste on their way to the line.
  var pasted: [UInt8] = []
  /// The last paste at the start of the line.
  var pastedAtStart = ""
  /// Where the recall list stands, as in `State`; the line being typed is kept in `draft`.
  var place = -1
  var draft = State(text: [], cursor: 0)
  /// The column that Up and Down keep to, while nothing else is done.
  var goal: (from: State, column: Int)?

  private var recalled: [EditText] = []
  /// Those that were looked at, as they were folded: walking to one again makes no other number of it.
  private var refolded: [Int: EditText] = [:]
  private var recallEnded = false
  private var folded: [String] = []
  private var undo: [State] = []
  private var lastSeen: State?
  /// Where a word that is being typed ends.
  private var typedUpTo: Int?
  /// Whether what came last was pasted: a folded paste has the length of a letter.
  private var wasPasted = false

  init(_ request: LineRequest) { self.request = request }

  func result(_ text: String) -> LineResult {
    let indentation = text.prefix(while: \.isWhitespace)
    let isPasted = !indentation.isEmpty && !request.isQuestion && pastedAtStart.hasPrefix(indentation)
    return isPasted ? .pastedLine(text) : .line(text)
  }

  // Recall.

  mutating func recalled(_ back: Int) -> EditText? {
    while !recallEnded, recalled.count <= back {
      guard let line = request.recall.line(recalled.count) else {
        recallEnded = true
        break
      }
      recalled.append(EditText(line))
    }
    return back >= 0 && back < recalled.count ? recalled[back] : nil
  }

  /// What is put on the line for one, its long pastes folded.
  mutating func shown(_ back: Int, knowing pastes: [String]) -> EditText? {
    guard let text = recalled(back) else { return nil }
    // Only pasted white space is recalled at the start of a line.
    pastedAtStart = expanded(text)
    let shown = refolded[back] ?? refolded(text, knowing: pastes)
    refolded[back] = shown
    return shown
  }

  // Folded pastes.

  private static let firstFolded: EditUnit = 0x110000

  /// What stands for a paste in the line: the text itself, or one value that is no Unicode scalar.
  mutating func fold(_ bytes: [UInt8]) -> EditText {
    let text = String(pasted: bytes)
    return Self.isLong(text) ? folded(text) : EditText(text)
  }

  private static func isLong(_ text: String) -> Bool {
    text.utf8.count > 4000 || text.utf8.count { $0 == UInt8(ascii: "\n") } >= 16
  }

  /// An earlier line with the pastes of this run folded as they were; what was typed stays open.
  mutating func refolded(_ text: EditText, knowing pastes: [String]) -> EditText {
    let whole = String(String.UnicodeScalarView(text.compactMap { Unicode.Scalar(UInt32(bitPattern: $0)) }))
    guard Self.isLong(whole) else { return text }
    return Self.parts(of: Data(whole.utf8), around: pastes.map { Data($0.utf8) }).flatMap { part in
      let text = String(decoding: part.bytes, as: UTF8.self)
      return part.isPaste ? folded(text) : foldedIfLong(EditText(text))
    }
  }

  private typealias Part = (bytes: Data, isPaste: Bool)

  private static func parts(of bytes: Data, around pastes: [Data]) -> [Part] {
    pastes.reduce([(bytes, false)]) { parts, paste in
      parts.flatMap { $0.isPaste ? [$0] : Self.parts(of: $0.bytes, around: paste) }
    }
  }

  private static func parts(of bytes: Data, around paste: Data) -> [Part] {
    var parts: [Part] = []
    var rest = bytes
    while let found = rest.range(of: paste) {
      if found.lowerBound > rest.startIndex { parts.append((rest[..<found.lowerBound], false)) }
      parts.append((rest[found], true))
      rest = rest[found.upperBound...]
    }
    return rest.isEmpty ? parts : parts + [(rest, false)]
  }

  /// The pastes that a text holds, whole.
  func pastes(in text: EditText) -> [String] { text.compactMap { isFolded($0) ? folded(at: $0) : nil } }

  /// Text that is no paste is folded only where drawing it at each key would be felt.
  mutating func foldedIfLong(_ text: EditText) -> EditText {
    text.count > 50_000 ? folded(expanded(text)) : text
  }

  private mutating func folded(_ text: String) -> EditText {
    folded.append(text)
    return [Self.firstFolded + EditUnit(folded.count - 1)]
  }

  private func folded(at value: EditUnit) -> String? {
    let index = Int(value - Self.firstFolded)
    return folded.indices.contains(index) ? folded[index] : nil
  }

  func label(_ value: EditUnit) -> String {
    guard let text = folded(at: value) else { return "?" }
    let newlines = text.utf8.count { $0 == UInt8(ascii: "\n") }
    let lines = newlines + (text.utf8.last == UInt8(ascii: "\n") ? 0 : 1)
    let size = lines > 1 ? "\(lines) lines" : "\(text.count) characters"
    return "[paste \(value - Self.firstFolded + 1): \(size)]"
  }

  /// The text with every paste unfolded.
  func expanded(_ text: some Sequence<EditUnit>) -> String {
    var string = ""
    var scalars = String.UnicodeScalarView()
    for value in text {
      if let scalar = Unicode.Scalar(UInt32(bitPattern: value)) {
        scalars.append(scalar)
      } else if let paste = folded(at: value) {
        string += String(scalars) + paste
        scalars = String.UnicodeScalarView()
      }
    }
    return string + String(scalars)
  }

  func isFolded(_ value: EditUnit) -> Bool { value >= Self.firstFolded }

  // Undo.

  /// Remembers the line before the key that comes; typing a word is one step, and so is a paste.
  mutating func noteForUndo(_ state: State, isPaste: Bool = false) {
    defer { (lastSeen, wasPasted) = (state, isPaste) }
    guard let lastSeen, lastSeen.text != state.text else { return }
    let isTyping =
      !wasPasted && state.text.count == lastSeen.text.count + 1 && state.cursor == lastSeen.cursor + 1
      && ![10, 32].contains(state.text[lastSeen.cursor])
    if !isTyping || typedUpTo != lastSeen.cursor { undo.append(lastSeen) }
    typedUpTo = isTyping ? state.cursor : nil
  }

  mutating func undone() -> State? {
    typedUpTo = nil
    guard let before = undo.popLast() else { return nil }
    lastSeen = before
    return before
  }
}
