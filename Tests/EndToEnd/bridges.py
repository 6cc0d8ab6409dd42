"""The bridge to an agent that the stories use: a real one, which notes what a client does wrong."""

import json
import os
import signal
import subprocess

from agents import PEER, Agent
from tool_servers import interpreter


class Bridge(Agent):
    """A bridge on a port of its own, with an agent behind it; `restart` starts it anew there."""

    def __init__(self, parley, directory, *options):
        self.parley = parley
        self.state = directory / "bridge-state"
        self.audit_file = directory / "audit.jsonl"
        self.log = directory / "traffic.jsonl"
        self.errors = directory / "bridge-errors.txt"
        self.folder = directory / "elsewhere"
        self.folder.mkdir()
        self.process = None
        self.port = 0
        self.token = "a-token-of-the-bridge-1234567890abcdef"
        self.start(*options)

    def start(self, *options):
        command = [interpreter("acp"), str(PEER), "bridge", "--state", str(self.state), "--cwd", str(self.folder),
                   "--audit", str(self.audit_file), "--transcript", str(self.log), "--port", str(self.port),
                   "--token", self.token, "--rate-attempts", "1000", *options]
        with open(self.errors, "a", encoding="utf-8") as errors:
            self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors,
                                            text=True)
        line = self.process.stdout.readline()
        assert line, f"the bridge did not start: {self.errors.read_text()}"
        shown = json.loads(line)
        self.link, self.code, self.fingerprint = shown["pairUrl"], shown["code"], shown["fingerprint"]
        self.url, self.credentials = shown["url"], shown["staticQR"]
        self.port = int(self.url.rsplit(":", 1)[1])

    def stop(self, number=signal.SIGKILL):
        if self.process.poll() is None:
            os.kill(self.process.pid, number)
        self.process.wait()
        self.process.stdout.close()

    def restart(self, *options):
        self.stop()
        self.start(*options)

    def pair(self, *more, link=None):
        """Pairs, with the text of the code on standard input."""
        return self.parley.run("/pair", *more, input=(link or self.link) + "\n")
