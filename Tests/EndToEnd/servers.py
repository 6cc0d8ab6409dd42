"""The servers that the stories talk to."""

import itertools
import json
import subprocess
import sys
import urllib.request


class Server:
    """A child process that says `ready URL`, and lives as long as its standard input is held open."""

    def __init__(self, arguments):
        self.process = subprocess.Popen([sys.executable, *map(str, arguments)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("ready "):
            self.process.kill()
            raise RuntimeError(f"{arguments[0]} did not start: {line!r}")
        self.address = line.split()[1]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class LocalModel(Server):
    """SmolLM2-135M-Instruct on loopback."""

    def __init__(self, root, directory, *options):
        super().__init__([root / "scripts/local_model.py", "--dir", directory, "--while-stdin-open", *options])
        self.url = self.address


class ToolCallingModel(Server):
    """A model that calls the tools which it is told to; keeps what it was asked."""

    def __init__(self, root, directory, model):
        self.log = directory / "asked.jsonl"
        self.log.touch()
        self.read_from = 0
        super().__init__([root / "Tests/TestSupport/tool_calling_model.py", model, "--log", self.log])
        self.url = self.address

    def forget(self):
        self.read_from = self.log.stat().st_size

    @property
    def notes(self):
        with open(self.log, encoding="utf-8") as log:
            log.seek(self.read_from)
            return [json.loads(line) for line in log]

    @property
    def questions(self):
        """The requests that came with tools, oldest first: all but those for a title."""
        return [note for note in self.notes if note.get("tools")]

    @property
    def abandoned(self):
        """How many answers nobody waited for to the end."""
        return sum("abandoned" in note for note in self.notes)


class ScriptedServer(Server):
    """Plays the scene that the first part of its address names, and keeps what it was asked."""

    keys = itertools.count(1)

    def __init__(self, root, directory, *options):
        self.log = directory / "requests.jsonl"
        self.log.touch()
        self.read_from = 0
        super().__init__([root / "Tests/TestSupport/scripted_server.py", "--log", self.log, *options])

    def url(self, scene, key=None):
        """The base address of a scene; some scenes take a number as their key."""
        return f"{self.address}/{scene}/{key or f'k{next(self.keys)}'}/v1"

    def nod(self, url):
        """Lets the scene at this address go on that waits for a nod."""
        key = url.split("/")[-2]
        urllib.request.urlopen(f"{self.address}/_nod/{key}", timeout=60).close()

    def forget(self):
        self.read_from = self.log.stat().st_size

    @property
    def requests(self):
        with open(self.log, encoding="utf-8") as log:
            log.seek(self.read_from)
            return [json.loads(line) for line in log]

    @property
    def questions(self):
        """The bodies of the chat requests, oldest first."""
        return [json.loads(request["body"]) for request in self.requests
                if request["method"] == "POST" and request["path"].endswith("/chat/completions")]
