package import Text

/// Where lines come from: the line editor, standard input, a script, a transcript.
package protocol LineSource: Sendable {
  func next(_ request: LineRequest) async -> LineResult
}

package enum LineResult: Sendable, Equatable {
  /// A line without its newline; it has several lines when it was pasted or edited so.
  case line(String)
  /// A line whose white space at the start was pasted: unlike a space that is typed there, it belongs to the message.
  case pastedLine(String)
  /// A line of a script with bytes that are not UTF-8: U+FFFD stands in their place.
  case repairedLine(String)
  /// The script is not text: a line has a NUL, or the mark of UTF-16.
  case notText
  /// Ctrl-C; `hadText` when it cleared something.
  case interrupted(hadText: Bool)
  /// Ctrl-D at an empty prompt, or the end of the input.
  case end
  /// SIGTERM or SIGHUP, and what stood on the line then.
  case signal(Int32, draft: String = "")
}

/// What a line editor needs to know to read one line.
package struct LineRequest: Sendable {
  package var prompt: StyledText
  /// The same as it stands by now, each time the line is drawn; nil where it does not change.
  package var promptNow: (@Sendable () -> StyledText)?
  /// Text put back on the line, to be mended: typing goes on at its end, and a `/` typed first begins anew in its place.
  package var initial: String
  /// Earlier lines, for Up and Ctrl-R.
  package var recall: any Recall
  /// Whether the newest of them that begins with what is typed is shown behind the cursor, to be taken.
  package var suggests: Bool
  /// The line and the cursor in it, counted in Unicode scalars, to what Tab offers.
  package var complete: @Sendable (_ line: String, _ cursor: Int) -> Completion
  /// The command of the person's editor for Ctrl-X Ctrl-E, as a shell would read it.
  package var editor: String
  /// `emacs` or `vi`.
  package var editing: String
  /// What is typed is not shown, and nothing of the editor takes part (docs/rules.md C8).
  package var isSecret: Bool
  package var typedAhead: TypedAhead
  /// Asked in the middle of something: a Ctrl-C that came before it, while nothing could be stopped, is its answer.
  package var isQuestion: Bool
  /// Whether a line end always enters the line. Of a paste only the first line is taken: the next may be a password.
  package var isOneLine: Bool
  /// The answers there are, where they are few.
  package var alternatives: Alternatives?

  /// What becomes of input that was typed before the prompt was drawn.
  package enum TypedAhead: Sendable {
    /// It is read as the line. The default of a prompt. A question accepts it only where nobody can mistake what the
    /// words were typed for, and says why.
    case accepted
    /// It is left for the next prompt that accepts it: nobody agrees to a question that they have not seen. The default
    /// of a question.
    case left
    /// It is discarded, and the user is told. The default of a secret, as in ssh(1): the text may be a message, which the
    /// server must not get as a password, or a password, which must not become a message.
    case discarded
  }

  /// - Parameter typedAhead: nil is the default of a secret, a question or a prompt.
  package init(
    prompt: StyledText, promptNow: (@Sendable () -> StyledText)? = nil, initial: String = "",
    recall: any Recall = NoRecall(), suggests: Bool = false,
    complete: @escaping @Sendable (_ line: String, _ cursor: Int) -> Completion = { _, _ in .none },
    editor: String = "vi", editing: String = "emacs", isSecret: Bool = false, typedAhead: TypedAhead? = nil,
    isQuestion: Bool = false, isOneLine: Bool = false, alternatives: Alternatives? = nil
  ) {
    self.alternatives = alternatives
    self.prompt = prompt
    self.promptNow = promptNow
    self.initial = initial
    self.recall = recall
    self.suggests = suggests
    self.complete = complete
    self.editor = editor
    self.editing = editing
    self.isSecret = isSecret
    self.typedAhead = typedAhead ?? (isSecret ? .discarded : isQuestion ? .left : .accepted)
    self.isQuestion = isQuestion
    self.isOneLine = isOneLine
  }

  /// The whole line, where what was put back cannot be mended: Enter alone takes it, and anything typed takes its place.
  package func whole(_ typed: String) -> String { typed.isEmpty ? initial : typed }
}

/// Earlier lines. Called on the editor's own thread, so it may block for a moment.
package protocol Recall: Sendable {
  /// The line so many steps back, 0 being the newest; nil past the oldest.
  func line(_ back: Int) -> String?
}

package struct NoRecall: Recall {
  package init() {}
  package func line(_ back: Int) -> String? { nil }
}

/// What Tab offers.
package struct Completion: Sendable, Equatable {
  /// The scalars of the line that a candidate replaces.
  package var replaced: Range<Int>
  package var candidates: [Candidate]
  /// How many there are besides `candidates`.
  package var more: Int
  /// What is said where there are none.
  package var note: SafeText
  /// What all begin with, those that are only counted too.
  package var beginning: String

  package init(
    replaced: Range<Int>, candidates: [Candidate], more: Int = 0, beginning: String? = nil, note: SafeText = ""
  ) {
    self.beginning = beginning ?? Completion.beginning(of: candidates.lazy.map(\.text))
    self.note = note
    self.replaced = replaced
    self.candidates = candidates
    self.more = more
  }

  package static let none = Completion(replaced: 0..<0, candidates: [])

  /// What texts have in common before the first letter in which they differ.
  package static func beginning(of texts: some Collection<String>) -> String {
    guard let first = texts.first else { return "" }
    var same = first.utf8.count
    for text in texts.dropFirst() where same > 0 {
      same = zip(first.utf8.prefix(same), text.utf8).prefix { $0 == $1 }.count
    }
    var end = first.startIndex
    while end < first.endIndex, first.utf8.distance(from: first.startIndex, to: first.index(after: end)) <= same {
      end = first.index(after: end)
    }
    // A quote alone is nothing of a name.
    return first[..<end] == "'" ? "" : String(first[..<end])
  }
}

/// One thing that Tab can put on the line.
package struct Candidate: Sendable, Hashable {
  /// Put on the line as it is: already quoted where the line needs it.
  package var text: String
  /// A few words beside it in the list.
  package var summary: String
  /// Whether a space follows when it is the only one; false for a folder, which goes on.
  package var isWhole: Bool

  package init(_ text: String, summary: String = "", isWhole: Bool = true) {
    self.text = text
    self.summary = summary
    self.isWhole = isWhole
  }
}
