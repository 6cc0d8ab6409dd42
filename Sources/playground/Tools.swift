import Wire

/// Tool servers that are deployed, and the templates of more (contract 6.1). They are listed; none of them runs.
enum Tools {
  struct Tool: Sendable {
    var name: String
    var template: String
    var status: String
    /// nil where the platform has not asked the server yet.
    var capabilities: [JSON]?

    var id: String { Sample.id("tool", name) }

    func discovered(at origin: String) -> JSON {
      [
        "deployment_id": .string(id), "name": .string(name), "url": .string(address(at: origin)),
        "status": .string(status), "capabilities": capabilities.map(JSON.array) ?? .null, "created_at": .string(made),
      ]
    }

    func deployment(at origin: String) -> JSON {
      [
        "id": .string(id), "name": .string(name), "template_id": .string(Sample.id("template", template)),
        "requested_at": .string(made), "created_at": .string(made), "deployed_at": "2026-02-03T12:30:18.001200",
        "status": .string(status), "url": .string(address(at: origin)), "min_copies": 1, "max_copies": .null,
        "env_vars": .object([]), "deployment_type": "tool", "compose_yml": .null,
      ]
    }

    var `extension`: JSON {
      [
        "name": .string(name), "type": "tool", "version": "1.0.0", "phase": "Running",
        "template_name": .string(template),
        "endpoints": ["external": .null, "internal": .null, "runtime_path": .string("/runtime/tools/\(id)")],
        "services": .array([]), "owner_user_id": .string(User.all[1].id), "workroom_id": .null,
        "created_at": .string(made),
      ]
    }

    private func address(at origin: String) -> String { "\(origin)/runtime/tools/\(id)" }

    private var made: String { "2026-02-03T12:30:00.451200" }
  }

  static let all = [
    Tool(
      name: "websearch", template: "tool-websearch", status: "DEPLOYED",
      capabilities: [
        [
          "name": "web_search", "description": "Search the web",
          "parameters": [
            "query": ["type": "string", "description": "What to search for"],
            "max_results": ["type": "integer", "description": "How many results at most"],
          ],
        ]
      ]),
    Tool(name: "calendar", template: "tool-calendar", status: "running", capabilities: nil),
  ]

  static let templates: JSON = [
    template("tool-websearch", "Web search", "Searches the web", "search"),
    template("tool-calendar", "Calendar", "Reads a calendar", "productivity"),
    template("tool-git", "Git", "Reads repositories", "development"),
  ]

  private static func template(_ name: String, _ title: String, _ about: String, _ category: String) -> JSON {
    [
      "id": .string(Sample.id("template", name)), "name": .string(name), "display_name": .string(title),
      "version": "1.0.0", "description": .string(about), "category": .string(category), "tags": [.string(category)],
      "capabilities": .array([]), "required_env_vars": .array([]), "env_defaults": .object([]), "risk_tier": 1,
      "verified": true,
    ]
  }
}
