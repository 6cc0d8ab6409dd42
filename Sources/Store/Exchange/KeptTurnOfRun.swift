import Chat

extension KeptTurn {
  /// A turn that is only in this run, as its rows would be.
  package init(_ turn: Turn, number: Int, parent: Int?) {
    var messages = [KeptMessage(.user, turn.question, createdAt: turn.createdAt)]
    for step in turn.steps {
      var round = KeptMessage(.assistant, step.text, createdAt: turn.createdAt)
      round.reasoning = step.reasoning
      round.model = step.model
      round.toolCalls = StoredCall.column(step.calls)
      round.usage = step.usage ?? Usage()
      messages.append(round)
      for call in step.calls {
        var result = KeptMessage(.tool, call.result?.text ?? "", createdAt: turn.createdAt)
        (result.toolName, result.toolCallID) = (call.call.name, call.call.id)
        result.toolStatus = call.result?.status.rawValue
        (result.toolResult, result.toolMs) = (call.result?.whole, call.result?.milliseconds)
        messages.append(result)
      }
    }
    if let said = turn.answer {
      var answer = KeptMessage(.assistant, said.text, createdAt: turn.createdAt)
      answer.reasoning = said.reasoning
      answer.status = said.status ?? .interrupted
      (answer.model, answer.server, answer.error) = (said.model, said.server, said.error)
      answer.usage = said.usage ?? Usage()
      (answer.firstTokenMs, answer.totalMs) = (said.timing?.firstTokenMs, said.timing?.totalMs)
      messages.append(answer)
    }
    self.init(number: number, parent: parent, createdAt: turn.createdAt, files: turn.files, messages: messages)
    (contextStart, contextEnd) = (turn.contextStart, turn.contextEnd)
  }
}
