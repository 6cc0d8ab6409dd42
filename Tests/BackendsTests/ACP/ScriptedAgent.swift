import Chat
import Foundation
import Transport
import Wire

@testable import Backends

/// An agent that a script in Python plays. It has said hello and has a conversation when the script begins;
/// `prompt()` waits for a message and gives its id, `say(text)` says something, `send(x)` writes any message, `end(id)`
/// ends the turn, and `read()` reads what the client writes.
enum ScriptedAgent {
  private static let beginning = """
    import json, os, sys, time
    def send(x):
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **x}) + "\\n"); sys.stdout.flush()
    def read(method=None):
        while True:
            text = sys.stdin.readline()
            if not text: sys.exit(0)
            message = json.loads(text)
            if method is None or message.get("method") == method: return message
    def update(**x): send({"method": "session/update", "params": {"sessionId": "s", "update": x}})
    def say(text): update(sessionUpdate="agent_message_chunk", content={"type": "text", "text": text})
    def prompt(): return read("session/prompt")["id"]
    def end(id, reason="end_turn"): send({"id": id, "result": {"stopReason": reason}})
    def hello(**more):
        send({"id": read("initialize")["id"], "result": {"protocolVersion": 1, "agentCapabilities": more}})
    def session(): send({"id": read("session/new")["id"], "result": {"sessionId": "s"}})

    """

  static func backend(
    _ script: String, greets: Bool = true, folder: String = "/tmp", children: Children = Children()
  ) -> ACPBackend {
    let whole = beginning + (greets ? "hello()\nsession()\n" : "") + script
    let address = ACPAddress(command: ["python3", "-c", whole])
    return ACPBackend(
      Server(name: "agent", kind: "acp", url: address.url),
      Surroundings(environment: ProcessInfo.processInfo.environment, children: children, folder: folder))
  }
}
