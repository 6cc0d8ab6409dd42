import Wire

/// Tool servers that are deployed, and the templates of more (docs/kamiwaza.md 6.1).
enum Tools {
  struct Tool: Sendable {
    var name: String
    var template: String
    /// Where it answers; nil when it does not run.
    var upstream: String?
    /// In its own words where it runs.
    var running = "DEPLOYED"
    /// nil where the platform has not asked the server yet.
    var capabilities: [JSON]?
    /// It is somewhere else: clients are sent to its own address, and nothing is handed on.
    var isElsewhere = false

    var id: String { Sample.id("tool", name) }

    var status: String { upstream == nil ? "FAILED" : running }

    func discovered(at origin: String) -> JSON {
      [
        "deployment_id": .string(id), "name": .string(name), "url": .string(address(at: origin)),
        "status": .string(status), "capabilities": capabilities.map(JSON.array) ?? .null, "created_at": .string(made),
      ]
    }

    func deployment(at origin: String) -> JSON {
      [
        "id": .string(id), "name": .string(name), "template_id": .string(Sample.id("template", template)),
        "requested_at": .string(made), "created_at": .string(made),
        "deployed_at": upstream == nil ? .null : "2026-02-03T12:30:18.001200",
        "status": .string(status), "url": .string(address(at: origin)), "min_copies": 1, "max_copies": .null,
        "env_vars": .object([]), "deployment_type": "tool", "compose_yml": .null,
      ]
    }

    func `extension`() -> JSON {
      let external = isElsewhere ? upstream.map(JSON.string) : nil
      return [
        "name": .string(name), "type": "tool", "version": "1.0.0",
        "phase": .string(upstream == nil ? "Failed" : "Running"), "template_name": .string(template),
        "endpoints": [
          "external": external ?? .null, "internal": .null,
          "runtime_path": isElsewhere ? .null : .string("/runtime/tools/\(id)"),
        ],
        "services": .array([]), "owner_user_id": .string(User.all[1].id), "workroom_id": .null,
        "created_at": .string(made),
      ]
    }

    private func address(at origin: String) -> String {
      if isElsewhere, let upstream { return upstream }
      return "\(origin)/runtime/tools/\(id)"
    }

    private var made: String { "2026-02-03T12:30:00.451200" }
  }

  /// One that says what it offers, one that has to be asked, one that is broken, and those of the command line.
  static func all(_ options: Options) -> [Tool] {
    let given = options.tool.map { Tool(name: $0.name, template: "tool-\($0.name)", upstream: $0.address) }
    let elsewhere = options.toolElsewhere.map {
      Tool(name: $0.name, template: "tool-\($0.name)", upstream: $0.address, isElsewhere: true)
    }
    return [
      Tool(
        name: "calculator", template: "tool-calculator", upstream: options.tools.map { $0 + "/calculator" },
        capabilities: options.tools == nil ? nil : calculator),
      Tool(
        name: "almanac", template: "tool-almanac", upstream: options.tools.map { $0 + "/almanac" },
        running: options.seedShape ? "DEPLOYED" : "running"),
      Tool(name: "calendar", template: "tool-calendar"),
    ] + given + elsewhere
  }

  /// What `scripts/playground_tools.py` offers, in the flat form of the first specification: the truth with the types
  /// and what must be given is in the server's own list (docs/mcp.md 8).
  private static let calculator: [JSON] = [
    [
      "name": "calculate", "description": "Work out an arithmetic expression, such as 12 * (3 + 4.5) or sqrt(2)",
      "parameters": ["expression": ["type": "string", "description": "What to work out"]],
    ],
    [
      "name": "convert", "description": "Convert a measurement to another unit, such as 26.2 miles to km",
      "parameters": [
        "value": ["type": "number", "description": "How many of the unit `of`"],
        "of": ["type": "string", "description": "The unit that it is in"],
        "to": ["type": "string", "description": "The unit that is wanted"],
      ],
    ],
  ]

  static let templates: JSON = [
    template("tool-calculator", "Calculator", "Works out expressions and converts units", "mathematics"),
    template("tool-almanac", "Almanac", "Looks things up in a small almanac", "search"),
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
