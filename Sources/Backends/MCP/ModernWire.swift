import Foundation
import Wire

/// Requests of 2026-07-28: each stands alone, and says in headers and in `_meta` who asks (docs/mcp.md 3).
enum ModernWire {
  static func message(_ request: MCPRequest, id: Int) -> JSONRPCMessage {
    .request(id: .int(id), method: request.method, params: params(request, id: id))
  }

  static func headers(_ request: MCPRequest) -> [(name: String, value: String)] {
    var headers = [
      (name: "MCP-Protocol-Version", value: MCPVersion.modern), (name: "Mcp-Method", value: request.method),
    ]
    if let name = request.name { headers.append((name: "Mcp-Name", value: headerValue(name))) }
    for mirrored in request.mirrored {
      headers.append((name: "Mcp-Param-\(mirrored.header)", value: headerValue(mirrored.value)))
    }
    return headers
  }

  private static func params(_ request: MCPRequest, id: Int) -> JSON {
    var meta = [
      JSON.Member("io.modelcontextprotocol/protocolVersion", .string(MCPVersion.modern)),
      JSON.Member("io.modelcontextprotocol/clientInfo", MCPClient.info),
      JSON.Member("io.modelcontextprotocol/clientCapabilities", MCPClient.capabilities),
    ]
    if request.wantsProgress {
      meta.append(JSON.Member("progressToken", .int(id)))
    }
    if request.wantsLog { meta.append(JSON.Member("io.modelcontextprotocol/logLevel", "info")) }
    return .object(request.params + [JSON.Member("_meta", .object(meta))])
  }

  /// A value as a header carries it: as it is when it is plain, else in Base64 between marks.
  static func headerValue(_ value: String) -> String {
    let isPlain = value.utf8.allSatisfy { 0x20...0x7E ~= $0 } && !value.hasPrefix(" ") && !value.hasSuffix(" ")
    let looksMarked = value.hasPrefix("=?base64?") && value.hasSuffix("?=")
    return isPlain && !value.isEmpty && !looksMarked ? value : "=?base64?\(Data(value.utf8).base64EncodedString())?="
  }
}

/// Requests of the versions before, which begin with `initialize`.
enum LegacyWire {
  static func message(_ request: MCPRequest, id: Int) -> JSONRPCMessage {
    var params = request.params
    if request.wantsProgress { params.append(JSON.Member("_meta", ["progressToken": .int(id)])) }
    return .request(id: .int(id), method: request.method, params: params.isEmpty ? nil : .object(params))
  }

  static func initialize(id: Int) -> JSONRPCMessage {
    .request(
      id: .int(id), method: "initialize",
      params: [
        "protocolVersion": .string(MCPVersion.newestLegacy), "capabilities": MCPClient.capabilities,
        "clientInfo": MCPClient.info,
      ])
  }

  static let initialized = JSONRPCMessage.notification(method: "notifications/initialized", params: nil)

  static func cancelled(_ id: Int) -> JSONRPCMessage {
    .notification(
      method: "notifications/cancelled", params: ["requestId": .int(id), "reason": "no longer waited for"])
  }

  static func headers(session: String?, version: String?) -> [(name: String, value: String)] {
    var headers: [(name: String, value: String)] = []
    if let version, MCPVersion.goesIntoHeader(version) {
      headers.append((name: "MCP-Protocol-Version", value: version))
    }
    if let session { headers.append((name: "Mcp-Session-Id", value: session)) }
    return headers
  }
}
