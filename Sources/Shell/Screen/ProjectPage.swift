import Chat
import Text
import Wire

/// The projects of a server.
enum ProjectPage {
  /// - Parameter current: the one that messages belong to.
  static func listing(_ projects: [Project], current: String?, now: Int) -> Listing {
    Listing(
      columns: [
        Listing.Column("ID") { row in
          let id = row["id"]?.string ?? ""
          return "\(id.count > 20 ? String(id.prefix(8)) : id)"
        }, Listing.Column("NAME", "name"),
        Listing.Column("AGE") { $0["updatedAt"]?.int.map { age(of: $0, at: now) } ?? "" },
        Listing.Column("") { $0["current"] == true ? "current" : "" }, Listing.Column("PATH", "path"),
      ], rows: projects.map { object($0, current: current) },
      whenEmpty: "no projects yet: /projects new NAME PATH makes one", wrapsLast: true)
  }

  static func object(_ project: Project, current: String?) -> JSON {
    [
      "id": .string(project.id), "name": .string(project.name), "about": project.about.map(JSON.string) ?? .null,
      "path": project.path.map(JSON.string) ?? .null, "createdAt": project.createdAt.map(JSON.int) ?? .null,
      "updatedAt": project.updatedAt.map(JSON.int) ?? .null, "current": .bool(project.id == current),
    ]
  }

  /// One in detail.
  static func detail(_ project: Project, isCurrent: Bool, offset: Int, columns: Int?) -> StyledText {
    DetailLines.text(
      [
        ("name", VisibleText.oneLine(project.name)), ("id", VisibleText.oneLine(project.id)),
        ("path", VisibleText.oneLine(project.path ?? "")), ("about", VisibleText.oneLine(project.about ?? "")),
        ("made", project.createdAt.map { Moments.local($0, offset: offset) } ?? ""),
        ("changed", project.updatedAt.map { Moments.local($0, offset: offset) } ?? ""),
        ("", isCurrent ? "messages belong to it" : ""),
      ], columns: columns)
  }

  /// Asked before it is deleted: its folder goes with it.
  static func question(_ project: Project) -> SafeText {
    let name = VisibleText.oneLine(project.name).cut(to: 60)
    guard let path = project.path else {
      return "Delete project '\(name)' on the server, for good, with whatever folder it has there?"
    }
    return
      "Delete project '\(name)' on the server, for good, with the folder \(VisibleText.oneLine(path)) and all in it?"
  }
}
