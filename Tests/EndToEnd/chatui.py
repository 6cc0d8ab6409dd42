"""A chat-ui server of one's own, to start, to ask and to upset."""

import json
import pathlib
import subprocess
import sys
import urllib.request

SERVER = pathlib.Path(__file__).resolve().parents[1] / "TestSupport/chatui_server.py"

# What such servers are like: today's, that of October 2025, and what the first client took them for.
FORMS = ("current", "2025-10", "seed")


class ChatUI:
    """Lives as long as its standard input is held open; what it keeps is in a directory and outlives it."""

    def __init__(self, form, directory, *options):
        self.form, self.directory, self.options = form, pathlib.Path(directory), options
        self.process = self.url = None
        self.port = 0
        self.requests_from = self.audit_from = 0

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()

    def start(self):
        """When it starts again, it has the address of the first time; while it runs, it is left alone."""
        if self.process and self.process.poll() is None:
            return self
        arguments = ["--port", self.port, "--state", self.directory, "--form", self.form, *self.options]
        self.process = subprocess.Popen([sys.executable, SERVER, *map(str, arguments)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("{"):
            self.kill()
            raise RuntimeError(f"the chat-ui server did not start: {line!r}")
        ready = json.loads(line)
        self.url, self.cookie = ready["url"], ready["cookie"]
        self.origin = "/".join(self.url.split("/")[:3])
        self.port = int(self.origin.rpartition(":")[2])
        return self

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self.kill()
        if self.process:
            self.process.stdout.close()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def restart(self):
        self.stop()
        return self.start()

    def test(self, **changes):
        """Changes how it behaves, such as hold=True, and returns all that can be changed, and how many answers run."""
        request = urllib.request.Request(self.origin + "/__test__", json.dumps(changes).encode(),
                                         {"Content-Type": "application/json"}, method="POST")
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def forget(self):
        """Leaves out what was logged up to now, and takes who comes next for another client."""
        self.requests_from = (self.directory / "requests.jsonl").stat().st_size
        self.audit_from = (self.directory / "audit.jsonl").stat().st_size
        self.test(new_client=True)

    @staticmethod
    def lines(path, begin):
        with open(path, "rb") as file:
            file.seek(begin)
            return [json.loads(line) for line in file]

    @property
    def requests(self):
        """Method, path, query, headers, and json or fields and files; oldest first."""
        return self.lines(self.directory / "requests.jsonl", self.requests_from)

    @property
    def audit(self):
        return self.lines(self.directory / "audit.jsonl", self.audit_from)

    @property
    def faults(self):
        """What clients did that real servers refuse or that harms their users."""
        notes = self.audit
        return [note for number, note in enumerate(notes) if not note["ok"]
                and not any(later["what"] == note.get("unless") for later in notes[number:])]

    @property
    def merits(self):
        return [note["what"] for note in self.audit if note["ok"]]

    @property
    def state(self):
        return json.loads((self.directory / "state.json").read_text("utf-8"))

    def conversations(self):
        """As they are stored, newest first."""
        return sorted(self.state["conversations"].values(), key=lambda one: one["updatedAt"], reverse=True)
