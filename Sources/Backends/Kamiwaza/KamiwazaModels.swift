import Chat

extension Kamiwaza.Deployment {
  /// Whether it can be asked now (docs/kamiwaza.md 4.3): it is deployed, and so is one of its instances.
  var isActive: Bool {
    guard status.map(Kamiwaza.isRunning) ?? true else { return false }
    // nil only where the server never tells of any: `tellingOfInstances`.
    return instances?.contains { $0.status.map(Kamiwaza.isRunning) ?? false } ?? true
  }

  /// Whether it says where it is asked. Where it does not, the way is a guess (docs/kamiwaza.md 4.4).
  var hasPlace: Bool {
    endpoint != nil || accessPath?.contains { $0 != "/" } ?? false || 1...65535 ~= port && port != 443
  }

  /// Whether it is on its way, or failed in a way that heals by itself within seconds (docs/kamiwaza.md 5).
  var isHealing: Bool {
    switch status?.uppercased() {
    case "INITIALIZING": true
    case "ERROR", "FAILED": errorCode.map(Kamiwaza.unverified.contains) ?? false
    case let status?: Kamiwaza.isRunning(status) && !isActive
    default: false
    }
  }

  /// Whether one can chat with it. What the platform says of it counts, where the words are known; else its names do.
  var isForChat: Bool {
    let words = (capabilities + features).map { $0.lowercased() }
    if words.contains(where: Kamiwaza.chatWords.contains) { return true }
    if words.contains(where: { word in Kamiwaza.otherWords.contains(where: word.contains) }) { return false }
    let names = [name, engine, container, accessPath].compactMap { $0?.lowercased() }
    if names.contains(where: { $0.contains("embedding") || $0.contains("transcribe") }) { return false }
    if ["whispercpp", "diffusion"].contains(engine?.lowercased()) { return false }
    // Releases before 0.13 send only the name.
    return !ModelPurpose.isNamedForOtherUse(name ?? canonicalModelID ?? "")
  }

  /// Whether its engine takes the `tools` of OpenAI's interface (docs/kamiwaza.md 6.5); nil when the platform does not
  /// say.
  var takesNativeTools: Bool? {
    if toolMode?.lowercased().hasPrefix("native") ?? false { return true }
    if (features + capabilities).contains(where: { $0.lowercased() == "tools" }) { return true }
    return features.isEmpty ? nil : false
  }

  /// What it is called where there is no other of that name.
  var shownName: String { name ?? canonicalModelID ?? id }

  /// Why it cannot be asked, in the server's words.
  var note: String? {
    if isActive { return nil }
    if let errorCode, let errorMessage { return "\(errorCode): \(errorMessage)" }
    if let error = errorCode ?? errorMessage { return error }
    return Kamiwaza.tone(of: status) == .underWay || isHealing ? "starting" : nil
  }
}

extension Kamiwaza {
  fileprivate static let unverified: Set = ["NATIVE_CPU_HEALTH_UNVERIFIED", "NATIVE_GPU_HEALTH_UNVERIFIED"]

  /// Capabilities and features that only models to chat with have.
  fileprivate static let chatWords: Set = [
    "chat", "completion", "chat_completion", "chat-completion", "text-generation", "text_generation", "vision", "tools",
    "structured_output", "reasoning",
  ]

  /// Parts of words for what other models do.
  fileprivate static let otherWords = ["embed", "transcri", "rerank", "speech", "image", "diffusion", "classif"]

  /// The words in use for what runs, in any case.
  static func isRunning(_ status: String) -> Bool {
    ["DEPLOYED", "RUNNING", "READY", "ACTIVE"].contains(status.uppercased())
  }

  /// What a status word means; nil is none.
  static func tone(of status: String?) -> BrowseValue.Tone {
    switch status?.uppercased() {
    case "DEPLOYED", "RUNNING", "READY", "ACTIVE", "HEALTHY": .good
    case "REQUESTED", "PENDING", "DEPLOYING", "INITIALIZING", "COPYING_FILES", "PROVISIONING", "STARTING", "STOPPING",
      "TERMINATING", "UPDATING":
      .underWay
    case "ERROR", "FAILED", "MUST_REDOWNLOAD", "UNHEALTHY", "DEGRADED": .bad
    default: .neutral
    }
  }
}

/// The deployments of a server as models to choose from.
struct KamiwazaModels: Sendable {
  /// A deployment and the name it is chosen by.
  struct Entry: Sendable {
    var deployment: Kamiwaza.Deployment
    /// Unique among the entries.
    var name: String
  }

  /// Those that can be asked first, the longest deployed at the top (docs/kamiwaza.md 4.5); then the others as they
  /// came.
  let entries: [Entry]

