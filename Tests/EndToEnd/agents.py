"""The agent that the stories use: a real one, on the protocol's own library, which notes what a client does wrong."""

import json
import os
import shlex

from tool_servers import SUPPORT, interpreter

PEER = SUPPORT / "acp_peer.py"

# All that the peer plays, but for what ends it or has to be stopped.
SCENES = [
    "help", "echo one", "stream 20 1", "think", "plan", "tool", "failtool", "diff", "permit", "permit-input",
    "permit-sparse", "permit-unknown", "parallel", "read notes.txt", "write a.txt b", "run echo c", "runline echo d",
    "runkill", "runbig", "slow 1", "late", "stop max_tokens", "stop whatever", "refuse", "error -32603 broken",
    "mode code", "meta Title", "dupuser", "blocks", "md", "utf8", "big 512", "ansi", "unknown", "noise", "elicit",
    "elicit url", "all", "echo the end",
]


def running(words):
    """Whether a process has these words on its command line."""
    for folder in os.listdir("/proc"):
        if folder.isdigit():
            try:
                command = open(f"/proc/{folder}/cmdline", "rb").read()
            except OSError:
                continue
            if words.encode().replace(b" ", b"\0") in command:
                return True
    return False


class Agent:
    """An agent that the program knows as `peer`."""

    def __init__(self, parley, directory, profile="full", *options):
        self.parley = parley
        self.state = directory / "agent-state"
        self.audit_file = directory / "audit.jsonl"
        self.log = directory / "traffic.jsonl"
        self.command = [interpreter("acp"), str(PEER), "stdio", "--profile", profile, "--state", str(self.state),
                        "--audit", str(self.audit_file), "--transcript", str(self.log), *options]
        (parley.home).mkdir(parents=True, exist_ok=True)
        url = "acp:" + " ".join(shlex.quote(word) for word in self.command)
        (parley.home / "servers.json").write_text(json.dumps({
            "version": 1, "current": "peer", "servers": [{"name": "peer", "kind": "acp", "url": url, "models": []}]}))

    @property
    def audit(self):
        if not self.audit_file.exists():
            return []
        return [json.loads(line) for line in self.audit_file.read_text().splitlines()]

    @property
    def faults(self):
        """What the client did wrong."""
        return [note for note in self.audit if not note["ok"]]

    @property
    def praise(self):
        return {note["what"] for note in self.audit if note["ok"]}

    def sent(self, method):
        """The messages of that method that the client sent."""
        if not self.log.exists():
            return []
        lines = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [line["msg"] for line in lines if line["dir"] == "incoming" and line["msg"].get("method") == method]

    @property
    def came(self):
        """What the client sent, in order: methods of what it asked and told, outcomes of its answers to questions."""
        if not self.log.exists():
            return []
        messages = [json.loads(line) for line in self.log.read_text().splitlines()]
        messages = [message["msg"] for message in messages if message["dir"] == "incoming"]
        return [message.get("method") or ((message.get("result") or {}).get("outcome") or {}).get("outcome", "")
                for message in messages]

    @property
    def cancelled_answers(self):
        return "cancelled" in self.came

    def ask(self, *words, status=0, **more):
        """A message from outside; the object of --json."""
        result = self.parley.run("--json", *words, **more)
        assert result.status == status, result
        return result.json
