"""A real Jupyter Server of one's own, and a road to it that can be cut."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import urllib.error
import urllib.request

from tool_servers import interpreter
from waiting import wait_until

TOKEN = "quinces-of-jupyter-0123456789"
SHELL = "PS1='$ '\n"


class Jupyter:
    """A server whose shells have a prompt of `$`."""

    def __init__(self, directory, token=TOKEN):
        self.token = token
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="jupyter-"))
        self.start_folder = directory / "notebooks"
        self.start_folder.mkdir()
        rc = self.folder / "rc"
        rc.write_text(SHELL)
        (self.folder / "jupyter_server_config.py").write_text(
            f"c.TerminalManager.shell_command = ['bash', '--noprofile', '--rcfile', {str(rc)!r}]\n"
            f"c.ServerApp.terminado_settings = {{'shell_command': ['bash', '--noprofile', '--rcfile', {str(rc)!r}]}}\n")
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.log = self.folder / "log"
        self.start()

    def start(self):
        # Nothing of the person who runs the tests gets in.
        environment = {
            "PATH": os.environ["PATH"], "HOME": str(self.folder), "LC_ALL": "C.UTF-8", "TERM": "xterm-256color",
            "JUPYTER_CONFIG_DIR": str(self.folder), "JUPYTER_DATA_DIR": str(self.folder / "data"),
            "JUPYTER_RUNTIME_DIR": str(self.folder / "run"), "JUPYTER_NO_CONFIG": "",
        }
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [interpreter("jupyter"), "-m", "jupyter_server", f"--port={self.port}", "--ServerApp.port_retries=0",
                 f"--IdentityProvider.token={self.token}", f"--ServerApp.root_dir={self.start_folder}", "--allow-root",
                 "--no-browser", "--ip=127.0.0.1"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, cwd=self.folder)
        wait_until(self.answers, "the Jupyter server to answer")

    def answers(self):
        assert self.process.poll() is None, self.log.read_text()
        try:
            self.ask("GET", "/api")
        except (urllib.error.URLError, ConnectionError):
            return False
        return True

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def names(self):
        return [row["name"] for row in self.ask("GET", "/api/terminals")]

    def ask(self, method, path, body=None):
        request = urllib.request.Request(self.url + path, method=method, data=json.dumps(body).encode() if body else None,
                                         headers={"Authorization": f"token {self.token}"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read() or "null")

    def shell_of(self, command):
        """The process of a shell's child."""
        found = subprocess.run(["pgrep", "-f", command], capture_output=True, text=True, check=False).stdout.split()
        return [int(word) for word in found]

    def stop(self, number=signal.SIGTERM):
        if self.process.poll() is None:
            os.kill(self.process.pid, number)
        self.process.wait()

    def close(self):
        self.stop(signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)


class Road:
    """Hands on what comes to its port to another; `cut` breaks what stands and lets nothing in until `mend`."""

    def __init__(self, port):
        self.there = port
        self.isolated = False
        self.pairs = []
        self.lock = threading.Lock()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.calls = 0
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def _accept(self):
        while True:
            try:
                here, _ = self.listener.accept()
            except OSError:
                return
            with self.lock:
                self.calls += 1
                if self.isolated:
                    here.close()
                    continue
                try:
                    there = socket.create_connection(("127.0.0.1", self.there))
                except OSError:
                    here.close()
                    continue
                self.pairs.append((here, there))
            for one, other in ((here, there), (there, here)):
                threading.Thread(target=self._carry, args=(one, other), daemon=True).start()

    def _carry(self, one, other):
        try:
            while data := one.recv(65536):
                other.sendall(data)
        except OSError:
            pass
        for end in (one, other):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut(self):
        with self.lock:
            self.isolated = True
            for pair in self.pairs:
                for end in pair:
                    try:
                        end.shutdown(socket.SHUT_RDWR)
                    except OSError:
                        pass
            self.pairs = []

    def mend(self):
        with self.lock:
            self.isolated = False

    def close(self):
        self.cut()
        self.listener.close()
