import Shell
import Transport
import Wire

/// What an editor may ask (docs/acp.md 11).
private enum AgentMethod: String {
  case initialize
  case new = "session/new"
  case load = "session/load"
  case resume = "session/resume"
  case list = "session/list"
  case close = "session/close"
  case delete = "session/delete"
  case prompt = "session/prompt"
  case choose = "session/set_config_option"
}

extension AgentServer {
  func take(_ method: String, _ params: JSON) {
    switch method {
    case "session/cancel": session(params)?.editor.cancel()
    case "$/cancel_request":
      guard let id = params["requestId"].flatMap({ RPCID($0) }) else { return }
      state.withLock { Array($0.sessions.values) }.first { $0.prompt == id }?.editor.cancel()
    default: break
    }
  }

  /// False for a method there is not.
  func take(_ request: RPCRequest) -> Bool {
    guard let method = AgentMethod(rawValue: request.method) else { return false }
    do throws(RPCFailure) { try serve(method, request, request.params ?? .null) } catch {
      answer(request, .failure(error))
    }
    return true
  }

  private func serve(_ method: AgentMethod, _ request: RPCRequest, _ params: JSON) throws(RPCFailure) {
    let (hasGreeted, isEnding) = state.withLock { ($0.client != nil, $0.ending != nil) }
    guard !isEnding else { throw RPCFailure(code: RPCFailure.internalError, message: "parley is ending") }
    guard hasGreeted || method == .initialize else {
      throw RPCFailure(code: RPCFailure.invalidRequest, message: "initialize comes first")
    }
    switch method {
    case .initialize: greet(request, params)
    case .new: try begin(request, params)
    case .load: try takeUp(request, params, replays: true)
    case .resume: try takeUp(request, params, replays: false)
    case .list: try list(request, params)
    case .close: try close(request, params, forgets: false)
    case .delete: try close(request, params, forgets: true)
    case .prompt: try prompt(request, params)
    case .choose: try choose(request, params)
    }
  }

  private func greet(_ request: RPCRequest, _ params: JSON) {
    let client = Client(params)
    state.withLock { $0.client = client }
    answer(request, .success(client.greeting(version: making.version)))
  }

  func session(_ params: JSON) -> ServedSession? {
    guard let id = params["sessionId"]?.string else { return nil }
    return state.withLock { $0.sessions[id] }
  }

  /// The session that is meant, which is open.
  func required(_ params: JSON) throws(RPCFailure) -> (String, ServedSession) {
    let id = try params.sessionID
    guard let session = state.withLock({ $0.sessions[id] }) else { throw .notOpen }
    return (id, session)
  }
}

extension JSON {
  var sessionID: String {
    get throws(RPCFailure) {
      guard let id = self["sessionId"]?.string, !id.isEmpty else { throw .invalid("sessionId is missing") }
      return id
    }
  }
}
