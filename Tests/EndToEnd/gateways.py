"""The gateways that the stories talk to: stand-ins for the servers that put a web API before Claude."""

import json
import pathlib
import subprocess
import sys
import urllib.request

PROGRAM = pathlib.Path(__file__).resolve().parents[1] / "TestSupport/gateway_server.py"
sys.path.insert(0, str(PROGRAM.parent))
from gateway_parts import ESCAPES  # noqa: E402


class Gateway:
    """One of the forms A, B, C and S on a port of its own; `restart` starts it anew there."""

    def __init__(self, shape, directory, *options):
        self.shape, self.directory, self.options = shape, pathlib.Path(directory), options
        self.directory.mkdir(parents=True, exist_ok=True)
        self.process = None
        self.port = 0
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self, *options):
        self.options = options or self.options
        command = [sys.executable, PROGRAM, "--shape", self.shape, "--state", self.directory, "--port", self.port,
                   *self.options]
        self.process = subprocess.Popen([str(word) for word in command], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            self.stop()
            raise RuntimeError(f"the gateway {self.shape} did not start")
        self.url = json.loads(line)["url"]
        self.port = int(self.url.rsplit(":", 1)[1])

    def stop(self):
        """Ends it; what a client still owed it then counts among the faults."""
        if self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self.process.stdout.close()

    def restart(self, *options):
        self.stop()
        self.start(*options)

    def test(self, **wishes):
        """Sets what happens next, such as `busy=1` or `hold=True`; the answer names the sessions that are running."""
        request = urllib.request.Request(self.url + "/__test__", json.dumps(wishes).encode(),
                                         {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def lines(self, name):
        path = self.directory / name
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()] if path.exists() else []

    def forget(self):
        """Empties the logs."""
        for name in ("requests.jsonl", "audit.jsonl"):
            (self.directory / name).write_text("")

    @property
    def requests(self):
        return self.lines("requests.jsonl")

    @property
    def chats(self):
        """The requests that got as far as the model, oldest first."""
        return [request for request in self.requests if "prompt" in request]

    @property
    def prompts(self):
        """What reached the model, oldest first."""
        return [chat["prompt"] for chat in self.chats]

    @property
    def notes(self):
        """What the client did well or badly, as far as it was noticed."""
        return self.lines("audit.jsonl")

    @property
    def faults(self):
        return [note for note in self.notes if not note["ok"]]
