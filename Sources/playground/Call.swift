import Foundation
import Wire

/// A request as the routes see it.
struct Call: Sendable {
  var method: String
  /// Percent-encoded, as it came.
  var path: String
  /// As it came, without the question mark.
  var queryText: String
  /// Names in lower case.
  var headers: [String: String]
  var body: [UInt8]
  /// What the braces of the route's path stand for.
  var parameters: [String: String] = [:]
  /// Whether the client speaks TLS.
  var isSecure = false

  /// `https://host:port`, as the client sees it.
  var origin: String { (isSecure ? "https://" : "http://") + host }

  var host: String { headers["host"] ?? "127.0.0.1" }

  var query: Fields { Fields(encoded: queryText) }

  var form: Fields { Fields(encoded: String(decoding: body, as: UTF8.self)) }

  /// nil when the body is not a JSON object.
  var json: JSON? {
    // Malformed bytes and another kind of value are the same to every route: no object.
    guard let value = try? JSON(parsing: body), value.object != nil else { return nil }
    return value
  }

  /// The token of the header, else that of the cookie, which a browser sends (docs/kamiwaza.md 3.3).
  var token: String? {
    if let header = headers["authorization"] {
      let words = header.split(separator: " ", maxSplits: 1)
      return words.count == 2 && words[0].lowercased() == "bearer" ? String(words[1]) : ""
    }
    return cookies["access_token"]
  }

  var cookies: [String: String] {
    var found: [String: String] = [:]
    for pair in (headers["cookie"] ?? "").split(separator: ";") {
      let halves = pair.split(separator: "=", maxSplits: 1)
      guard halves.count == 2 else { continue }
      found[halves[0].trimmingCharacters(in: .whitespaces)] = halves[1].trimmingCharacters(in: .whitespaces)
    }
    return found
  }
}

/// The fields of a query or of a form (application/x-www-form-urlencoded).
struct Fields: Sendable {
  private var pairs: [(name: String, value: String)]

  init(encoded text: String) {
    pairs = text.split(separator: "&").map { pair in
      let halves = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (Self.decoded(halves[0]), halves.count == 2 ? Self.decoded(halves[1]) : "")
    }
  }

  subscript(name: String) -> String? { pairs.last { $0.name == name }?.value }

  func all(_ name: String) -> [String] { pairs.filter { $0.name == name }.map(\.value) }

  private static func decoded(_ text: Substring) -> String {
    let spaced = String(text.replacing("+", with: " "))
    return spaced.removingPercentEncoding ?? spaced
  }

  /// A query of these fields, in order.
  static func encoded(_ pairs: KeyValuePairs<String, String>) -> String {
    pairs.map { "\(encoded($0.key))=\(encoded($0.value))" }.joined(separator: "&")
  }

  private static func encoded(_ text: String) -> String {
    let unreserved = CharacterSet(charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }
}
