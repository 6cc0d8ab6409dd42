/// What happens while an answer is written. The same events feed the screen and the history.
package enum ChatEvent: Sendable, Equatable {
  /// The server accepted the question; its own name for the model, when it says one.
  case started(model: String?)
  /// More of the answer. Pieces that arrive together are joined.
  case text(String)
  /// More of what the model thinks.
  case reasoning(String)
  /// A call has begun to come; nil while its name is not known. Its `toolCall` may follow, or not.
  case toolCallComing(name: String?)
  /// A whole call. It is carried out when the answer has ended as it should, and not before.
  case toolCall(ToolCall)
  /// Counts so far; the last one counts.
  case usage(Usage)
  /// Which conversation of the server's own the answer is of; it is kept with ours.
  case conversation(id: String)
  /// What the server calls the two messages of the turn; it is kept with ours.
  case named(RemoteName)
  /// The answer as it stands on the server, where that is not what came piece by piece.
  case revised(String)
  /// What an agent does by itself, or more of it: the whole of what is known, by its id.
  case activity(Activity)
  /// An agent waits for the person.
  case question(AgentQuestion)
  /// A name that the server gives the conversation; nil takes it back.
  case title(String?)
  /// Something worth saying that is not part of the answer.
  case notice(Notice)
  /// The server's end mark. An answer that ends without one was cut off.
  case finished(FinishReason)
}

/// A fact about an answer on its way; the wording is the shell's.
package enum Notice: Sendable, Equatable {
  /// The server is busy or still loading: asked again after so many seconds (repeated each second while it counts down).
  case waiting(Wait, seconds: Int)
  /// The server refused to stream; the answer comes in one piece.
  case notStreamed
  /// The model's template refused the system role; its prompt is sent at the beginning of the first question.
  case systemPromptMoved
  /// The server refused the value of a setting of the request; the request was sent without it.
  case settingLeftOut(key: String, value: Double)
  /// A line of the stream could not be read and was passed over.
  case unreadable(String)
  /// The server sent several answers at once: only the first is shown.
  case otherAnswers
  /// The server said that it would not answer; the text is its refusal.
  case refusal
  /// The server takes no tools in its own way: the model is told of them in words.
  case toolsInText
  /// The text seems to hold a tool call in a form that is not known: nothing was run.
  case callNotUnderstood
  /// The model went on with a result that it made up; that is left out.
  case imaginedResult
  /// The agent begins a conversation anew: of what was said before it knows nothing.
  case newConversation
  /// The agent goes on with a conversation that it kept.
  case resumedConversation
  /// The agent is still at the answer that was stopped; it is waited for.
  case stillBusy
  /// The connection to the agent was lost, and is being made again.
  case connectionLost
  /// It stands again, and the agent goes on where it was.
  case connectedAgain
  /// Nothing has come since then.
  case nothingHeard
  /// A file that the message names, and that cannot go along with it.
  case leftOut(file: String)
  /// Somebody went on with the conversation elsewhere: this message is a branch beside that.
  case wentOnElsewhere
  /// Which model a router chose, and by which of its routes.
  case routed(model: String?, route: String?)
  /// The server remembers nothing: what was said before goes along with the message.
  case foldsHistory
  /// The server was thought to know what was said before, and did not.
  case forgotHistory
  /// The server answers by another model than the one that was asked.
  case modelReplaced(asked: String, by: String)
  /// It was stopped, and the server could not be told.
  case mayRunOn
  /// What the agent tells besides its answer, in its words: not to be trusted.
  case said(String)
  /// Why it stopped before its end, in the word of its protocol.
  case stopped(String)
  /// Something odd about what came, for `--verbose`; not to be trusted.
  case log(String)

  /// Why a request is asked again later.
  package enum Wait: Sendable, Equatable {
    case rateLimited, overloaded, loadingModel
  }
}
