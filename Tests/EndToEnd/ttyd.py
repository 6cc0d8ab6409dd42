"""A ttyd of one's own: a real one where it is installed, or named by PARLEY_TTYD, and else what stands in for it."""

import os
import shutil
import socket
import subprocess

from tool_servers import SUPPORT, interpreter
from waiting import wait_until


class Ttyd:
    def __init__(self, directory, *options):
        real = os.environ.get("PARLEY_TTYD") or shutil.which("ttyd")
        rc = directory / "ttyd-rc"
        rc.write_text("PS1='$ '\n")
        shell = ["bash", "--noprofile", "--rcfile", str(rc)]
        environment = {"PATH": os.environ["PATH"], "HOME": str(directory), "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        if real:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                self.port = probe.getsockname()[1]
            # It ends as it ends: not all of its builds say goodbye.
            options = [option for option in options if option != "--abrupt"]
            command = [real, "-W", "-i", "127.0.0.1", "-p", str(self.port), *options, *shell]
        else:
            command = [interpreter("acp"), str(SUPPORT / "ttyd_server.py"), *options, *shell]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env=environment, cwd=directory, text=True)
        if real:
            wait_until(self.listens, "ttyd to listen")
        else:
            line = self.process.stdout.readline()
            assert line.startswith("ready "), line
            self.port = int(line.split()[1])

    def listens(self):
        try:
            socket.create_connection(("127.0.0.1", self.port)).close()
        except OSError:
            return False
        return True

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
