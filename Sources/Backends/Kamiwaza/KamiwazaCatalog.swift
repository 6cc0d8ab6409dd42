import Wire

extension Kamiwaza {
  /// A model that the platform knows, served or not (docs/kamiwaza.md 7).
  struct CatalogModel: KamiwazaDocument, Equatable {
    var id: String?
    var name: String
    var repository: String?
    var family: String?
    var purpose: String?
    var version: String?
    var author: String?
    var hub: String?
    var summary: String?
    var quantizationDetails: String?
    /// From servers that list them.
    var availableQuantizations: [String]
    var isPrivate: Bool?
    var card: String?
    var hosted: String?
    var files: [ModelFile]
    var downloads: [ModelFile]
    var createdAt: Int?
    var modifiedAt: Int?

    init(_ fields: Fields) throws(Fields.Misread) {
      id = fields.text("id")
      name = try fields.required("name")
      // The real key mixes cases; the other is what renaming clients make of it.
      repository = fields.text("repo_modelId", "repo_model_id")
      family = fields.text("modelfamily")
      purpose = fields.text("purpose")
      version = fields.text("version")
      author = fields.text("author")
      hub = fields.text("hub")
      summary = fields.text("description")
      quantizationDetails = fields.text("quantization_details")
      availableQuantizations = fields.texts("available_quantizations") ?? []
      isPrivate = fields.flag("private")
      card = fields.text("modelcard")
      hosted = fields.text("hosted")
      files = try fields.list("m_files") ?? []
      downloads = try fields.list("files_being_downloaded") ?? []
      createdAt = fields.moment("created_timestamp")
      modifiedAt = fields.moment("modified_timestamp")
    }
  }

  struct ModelFile: KamiwazaDocument, Equatable {
    var id: String?
    var name: String
    /// In bytes.
    var size: Int?
    var storage: String?
    var host: String?
    var location: String?
    var checksum: String?
    var isDownloading: Bool?
    var isDownloaded: Bool?
    var percentage: Int?
    var remaining: String?
    var throughput: String?
    var cancelledAt: Int?

    init(_ fields: Fields) throws(Fields.Misread) {
      id = fields.text("id")
      name = try fields.required("name")
      size = fields.int("size")
      storage = fields.text("storage_type")
      host = fields.text("storage_host")
      location = fields.text("storage_location")
      checksum = fields.text("checksum")
      isDownloading = fields.flag("is_downloading")
      isDownloaded = fields.flag("download")
      percentage = fields.int("download_percentage")
      remaining = fields.text("download_remaining")
      throughput = fields.text("download_throughput")
      cancelledAt = fields.moment("download_cancelled_at")
    }
  }

  /// A set of data in the catalog.
  struct Dataset: KamiwazaDocument, Equatable {
    var urn: String
    var name: String
    var platform: String?
    var environment: String?
    var summary: String?
    var tags: [String]
    var properties: [JSON.Member]
    var schema: DatasetSchema?
    var containerURN: String?
    var isWritable: Bool?
    var workroomID: String?
    var createdAt: Int?
    var updatedAt: Int?
    var revision: Int?

    init(_ fields: Fields) throws(Fields.Misread) {
      urn = try fields.required("urn")
      name = try fields.required("name")
      platform = fields.text("platform")
      environment = fields.text("environment")
      summary = fields.text("description")
      tags = fields.texts("tags") ?? []
      properties = fields.object("properties") ?? []
      schema = try fields.one("dataset_schema")
      containerURN = fields.text("container_urn")
      isWritable = fields.flag("writable")
      workroomID = fields.text("workroom_id")
      createdAt = fields.moment("created_at")
      updatedAt = fields.moment("updated_at")
      revision = fields.int("content_revision")
    }
  }

  struct DatasetSchema: KamiwazaDocument, Equatable {
    var name: String?
    var platform: String?
    var version: Int?
    var columns: [Column]

    init(_ fields: Fields) throws(Fields.Misread) {
      name = fields.text("name")
      platform = fields.text("platform")
      version = fields.int("version")
      columns = try fields.list("fields") ?? []
    }

    struct Column: KamiwazaDocument, Equatable {
      var name: String
      var type: String?
      var summary: String?

      init(_ fields: Fields) throws(Fields.Misread) {
        name = try fields.required("name")
        type = fields.text("type")
        summary = fields.text("description")
      }
    }
  }
}
