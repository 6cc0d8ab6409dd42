import Wire

/// The data catalogue (docs/kamiwaza.md 7).
enum Datasets {
  struct Dataset: Sendable {
    var platform: String
    var name: String
    var about: String
    var environment = "PROD"
    var tags: [String]
    var fields: [(name: String, type: String, about: String?)]

    var urn: String { "urn:li:dataset:(urn:li:dataPlatform:\(platform),\(name),\(environment))" }

    var json: JSON {
      [
        "name": .string(name), "platform": .string(platform), "urn": .string(urn), "environment": .string(environment),
        "description": .string(about), "tags": .array(tags.map(JSON.string)), "properties": ["owner": "data team"],
        "dataset_schema": .null, "container_urn": .null, "created_at": "2026-01-15T09:00:00.000100",
        "updated_at": .null,
      ]
    }

    /// nil when the catalogue knows no fields.
    var schema: JSON? {
      if fields.isEmpty { return nil }
      let listed = fields.map { field -> JSON in
        [
          "name": .string(field.name), "type": .string(field.type),
          "description": field.about.map(JSON.string) ?? .null,
        ]
      }
      return ["name": .string(name), "platform": .string(platform), "version": 1, "fields": .array(listed)]
    }
  }

  static let all = [
    Dataset(
      platform: "postgres", name: "sales.orders", about: "Orders since 2019, one row each", tags: ["sales", "pii"],
      fields: [
        ("order_id", "bigint", "Primary key"), ("placed_at", "timestamp", nil), ("total", "numeric", "In euro"),
      ]),
    Dataset(
      platform: "s3", name: "handbook/pdf", about: "The staff handbook, as PDF files", tags: ["documents"], fields: []),
    Dataset(
      platform: "file", name: "sensor-readings", about: "Temperatures of the machine room, by the minute",
      environment: "DEV", tags: [], fields: [("time", "timestamp", nil), ("celsius", "double", nil)]),
  ]
}
