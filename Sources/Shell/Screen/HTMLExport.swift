import Chat
import Store
import Text
import Wire

/// A session as a part of a page that needs nothing else and tells nobody that it was opened (docs/export.md 4).
struct HTMLExport {
  private let session: Session
  private let path: [Turn]

  init(_ session: Session, _ path: [Turn]) {
    self.session = session
    self.path = path
  }

  /// What stands before the first session.
  /// - Parameter title: what a browser calls the page.
  static func begin(title: String) -> String {
    """
    <!DOCTYPE html>
    <html><head><meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
    <meta name="referrer" content="no-referrer">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>\(MarkdownHTML.escaped(title))</title>
    <style>
    \(HTMLStyle.sheet)
    </style></head><body>

    """
  }

  static let end = "</body></html>\n"

  var name: String { SessionPage.name(session, path).string }

  var pieces: [String] { [head] + path.map(turn) + ["</article>\n"] }

  private var head: String {
    let facts = [session.server?.name, session.model, Moments.iso(session.createdAt)].compactMap { $0 }
    return """
      <article><header><h1 dir="auto">\(MarkdownHTML.escaped(name))</h1>
      <p>\(MarkdownHTML.escaped(facts.joined(separator: ", ")))</p></header>

      """
  }

  private func turn(_ turn: Turn) -> String {
    "<section>\n" + ExportPart.parts(of: turn, in: session).map(Self.element).joined(separator: "\n") + "\n</section>\n"
  }

  private static func element(_ part: ExportPart) -> String {
    switch part {
    case .speaker(let name, let number): "<h2>#\(number) <bdi>\(MarkdownHTML.escaped(name))</bdi></h2>"
    case .question(let text): "<p class=\"question\" dir=\"auto\">\(MarkdownHTML.escaped(text))</p>"
    case .attached(let file):
      "<p class=\"note\">Attached: <bdi>\(MarkdownHTML.escaped(file.name))</bdi> (\(file.size) bytes)</p>"
    case .reasoning(let text): "<blockquote class=\"reasoning\" dir=\"auto\">\(MarkdownHTML.escaped(text))</blockquote>"
    case .answer(let text): "<div class=\"answer\" dir=\"auto\">\n\(MarkdownHTML.page(text))</div>"
    case .call(let stored): call(stored)
    case .ended(let how): "<p class=\"note\">\(MarkdownHTML.escaped(how))</p>"
    }
  }

  private static func call(_ stored: StoredCall) -> String {
    let server = stored.server.map { " on " + MarkdownHTML.escaped($0) } ?? ""
    let name = MarkdownHTML.escaped(stored.tool ?? stored.call.name)
    let (arguments, language) =
      switch stored.call.arguments {
      case .object(let object): (object.serialized(), "json")
      case .broken(let text, _): (text, "")
      }
    let asked =
      "<p class=\"note\">Tool <b>\(name)</b>\(server)</p>\n" + MarkdownHTML.code(arguments, language: language)
    guard let result = stored.result else { return asked }
    let status = MarkdownHTML.escaped(result.status.rawValue)
    return asked + "\n<p class=\"note\">Result, \(status)</p>\n" + MarkdownHTML.code(result.text)
  }
}
