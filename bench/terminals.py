"""What it costs to be attached to a terminal elsewhere that writes 100 MB, as a ratio to ssh on the same machine.

Both show the same to a terminal that reads it; the other terminal is a real Jupyter Server's and a real sshd's on this
machine. A figure is the median of the ratios of neighbours. Exit status 1 when a goal is missed.

    bench/terminals.py BINARY [--rounds N]
"""

import argparse
import contextlib
import fcntl
import os
import pathlib
import pty
import select
import shutil
import signal
import socket
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[1]
BYTES = 100_000_000
FLOOD = f"yes 'the quick brown fox jumps over the lazy dog and on' | head -c {BYTES}; echo the' 'end\r"
TOKEN = "a-token-for-a-measurement"
# In processor seconds, and in memory after the first tenth.
CPU_GOAL, GROWTH_GOAL = 2.0, 32 << 20


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(condition, what):
    end = time.monotonic() + 60
    while not condition():
        if time.monotonic() > end:
            raise SystemExit(f"bench: waited for {what}")
        time.sleep(0.05)


def listens(port):
    with contextlib.suppress(OSError):
        socket.create_connection(("127.0.0.1", port)).close()
        return True
    return False


class Attached:
    """A program on a terminal of its own."""

    def __init__(self, command, environment, first):
        self.child, self.terminal = pty.fork()
        if self.child == 0:
            os.execvpe(command[0], command, environment)
        fcntl.ioctl(self.terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.read_to(first)

    def read_to(self, words, watch=lambda count: None):
        tail, count = b"", 0
        while words not in tail:
            if not select.select([self.terminal], [], [], 120)[0]:
                raise SystemExit(f"bench: no {words!r}, but {tail[-200:]!r}")
            data = os.read(self.terminal, 65536)
            count += len(data)
            tail = (tail + data)[-1000:]
            watch(count)

    @property
    def processor(self):
        fields = pathlib.Path(f"/proc/{self.child}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def memory(self):
        return int(pathlib.Path(f"/proc/{self.child}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def flood(self):
        """Processor seconds for all of it, and by how many bytes the memory grew after a tenth."""
        before, early = self.processor, 0

        def watch(count):
            nonlocal early
            if not early and count > BYTES / 10:
                early = self.memory

        os.write(self.terminal, FLOOD.encode())
        self.read_to(b"the end\r\n", watch)
        return self.processor - before, max(0, self.memory - early)

    def close(self):
        os.kill(self.child, signal.SIGKILL)
        os.waitpid(self.child, 0)
        os.close(self.terminal)


@contextlib.contextmanager
def serving(command, port, environment, folder):
    process = subprocess.Popen(command, env=environment, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL)
    try:
        wait_for(lambda: listens(port), command[0])
        yield
    finally:
        process.terminate()
        process.wait()


def measure(binary, rounds, folder):
    environment = {"PATH": os.environ["PATH"] + ":/usr/sbin", "HOME": str(folder), "PARLEY_HOME": str(folder / "home"),
                   "LC_ALL": "C.UTF-8", "TERM": "xterm-256color", "JUPYTER_CONFIG_DIR": str(folder),
                   "JUPYTER_DATA_DIR": str(folder / "data"), "JUPYTER_RUNTIME_DIR": str(folder / "run")}
    for name in ("host", "own"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    jupyter, ssh = free_port(), free_port()
    (folder / "sshd").write_text(
        f"Port {ssh}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/own.pub\nUsePAM no\n"
        "PermitRootLogin yes\nStrictModes no\n")
    python = subprocess.run([ROOT / "scripts/tool-peers", "python", "jupyter"], check=True, capture_output=True, text=True)
    notebooks = [python.stdout.strip(), "-m", "jupyter_server", f"--port={jupyter}", f"--IdentityProvider.token={TOKEN}",
                 "--allow-root", "--no-browser", "--ip=127.0.0.1"]
    remote = ["ssh", "-tt", "-p", str(ssh), "-i", str(folder / "own"), "-o", "StrictHostKeyChecking=no", "-o",
              "UserKnownHostsFile=/dev/null", "-o", "LogLevel=ERROR", "127.0.0.1", "bash --norc"]
    with serving([shutil.which("sshd", path=environment["PATH"]), "-D", "-f", str(folder / "sshd")], ssh, environment, folder), \
            serving(notebooks, jupyter, environment, folder):
        url = f"http://127.0.0.1:{jupyter}"
        wait_for(lambda: answers(url), "the Jupyter server")
        subprocess.run([binary, "/connect", f"{url}?token={TOKEN}", "lab"], env=environment, check=True,
                       capture_output=True)
        ratios, growths = [], []
        for number in range(rounds):
            subprocess.run([binary, "/terminal", "new", f"lab/round{number}"], env=environment, check=True,
                           capture_output=True)
            ours = Attached([binary, "/terminal", "attach", f"lab/round{number}"], environment, b"goes on")
            theirs = Attached(remote, environment, b"$" if os.geteuid() else b"#")
            cost, growth = ours.flood()
            reference, _ = theirs.flood()
            ratios.append(cost / max(reference, 0.01))
            growths.append(growth)
            ours.close()
            theirs.close()
    return statistics.median(ratios), statistics.median(growths)


def answers(url):
    with contextlib.suppress(urllib.error.URLError, ConnectionError):
        return urllib.request.urlopen(url + "/api", timeout=10).status == 200
    return False


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=pathlib.Path)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if not shutil.which("sshd", path=os.environ["PATH"] + ":/usr/sbin"):
        print("terminals: not measured, as there is no sshd (apt install openssh-server)")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        ratio, growth = measure(str(options.binary.resolve()), options.rounds, pathlib.Path(folder))
    print(f"100 MB through an attached terminal, processor time: {ratio:.2f} of ssh (goal {CPU_GOAL:.2f})")
    print(f"memory grown over the last nine tenths of it: {growth / 1e6:.0f} MB (goal {GROWTH_GOAL / 1e6:.0f} MB)")
    return int(ratio > CPU_GOAL or growth > GROWTH_GOAL)


if __name__ == "__main__":
    sys.exit(main())
