import Wire

/// Apps that are deployed, and the templates of more (docs/kamiwaza.md 7).
enum Apps {
  private static let notebook = Sample.id("template", "app-notebook")
  private static let made = "2026-02-05T08:00:00.120000"

  static let deployments: JSON = [
    [
      "id": .string(Sample.id("app", "notebook")), "name": "team-notebook", "template_id": .string(notebook),
      "template_name": "app-notebook", "requested_at": .string(made), "created_at": .string(made),
      "deployed_at": "2026-02-05T08:00:41.660000", "status": "DEPLOYED", "access_path": "/runtime/apps/team-notebook",
      "instances": .array([]), "min_copies": 1, "starting_copies": 1, "lb_port": 0,
    ],
    [
      "id": .string(Sample.id("app", "board")), "name": "release-board",
      "template_id": .string(Sample.id("template", "app-board")), "template_name": "app-board",
      "requested_at": "2026-02-18T15:10:00.000001", "created_at": "2026-02-18T15:10:00.000001", "deployed_at": .null,
      "status": "FAILED", "access_path": .null, "instances": .array([]),
    ],
  ]

  static let templates: JSON = [
    template("app-notebook", "Notebook", "Shared notebooks", risk: 1, isVerified: true),
    template("app-board", "Board", "Tasks on a board", risk: 0, isVerified: true),
    template("app-crawler", "Crawler", "Collects pages of a site", risk: 2, isVerified: false),
  ]

  static let `extension`: JSON = [
    "name": "team-notebook", "type": "app", "version": "2.1.0", "phase": "Running", "template_name": "app-notebook",
    "endpoints": ["external": .null, "internal": .null, "runtime_path": "/runtime/apps/team-notebook"],
    "services": .array([]), "workroom_id": .null, "created_at": .string(made),
  ]

  private static func template(_ name: String, _ title: String, _ about: String, risk: Int, isVerified: Bool) -> JSON {
    [
      "id": .string(Sample.id("template", name)), "name": .string(name), "display_name": .string(title),
      "version": "2.1.0", "description": .string(about), "source_type": "kamiwaza", "visibility": "public",
      "compose_yml": "services: {}\n", "risk_tier": .int(risk), "verified": .bool(isVerified), "template_type": "app",
      "capabilities": .array([]), "tags": .array([]), "created_at": .string(made), "updated_at": .string(made),
    ]
  }
}
