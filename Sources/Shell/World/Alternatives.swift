package import Chat

/// The answers to a question that has few, for whoever asks it in a way of their own.
package struct Alternatives: Sendable, Equatable {
  /// What would be done; nil where the prompt says it all.
  package var subject: Activity?
  package var answers: [Answer]
  /// The line that allows nothing.
  package var refusal: String

  package struct Answer: Sendable, Equatable {
    /// What would be typed.
    package var line: String
    /// For people.
    package var name: String
    package var kind: PermissionOption.Kind

    package init(_ line: String, _ name: String, _ kind: PermissionOption.Kind) {
      self.line = line
      self.name = name
      self.kind = kind
    }
  }

  package init(about subject: Activity? = nil, _ answers: [Answer], refusal: String = "n") {
    self.subject = subject
    self.answers = answers
    self.refusal = refusal
  }

  static let yesOrNo = Alternatives([Answer("y", "Yes", .allowOnce), Answer("n", "No", .rejectOnce)])
}
