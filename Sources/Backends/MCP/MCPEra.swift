import Wire

/// What the answer to a modern request says of a server (docs/mcp.md 2).
enum MCPEra: Equatable {
  case modern(MCPHello)
  /// To be asked with `initialize`.
  case legacy
  /// It speaks neither version that this program does.
  case noSharedVersion([String])
  /// Nothing of the protocol is at that address, or only the stream of 2024-11-05.
  case nothing

  init(_ answer: Collected) {
    if let result = answer.result, 200..<300 ~= answer.status {
      self = MCPEra(discovered: result)
    } else if let failure = answer.failure {
      self = MCPEra(failure)
    } else {
      self = answer.isPage || [404, 405, 410].contains(answer.status) ? .nothing : .legacy
    }
  }

  init(discovered result: JSON) {
    let versions = (result["supportedVersions"]?.array ?? []).compactMap(\.string)
    if versions.contains(MCPVersion.modern) {
      self = .modern(MCPHello(modern: result))
    } else if versions.isEmpty || versions.contains(where: MCPVersion.legacy.contains) {
      self = .legacy
    } else {
      self = .noSharedVersion(versions)
    }
  }

  init(_ failure: RPCFailure) {
    switch failure.code {
    case MCPCode.versionUnsupported:
      let theirs = (failure.data?["supported"]?.array ?? []).compactMap(\.string)
      let isShared = theirs.isEmpty || theirs.contains(where: MCPVersion.legacy.contains)
      self = isShared ? .legacy : .noSharedVersion(theirs)
    // It understood enough to be a modern server; what it misses shows at the first real request.
    case MCPCode.headerMismatch, MCPCode.capabilityMissing: self = .modern(MCPHello(modern: .null))
    default: self = .legacy
    }
  }
}
