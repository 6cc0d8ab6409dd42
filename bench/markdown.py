"""What it costs to show an answer in Markdown while it comes, as a ratio to cmark-gfm, which makes HTML of it once.

The answer is 1 MB of Markdown of all kinds, sent at full speed to a program on a terminal that reads what it writes. A figure
is the median of the ratios of neighbours in processor time. Exit status 1 when a goal is missed.

    bench/markdown.py BINARY [--rounds N]
"""

import argparse
import contextlib
import fcntl
import os
import pathlib
import pty
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "Tests/TestSupport"))
import mixed_markdown  # noqa: E402

CMARK = ["cmark-gfm", "-e", "table", "-e", "strikethrough", "-e", "autolink", "-e", "tasklist"]
CPU_GOAL, GROWTH_GOAL = 5.0, 2.3
PIECE = 4000


@contextlib.contextmanager
def scripted_server():
    process = subprocess.Popen([sys.executable, ROOT / "Tests/TestSupport/scripted_server.py"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().split()[1]
    finally:
        process.stdin.close()
        process.wait()


def processor(command, environment, terminal):
    """The processor seconds of a program whose output goes to a terminal that is read, or nowhere."""
    if terminal:
        master, output = pty.openpty()
        fcntl.ioctl(output, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    else:
        output = os.open(os.devnull, os.O_RDWR)
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, env=environment)
    os.close(output)
    if terminal:
        reader = threading.Thread(target=drain, args=(master,))
        reader.start()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if terminal:
        reader.join()
        os.close(master)
    if process.returncode != 0:
        raise SystemExit(f"bench: {command[0]} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def drain(master):
    with contextlib.suppress(OSError):
        while os.read(master, 1 << 20):
            pass


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("binary")
    parser.add_argument("--rounds", type=int, default=11, help="neighbours compared (default %(default)s)")
    options = parser.parse_args()
    parley = str(pathlib.Path(options.binary).resolve())

    with tempfile.TemporaryDirectory() as directory, scripted_server() as server:
        environment = {"PATH": os.environ["PATH"], "HOME": directory, "PARLEY_HOME": directory + "/home",
                       "LC_ALL": "C.UTF-8", "TERM": "xterm-256color"}
        document = pathlib.Path(directory) / "mixed.md"
        document.write_text(mixed_markdown.mixed(1_000_000), encoding="utf-8")

        def show(size, render):
            url = f"{server}/mixed-large/{size}/v1"
            return processor([parley, "-s", url, "--private", "--set", f"render={render}", "go"], environment, True)

        def once():
            return processor([*CMARK, str(document)], environment, False)

        show(1, "markdown"), once()  # fills the caches
        rounds = [(show(1, "markdown"), once(), show(1, "plain"), show(2, "markdown")) for _ in range(options.rounds)]
    ratio = statistics.median(whole / cmark for whole, cmark, _, _ in rounds)
    beyond = statistics.median((whole - plain) / cmark for whole, cmark, plain, _ in rounds)
    growth = statistics.median(twice / whole for whole, _, _, twice in rounds)
    print(f"1 MB of Markdown: parley / cmark-gfm, processor time: {ratio:.2f} (goal {CPU_GOAL:.2f})")
    print(f"  of that beyond what the same costs when it is shown as it was written: {beyond:.2f}")
    print(f"2 MB / 1 MB: {growth:.2f} (goal {GROWTH_GOAL:.2f})")
    sys.exit(0 if ratio <= CPU_GOAL and growth <= GROWTH_GOAL else 1)


if __name__ == "__main__":
    main()
