package import Chat
package import Store

/// Shows a conversation in a way of its own, as an editor does: told in values what a terminal is shown of an answer.
package protocol TurnObserver: Sendable {
  /// Called in order, and never waits.
  func happened(_ event: TurnEvent)
}

/// What happens while a line is run.
package enum TurnEvent: Sendable {
  /// What the server says, as it comes.
  case answer(ChatEvent)
  /// The model asks for a tool: whether it is carried out is not decided yet.
  case asked(StoredCall)
  /// The call of this id is carried out now.
  case running(String)
  /// It has ended, or is not carried out: it has its result.
  case done(StoredCall)
  /// Something failed. Of what ends a turn it comes before `ended`.
  case complaint(Complaint)
  /// The person does not want the model to ask for tools any more in this turn.
  case enoughRounds
  /// The answer has ended, with what the whole turn took, and whether the message is forgotten by whoever keeps the
  /// conversation.
  case ended(AnswerStatus, Usage, isForgotten: Bool)
}
