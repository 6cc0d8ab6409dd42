import Chat
import Store
import Text
import Wire

extension Commands {
  static let gateway = [projects, usage, remoteTools]

  private static let projects = Command(
    "projects", .servers, summary: "the projects of a gateway",
    forms: [
      Form(summary: "list those that the server has") { shell, match throws(ShellError) in
        try await list(match.asJSON, &shell)
      },
      Form(.word("new"), .required(.newName), .optional(.path), summary: "make one, in a folder there") {
        shell, match throws(ShellError) in
        try await make(match[0], at: match.values.dropFirst().first, &shell)
      }.switching(),
      Form(.word("use"), .required(.project), summary: "messages belong to it from now on") {
        shell, match throws(ShellError) in
        try await use(match[0], &shell)
      }.switching(),
      Form(.word("leave"), summary: "messages belong to none") { shell, _ throws(ShellError) in
        _ = try await keeper(&shell)
        try shell.links.choose({ $0.project = nil }, &shell.desk)
        shell.desk.say("no project")
      }.switching(),
      Form(.word("show"), .required(.project), summary: "all there is to know of one") {
        shell, match throws(ShellError) in
        try await show(match[0], match.asJSON, &shell)
      },
      Form(.word("delete"), .required(.project), summary: "delete one there, and its folder") {
        shell, match throws(ShellError) in
        try await delete(match[0], &shell)
      },
    ],
    examples: ["/projects", "/projects new shop shop", "/projects use shop", "/projects delete shop"],
    details: """
      A project is a folder on the server's machine; PATH is below a root that the server has. It is named by its name, \
      its id or the beginning of that. The one in use is kept with the server. Deleting one deletes its folder and all \
      that is in it: the path is shown and asked about first.
      """)

  private static func keeper(_ shell: inout Shell) async throws(ShellError) -> any Projects {
    let link = try await shell.links.connected(&shell.desk)
    guard let projects = link.backend.projects else { throw .hasNone(server: link.server.name, what: "projects") }
    return projects
  }

  private static func list(_ asJSON: Bool, _ shell: inout Shell) async throws(ShellError) {
    let projects = try await keeper(&shell)
    let found = try await shell.links.asking(&shell.desk) { _ throws(BackendError) in try await projects.list() }
    shell.links.known.take(found)
    let page = ProjectPage.listing(
      found, current: shell.links.link.server.gateway?.project, now: shell.desk.world.now())
    try await shell.desk.show(page, asJSON: asJSON)
  }

  /// The one that a word means: by its id, its name, or the start of its id.
  private static func meant(
    by word: String, _ projects: any Projects, _ shell: inout Shell
  ) async throws(ShellError) -> Project {
    let all = try await shell.links.asking(&shell.desk) { _ throws(BackendError) in try await projects.list() }
    shell.links.known.take(all)
    if let exact = all.first(where: { $0.id == word }) { return exact }
    for fits in [
      { $0.name == word }, { $0.name.lowercased() == word.lowercased() }, { word.count >= 4 && $0.id.hasPrefix(word) },
    ]
      as [(Project) -> Bool]
    {
      let matches = all.filter(fits)
      if matches.count == 1 { return matches[0] }
      if matches.count > 1 {
        throw .ambiguous(.project, word, matches: matches.map { "\($0.id.prefix(8)) \($0.name)" })
      }
    }
    throw .unknown(.project, word, nearest: Nearest.words(to: word, among: all.map(\.name)))
  }

  private static func make(_ name: String, at path: String?, _ shell: inout Shell) async throws(ShellError) {
    let projects = try await keeper(&shell)
    let made = try await shell.links.asking(&shell.desk) { _ throws(BackendError) in
      try await projects.create(name, at: path)
    }
    let place: SafeText = made.path.map { " in \($0)" } ?? ""
    shell.desk.say(
      "project \(made.name)\(place); " + shell.desk.asTyped("/projects use \(Words.quoted(made.name)) goes to it"))
  }

  private static func use(_ word: String, _ shell: inout Shell) async throws(ShellError) {
    let projects = try await keeper(&shell)
    let wanted = try await meant(by: word, projects, &shell)
    try shell.links.choose({ $0.project = wanted.id }, &shell.desk)
    shell.desk.say("project: \(wanted.name)")
  }

  private static func show(_ word: String, _ asJSON: Bool, _ shell: inout Shell) async throws(ShellError) {
    let projects = try await keeper(&shell)
    let id = try await meant(by: word, projects, &shell).id
    let project = try await shell.links.asking(&shell.desk) { _ throws(BackendError) in try await projects.read(id) }
    let current = shell.links.link.server.gateway?.project
    if asJSON || shell.desk.options.output != .text {
      return shell.desk.show(ProjectPage.object(project, current: current))
    }
    try await shell.desk.show(
      long: ProjectPage.detail(
        project, isCurrent: project.id == current, offset: shell.desk.world.clockOffset(shell.desk.world.now()),
        columns: shell.desk.wrapColumns))
  }

  private static func delete(_ word: String, _ shell: inout Shell) async throws(ShellError) {
    let projects = try await keeper(&shell)
    let listed = try await meant(by: word, projects, &shell)
    // What is asked about is what the server has now.
    let project = try await shell.links.asking(&shell.desk) { _ throws(BackendError) in
      try await projects.read(listed.id)
    }
    guard try await shell.desk.confirm(ProjectPage.question(project)) else { return }
    try await shell.links.asking(&shell.desk) { _ throws(BackendError) in try await projects.delete(project.id) }
    if shell.links.link.server.gateway?.project == project.id {
      try shell.links.choose({ $0.project = nil }, &shell.desk)
    }
    shell.desk.say("deleted on the server: \(project.name)")
  }
}
