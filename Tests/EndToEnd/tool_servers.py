"""The tool servers that the stories use: real ones, and a listener between them and the program."""

import http.client
import http.server
import json
import os
import pathlib
import socket
import subprocess
import threading
import uuid

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUPPORT = ROOT / "Tests/TestSupport"
PEERS = {"mcp2": SUPPORT / "mcp_peer.py", "mcp1": SUPPORT / "mcp_peer.py", "fastmcp": SUPPORT / "fastmcp_peer.py"}
PATHS = {"streamable-http": "/mcp", "http": "/mcp", "sse": "/sse"}


def interpreter(name):
    """The Python that has the packages of that peer; the test is skipped where they could not be installed."""
    variable = f"PARLEY_{name.upper()}_PYTHON"
    folder = ROOT / ".venv-tools" / name
    installed = folder / "bin/python" if (folder / f"{name}.installed").exists() else ""
    python = os.environ.get(variable) or str(installed)
    if not python or not os.path.exists(python):
        pytest.skip(f"no real tool server: scripts/tool-peers install {name}, or {variable}")
    return python


def command(name, *options):
    """What starts a peer that speaks over its standard input and output."""
    return [interpreter(name), str(PEERS[name]), "--transport", "stdio", *options]


class Peer:
    """A real tool server on a port of its own; `restart` starts it anew there."""

    def __init__(self, name, directory, *options, transport=None):
        self.transport = transport or ("http" if name == "fastmcp" else "streamable-http")
        self.arguments = [interpreter(name), str(PEERS[name]), "--transport", self.transport, *options]
        self.port = 0
        self.log = directory / f"peer-{uuid.uuid4()}.log"
        self.process = None
        self.start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def url(self):
        return self.address + PATHS[self.transport]

    @property
    def errors(self):
        """What it wrote to its standard error."""
        return self.log.read_text()

    def start(self):
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [*self.arguments, "--port", str(self.port)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                text=True)
        word, _, port = self.process.stdout.readline().partition(" ")
        assert word == "ready", f"the peer did not start: {self.errors}"
        self.port = int(port)

    def stop(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def restart(self):
        self.stop()
        self.start()


class Listener:
    """Stands before a server, hands everything on as it comes, and keeps what it was asked.

    Without an `upstream` it answers 404.
    """

    def __init__(self, upstream=None):
        self.requests = []
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def answer(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                outer.requests.append(Seen(self.command, self.path, dict(self.headers), body))
                self.close_connection = True
                if upstream is None:
                    self.send_response(404)
                    self.send_header("Content-Length", "0")
                    self.end_headers()
                    return
                connection = http.client.HTTPConnection(upstream.removeprefix("http://"), timeout=60)
                try:
                    headers = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
                    connection.request(self.command, self.path, body=body or None, headers=headers)
                    response = connection.getresponse()
                    self.send_response(response.status)
                    for name, value in response.getheaders():
                        if name.lower() not in ("transfer-encoding", "connection", "server", "date"):
                            self.send_header(name, value)
                    self.send_header("Connection", "close")
                    self.end_headers()
                    while data := response.read1(65536):
                        self.wfile.write(data)
                        self.wfile.flush()
                except (OSError, http.client.HTTPException):
                    pass  # either side left
                finally:
                    connection.close()

            do_GET = do_POST = do_DELETE = answer

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def calls(self):
        """The names of the tools that were called, in order."""
        return [one.json["params"]["name"] for one in self.requests if one.json.get("method") == "tools/call"]

    def forget(self):
        self.requests.clear()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class Seen:
    def __init__(self, method, path, headers, body):
        self.method, self.path, self.body = method, path, body
        self.headers = {name.lower(): value for name, value in headers.items()}

    @property
    def json(self):
        try:
            value = json.loads(self.body)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}
