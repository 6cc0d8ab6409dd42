import Chat

extension BrowseItem {
  /// A model in the list (docs/kamiwaza.md 7.1).
  init(_ model: Kamiwaza.CatalogModel) {
    self.init(
      id: model.id ?? model.repository ?? model.name, name: model.name,
      fields: [
        .text("author", "AUTHOR", model.author), .text("family", "FAMILY", model.family),
        .text("repository", "REPOSITORY", model.repository),
        .texts("quantizations", "QUANTIZATIONS", Quantization.all(of: model)),
        .int("fileCount", "FILES", model.files.count),
      ])
  }

  /// A model with everything.
  init(detailOf model: Kamiwaza.CatalogModel) {
    self.init(model)
    // The files themselves stand at the end instead of their count.
    fields.removeAll { $0.key == "fileCount" }
    fields += [
      .text("id", "ID", model.id), .text("description", "DESCRIPTION", model.summary),
      .text("purpose", "PURPOSE", model.purpose), .text("version", "VERSION", model.version),
      .text("hub", "HUB", model.hub), .text("hosted", "HOSTED", model.hosted),
      .flag("private", "PRIVATE", model.isPrivate),
      .text("quantizationDetails", "QUANTIZATION DETAILS", model.quantizationDetails),
      .moment("createdAt", "CREATED AT", model.createdAt), .moment("modifiedAt", "MODIFIED AT", model.modifiedAt),
      .records("files", "FILES", model.files.map(\.fields)),
      .records("downloads", "DOWNLOADS", model.downloads.map(\.fields)),
      .text("modelCard", "MODEL CARD", model.card),
    ]
  }
}

extension Kamiwaza.ModelFile {
  fileprivate var fields: [BrowseField] {
    [
      .text("name", "NAME", name), .bytes("size", "SIZE", size), BrowseField("state", "STATE", state),
      .int("percentage", "PERCENTAGE", percentage), .text("remaining", "REMAINING", remaining),
      .text("throughput", "THROUGHPUT", throughput),
      .texts("quantizations", "QUANTIZATIONS", Quantization.named(in: name)),
      .text("storage", "STORAGE", storage), .text("host", "HOST", host), .text("location", "LOCATION", location),
      .text("checksum", "CHECKSUM", checksum),
    ]
  }

  /// How far its download is.
  private var state: BrowseValue {
    if isDownloading == true { return .status("downloading", .underWay) }
    if cancelledAt != nil, isDownloaded != true { return .status("cancelled", .bad) }
    if isDownloaded == true || percentage ?? 0 >= 100 || location != nil { return .status("downloaded", .good) }
    return isDownloaded == false ? .status("not downloaded", .neutral) : .none
  }
}
