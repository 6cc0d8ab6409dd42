import Testing

@testable import Wire

struct JSONRPCTests {
  private func message(_ text: String) throws -> JSONRPCMessage { try JSONRPCMessage(JSON(parsing: text)) }

  @Test(arguments: [
    (#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#, JSONRPCMessage.request(id: .int(1), method: "ping", params: nil)),
    (#"{"method":"a","params":[1],"id":"x","jsonrpc":"2.0"}"#, .request(id: .string("x"), method: "a", params: [1])),
    (#"{"id":null,"method":"a"}"#, .request(id: .null, method: "a", params: nil)),
    (#"{"id":1.5,"method":"a","params":{}}"#, .request(id: .double(1.5), method: "a", params: [:])),
    (#"{"method":"a","params":null}"#, .notification(method: "a", params: .null)),
    (#"{"result":{"a":1},"id":7}"#, .response(id: .int(7), result: ["a": 1])),
    (#"{"id":0,"result":null,"error":null}"#, .response(id: .int(0), result: .null)),
    (
      #"{"error":{"message":"no","code":-32601,"data":null},"id":2,"result":null}"#,
      .error(id: .int(2), RPCFailure(code: -32601, message: "no", data: .null))
    ),
    (#"{"id":null,"error":{"code":-32700}}"#, .error(id: nil, RPCFailure(code: -32700, message: ""))),
    (#"{"id":"server-error","error":{}}"#, .error(id: .string("server-error"), RPCFailure(code: 0, message: ""))),
    (#"{"id":1,"error":"broken"}"#, .error(id: .int(1), RPCFailure(code: 0, message: "broken"))),
    // A method makes it a request, whatever else there is.
    (#"{"id":1,"method":"a","result":1}"#, .request(id: .int(1), method: "a", params: nil)),
  ])
  func `a message is told by its members, in any order`(text: String, expected: JSONRPCMessage) throws {
    #expect(try message(text) == expected)
  }

  @Test(arguments: [
    ("[]", JSONRPCMessage.Malformed.batch), (#"[{"id":1,"method":"a"}]"#, .batch), ("1", .notAnObject),
    ("null", .notAnObject), ("{}", .invalid(id: nil)), (#"{"id":3}"#, .invalid(id: .int(3))),
    (#"{"id":3,"method":4}"#, .invalid(id: .int(3))), (#"{"id":[],"method":"a"}"#, .invalid(id: nil)),
    (#"{"result":1}"#, .invalid(id: nil)), (#"{"level":"info","message":"hi"}"#, .invalid(id: nil)),
  ])
  func `what is no message says why`(text: String, expected: JSONRPCMessage.Malformed) throws {
    #expect(throws: expected) { try message(text) }
  }

  @Test func `only who asked something is told that it was no request`() throws {
    #expect(
      JSONRPCMessage.Malformed.batch.answer?.json.serialized()
        == #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not taken"}}"#)
    #expect(JSONRPCMessage.Malformed.invalid(id: .string("a")).answer?.json["id"] == "a")
    #expect(JSONRPCMessage.Malformed.invalid(id: nil).answer == nil)
    #expect(JSONRPCMessage.Malformed.notAnObject.answer == nil)
  }

  @Test(arguments: [
    RPCID.null, .int(0), .int(-1), .int(.max), .string(""), .string("a\n\u{2028}é"), .double(1), .double(0.5),
    .double(1e300),
  ])
  func `an id comes back as it was sent`(id: RPCID) throws {
    let request = JSONRPCMessage.request(id: id, method: "a", params: nil)
    guard case .request(let read, _, _) = try message(request.json.serialized()) else {
      Issue.record("no request")
      return
    }
    #expect(read == id)
    #expect(read.json.serialized() == id.json.serialized())
  }

  @Test func `what is written is read as the same`() throws {
    for written: JSONRPCMessage in [
      .request(id: .int(1), method: "tools/call", params: ["name": "add"]), .notification(method: "a", params: nil),
      .response(id: .string("x"), result: []), .error(id: nil, RPCFailure(code: 1, message: "m", data: [1])),
    ] {
      #expect(try message(written.json.serialized()) == written)
      #expect(written.json["jsonrpc"] == "2.0")
    }
  }
}
