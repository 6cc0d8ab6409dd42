/// The id of a request. It comes back as it was sent (docs/mcp.md 3).
package enum RPCID: Hashable, Sendable {
  case null
  case int(Int)
  /// Kept as it came: a fraction, or a whole number that is written as one.
  case double(Double)
  /// A number that neither of them holds, as it is written.
  case exact(String)
  case string(String)

  /// nil for a value that is no id.
  package init?(_ json: JSON) {
    switch json {
    case .null: self = .null
    case .int(let int): self = .int(int)
    case .double(let double): self = .double(double)
    case .exact(let text): self = .exact(text)
    case .string(let string): self = .string(string)
    case .bool, .array, .object: return nil
    }
  }

  package var json: JSON {
    switch self {
    case .null: .null
    case .int(let int): .int(int)
    case .double(let double): .double(double)
    case .exact(let text): .exact(text)
    case .string(let string): .string(string)
    }
  }
}

extension RPCID {
  /// The number of a request of ours, which all have one: 3 comes back as 3.0 and as "3" too.
  package var number: Int? {
    switch self {
    case .int(let int): int
    case .double(let double): Int(exactly: double)
    case .exact: nil
    case .string(let string): Int(string)
    case .null: nil
    }
  }
}

/// Why a request failed, in the words of the side that was asked.
package struct RPCFailure: Error, Sendable, Equatable {
  package var code: Int
  package var message: String
  package var data: JSON?

  package init(code: Int, message: String, data: JSON? = nil) {
    self.code = code
    self.message = message
    self.data = data
  }

  package static let parseError = -32700
  package static let invalidRequest = -32600
  package static let methodNotFound = -32601
  package static let invalidParams = -32602
  package static let internalError = -32603

  package static func invalid(_ reason: String) -> RPCFailure { RPCFailure(code: invalidParams, message: reason) }

  package static let unknownMethod = RPCFailure(code: methodNotFound, message: "Method not found")
}

/// A message of JSON-RPC 2.0, which both sides send (docs/mcp.md 3).
package enum JSONRPCMessage: Sendable, Equatable {
  case request(id: RPCID, method: String, params: JSON?)
  case notification(method: String, params: JSON?)
  case response(id: RPCID, result: JSON)
  /// Without an id when the other side could not tell which request it answers.
  case error(id: RPCID?, RPCFailure)

  /// Why JSON is no message.
  package enum Malformed: Error, Sendable, Equatable {
    /// Several at once, which no version spoken here has.
    case batch
    case notAnObject
    /// A method that is no text, a request whose id is none, or neither method, result nor error.
    case invalid(id: RPCID?)
    /// An answer that cannot be read: its JSON is broken or too deep, or it has neither result nor error.
    case unreadable(id: RPCID)

    /// What the other side is told; nil when it asked nothing, as a program that logs in JSON.
    package var answer: JSONRPCMessage? {
      switch self {
      case .batch:
        .error(id: nil, RPCFailure(code: RPCFailure.invalidRequest, message: "batches are not taken"))
      case .invalid(let id?):
        .error(id: id, RPCFailure(code: RPCFailure.invalidRequest, message: "this is no request"))
      case .notAnObject, .invalid(nil), .unreadable: nil
      }
    }
  }
}

extension JSONRPCMessage {
  /// Reads a message whatever the order of its members, and without asking for `jsonrpc`, which some servers leave out.
  package init(_ json: JSON) throws(Malformed) {
    guard case .object = json else {
      if case .array = json { throw .batch }
      throw .notAnObject
    }
    let id = json["id"].map { RPCID($0) }
    // Both sides number their requests from 0 or 1: only `method` tells a request from a response.
    if let method = json["method"] {
      guard let method = method.string else { throw .invalid(id: id ?? nil) }
      switch id {
      case .none: self = .notification(method: method, params: json["params"])
      case .some(.none): throw .invalid(id: nil)
      case .some(let id?): self = .request(id: id, method: method, params: json["params"])
      }
    } else if let error = json["error"], !error.isNull {
      let id = id ?? nil
      self = .error(id: id == .null ? nil : id, RPCFailure(reading: error))
    } else if let result = json["result"], let id = id ?? nil {
      self = .response(id: id, result: result)
    } else if let id = id ?? nil, id != .null, json["jsonrpc"] != nil {
      // Without `jsonrpc` it may be a line of a log, and answer nothing.
      throw .unreadable(id: id)
    } else {
      throw .invalid(id: id ?? nil)
    }
  }

  package var json: JSON {
    var members = [JSON.Member("jsonrpc", "2.0")]
    switch self {
    case .request(let id, let method, let params):
      members += [JSON.Member("id", id.json), JSON.Member("method", .string(method))]
      if let params { members.append(JSON.Member("params", params)) }
    case .notification(let method, let params):
      members.append(JSON.Member("method", .string(method)))
      if let params { members.append(JSON.Member("params", params)) }
    case .response(let id, let result):
      members += [JSON.Member("id", id.json), JSON.Member("result", result)]
    case .error(let id, let failure):
      members += [JSON.Member("id", (id ?? .null).json), JSON.Member("error", failure.json)]
    }
    return .object(members)
  }
}

extension RPCFailure {
  /// Takes what there is: code 0, no message, or a text in place of the object were all seen.
  fileprivate init(reading json: JSON) {
    self.init(
      code: json["code"]?.int ?? 0, message: json["message"]?.string ?? json.string ?? "", data: json["data"])
  }

  fileprivate var json: JSON {
    var members = [JSON.Member("code", .int(code)), JSON.Member("message", .string(message))]
    if let data { members.append(JSON.Member("data", data)) }
    return .object(members)
  }
}
