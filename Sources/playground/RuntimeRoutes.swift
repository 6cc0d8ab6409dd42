import Transport
import Wire

/// The models themselves, with the OpenAI API (docs/kamiwaza.md 5).
enum RuntimeRoutes {
  /// Where they are: the first specification leaves that to the `endpoint` of each (docs/kamiwaza.md 9), 0.9 to
  /// `access_path`, and so they are at other places here, which nobody can guess.
  static func base(_ options: Options) -> String {
    if options.seedShape { return "/inference" }
    return options.release == .old ? "/models" : "/runtime/models"
  }

  /// What a request names a model by: the first specification knows no other name than the one that is shown
  /// (docs/kamiwaza.md 9).
  private static func name(of deployment: Deployment, _ options: Options) -> String {
    options.seedShape ? deployment.name ?? deployment.canonicalID : deployment.canonicalID
  }

  static func all(_ options: Options) -> [Route] {
    let model = base(options) + "/{deployment_id}/v1"
    let chat = Route("POST", model + "/chat/completions", at: .site, signedIn: chat)
    return options.seedShape ? [chat] : [Route("GET", model + "/models", at: .site, signedIn: models), chat]
  }

  @Sendable private static func models(_ call: Call, _ playground: Playground, _: Identity) async throws(Refusal)
    -> Reply
  {
    let deployment = try await find(call, playground)
    let model: JSON = [
      "id": .string(deployment.canonicalID), "object": "model", "created": 1_770_000_000, "owned_by": "kamiwaza",
      "max_model_len": deployment.contextWindow.map(JSON.int) ?? .null,
    ]
    return .json(["object": "list", "data": [model]])
  }

  @Sendable private static func chat(_ call: Call, _ playground: Playground, _: Identity) async throws(Refusal) -> Reply
  {
    let deployment = try await find(call, playground)
    let address = playground.options.model
    guard deployment.kind == .toolDemo || (deployment.kind == .chat && address != nil) else {
      throw .engine(400, "\(deployment.canonicalID) does not support chat", type: "invalid_request_error")
    }
    guard var body = call.json else {
      throw .engine(400, "the body is not a JSON object", type: "invalid_request_error")
    }
    // It may be left out (docs/kamiwaza.md 5), but it must not be another's.
    if let model = body["model"]?.string, model != name(of: deployment, playground.options) {
      throw .engine(404, "The model `\(model)` does not exist.", type: "NotFoundError")
    }
    guard let address, deployment.kind == .chat else {
      return ToolDemo(body).reply(as: deployment.canonicalID, isStreamed: body["stream"]?.bool ?? false)
    }
    body["model"] = playground.servedModel.map(JSON.string)
    return try await forward(body.bytes(), to: address + "/chat/completions", by: playground.http)
  }

  private static func forward(_ body: [UInt8], to address: String, by http: any HTTP) async throws(Refusal) -> Reply {
    let request = HTTPRequest(
      "POST", address, headers: [("Content-Type", "application/json")], body: body, headersTimeout: nil,
      acceptsCompression: false, bodyLimit: .max)
    do throws(TransportError) {
      let response = try await http.send(request)
      let type = response[header: "Content-Type"] ?? "application/json"
      return Reply(status: response.status, type: type, body: .stream(response.body))
    } catch {
      throw Refusal(.text("upstream connect error or disconnect/reset before headers", status: 503))
    }
  }

  /// A running deployment; the ingress speaks for one that is not.
  private static func find(_ call: Call, _ playground: Playground) async throws(Refusal) -> Deployment {
    guard let deployment = await playground.deployments[call.parameters["deployment_id"] ?? ""] else {
      throw Refusal(404, "Not Found")
    }
    guard deployment.isRunning else { throw Refusal(.text("no healthy upstream", status: 503)) }
    return deployment
  }
}
