import Chat
import Transport

/// The cookie that a chat-ui server knows a person by (docs/chatui.md 8). Its name is the server's to choose.
struct ChatUICookie: Equatable {
  static let usualName = "hf-chat"

  var name: String
  var value: String
  /// Whether it is kept from scripts, as a session's is.
  var isHTTPOnly = false
  /// Whether what was typed has a name in it.
  private(set) var isNamed = true

  /// What servers call it where nobody says otherwise: the first is chat-ui's own.
  static let usualNames = [usualName, "vibecaas-chat"]

  /// What was kept, or typed: `NAME=VALUE`, a whole `Cookie` header, or the value alone.
  init(_ secret: Secret) {
    let text = secret.reveal().trimmingBlanks
    let line = text.hasPrefix("Cookie:") ? String(text.dropFirst(7)) : text
    let pairs = line.split(separator: ";").map { String($0).trimmingBlanks }
    // A browser sends others along.
    let pair = pairs.first { $0.contains("=") && $0.prefix { $0 != "=" }.contains("chat") } ?? pairs.first ?? text
    // A value alone may end in the sign, as base64 does.
    if let sign = pair.firstIndex(of: "="), pair.index(after: sign) < pair.endIndex, pair[..<sign].count < 60,
      pair[..<sign].allSatisfy({ $0.isLetter || $0.isNumber || "-_.".contains($0) })
    {
      name = String(pair[..<sign])
      value = String(pair[pair.index(after: sign)...])
    } else {
      name = ChatUICookie.usualName
      value = pair
      isNamed = false
    }
  }

  /// A `Set-Cookie` header (RFC 6265, section 4.1); nil for one that takes its cookie away, or is none.
  init?(_ header: String) {
    let parts = header.split(separator: ";").map { String($0).trimmingBlanks }
    guard let pair = parts.first, let sign = pair.firstIndex(of: "="), sign > pair.startIndex else { return nil }
    name = String(pair[..<sign])
    value = String(pair[pair.index(after: sign)...])
    let attributes = parts.dropFirst().map { $0.lowercased() }
    guard !value.isEmpty, !attributes.contains("max-age=0") else { return nil }
    isHTTPOnly = attributes.contains("httponly")
  }

  var pair: String { "\(name)=\(value)" }

  /// Whether it is a session, of those that a server sets.
  var isSession: Bool {
    let name = name.lowercased()
    return isHTTPOnly && !name.hasPrefix("hfchat-") && (name.contains("chat") || name.contains("session"))
  }

  /// As it may be meant: a value alone may be of any of these names.
  func spellings(_ names: [String]) -> [ChatUICookie] {
    if isNamed { return [self] }
    return names.map { name in
      var cookie = self
      cookie.name = name
      return cookie
    }
  }

}

extension HTTPRequest {
  /// Signs it as a browser does.
  mutating func authorize(asSession token: Secret) {
    let cookie = ChatUICookie(token)
    guard Secret(cookie.pair).fitsHeader, !cookie.pair.contains(";") else { return }
    headers.append((name: "Cookie", value: cookie.pair))
  }
}
