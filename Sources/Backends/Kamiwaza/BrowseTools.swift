import Chat

extension BrowseItem {
  /// A tool server in the list (docs/kamiwaza.md 7.4).
  init(_ tool: Kamiwaza.ToolDeployment, url: String?) {
    self.init(id: tool.id, name: tool.name, status: tool.status, url: url, deployedAt: tool.deployedAt)
  }

  /// A tool server of a newer platform in the list.
  init(tool: Kamiwaza.Extension, url: String?) {
    self.init(id: tool.name, name: tool.name, status: tool.phase, url: url, deployedAt: tool.createdAt)
  }

  private init(id: String, name: String, status: String?, url: String?, deployedAt: Int?) {
    self.init(
      id: id, name: name,
      fields: [
        .status("status", "STATUS", status), .text("url", "URL", url),
        .moment("deployedAt", "DEPLOYED AT", deployedAt),
      ])
  }

  /// A tool server with everything.
  init(detailOf tool: Kamiwaza.ToolDeployment, url: String?, template: String?) {
    self.init(tool, url: url)
    fields += [
      .text("id", "ID", tool.id), .text("kind", "KIND", tool.kind), .text("template", "TEMPLATE", template),
      .text("templateID", "TEMPLATE ID", tool.templateID), .moment("requestedAt", "REQUESTED AT", tool.requestedAt),
      .moment("createdAt", "CREATED AT", tool.createdAt), .int("minCopies", "MIN COPIES", tool.minCopies),
      .int("maxCopies", "MAX COPIES", tool.maxCopies), .texts("variables", "VARIABLES", tool.variables),
    ]
  }

  /// What a tool server offers; nil where the platform does not know.
  mutating func add(_ capabilities: [Kamiwaza.ToolCapability]?) {
    let value = capabilities.map { BrowseValue.list($0.map { .record($0.fields) }) }
    fields.append(BrowseField("capabilities", "CAPABILITIES", value ?? .none))
  }
}

extension Kamiwaza.ToolCapability {
  fileprivate var fields: [BrowseField] {
    [
      .text("name", "NAME", name), .text("description", "DESCRIPTION", summary),
      .texts("parameters", "PARAMETERS", parameterNames),
    ]
  }
}
