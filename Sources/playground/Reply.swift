import Transport
import Wire

/// What a route answers.
struct Reply: Sendable {
  enum Body: Sendable {
    case whole([UInt8])
    case stream(any HTTPBody)
    /// Server-sent events of whom the reader's leaving is to be told at once.
    case events(any HTTPBody)
  }

  var status: Int
  var type: String
  var headers: [(name: String, value: String)] = []
  var body: Body

  static func json(_ value: JSON, status: Int = 200) -> Reply {
    Reply(status: status, type: "application/json", body: .whole(value.bytes()))
  }

  static func html(_ page: String, status: Int = 200) -> Reply {
    Reply(status: status, type: "text/html; charset=utf-8", body: .whole(Array(page.utf8)))
  }

  static func text(_ text: String, status: Int) -> Reply {
    Reply(status: status, type: "text/plain", body: .whole(Array(text.utf8)))
  }

  static func redirect(_ status: Int, to location: String) -> Reply {
    Reply(status: status, type: "text/plain", headers: [("Location", location)], body: .whole([]))
  }

  func with(_ name: String, _ value: String) -> Reply {
    var reply = self
    reply.headers.append((name, value))
    return reply
  }
}

/// An answer that is a refusal, in the shapes of docs/kamiwaza.md 8.
struct Refusal: Error {
  var reply: Reply

  init(_ reply: Reply) { self.reply = reply }

  /// `{"detail": text}`, as FastAPI words an ordinary error.
  init(_ status: Int, _ detail: String) { reply = .json(["detail": .string(detail)], status: status) }

  static func unauthorized(_ detail: String) -> Refusal {
    Refusal(Refusal(401, detail).reply.with("WWW-Authenticate", "Bearer"))
  }

  /// FastAPI's 422 for one field.
  static func invalid(_ place: String, _ name: String, _ message: String, type: String, input: String? = nil) -> Refusal
  {
    let error: JSON = [
      "loc": [.string(place), .string(name)], "msg": .string(message), "type": .string(type),
      "input": input.map(JSON.string) ?? .null,
    ]
    return Refusal(.json(["detail": [error]], status: 422))
  }

  static func missing(_ place: String, _ name: String) -> Refusal {
    invalid(place, name, "Field required", type: "missing")
  }

  /// The shape of the identity provider and of the token route (RFC 6749, 5.2).
  static func oauth(_ status: Int, _ error: String, _ description: String) -> Refusal {
    Refusal(.json(["error": .string(error), "error_description": .string(description)], status: status))
  }

  /// The shape of an inference engine.
  static func engine(_ status: Int, _ message: String, type: String) -> Refusal {
    let error: JSON = ["message": .string(message), "type": .string(type), "code": .int(status)]
    return Refusal(.json(["error": error], status: status))
  }
}
