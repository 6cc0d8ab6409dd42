#!/usr/bin/env python3
"""An ACP agent that does whatever a file says, however wrong: what a real agent cannot be made to do.

  acp_puppet.py SCRIPT LOG

SCRIPT is JSON: {"initialize": {...}, "session/new": {...}, "scenes": {NAME: [STEP, ...]}}; the first two are added to
what it answers to these requests. A prompt is the name of a scene. A step is an object with one of

  "update": {...}                      a session/update of the conversation
  "request": METHOD, "params": {...}   asks the client, and notes its answer in LOG: a JSON line [NAME, ANSWER]
  "notify": METHOD, "params": {...}    tells the client
  "line": TEXT                         a line on standard output that need be no protocol
  "stderr": TEXT                       a line of its log
  "say": TEXT                          text of its answer
  "result": {...}, "error": {...}      how the turn ends

`$SESSION` in a value becomes the conversation's id, `$TERMINAL` that of the terminal that was made last.
"""
import json
import sys

SESSION = "puppet-session"


class Puppet:
    def __init__(self, script, log):
        self.script = json.load(open(script))
        self.log = open(log, "a")
        self.asked = 0
        self.terminal = ""

    def send(self, **message):
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()

    def read(self):
        line = sys.stdin.readline()
        if not line:
            sys.exit(0)
        return json.loads(line)

    def filled(self, value):
        if isinstance(value, str):
            return value.replace("$SESSION", SESSION).replace("$TERMINAL", self.terminal)
        if isinstance(value, list):
            return [self.filled(one) for one in value]
        if isinstance(value, dict):
            return {key: self.filled(one) for key, one in value.items()}
        return value

    def serve(self):
        while True:
            message = self.read()
            if "method" not in message or "id" not in message:
                continue
            method, ident = message["method"], message["id"]
            if method == "initialize":
                self.send(id=ident, result={"protocolVersion": 1, **self.script.get(method, {})})
            elif method == "session/new":
                self.send(id=ident, result={"sessionId": SESSION, **self.script.get(method, {})})
            elif method == "session/prompt":
                self.play(ident, message["params"]["prompt"][0]["text"].strip())
            else:
                self.send(id=ident, result=self.script.get(method, {}))

    def play(self, ident, name):
        for step in map(self.filled, self.script["scenes"][name]):
            if "update" in step:
                self.send(method="session/update", params={"sessionId": SESSION, "update": step["update"]})
            elif "request" in step:
                self.ask(name, step["request"], step["params"])
            elif "notify" in step:
                self.send(method=step["notify"], params=step["params"])
            elif "line" in step:
                sys.stdout.write(step["line"] + "\n")
                sys.stdout.flush()
            elif "stderr" in step:
                print(step["stderr"], file=sys.stderr, flush=True)
            elif "say" in step:
                self.say(step["say"])
            else:
                return self.send(id=ident, **step)
        self.say(f"{name} was played.\n")
        self.send(id=ident, result={"stopReason": "end_turn"})

    def say(self, text):
        self.send(method="session/update", params={"sessionId": SESSION, "update": {
            "sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}})

    def ask(self, name, method, params):
        """Asks and waits; what else comes meanwhile is passed over."""
        self.asked += 1
        self.send(id=self.asked, method=method, params={"sessionId": SESSION, **params})
        while (answer := self.read()).get("id") != self.asked or "method" in answer:
            pass
        answer = {"error": answer["error"]} if "error" in answer else {"result": answer.get("result")}
        self.terminal = (answer.get("result") or {}).get("terminalId", self.terminal)
        self.log.write(json.dumps([name, answer]) + "\n")
        self.log.flush()


if __name__ == "__main__":
    Puppet(*sys.argv[1:]).serve()
