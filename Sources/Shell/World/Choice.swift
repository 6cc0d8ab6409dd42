package import Chat

/// A question that few words answer, for whoever asks it in a way of their own.
package struct Choice: Sendable, Equatable {
  /// What would be done; nil where the prompt says it all.
  package var subject: Activity?
  /// The `id` of each is the line that answers so.
  package var answers: [PermissionOption]

  package init(_ subject: Activity? = nil, _ answers: [PermissionOption]) {
    self.subject = subject
    self.answers = answers
  }

  /// Yes or no.
  static let yesOrNo = Choice(
    nil,
    [
      PermissionOption(id: "y", name: "Yes", kind: .allowOnce),
      PermissionOption(id: "n", name: "No", kind: .rejectOnce),
    ])
}
