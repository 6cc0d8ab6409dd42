/// The identity provider's form.
enum SignInPage {
  /// The form, carrying on what the browser came with; `asking` names one more field to be typed.
  static func reply(for given: Fields, fields: [String], asking: String? = nil, complaint: String? = nil) -> Reply {
    let carried = fields.compactMap { name in given[name].map { hidden(name, $0) } }.joined(separator: "\n")
    let asked = asking.map { "<p><label>Code <input name=\"\($0)\" value=\"\(escaped(given[$0] ?? ""))\"></label></p>" }
    let deny = asking == nil ? "" : " <button name=\"deny\" value=\"1\">No</button>"
    let body = """
      <h1>Sign in to the playground</h1>
      \(complaint.map { "<p role=\"alert\">\(escaped($0))</p>" } ?? "")
      <form method="post">
      \(carried)
      \(asked ?? "")
      <p><label>Name <input name="username" autocomplete="username"></label></p>
      <p><label>Password <input name="password" type="password" autocomplete="current-password"></label></p>
      <p><button>Sign in</button>\(deny)</p>
      </form>
      """
    return .html(WebPages.page("Sign in", body), status: complaint == nil ? 200 : 401)
  }

  private static func hidden(_ name: String, _ value: String) -> String {
    "<input type=\"hidden\" name=\"\(name)\" value=\"\(escaped(value))\">"
  }

  private static func escaped(_ text: String) -> String { WebPages.escaped(text) }
}
