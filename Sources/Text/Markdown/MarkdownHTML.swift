import CMarkdown
import Glibc

/// Markdown as a part of a page: what is not its own markup is text there, and nothing in it is fetched or run.
package enum MarkdownHTML {
  /// - Parameter source: Markdown; control characters in it cannot be seen, and are left out.
  package static func page(_ source: String) -> String {
    let text = visible(source)
    let html = Array(text.utf8).withUnsafeBufferPointer { bytes in
      markdown_html(bytes.baseAddress, bytes.count, nil) { _, info, text in
        strdup(MarkdownHTML.code(String(decoding: text.buffer, as: UTF8.self), info: info.buffer))
      }
    }
    // cmark itself ends the program where there is no memory.
    guard let html else { return escaped(text) }
    defer { free(html) }
    return String(cString: html)
  }

  /// Code in a block of its own, in the colours of its language.
  package static func code(_ text: String, language: String = "") -> String {
    Array(language.utf8).withUnsafeBufferPointer { code(visible(text), info: $0) }
  }

  /// Text that may stand between tags and in an attribute.
  package static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in visible(text).unicodeScalars {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }

  /// HTML has no control characters but these (HTML, 13.1.4.2), and a NUL would end the text.
  private static func visible(_ text: String) -> String {
    func isShown(_ scalar: Unicode.Scalar) -> Bool {
      scalar == "\n" || scalar == "\t" || !(scalar.value < 0x20 || 0x7F...0x9F ~= scalar.value)
    }
    guard text.unicodeScalars.contains(where: { !isShown($0) }) else { return text }
    var visible = String.UnicodeScalarView()
    for scalar in text.replacing("\r\n", with: "\n").replacing("\r", with: "\n").unicodeScalars where isShown(scalar) {
      visible.append(scalar)
    }
    return String(visible)
  }

  private static func code(_ text: String, info: UnsafeBufferPointer<UInt8>) -> String {
    let language = String(decoding: info, as: UTF8.self).split(whereSeparator: \.isWhitespace).first.map(String.init)
    let colours = language.flatMap(CodeColours.init(language:))
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let html = (lines.last?.isEmpty == true ? lines.dropLast() : lines[...]).map { line in
      Array(line.utf8).withUnsafeBufferPointer { bytes in colours.map { marked($0.line(bytes)) } }
        ?? escaped(String(line))
    }
    let name = language.map { " data-language=\"\(escaped($0))\"" } ?? ""
    return "<pre\(name)><code>" + html.joined(separator: "\n") + "</code></pre>"
  }

  /// Each run that has a meaning in an element of its class.
  private static func marked(_ line: StyledBytes) -> String {
    var start = 0
    return line.runs.map { run in
      defer { start = run.end }
      let text = escaped(String(decoding: line.bytes[start..<run.end], as: UTF8.self))
      return run.style == .plain ? text : "<span class=\"\(run.style.meaning)\">\(text)</span>"
    }.joined()
  }
}
