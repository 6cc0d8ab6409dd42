package import Chat
import Waiting
package import Wire

/// Takes our secrets out of text that a server wrote: a server may repeat them in an error, a list or an answer, which
/// is shown and kept (docs/rules.md C6).
package final class SecretMask: Sendable {
  /// The number of secrets that are remembered: those of the requests that may still be on their way.
  private static let limit = 16
  /// The bytes from which on a secret is taken out of answers and lists too. A shorter one may be a word of theirs.
  private static let distinctLength = 8
  /// Keys that people set because a program wants one. They are words of answers and names of models.
  private static let placeholders: Set<String> = [
    "anything", "api-key", "dummy-key", "fake-key", "lm-studio", "no-api-key", "no-key-needed", "no-key-required",
    "not-needed", "not-required", "password", "placeholder", "sk-no-key-required", "unlimited", "your-api-key",
  ]

  private struct Known {
    var all = SecretSet()
    /// Those that stand for nothing else in an answer.
    var distinct = SecretSet()
  }

  private let known = Locked(Known())

  package init() {}

  /// Remembers a secret; of too many, the one that was added longest ago is forgotten.
  package func add(_ secret: Secret?) {
    guard let secret, !secret.isEmpty else { return }
    known.withLock { known in
      guard known.all.secrets.last != secret else { return }
      let others = known.all.secrets.filter { $0 != secret }
      let secrets = Array(others.suffix(SecretMask.limit - 1)) + [secret]
      known.all = SecretSet(secrets)
      known.distinct = SecretSet(secrets.filter(SecretMask.isDistinct))
    }
  }

  private static func isDistinct(_ secret: Secret) -> Bool {
    secret.byteCount >= distinctLength && !placeholders.contains(secret.reveal().lowercased())
  }

  /// The secrets that are taken out of answers.
  var distinctSecrets: SecretSet { known.withLock { $0.distinct } }

  /// The same bytes when no secret is in them. JSON is read first, so that each of its texts is masked as it is meant.
  package func callAsFunction(_ bytes: [UInt8]) -> [UInt8] {
    let known = known.withLock { $0 }
    guard !known.all.isEmpty else { return bytes }
    guard let json = try? JSON(parsing: bytes) else {  // what is not JSON is a page or text
      let placeholder = HTMLPage(bytes) == nil ? SecretSet.placeholder : "&lt;secret&gt;"
      return bytes.withUnsafeBufferPointer { known.all.masked($0, by: placeholder, isCut: true) } ?? bytes
    }
    // A short secret may be the name of a member, without which the error could not be read.
    let masked = json.mappingTexts({ known.all.masked($0) }, keys: { known.distinct.masked($0) })
    return masked == json ? bytes : masked.bytes()
  }

  /// Masks text about a failure.
  func callAsFunction(_ text: String) -> String { known.withLock { $0.all }.masked(text, isCut: true) }

  /// Masks the texts and the keys of an answer or a list.
  package func callAsFunction(_ json: JSON) -> JSON {
    let secrets = distinctSecrets
    guard !secrets.isEmpty else { return json }
    return json.mappingTexts({ secrets.masked($0) }, keys: { secrets.masked($0) })
  }

  /// Masks what a peer says: a result goes to the model and into the history.
  func callAsFunction(_ message: JSONRPCMessage) -> JSONRPCMessage {
    switch message {
    case .response(let id, let result): .response(id: id, result: self(result))
    case .notification(let method, let params): .notification(method: method, params: params.map { self($0) })
    case .request(let id, let method, let params):
      .request(id: id, method: method, params: params.map { self($0) })
    case .error(let id, let failure):
      .error(
        id: id,
        RPCFailure(code: failure.code, message: self(failure.message), data: failure.data.map { self($0) }))
    }
  }

  func callAsFunction(_ line: JSONLines.Line) -> JSONLines.Line {
    switch line {
    case .message(let message): .message(self(message))
    case .junk(let text): .junk(self(text))
    case .malformed: line
    }
  }
}

extension JSON {
  func mappingTexts(_ map: (String) -> String, keys mapKey: (String) -> String) -> JSON {
    switch self {
    case .string(let text): .string(map(text))
    case .array(let items): .array(items.map { $0.mappingTexts(map, keys: mapKey) })
    case .object(let members):
      .object(members.map { Member(mapKey($0.key), $0.value.mappingTexts(map, keys: mapKey)) })
    default: self
    }
  }
}
