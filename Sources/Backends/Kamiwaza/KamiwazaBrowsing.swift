import Chat

/// What a platform has, to be looked at (docs/kamiwaza.md 6.1 and 7).
struct KamiwazaBrowsing: Browsing {
  let api: KamiwazaAPI
  let address: KamiwazaAddress

  let topics = BrowseTopic.allCases

  func list(_ topic: BrowseTopic) async throws(BackendError) -> [BrowseItem] {
    switch topic {
    case .models: try await models().map { BrowseItem($0) }
    case .catalog: try await api.list("/catalog/datasets/", of: Kamiwaza.Dataset.self).map { BrowseItem($0) }
    case .apps: try await apps()
    case .tools: try await tools()
    case .templates: try await templates().map { BrowseItem($0.template, kind: $0.kind) }
    }
  }

  func detail(_ item: BrowseItem, of topic: BrowseTopic) async throws(BackendError) -> BrowseItem {
    switch topic {
    case .models: try await model(item)
    case .catalog: try await dataset(item.id)
    case .apps: try await app(item)
    case .tools: try await tool(item)
    case .templates: try await template(item)
    }
  }

  /// A list of a route that a platform may be too old or too new to have: empty when it is not there.
  private func optional<T: KamiwazaDocument>(_ path: String, of: T.Type = T.self) async -> Result<[T], BackendError> {
    await listed(path).orNone
  }

  private func listed<T: KamiwazaDocument>(_ path: String, of: T.Type = T.self) async -> Result<[T], BackendError> {
    await settled { () async throws(BackendError) -> [T] in try await api.list(path) }
  }

  /// Throws where neither of two routes is there. Every platform has one of them: without any the lists are somewhere
  /// else, and not empty.
  private func requireEither<T, U>(
    _ one: Result<[T], BackendError>, _ other: Result<[U], BackendError>
  ) throws(BackendError) {
    if case .failure(let error) = one, error.isMissing, other.isMissing { throw error }
  }
}

extension Result where Failure == BackendError {
  fileprivate var isMissing: Bool { if case .failure(let error) = self { error.isMissing } else { false } }
}

extension Result where Success: RangeReplaceableCollection, Failure == BackendError {
  /// Empty where the route is not there.
  fileprivate var orNone: Self { isMissing ? .success(Success()) : self }
}

extension KamiwazaBrowsing {
  private func models() async throws(BackendError) -> [Kamiwaza.CatalogModel] {
    try await api.list("/models/?load_files=true")
  }

  /// The list has the files of every model; asked for one, not every platform loads them.
  private func model(_ item: BrowseItem) async throws(BackendError) -> BrowseItem {
    async let listed = settled { () async throws(BackendError) in try await models() }
    async let alone = settled { () async throws(BackendError) -> Kamiwaza.CatalogModel in
      try await api.one("/models/\(item.id.percentEncoded)")
    }
    // Either of them will do.
    let inList = (try? await listed.get())?.first { BrowseItem($0).id == item.id }
    guard var model = try? await alone.get() else {
      guard let inList else {
        throw await failure(of: alone) ?? .refused(address: api.address, status: 404, message: "")
      }
      return BrowseItem(detailOf: inList)
    }
    if model.files.isEmpty { model.files = inList?.files ?? [] }
    if model.downloads.isEmpty { model.downloads = inList?.downloads ?? [] }
    return BrowseItem(detailOf: model)
  }

  private func failure<T>(of result: Result<T, BackendError>) -> BackendError? {
    if case .failure(let error) = result { error } else { nil }
  }

  private func dataset(_ urn: String) async throws(BackendError) -> BrowseItem {
    let query = "?urn=\(urn.percentEncoded)"
    async let dataset = settled { () async throws(BackendError) -> Kamiwaza.Dataset in
      try await api.one("/catalog/datasets/by-urn" + query)
    }
    async let schema = settled { () async throws(BackendError) -> Kamiwaza.DatasetSchema in
      try await api.one("/catalog/datasets/by-urn/schema" + query)
    }
    let found = try await dataset.get()
    // A dataset without a schema answers 404, and one whose schema cannot be read is worth seeing without it.
    return BrowseItem(detailOf: found, schema: (try? await schema.get()) ?? found.schema)
  }
}

extension KamiwazaBrowsing {
  private func apps() async throws(BackendError) -> [BrowseItem] {
    async let deployments = listed("/apps/deployments", of: Kamiwaza.AppDeployment.self)
    async let templates = optional("/apps/app_templates", of: Kamiwaza.Template.self)
    async let extensions = self.extensions(["app", "service"])
    try await requireEither(deployments, extensions)
    let apps = try await deployments.orNone.get()
    // Their names are a comfort; the list is worth seeing without them.
    let names = templateNames((try? await templates.get()) ?? [])
    let old = apps.map { BrowseItem($0, template: $0.templateName ?? $0.templateID.flatMap { names[$0] }) }
    let new = try await newer(extensions, beside: old, at: apps.compactMap { $0.accessPath.map(address.absolute) })
    return old + new.map { BrowseItem(app: $0) }
  }

  private func app(_ item: BrowseItem) async throws(BackendError) -> BrowseItem {
    async let deployments = optional("/apps/deployments", of: Kamiwaza.AppDeployment.self)
    async let templates = optional("/apps/app_templates", of: Kamiwaza.Template.self)
    if let app = try await deployments.get().first(where: { $0.id == item.id }) {
      let names = templateNames((try? await templates.get()) ?? [])  // as in the list
      return BrowseItem(
        detailOf: app, template: app.templateName ?? app.templateID.flatMap { names[$0] },
        url: app.accessPath.map(address.absolute))
    }
    let found = try await one(item.id, of: ["app", "service"])
    var detail = BrowseItem(app: found)
    detail.addDetail(of: found, url: url(of: found))
    return detail
  }

