import Chat

extension BrowseItem {
  /// An app in the list (docs/kamiwaza.md 7.3); `template` is its template's name.
  init(_ app: Kamiwaza.AppDeployment, template: String?) {
    self.init(
      id: app.id, name: app.name,
      fields: [
        .status("status", "STATUS", app.status), .moment("deployedAt", "DEPLOYED AT", app.deployedAt),
        .text("template", "TEMPLATE", template),
      ])
  }

  /// An app of a newer platform in the list.
  init(app: Kamiwaza.Extension) {
    self.init(
      id: app.name, name: app.name,
      fields: [
        .status("status", "STATUS", app.phase), .moment("deployedAt", "DEPLOYED AT", app.createdAt),
        .text("template", "TEMPLATE", app.template),
      ])
  }

  /// An app with everything.
  init(detailOf app: Kamiwaza.AppDeployment, template: String?, url: String?) {
    self.init(app, template: template)
    fields += [
      .text("id", "ID", app.id), .text("url", "URL", url), .text("templateID", "TEMPLATE ID", app.templateID),
      .moment("requestedAt", "REQUESTED AT", app.requestedAt), .moment("createdAt", "CREATED AT", app.createdAt),
      .moment("seenAt", "LAST SEEN AT", app.seenAt), .int("port", "PORT", app.port),
      .int("minCopies", "MIN COPIES", app.minCopies), .int("maxCopies", "MAX COPIES", app.maxCopies),
      .flag("ephemeral", "EPHEMERAL", app.isEphemeral),
      .text("preferredModel", "PREFERRED MODEL", app.preferredModel),
      .text("preferredModelType", "PREFERRED MODEL TYPE", app.preferredModelType),
      .texts("variables", "VARIABLES", app.variables), .text("owner", "OWNER", app.ownerID),
      .text("workroom", "WORKROOM", app.workroomID),
      .records("instances", "INSTANCES", app.instances.map(\.fields)),
    ]
  }

  /// An app or tool of a newer platform with everything that its list does not have.
  mutating func addDetail(of app: Kamiwaza.Extension, url: String?) {
    if !fields.contains(where: { $0.key == "url" }) { fields.append(.text("url", "URL", url)) }
    fields += [
      .text("type", "TYPE", app.type), .text("version", "VERSION", app.version),
      .text("internalURL", "INTERNAL URL", app.internalURL), .texts("services", "SERVICES", app.services),
      .text("owner", "OWNER", app.ownerID), .text("workroom", "WORKROOM", app.workroomID),
    ]
  }
}

extension Kamiwaza.Instance {
  var fields: [BrowseField] {
    [
      .text("id", "ID", id), .status("status", "STATUS", status), .text("host", "HOST", hostName),
      .int("port", "PORT", port), .text("node", "NODE", nodeID), .text("container", "CONTAINER", containerID),
      .moment("deployedAt", "DEPLOYED AT", deployedAt),
    ]
  }
}

extension BrowseItem {
  /// A template in the list: of apps and services, or of tools.
  init(_ template: Kamiwaza.Template, kind: String) {
    self.init(
      id: template.id ?? template.name, name: template.displayName ?? template.name,
      fields: [
        .text("kind", "KIND", kind), .text("version", "VERSION", template.version),
        .text("description", "DESCRIPTION", template.summary), .int("riskTier", "RISK TIER", template.riskTier),
        .flag("verified", "VERIFIED", template.isVerified),
      ])
  }

  /// A template with everything.
  init(detailOf template: Kamiwaza.Template, kind: String) {
    self.init(template, kind: kind)
    fields += [
      .text("id", "ID", template.id), .text("templateName", "TEMPLATE NAME", template.name),
      .text("source", "SOURCE", template.source), .text("visibility", "VISIBILITY", template.visibility),
      .text("category", "CATEGORY", template.category), .texts("tags", "TAGS", template.tags),
      .text("author", "AUTHOR", template.author), .text("license", "LICENSE", template.license),
      .text("homepage", "HOMEPAGE", template.homepage), .text("image", "IMAGE", template.image),
      .texts("capabilities", "CAPABILITIES", template.capabilities),
      .texts("requiredVariables", "REQUIRED VARIABLES", template.requiredVariables),
      .texts("defaultVariables", "DEFAULT VARIABLES", template.defaultVariables),
      .text("preferredModel", "PREFERRED MODEL", template.preferredModel),
      .text("preferredModelType", "PREFERRED MODEL TYPE", template.preferredModelType),
      .text("platformVersion", "PLATFORM VERSION", template.platformVersion),
      .moment("createdAt", "CREATED AT", template.createdAt), .moment("updatedAt", "UPDATED AT", template.updatedAt),
    ]
  }
}
