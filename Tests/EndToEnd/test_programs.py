"""Programs that serve tools: what they are given, and that nothing of them is left behind."""

import json
import os
import pathlib
import random
import signal
import sys

import pytest

from waiting import wait_until

# It goes on without input, does not end when asked to, and sets another process free.
CLINGING = """
import json, os, pathlib, signal, subprocess, sys, time

mark, folder = sys.argv[1], pathlib.Path(sys.argv[2])
signal.signal(signal.SIGTERM, signal.SIG_IGN)
subprocess.Popen(["setsid", "sleep", mark], stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
umask = os.umask(0)
keeper = pathlib.Path(f"/proc/{os.getppid()}/environ").read_bytes().decode()
(folder / "given").write_text(json.dumps({"environment": dict(os.environ), "keeper": keeper, "umask": umask}))

def answer(id, **rest):
    print(json.dumps({"jsonrpc": "2.0", "id": id, **rest}), flush=True)

for line in sys.stdin:
    message = json.loads(line)
    match message["method"]:
        case "initialize":
            answer(message["id"], result={"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                                          "serverInfo": {"name": "clinging", "version": "1"}})
        case "tools/list":
            answer(message["id"], result={"tools": [{"name": "hang", "inputSchema": {"type": "object"}}]})
        case "tools/call":
            (folder / "called").touch()
        case _ if "id" in message:
            answer(message["id"], error={"code": -32601, "message": "unknown"})
while True:
    time.sleep(60)  # timed: never ends by itself
"""


class Clinging:
    def __init__(self, folder):
        self.mark = f"600.{random.randrange(10**12)}"
        self.folder = folder
        script = folder / "clinging.py"
        script.write_text(CLINGING)
        self.command = [sys.executable, str(script), self.mark, str(folder)]

    @property
    def processes(self):
        """Those that have the mark in their command line; the keeper is one, too."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes()
            except OSError:
                continue  # It ended meanwhile.
            if self.mark.encode() in words and b"/tools" not in words:
                found.append(words)
        return found

    @property
    def given(self):
        return json.loads((self.folder / "given").read_text())


@pytest.fixture
def clinging(parley, tmp_path):
    program = Clinging(tmp_path)
    result = parley.run("--yes", "/tools", "add", "peer", "--", *program.command)
    assert result.status == 0, result
    assert program.processes == []
    return program


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_program_ends_with_us_however_we_end(parley, scripted, clinging, number):
    process = parley.start("-s", scripted.url("tools"), "-T", "peer", "--yes", "hang {}")
    wait_until((clinging.folder / "called").exists, "the call")
    assert len(clinging.processes) >= 3
    process.send_signal(number)
    parley.finish(process)
    wait_until(lambda: clinging.processes == [], "the program and its own to end")


def test_what_we_end_regularly_is_gone_when_we_are(parley, scripted, clinging):
    result = parley.run("-s", scripted.url("tools"), "-T", "peer", "--yes", "--set", "timeout.tool=1", "hang {}")
    assert "hang" in result.out + result.err
    assert clinging.processes == []


def test_a_program_is_given_no_secret_and_the_persons_umask(parley, clinging):
    names = ("PARLEY_TOKEN", "OPENAI_API_KEY", "KAMIWAZA_API_KEY", "MY_TOKEN", "LD_CANARY", "SOMETHING_ELSE")
    (clinging.folder / "given").unlink()
    before = os.umask(0o026)
    try:
        result = parley.run("/tools", "--json", env=dict.fromkeys(names, "canary") | {"LC_TIME": "C"})
    finally:
        os.umask(before)
    found = [row["tool"] for row in result.json if row["server"] == "peer"]
    assert result.status == 0 and found == ["hang"], result
    given = clinging.given
    assert "canary" not in json.dumps(given)
    assert given["environment"]["LC_TIME"] == "C" and given["environment"]["HOME"]
    assert given["umask"] == 0o026
