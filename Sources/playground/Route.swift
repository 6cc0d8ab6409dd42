/// One route: what it answers to, who may ask, and its answer.
struct Route: Sendable {
  /// Where a path begins.
  enum Place: Sendable {
    /// Below the root of the API.
    case api
    /// Beside it, as the runtime paths and the identity provider are.
    case site
  }

  typealias Answer = @Sendable (Call, Playground) async throws(Refusal) -> Reply
  typealias SignedInAnswer = @Sendable (Call, Playground, Identity) async throws(Refusal) -> Reply

  let method: String
  /// `{name}` stands for one segment, `{name...}` at the end for all the rest, which may be nothing.
  let path: String
  let place: Place
  let answer: Answer

  /// A route for everybody.
  init(_ method: String, _ path: String, at place: Place = .api, answer: @escaping Answer) {
    self.method = method
    self.path = path
    self.place = place
    self.answer = answer
  }

  /// A route for those who are signed in.
  init(_ method: String, _ path: String, at place: Place = .api, signedIn answer: @escaping SignedInAnswer) {
    self.init(method, path, at: place) { (call, playground) async throws(Refusal) in
      try await answer(call, playground, try await playground.identity(of: call))
    }
  }

  /// `GET /models/{model_id}`, as counts and the description of the API name it.
  var name: String { "\(method) \(path)" }

  /// What the braces stand for in this path; nil when it is another one.
  func match(_ other: Substring) -> [String: String]? {
    let mine = path.split(separator: "/", omittingEmptySubsequences: false)
    let others = other.split(separator: "/", omittingEmptySubsequences: false)
    let hasRest = path.hasSuffix("...}")
    guard hasRest ? others.count >= mine.count - 1 : others.count == mine.count else { return nil }
    var found: [String: String] = [:]
    if hasRest, let pattern = mine.last {
      found[String(pattern.dropFirst().dropLast(4))] = others.dropFirst(mine.count - 1).joined(separator: "/")
    }
    for (pattern, segment) in zip(hasRest ? mine.dropLast() : mine, others) {
      if pattern.first == "{", !segment.isEmpty {
        found[String(pattern.dropFirst().dropLast())] = segment.removingPercentEncoding ?? String(segment)
      } else if pattern != segment {
        return nil
      }
    }
    return found
  }
}