  init(_ deployments: [Kamiwaza.Deployment]) {
    let chats = deployments.filter(\.isForChat)
    let ready = chats.filter(\.isActive).sorted {
      ($0.deployedAt ?? .max, $0.id) < ($1.deployedAt ?? .max, $1.id)
    }
    let ordered = ready + chats.filter { !$0.isActive }
    let names = KamiwazaModels.names(ordered)
    entries = zip(ordered, names).map { Entry(deployment: $0, name: $1) }
  }

  /// All that share a name get a part of their id, so that none changes when the others change places.
  private static func names(_ deployments: [Kamiwaza.Deployment]) -> [String] {
    let counts = Dictionary(deployments.map { ($0.shownName, 1) }, uniquingKeysWith: +)
    let short = deployments.map { deployment in
      counts[deployment.shownName] == 1
        ? deployment.shownName : "\(deployment.shownName)@\(deployment.id.prefix(8))"
    }
    let shortCounts = Dictionary(short.map { ($0, 1) }, uniquingKeysWith: +)
    return zip(deployments, short).map { deployment, name in
      shortCounts[name] == 1 ? name : "\(deployment.shownName)@\(deployment.id)"
    }
  }

  var models: [Model] {
    entries.map { entry in
      let deployment = entry.deployment
      return Model(
        id: entry.name, contextWindow: deployment.contextWindow, state: deployment.status?.lowercased(),
        isReady: deployment.isActive, note: deployment.note, deployment: deployment.id)
    }
  }

  /// The entry that a name means: its own first, then a name without or with a part of the id, then what the server
  /// calls it. Without a name, the first that can be asked.
  func find(_ name: String?) -> Entry? {
    guard let name else { return entries.first { $0.deployment.isActive } }
    return entries.first { $0.name == name }
      ?? entries.first { $0.deployment.shownName == name }
      ?? entries.first { name == "\($0.deployment.shownName)@\($0.deployment.id.prefix(8))" }
      ?? entries.first { $0.deployment.id == name || $0.deployment.canonicalModelID == name }
  }
}

extension [Kamiwaza.Deployment] {
  /// A row without instances, in a list that tells of those of others, has none.
  fileprivate func tellingOfInstances() -> Self {
    guard contains(where: { $0.instances != nil }) else { return self }
    return map { deployment in
      var deployment = deployment
      deployment.instances = deployment.instances ?? []
      return deployment
    }
  }
}

extension KamiwazaAPI {
  /// The deployments that one can chat with, and maybe others, each with its place where the server tells of one.
  func deployments() async throws(BackendError) -> [Kamiwaza.Deployment] {
    try await placed(try await listed().tellingOfInstances())
  }

  /// Joins the endpoints of the first specification's second list in by id, where rows of the first list say nothing of
  /// where they are (docs/kamiwaza.md 9).
  private func placed(
    _ deployments: [Kamiwaza.Deployment]
  ) async throws(BackendError) -> [Kamiwaza.Deployment] {
    guard deployments.contains(where: { $0.isActive && !$0.hasPlace }) else { return deployments }
    let rows: [Kamiwaza.Deployment]
    do throws(BackendError) { rows = try await list("/serving/active_deployments") } catch {
      // Most platforms have no such list: there the usual way is right.
      guard error.isMissing else { throw error }
      return deployments
    }
    let endpoints = Dictionary(rows.compactMap { row in row.endpoint.map { (row.id, $0) } }) { first, _ in first }
    return deployments.map { deployment in
      var deployment = deployment
      if !deployment.hasPlace { deployment.endpoint = endpoints[deployment.id] }
      return deployment
    }
  }

  private func listed() async throws(BackendError) -> [Kamiwaza.Deployment] {
    do throws(BackendError) {
      return try await list("/serving/deployments?capability=chat")
    } catch {
      switch error {
      // A server that does not know the capability.
      case .refused(_, 422, _): return try await list("/serving/deployments")
      // The route of the first specification (docs/kamiwaza.md 9).
      case .refused(_, 404, _): return try await list("/serving/active_deployments")
      default: throw error
      }
    }
  }

  /// A deployment as it is now; what its own route does not say is as it was in the list.
  func deployment(_ known: Kamiwaza.Deployment) async throws(BackendError) -> Kamiwaza.Deployment {
    var found: Kamiwaza.Deployment = try await one("/serving/deployment/\(known.id.percentEncoded)")
    found.instances = found.instances ?? known.instances
    guard !found.hasPlace else { return found }
    // It was asked at its place in the list, which holds where there is no other.
    let place = await settled { () async throws(BackendError) in try await placed([found])[0].endpoint }
    found.endpoint = (try? place.get()) ?? known.endpoint
    return found
  }
}
