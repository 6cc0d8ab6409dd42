import Transport
import Wire

/// `/runtime/tools`: the tool servers themselves, with MCP (docs/kamiwaza.md 6.2). The prefix is stripped before them,
/// and the sign-in stays here.
enum ToolRoutes {
  static let all = ["GET", "POST", "DELETE"].map { method in
    Route(method, "/runtime/tools/{deployment_id}/{path...}", at: .site, signedIn: forward)
  }

  @Sendable private static func forward(_ call: Call, _ playground: Playground, _: Identity) async throws(Refusal)
    -> Reply
  {
    let id = call.parameters["deployment_id"]
    guard let tool = Tools.all(playground.options).first(where: { $0.id == id && !$0.isElsewhere }) else {
      throw Refusal(404, "Not Found")
    }
    guard let upstream = tool.upstream else { throw Refusal(.text("no healthy upstream", status: 503)) }
    let path = "/" + (call.parameters["path"] ?? "")
    let query = call.queryText.isEmpty ? "" : "?" + call.queryText
    // A tool may work for minutes, and a stream of events may say nothing for as long.
    let request = HTTPRequest(
      call.method, upstream + path + query, headers: handedOn(call.headers),
      body: call.method == "POST" ? call.body : nil, headersTimeout: nil, acceptsCompression: false, bodyLimit: .max)
    do throws(TransportError) {
      return reply(to: try await playground.http.send(request))
    } catch {
      throw Refusal(.text("upstream connect error or disconnect/reset before headers", status: 503))
    }
  }

  private static func handedOn(_ headers: [String: String]) -> [(name: String, value: String)] {
    let wanted = ["accept", "content-type", "last-event-id"]
    return headers.filter { wanted.contains($0.key) || $0.key.hasPrefix("mcp-") }
      .map { (name: $0.key, value: $0.value) }
  }

  private static func reply(to response: HTTPResponse) -> Reply {
    let type = response[header: "Content-Type"] ?? "application/json"
    let isEvents = type.lowercased().hasPrefix("text/event-stream")
    var reply = Reply(
      status: response.status, type: type, body: isEvents ? .events(response.body) : .stream(response.body))
    for header in response.headers {
      let name = header.name.lowercased()
      if ["allow", "location", "cache-control"].contains(name) || name.hasPrefix("mcp-") {
        reply.headers.append(header)
      }
    }
    return reply
  }
}
