/// All routes of an installation, in the shape that the options ask for.
enum Platform {
  static func routes(_ options: Options) -> [Route] {
    var routes =
      AuthRoutes.all + PersonalTokenRoutes.all + ServingRoutes.all + BrowseRoutes.all + RuntimeRoutes.all(options)
    routes += ToolRoutes.all
    if options.seedShape {
      // A path with a name beats one with braces.
      routes.insert(ServingRoutes.active, at: 0)
    } else {
      routes.append(PersonalTokenRoutes.policy)
    }
    if options.seedShape { routes = FirstDocument.routes(of: routes) }
    if options.release == .old { routes = OldRelease.routes(of: routes) }
    routes += LoginRoutes.all
    if options.oidc { routes += IdentityRoutes.all }
    return options.seedShape ? routes : routes + [Description.route(of: routes, options.release)]
  }
}
