"""How fast parley starts, streams and remembers, as ratios to curl on the same machine in the same minute.

Runs of both programs alternate, so that whatever else the machine does falls on both; a figure is the median of the
ratios of neighbours. Exit status 1 when a goal is missed.

    bench/bench.py BINARY [--rounds N]
"""

import argparse
import contextlib
import json
import os
import pathlib
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[1]
STORED_SESSIONS = 10_000
FEW_CHUNKS, MANY_CHUNKS = 10_000, 100_000
SMALL_TEXT, LARGE_TEXT = 2, 12  # in MB


class Runs:
    """Starts programs in an empty home, without the environment of whoever measures."""

    def __init__(self, directory):
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(directory), "PARLEY_HOME": str(directory / "home"),
                            "LC_ALL": "C.UTF-8", "TERM": "dumb"}
        self.null = os.open(os.devnull, os.O_RDWR)

    def start(self, command):
        streams = [(os.POSIX_SPAWN_DUP2, self.null, descriptor) for descriptor in (0, 1, 2)]
        return os.posix_spawnp(command[0], command, self.environment, file_actions=streams)

    def finish(self, process, command):
        """The processor seconds that a process took."""
        _, status, usage = os.wait4(process, 0)
        if status != 0:
            raise SystemExit(f"bench: {command[0]} ended with {os.waitstatus_to_exitcode(status)}: {' '.join(command)}")
        return usage.ru_utime + usage.ru_stime

    def wall(self, command):
        began = time.perf_counter()
        self.finish(self.start(command), command)
        return time.perf_counter() - began

    def processor(self, command):
        return self.finish(self.start(command), command)

    def peak_memory(self, command):
        """The most memory in bytes. Not ru_maxrss, which counts what this script had when it started the process."""
        process = self.start(command)
        peak = 0
        while os.waitid(os.P_PID, process, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            for line in pathlib.Path(f"/proc/{process}/status").read_text().splitlines():
                if line.startswith("VmHWM:"):
                    peak = max(peak, int(line.split()[1]) * 1024)
            time.sleep(0.002)
        self.finish(process, command)
        return peak


def median_of_ratios(measure, one, other, rounds):
    measure(one), measure(other)  # fills the caches
    return statistics.median(measure(one) / measure(other) for _ in range(rounds))


@contextlib.contextmanager
def scripted_server():
    process = subprocess.Popen([sys.executable, ROOT / "Tests/TestSupport/scripted_server.py"], stdin=subprocess.PIPE,
                               stdout=subprocess.PIPE, text=True)
    try:
        yield process.stdout.readline().split()[1]
    finally:
        process.stdin.close()
        process.wait()


def fill_history(database, count):
    """Copies the one session that the database holds, with all that hangs on it, until there are so many."""
    with contextlib.closing(sqlite3.connect(database)) as connection, connection:
        tables = [name for name, in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
                  if name in ("session", "turn", "message")]
        for table in tables:
            columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
            shifted = {row[1] for row in columns if row[5]}
            shifted |= {row[3] for row in connection.execute(f"PRAGMA foreign_key_list({table})")}
            rows = connection.execute(f"SELECT * FROM {table}").fetchall()

            def value(column, old, copy):
                if old is None or column not in shifted | {"id"}:
                    return old
                # An id keeps its form: its last characters become the number of the copy.
                return f"{old[:-6]}{copy:06}" if column == "id" else old + copy * 1000

            marks = ", ".join("?" * len(columns))
            connection.executemany(
                f"INSERT INTO {table} VALUES ({marks})",
                ([value(column[1], old, copy) for column, old in zip(columns, row)]
                 for copy in range(1, count) for row in rows))
        stored, = connection.execute("SELECT count(*) FROM session").fetchone()
        if stored != count:
            raise SystemExit(f"bench: the history holds {stored} sessions instead of {count}")


def ask(parley, url, *options):
    return [parley, "-s", url, *options, "hello"]


def ask_with_curl(url):
    question = {"model": "scripted", "stream": True, "stream_options": {"include_usage": True},
                "messages": [{"role": "user", "content": "hello"}]}
    return ["curl", "-sN", f"{url}/chat/completions", "-H", "Content-Type: application/json",
            "-d", json.dumps(question)]


def text_length(url):
    """Bytes of text in an answer."""
    command = ask_with_curl(url)
    with urllib.request.urlopen(urllib.request.Request(command[2], command[-1].encode())) as answer:
        events = [line[6:] for line in answer.read().decode().splitlines() if line.startswith("data: {")]
    choices = [choice for event in events for choice in json.loads(event)["choices"]]
    return sum(len(choice["delta"].get("content") or "") for choice in choices)


class Table:
    def __init__(self):
        self.is_met = True
        print(f"{'':72} {'measured':>12} {'goal':>10}")

    def row(self, what, measured, goal, unit=""):
        met = measured <= goal
        self.is_met = self.is_met and met
        number = f"{measured:.2f}{unit}" if not unit else f"{measured:.1f} {unit}"
        print(f"{what:72} {number:>12} {'<= ' + str(goal):>10}  {'' if met else 'MISSED'}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("binary")
    parser.add_argument("--rounds", type=int, default=11, help="neighbours compared (default %(default)s)")
    options = parser.parse_args()
    parley = str(pathlib.Path(options.binary).resolve())

    with tempfile.TemporaryDirectory() as directory, scripted_server() as server:
        runs = Runs(pathlib.Path(directory))
        table = Table()
        rounds = options.rounds
        version = ["curl", "--version"]

        table.row("start: parley --version / curl --version, time",
                  median_of_ratios(runs.wall, [parley, "--version"], version, 4 * rounds), 1.35)

        # One question of a script, to a server that is kept, with the model named.
        short = f"{server}/ok/v1"
        runs.processor([parley, "/connect", short, "kept"])
        question = ask(parley, "kept", "-m", "scripted")
        table.row("a short answer, not stored: parley --private / curl -N, time",
                  median_of_ratios(runs.wall, [*question[:-1], "--private", "hello"], ask_with_curl(short), 4 * rounds),
                  1.5)
        table.row("a short answer, stored: parley / curl -N, time",
                  median_of_ratios(runs.wall, question, ask_with_curl(short), 4 * rounds), 2)
        database, = pathlib.Path(runs.environment["PARLEY_HOME"]).rglob("history.sqlite")
        database.unlink()

        runs.processor(ask(parley, f"{server}/ok/v1"))
        database, = pathlib.Path(runs.environment["PARLEY_HOME"]).rglob("history.sqlite")
        fill_history(database, STORED_SESSIONS)
        table.row(f"start with {STORED_SESSIONS:,} sessions: parley -c /quit / curl --version, time",
                  median_of_ratios(runs.wall, [parley, "-c", "/quit"], version, 4 * rounds), 3)
        database.unlink()

        few, many = (f"{server}/many/{count}/v1" for count in (FEW_CHUNKS, MANY_CHUNKS))
        table.row(f"{MANY_CHUNKS:,} chunks: parley / curl -N, processor time",
                  median_of_ratios(runs.processor, ask(parley, many), ask_with_curl(many), rounds), 2)
        table.row(f"{MANY_CHUNKS:,} chunks: parley / curl -N, time",
                  median_of_ratios(runs.wall, ask(parley, many), ask_with_curl(many), rounds), 1.3)

        growth = statistics.median(
            runs.peak_memory(ask(parley, many)) - runs.peak_memory(ask(parley, few)) for _ in range(3))
        text = text_length(many) - text_length(few)
        table.row(f"memory from {FEW_CHUNKS:,} to {MANY_CHUNKS:,} chunks, beyond the text itself",
                  max(0, growth - text) / 2 ** 20, 8, "MiB")
        database.unlink()

        small, large = (f"{server}/long/{size}/v1" for size in (SMALL_TEXT, LARGE_TEXT))
        for what, words, goal in [("not stored", ["--private"], 2), ("stored", [], 3)]:
            growth = statistics.median(
                runs.peak_memory(ask(parley, large, *words)) - runs.peak_memory(ask(parley, small, *words))
                for _ in range(3))
            table.row(f"memory from {SMALL_TEXT} to {LARGE_TEXT} MB of answer, {what}, in copies of the text",
                      growth / (LARGE_TEXT - SMALL_TEXT) / 1e6, goal)
    sys.exit(0 if table.is_met else 1)


if __name__ == "__main__":
    main()
