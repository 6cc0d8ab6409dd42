/// What a browser sees beside the API.
enum WebPages {
  /// The web interface, for whom the bare host is given as an address.
  static let home = Reply.html(page("Kamiwaza", "<div id=\"root\">Kamiwaza needs JavaScript.</div>"))

  static let notFound = Reply.html(page("Not found", "<h1>404</h1><p>This page does not exist.</p>"), status: 404)

  static func page(_ title: String, _ body: String) -> String {
    """
    <!doctype html>
    <html lang="en">
    <head><meta charset="utf-8"><title>\(escaped(title))</title></head>
    <body>\(body)</body>
    </html>

    """
  }

  static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
  }
}
