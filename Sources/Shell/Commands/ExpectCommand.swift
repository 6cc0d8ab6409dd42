import Chat
import Text

extension Commands {
  /// A line of a script that fails where the answer is not as wanted: a prompt's regression test is a text file.
  static let expect = Command(
    "expect", .shell, summary: "fail unless the last answer is as wanted",
    forms: [
      Form(.required(.pattern), summary: "it has these words, or fits /REGEX/") {
        shell, match throws(ShellError) in
        try shell.expect(match.prose, isThere: true)
      },
      Form(.word("not"), .required(.pattern), summary: "it has none of that") { shell, match throws(ShellError) in
        try shell.expect(match.prose(from: 1), isThere: false)
      },
      Form(.word("status"), .required(.status), summary: "it ended so") { shell, match throws(ShellError) in
        try shell.expect(status: match[0], isSo: true)
      },
    ],
    unlisted: [
      Form(.word("not"), .word("status"), .required(.status)) { shell, match throws(ShellError) in
        try shell.expect(status: match[0], isSo: false)
      }
    ],
    examples: ["/expect Paris", "/expect /\\b4[0-9]\\b/", "/expect not /sorry/i", "/expect status complete"],
    details: """
      Of an answer that is as wanted nothing is said. Else it is an error like others: a script goes on, and ends with \
      status 1, or with on-error stop ends there with status 3. Words are looked for as they are written; a regular \
      expression is PCRE2's, /REGEX/i takes any case, ^ and $ are the ends of a line, and . is any character but a newline.
      """)
}

extension Shell {
  fileprivate var lastAnswer: (turn: Int, text: String, status: AnswerStatus?) {
    get throws(ShellError) {
      guard let turn = talk.conversation.path.last, let answer = turn.answer else { throw .noAnswer(.nothingToShow) }
      return (turn.number, answer.text, answer.status)
    }
  }

  fileprivate func expect(status word: String, isSo: Bool) throws(ShellError) {
    guard let wanted = AnswerStatus(rawValue: word) else { throw .badStatus(word) }
    let answer = try lastAnswer
    guard (answer.status == wanted) != isSo else { return }
    throw .notAsExpected(
      isSo ? .status(answer.status?.rawValue ?? "") : .notStatus, wanted: word, turn: answer.turn, said: answer.text)
  }

  fileprivate func expect(_ wanted: String, isThere: Bool) throws(ShellError) {
    let answer = try lastAnswer
    // Of a question of which nothing came it is said once why.
    if answer.text.isEmpty, answer.status == .failed { throw .noAnswer(.nothingIn(turn: answer.turn)) }
    let pattern = try ExpectedPattern(wanted)
    guard try pattern.isFound(in: answer.text) != isThere else { return }
    throw .notAsExpected(isThere ? .without : .with, wanted: wanted, turn: answer.turn, said: answer.text)
  }
}
