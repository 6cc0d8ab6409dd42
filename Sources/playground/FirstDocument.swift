/// The first specification (docs/kamiwaza.md 9) has no more routes than these.
enum FirstDocument {
  private static let known: Set = [
    "/auth/health", "/auth/token", "/auth/refresh", "/auth/logout", "/auth/users/me", "/auth/idp/public/providers",
    "/auth/login", "/auth/callback", "/serving/deployments", "/serving/active_deployments",
    "/serving/deployment/{deployment_id}", "/models/", "/models/{model_id}", "/tool/discover", "/tool/deployments",
    "/tool/templates", "/apps/deployments", "/apps/app_templates", "/catalog/datasets/", "/catalog/datasets/by-urn",
    "/catalog/datasets/by-urn/schema",
  ]

  static func routes(of routes: [Route]) -> [Route] {
    routes.filter { route in
      route.place == .site || known.contains(route.path) || route.path.hasPrefix("/auth/pats") && route.method != "GET"
    }
  }
}
