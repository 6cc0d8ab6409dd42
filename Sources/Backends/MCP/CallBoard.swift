import Foundation
import Wire

/// The requests under way, for messages that come on a stream they share.
// Sendable: what varies is read and written under the lock only.
final class CallBoard: @unchecked Sendable {
  private let lock = NSLock()
  private var lastID = 0
  private var inboxes: [Int: Inbox] = [:]
  /// What was odd and has not been told.
  private var remarks: [String] = []
  private static let remarkLimit = 16
  private let listChanged: @Sendable () -> Void

  /// - Parameter listChanged: called when a server says that its list of tools is another.
  init(listChanged: @escaping @Sendable () -> Void) { self.listChanged = listChanged }

  /// An id that no other request of this connection has.
  func nextID() -> Int {
    lock.withLock {
      lastID += 1
      return lastID
    }
  }

  subscript(id: Int) -> Inbox? {
    get { lock.withLock { inboxes[id] } }
    set { lock.withLock { inboxes[id] = newValue } }
  }

  /// Hands a notice to whom it is for.
  func note(_ method: String, _ params: JSON) {
    switch method {
    case "notifications/tools/list_changed": listChanged()
    case "notifications/progress":
      let id = params["progressToken"].flatMap { RPCID($0) }
      id?.number.flatMap { self[$0] }?.put(.notice(method: method, params: params))
    case "notifications/message": only?.put(.notice(method: method, params: params))
    default: break
    }
  }

  /// Hands on what a server asks; false when nobody can answer.
  func ask(
    _ method: String, _ params: JSON, answer: @escaping @Sendable (Result<JSON, RPCFailure>) async -> Void
  ) -> Bool {
    guard method == "elicitation/create", let newest else { return false }
    return newest.put(.asked(method: method, params: params, answer: answer))
  }

  /// Keeps what was odd until a call can tell of it, since a program prints most when it starts.
  func remark(_ words: String) {
    lock.withLock { if remarks.count < CallBoard.remarkLimit { remarks.append(words) } }
  }

  func takeRemarks() -> [String] {
    lock.withLock {
      defer { remarks = [] }
      return remarks
    }
  }

  /// The one request under way: what names none is about it.
  private var only: Inbox? { lock.withLock { inboxes.count == 1 ? inboxes.first?.value : nil } }

  /// Whose question it most likely is that names no request.
  private var newest: Inbox? { lock.withLock { inboxes.max { $0.key < $1.key }?.value } }
}
