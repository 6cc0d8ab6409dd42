import Chat

extension BrowseItem {
  /// A dataset in the list (docs/kamiwaza.md 7.2).
  init(_ dataset: Kamiwaza.Dataset) {
    self.init(
      id: dataset.urn, name: dataset.name,
      fields: [
        .text("platform", "PLATFORM", dataset.platform), .text("environment", "ENVIRONMENT", dataset.environment),
        .text("description", "DESCRIPTION", dataset.summary), .texts("tags", "TAGS", dataset.tags),
      ])
  }

  /// A dataset with everything.
  init(detailOf dataset: Kamiwaza.Dataset, schema: Kamiwaza.DatasetSchema?) {
    self.init(dataset)
    let properties = dataset.properties.map { BrowseField($0.key, $0.key, BrowseValue($0.value)) }
    fields += [
      .text("urn", "URN", dataset.urn),
      BrowseField("properties", "PROPERTIES", properties.isEmpty ? .none : .record(properties)),
      .text("container", "CONTAINER", dataset.containerURN), .flag("writable", "WRITABLE", dataset.isWritable),
      .int("revision", "REVISION", dataset.revision), .text("workroom", "WORKROOM", dataset.workroomID),
      .moment("createdAt", "CREATED AT", dataset.createdAt), .moment("updatedAt", "UPDATED AT", dataset.updatedAt),
      .text("schemaName", "SCHEMA", schema?.name), .int("schemaVersion", "SCHEMA VERSION", schema?.version),
      .records("schemaFields", "SCHEMA FIELDS", schema?.columns.map(\.fields) ?? []),
    ]
  }
}

extension Kamiwaza.DatasetSchema.Column {
  fileprivate var fields: [BrowseField] {
    [.text("name", "NAME", name), .text("type", "TYPE", type), .text("description", "DESCRIPTION", summary)]
  }
}