  private func templateNames(_ templates: [Kamiwaza.Template]) -> [String: String] {
    let named = templates.compactMap { template in template.id.map { ($0, template.displayName ?? template.name) } }
    return Dictionary(named) { first, _ in first }
  }
}

extension KamiwazaBrowsing {
  private func tools() async throws(BackendError) -> [BrowseItem] {
    async let deployments = listed("/tool/deployments", of: Kamiwaza.ToolDeployment.self)
    async let extensions = self.extensions(["tool"])
    try await requireEither(deployments, extensions)
    let tools = try await deployments.orNone.get()
    let old = tools.map { BrowseItem($0, url: $0.url.map(address.absolute)) }
    let new = try await newer(extensions, beside: old, at: tools.compactMap { $0.url.map(address.absolute) })
    return old + new.map { BrowseItem(tool: $0, url: url(of: $0)) }
  }

  private func tool(_ item: BrowseItem) async throws(BackendError) -> BrowseItem {
    async let deployments = optional("/tool/deployments", of: Kamiwaza.ToolDeployment.self)
    async let discovery = settled { () async throws(BackendError) -> Kamiwaza.ToolDiscovery in
      try await api.one("/tool/discover")
    }
    async let templates = optional("/tool/templates", of: Kamiwaza.Template.self)
    let found = try await deployments.get().first { $0.id == item.id }
    // What the tool offers and the name of its template are worth having, not worth failing for.
    let servers = (try? await discovery.get())?.servers ?? []
    var detail: BrowseItem
    if let found {
      let names = templateNames((try? await templates.get()) ?? [])
      detail = BrowseItem(
        detailOf: found, url: found.url.map(address.absolute), template: found.templateID.flatMap { names[$0] })
    } else {
      let found = try await one(item.id, of: ["tool"])
      detail = BrowseItem(tool: found, url: url(of: found))
      detail.addDetail(of: found, url: nil)
    }
    detail.add(servers.first { $0.deploymentID == item.id || $0.name == item.id }?.capabilities)
    return detail
  }
}

extension KamiwazaBrowsing {
  private typealias KindOfTemplate = (template: Kamiwaza.Template, kind: String)

  /// Templates of apps and services, then those of tools; one that both lists have stands there once.
  private func templates() async throws(BackendError) -> [KindOfTemplate] {
    async let apps = listed("/apps/app_templates", of: Kamiwaza.Template.self)
    async let tools = listed("/tool/templates", of: Kamiwaza.Template.self)
    try await requireEither(apps, tools)
    let ofApps: [KindOfTemplate] = try await apps.orNone.get().map { ($0, $0.type?.lowercased() ?? "app") }
    let ofTools: [KindOfTemplate] = try await tools.orNone.get().map { ($0, $0.type?.lowercased() ?? "tool") }
    return ofApps
      + ofTools.filter { tool in
        !ofApps.contains { app in
          app.template.id != nil && app.template.id == tool.template.id
            || app.kind == tool.kind && app.template.name == tool.template.name
        }
      }
  }

  private func template(_ item: BrowseItem) async throws(BackendError) -> BrowseItem {
    let all = try await templates()
    let kind = item.fields.first { $0.key == "kind" }?.value
    let alike = all.filter { BrowseItem($0.template, kind: $0.kind).id == item.id }
    guard let found = alike.first(where: { .text($0.kind) == kind }) ?? alike.first else {
      throw .refused(address: api.address, status: 404, message: "no template '\(item.id)'")
    }
    return BrowseItem(detailOf: found.template, kind: found.kind)
  }
}

extension KamiwazaBrowsing {
  /// The apps, tools and services of newer platforms.
  private func extensions(_ types: Set<String>) async -> Result<[Kamiwaza.Extension], BackendError> {
    await listed("/extensions", of: Kamiwaza.Extension.self).map { all in
      all.filter { types.contains($0.type?.lowercased() ?? "") }
    }
  }

  /// Those that the older routes do not list too: what has the same name or the same address is the same thing. With
  /// something in the older list, a failure here is not worth hiding that.
  private func newer(
    _ extensions: Result<[Kamiwaza.Extension], BackendError>, beside old: [BrowseItem], at places: [String]
  ) throws(BackendError) -> [Kamiwaza.Extension] {
    if old.isEmpty { return try extensions.orNone.get() }
    let known = Set(old.flatMap { [$0.id.lowercased(), $0.name.lowercased()] })
    let taken = Set(places.map(place))
    return ((try? extensions.get()) ?? []).filter { found in
      // It may be told by its whole address, by its path, or by both.
      let own = [found.externalURL, found.runtimePath].compactMap { $0.map { place(address.absolute($0)) } }
      return !known.contains(found.name.lowercased()) && taken.isDisjoint(with: own)
    }
  }

  /// An address, to be compared with others.
  private func place(_ url: String) -> String {
    let end = url.lastIndex { $0 != "/" }.map { url.index(after: $0) } ?? url.startIndex
    return url[..<end].lowercased()
  }

  private func one(_ name: String, of types: Set<String>) async throws(BackendError) -> Kamiwaza.Extension {
    guard let found = try await extensions(types).orNone.get().first(where: { $0.name == name }) else {
      throw .refused(address: api.address, status: 404, message: "nothing is called '\(name)'")
    }
    return found
  }

  /// Where an extension is reached from outside.
  private func url(of found: Kamiwaza.Extension) -> String? {
    (found.externalURL ?? found.runtimePath).map(address.absolute)
  }
}
