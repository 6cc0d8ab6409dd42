import Chat
import Testing
import Wire

@testable import Backends

struct ACPErrorsTests {
  @Test(
    arguments: [
      ("Not logged in", nil, "Not logged in"), ("Not logged in", .null, "Not logged in"),
      ("Internal error", ["details": "no provider configured"], "Internal error: no provider configured"),
      ("Authentication required", ["reason": "no key"], "Authentication required: no key"),
      ("Broken", ["error": ["message": "inner", "code": 3]], "Broken: inner"), ("Broken", "why", "Broken: why"),
      ("Same", "Same", "Same"), ("Failed: all of it", "all of it", "Failed: all of it"),
      ("Failed", "Failed: all of it", "Failed: all of it"),
      ("Broken", ["reason": "a", "details": "a", "error": "b", "session": "c"], "Broken: a: b"),
      ("", .null, "internal error"),
      ("Broken", [1, "x"], "Broken: x"), ("Broken", ["errors": [["msg": "no text"]]], "Broken: no text"),
      ("Broken", ["reason": 4], "Broken"), (" Broken\n", "", "Broken"),
    ] as [(String, JSON?, String)]) func `an error is its message and what of its data is text`(
      _ message: String, _ data: JSON?, _ words: String
    )
  {
    #expect(RPCFailure(code: -32603, message: message, data: data).words == words)
  }

  private func error(_ code: Int) -> BackendError {
    BackendError(RPCFailure(code: code, message: "x"), masked: { $0 })
  }

  @Test func `a code says what to do next`() {
    #expect(error(-32000) == .agentSignIn(message: "x", []))
    #expect(error(-32603) == .failed(message: "x"))
    #expect(error(-32800) == .cancelled)
    #expect(RPCFailure(code: -32000, message: "").words == "authentication required")
    #expect(RPCFailure(code: 0, message: "").words == "error 0")
  }

  @Test(
    arguments: [
      (-32002, "Resource not found", .null, true),
      (-32602, "Invalid params", "Session not found (fresh agent): 1", true),
      (-32602, "Session not found: 1", .null, true), (-32001, "unknown session", .null, true),
      (-32603, "Internal error", ["details": "Session abc does not exist"], true),
      (-32602, "Invalid params", ["reason": "cwd must be absolute"], false),
      (-32603, "session store is locked", .null, false),
      (-32000, "no session: sign in", .null, false), (-32601, "Method not found", .null, false),
      (-32602, "file not found", .null, false),
    ] as [(Int, String, JSON, Bool)]) func `a session that is gone is told by code and words`(
      _ code: Int, _ message: String, _ data: JSON, _ isGone: Bool
    )
  {
    #expect(RPCFailure(code: code, message: message, data: data).isSessionGone == isGone)
  }
}
