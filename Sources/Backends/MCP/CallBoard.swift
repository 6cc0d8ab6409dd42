import Waiting
import Wire

/// The requests under way, for messages that come on a stream they share.
final class CallBoard: Sendable {
  private let lastID = Locked(0)
  private let inboxes = Locked<[Int: Inbox]>([:])
  /// What was odd and has not been told.
  private let remarks = Locked<[String]>([])
  private static let remarkLimit = 16
  private let listChanged: @Sendable () -> Void

  /// - Parameter listChanged: called when a server says that its list of tools is another.
  init(listChanged: @escaping @Sendable () -> Void) { self.listChanged = listChanged }

  /// An id that no other request of this connection has.
  func nextID() -> Int {
    lastID.withLock { last in
      last += 1
      return last
    }
  }

  subscript(id: Int) -> Inbox? {
    get { inboxes.withLock { $0[id] } }
    set { inboxes.withLock { $0[id] = newValue } }
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
    remarks.withLock { if $0.count < CallBoard.remarkLimit { $0.append(words) } }
  }

  func takeRemarks() -> [String] {
    remarks.withLock { remarks in
      defer { remarks = [] }
      return remarks
    }
  }

  /// The one request under way: what names none is about it.
  private var only: Inbox? { inboxes.withLock { $0.count == 1 ? $0.first?.value : nil } }

  /// Whose question it most likely is that names no request.
  private var newest: Inbox? { inboxes.withLock { $0.max { $0.key < $1.key }?.value } }
}
