import Chat
import Wire

extension ChatEvent {
  /// The same event with each of its texts mapped by `mask`. Names that are sent back to the server as they came, and
  /// counts, are left.
  func masked(_ mask: (String) -> String) -> ChatEvent {
    switch self {
    case .started(let model): .started(model: model.map(mask))
    case .text(let text): .text(mask(text))
    case .reasoning(let text): .reasoning(mask(text))
    case .toolCallComing(let name): .toolCallComing(name: name.map(mask))
    case .toolCall(let call): .toolCall(call.masked(mask))
    case .conversation(let id): .conversation(id: mask(id))
    case .revised(let text): .revised(mask(text))
    case .activity(let activity): .activity(activity.masked(mask))
    case .question(let question): .question(question.masked(mask))
    case .title(let title): .title(title.map(mask))
    case .notice(let notice): .notice(notice.masked(mask))
    case .finished(.other(let word)): .finished(.other(mask(word)))
    case .finished, .usage, .named: self
    }
  }
}

extension ToolCall {
  fileprivate func masked(_ mask: (String) -> String) -> ToolCall {
    var call = self
    call.name = mask(name)
    call.arguments =
      switch arguments {
      case .object(let json): .object(json.masked(mask))
      case .broken(let text, let problem): .broken(mask(text), problem)
      }
    return call
  }
}

extension Activity {
  fileprivate func masked(_ mask: (String) -> String) -> Activity {
    var activity = self
    activity.title = mask(title)
    activity.kind = mask(kind)
    activity.places = places.map { Place(path: mask($0.path), line: $0.line) }
    activity.input = input?.masked(mask)
    activity.output = output?.masked(mask)
    activity.content = content.map { content in
      switch content {
      case .block(let block): .block(block.masked(mask))
      case .diff(let change):
        .diff(
          FileChange(
            path: mask(change.path), old: change.old.map(mask), new: mask(change.new),
            replacesUnseen: change.replacesUnseen))
      case .plan(let entries):
        .plan(entries.map { PlanEntry(text: mask($0.text), status: $0.status, priority: mask($0.priority)) })
      case .terminal: content
      }
    }
    return activity
  }
}

extension ToolContent {
  fileprivate func masked(_ mask: (String) -> String) -> ToolContent {
    switch self {
    case .text(let text): return .text(mask(text))
    case .link(var link):
      link.uri = mask(link.uri)
      link.name = mask(link.name)
      link.title = link.title.map(mask)
      link.summary = link.summary.map(mask)
      return .link(link)
    case .resource(var resource):
      resource.uri = mask(resource.uri)
      if case .text(let text) = resource.body { resource.body = .text(mask(text)) }
      return .resource(resource)
    case .other(let kind): return .other(mask(kind))
    case .image, .audio: return self
    }
  }
}

extension AgentQuestion {
  /// The act that is asked about is left: it is done as it is shown.
  fileprivate func masked(_ mask: (String) -> String) -> AgentQuestion {
    var question = self
    switch subject {
    case .permission(let activity, let options):
      question.subject = .permission(
        activity.masked(mask), options.map { PermissionOption(id: $0.id, name: mask($0.name), kind: $0.kind) })
    case .words(let message, let subject): question.subject = .words(message: mask(message), subject)
    case .act: break
    }
    return question
  }
}

extension Notice {
  fileprivate func masked(_ mask: (String) -> String) -> Notice {
    switch self {
    case .unreadable(let text): .unreadable(mask(text))
    case .leftOut(let file): .leftOut(file: mask(file))
    case .routed(let model, let route): .routed(model: model.map(mask), route: route.map(mask))
    case .modelReplaced(let asked, let model): .modelReplaced(asked: asked, by: mask(model))
    case .said(let text): .said(mask(text))
    case .stopped(let word): .stopped(mask(word))
    case .log(let text): .log(mask(text))
    default: self
    }
  }
}

extension JSON {
  fileprivate func masked(_ mask: (String) -> String) -> JSON { mappingTexts(mask, keys: mask) }
}

extension BackendError {
  /// The same failure without our secrets in the server's words.
  func masked(by mask: SecretMask) -> BackendError {
    switch self {
    case .unauthorized(let address, let message): .unauthorized(address: address, message: mask(message))
    case .contextExceeded(let message, let prompt, let context):
      .contextExceeded(message: mask(message), promptTokens: prompt, contextTokens: context)
    case .modelNotFound(let name, let message): .modelNotFound(name: name, message: mask(message))
    case .rateLimited(let address, let message, let seconds):
      .rateLimited(address: address, message: mask(message), retryAfter: seconds)
    case .refused(let address, let status, let message):
      .refused(address: address, status: status, message: mask(message))
    case .failed(let message): .failed(message: mask(message))
    case .malformed(let address, let detail): .malformed(address: address, detail: mask(detail))
    case .agentSignIn(let message, let ways): .agentSignIn(message: mask(message), ways)
    case .exited(let program, let status, let words):
      .exited(program: program, status: status, lastWords: mask(words))
    default: self
    }
  }
}
