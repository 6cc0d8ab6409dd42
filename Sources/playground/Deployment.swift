import Wire

/// A model that is deployed, or was meant to be.
struct Deployment: Sendable {
  enum Kind: Sendable {
    /// The one that was given on the command line answers.
    case chat, embedding, transcription
    /// The playground itself answers, with a script that calls tools.
    case toolDemo
  }

  var id: String
  var modelID: String
  var name: String?
  /// What a request names it by.
  var canonicalID: String
  var kind = Kind.chat
  var engine = "llamacpp"
  var status = "DEPLOYED"
  var requestedAt: String
  var deployedAt: String?
  var errorCode: String?
  var errorMessage: String?
  var contextWindow: Int?
  /// A port of its own instead of a path.
  var port = 0
  /// Deployed, as its row says, and none of its copies is there yet.
  var isCopying = false

  var isRunning: Bool { status == "DEPLOYED" && !isCopying }

  var capabilities: [String] {
    switch kind {
    case .chat: ["chat"]
    case .embedding: ["embedding"]
    case .transcription: ["transcribe"]
    case .toolDemo: ["chat", "tools"]
    }
  }

  func answers(to name: String) -> Bool { [self.name, canonicalID, id].contains(name) }

  mutating func stop() {
    status = "STOPPED"
    deployedAt = nil
  }

  mutating func start() {
    status = "DEPLOYED"
    deployedAt = Timestamps.naive()
    (errorCode, errorMessage) = (nil, nil)
  }

  mutating func fail(code: String, message: String) {
    status = "FAILED"
    deployedAt = nil
    (errorCode, errorMessage) = (code, message)
  }

  /// UIModelDeployment of the first specification (docs/kamiwaza.md 9), which does not say where it is asked.
  var seedJSON: JSON {
    [
      "id": .string(id), "m_id": .string(modelID), "m_name": text(name), "status": .string(status),
      "requested_at": .string(requestedAt), "deployed_at": text(deployedAt), "instances": .array(instances),
    ]
  }

  /// UIModelDeployment (docs/kamiwaza.md 4.2); `base` is where models are, below the root of the installation
  /// (docs/kamiwaza.md 4.4).
  func json(below base: String) -> JSON {
    let path = port == 0 ? JSON.string("\(base)/\(id)") : .null
    return [
      "id": .string(id), "m_id": .string(modelID), "m_config_id": .string(Sample.id("config", id)), "m_file_id": .null,
      "m_name": text(name), "m_config_name": "default", "canonical_model_id": .string(canonicalID),
      "status": .string(status), "requested_at": .string(requestedAt), "created_at": .string(requestedAt),
      "deployed_at": text(deployedAt), "instances": .array(instances), "engine": .string(engine),
      "engine_name": .string(engine), "container": "kamiwaza", "min_copies": 1, "starting_copies": 1,
      "lb_port": .int(port), "access_path": path, "access_path_prefix": .null, "serve_path": .string("/\(id)"),
      "features": .array(kind == .toolDemo ? ["tools"] : []), "capabilities": .array(capabilities.map(JSON.string)),
      "context_window": contextWindow.map(JSON.int) ?? .null, "tool_calling": .null,
      "last_error_code": text(errorCode), "last_error_message": text(errorMessage),
      "last_error_at": errorCode == nil ? .null : .string(requestedAt), "last_success_at": text(deployedAt),
      "owner_user_id": .string(User.all[1].id), "workroom_id": .null, "host_ip": "127.0.0.1",
    ]
  }

  /// ActiveModelDeployment of the first specification (docs/kamiwaza.md 9); nil when it is not running. `base` is
  /// where models are.
  func active(at base: String) -> JSON? {
    guard isRunning else { return nil }
    return [
      "id": .string(id), "m_id": .string(modelID), "m_name": .string(name ?? canonicalID), "status": .string(status),
      "instances": .array(instances), "lb_port": .int(port),
      "endpoint": .string("\(base)/\(id)/v1"),
    ]
  }

  private var instances: [JSON] {
    let state: String
    switch status {
    case "DEPLOYED": state = isCopying ? "COPYING_FILES" : "DEPLOYED"
    case "INITIALIZING": state = "COPYING_FILES"
    default: return []
    }
    return [
      [
        "id": .string(Sample.id("instance", id)), "deployment_id": .string(id),
        "deployed_at": .string(deployedAt ?? requestedAt), "container_id": .string("kz-\(id.prefix(8))"),
        "node_id": .string(Sample.id("node", "")), "host_name": "node-1", "listen_port": 8000,
        "status": .string(state),
      ]
    ]
  }

  private func text(_ text: String?) -> JSON { text.map(JSON.string) ?? .null }
}

/// Identifiers that are the same on every start.
enum Sample {
  /// A UUID made of a kind and a name.
  static func id(_ kind: String, _ name: String) -> String {
    var bytes = Array(Tokens.digest(Array("\(kind)/\(name)".utf8)).prefix(16))
    bytes[6] = bytes[6] & 0x0F | 0x40
    bytes[8] = bytes[8] & 0x3F | 0x80
    let digits = bytes.map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }.joined()
    var rest = digits[...]
    let groups = [8, 4, 4, 4, 12].map { count in
      defer { rest = rest.dropFirst(count) }
      return String(rest.prefix(count))
    }
    return groups.joined(separator: "-")
  }
}
