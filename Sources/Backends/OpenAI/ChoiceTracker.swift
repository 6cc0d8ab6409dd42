/// Decides which choices of a stream belong to the answer that is shown.
///
/// Some gateways use the index of a content block as the index of the choice; such an index only rises. Several answers
/// are recognized by two choices in one chunk, by an index that falls, or by a second opening role.
struct ChoiceTracker {
  enum Decision { case shown, hidden, undecided }

  /// The index of the shown choice; with content blocks, that of the last one.
  private(set) var followed: Int?
  /// Whether the index tells several answers apart.
  private(set) var hasSeveralAnswers = false
  private var first: Int?
  private var indexOfRole: Int?
  /// Whether the server sends the role with every delta, so that it does not mean a new answer.
  private var repeatsRole = false

  /// `isFinished` if the answer has a finish reason. After `undecided`, the next chunk tells: the choice is hidden if
  /// there are several answers by then.
  mutating func decide(_ choice: OpenAIChunk.Choice, isOneOfSeveral: Bool, isFinished: Bool) -> Decision {
    let shown = first ?? choice.index
    first = shown
    if isOneOfSeveral || startsAnotherAnswer(choice) { hasSeveralAnswers = true }
    if hasSeveralAnswers { followed = shown }
    guard let followed else {
      self.followed = choice.index
      return .shown
    }
    if choice.index == followed { return .shown }
    if hasSeveralAnswers || isFinished { return .hidden }
    guard choice.parts.saysSomething else { return .shown }
    self.followed = choice.index
    return choice.finishReason == nil && choice.error == nil ? .undecided : .shown
  }

  private mutating func startsAnotherAnswer(_ choice: OpenAIChunk.Choice) -> Bool {
    let saysSomething = choice.parts.saysSomething
    if saysSomething, let followed, choice.index < followed { return true }
    guard choice.parts.hasRole else { return false }
    guard let indexOfRole, indexOfRole != choice.index else {
      repeatsRole = self.indexOfRole != nil
      self.indexOfRole = choice.index
      return false
    }
    return !saysSomething && !repeatsRole
  }
}
