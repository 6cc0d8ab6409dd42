import ArgumentParser
import Wire

/// A release of the platform, as its OpenAPI describes it.
enum Release: String, ExpressibleByArgument, CaseIterable, Sendable {
  case current = "1.2"
  /// The description of 0.9.3: fewer routes, and rows without what came later.
  case old = "0.9"
}

/// What 0.9.3 has not yet.
enum OldRelease {
  private static let missing = [
    "/auth/pat-config", "/extensions", "/auth/users/me/password-capability", "/config/routing", "/workrooms/",
  ]

  /// By where the routes begin that answer with such rows.
  private static let laterFields: [(prefix: String, keys: Set<String>)] = [
    (
      "/serving/",
      [
        "allocated_capacity_gb", "canonical_model_id", "capabilities", "context_window", "deployment_target",
        "features",
        "gpu_id", "gpu_index", "gpu_vendor", "hardware_class", "last_success_at", "node_name", "owner_user_id",
        "routing_details", "runtime_env", "sharing_class", "spawner_process", "sub_mode", "tool_calling", "topology",
        "workroom_id",
      ]
    ),
    (
      "/apps/",
      [
        "services", "status_claim", "template_name", "workroom_id", "display_name", "env_metadata", "strip_path_prefix",
        "template_type", "workload_identity",
      ]
    ),
    ("/models/", ["hosted", "last_push_error", "last_push_error_at", "storage_digest"]),
    ("/catalog/", ["content_revision", "storage", "storage_binding", "workroom_id", "writable"]),
  ]

  /// The routes that it has too, each with the rows that it has.
  static func routes(of routes: [Route]) -> [Route] {
    routes.filter { route in !missing.contains { route.path.hasPrefix($0) } }.map { route in
      let keys = laterFields.first { route.path.hasPrefix($0.prefix) }?.keys
      guard let keys, route.place == .api else { return route }
      return Route(route.method, route.path) { (call, playground) async throws(Refusal) in
        try await route.answer(call, playground).without(keys)
      }
    }
  }
}

extension Reply {
  fileprivate func without(_ keys: Set<String>) -> Reply {
    guard case .whole(let bytes) = body, let json = try? JSON(parsing: bytes) else { return self }  // a page
    var reply = self
    reply.body = .whole(json.without(keys).bytes())
    return reply
  }
}

extension JSON {
  fileprivate func without(_ keys: Set<String>) -> JSON {
    switch self {
    case .array(let elements): .array(elements.map { $0.without(keys) })
    case .object(let members):
      .object(members.filter { !keys.contains($0.key) }.map { Member($0.key, $0.value.without(keys)) })
    default: self
    }
  }
}
