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
        guard let wanted = AnswerStatus(rawValue: match[0]) else { throw .badStatus(match[0]) }
        let answer = try shell.lastAnswer
        let status = answer.status?.rawValue ?? ""
        guard status == wanted.rawValue else {
          throw .notAsExpected(.status(status), wanted: match[0], turn: answer.turn)
        }
      },
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

  fileprivate func expect(_ wanted: String, isThere: Bool) throws(ShellError) {
    let answer = try lastAnswer
    let pattern = try ExpectedPattern(wanted)
    guard try pattern.isFound(in: answer.text) != isThere else { return }
    throw .notAsExpected(isThere ? .without : .with, wanted: wanted, turn: answer.turn)
  }
}
