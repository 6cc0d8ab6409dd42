"""What a history of a million messages costs, as ratios to what the same statements take in the sqlite3 shell.

A store is made of words as they are in a language, a few often and most of them seldom, in the program's own schema. Runs of
parley and of sqlite3 alternate; from each time that of a run which reads nothing is taken away, and a figure is the ratio of
the medians of what is left. Exit status 1 when a goal is missed.

    bench/history.py BINARY [--rounds N] [--messages N]
"""

import argparse
import contextlib
import math
import os
import pathlib
import random
import shutil
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import uuid

sys.path.append(str(pathlib.Path(__file__).resolve().parent))
from bench import Runs, Table, ask, scripted_server  # noqa: E402

TURNS = 10  # of a session
SYLLABLES = "ba ke li mo nu ra se ti vo zu chi dra fel gor hin".split()


def make_words(numbers):
    words = dict.fromkeys("".join(numbers.choices(SYLLABLES, k=numbers.randint(2, 4))) for _ in range(60_000))
    return list(words)[:20_000]


def fill(database, words, messages, numbers):
    """Sessions of ten questions and answers each, the newest last."""
    sums, total = [], 0
    for rank in range(len(words)):
        total += 1 / (rank + 2)
        sums.append(total)
    sentences = [" ".join(numbers.choices(words, cum_weights=sums, k=10)) for _ in range(40_000)]
    now, turns = int(time.time() * 1000), messages // 2
    sessions = turns // TURNS

    def name():
        return str(uuid.UUID(int=numbers.getrandbits(128), version=4))

    def moment(turn):
        return now - (sessions - (turn - 1) // TURNS) * 600_000 + (turn - 1) % TURNS * 1000

    def question(turn):
        return 2 * turn - 1, name(), turn, 0, "user", numbers.choice(sentences), moment(turn), None, None

    def answer(turn):
        text = ". ".join(numbers.choices(sentences, k=numbers.randint(2, 8)))
        return 2 * turn, name(), turn, 1, "assistant", text, moment(turn) + 500, "complete", "scripted"

    with contextlib.closing(sqlite3.connect(database)) as store, store:
        store.executescript("PRAGMA synchronous = OFF; PRAGMA cache_size = -400000; PRAGMA foreign_keys = OFF")
        store.executemany(
            "INSERT INTO session (key, id, title, opening, model, created_at, updated_at, head) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            ((number, name(), None if number % 3 else " ".join(numbers.choices(words, k=3)), numbers.choice(sentences),
              "scripted", moment(number * TURNS), moment(number * TURNS), number * TURNS)
             for number in range(1, sessions + 1)))
        store.executemany(
            "INSERT INTO turn (key, session, parent, number, created_at) VALUES (?, ?, ?, ?, ?)",
            ((turn, (turn - 1) // TURNS + 1, turn - 1 if (turn - 1) % TURNS else None, (turn - 1) % TURNS + 1, moment(turn))
             for turn in range(1, turns + 1)))
        store.executemany(
            "INSERT INTO message (key, id, turn, position, role, content, created_at, status, model) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (row for turn in range(1, turns + 1) for row in (question(turn), answer(turn))))
        store.execute("INSERT INTO message_index (message_index) VALUES ('optimize')")
        store.execute("ANALYZE")
    return sentences


# What the program asks, as it asks it: docs/shell.md 4.
LIST = """
SELECT session.*, (SELECT count(*) FROM turn WHERE turn.session = session.key),
  (SELECT status FROM message WHERE turn = session.head AND role = 'assistant' ORDER BY position DESC LIMIT 1),
  (SELECT group_concat(word, ' ') FROM tag WHERE tag.session = session.key)
FROM session WHERE archived = 0 AND pinned IS NOT 1 ORDER BY updated_at DESC, key DESC LIMIT 20;
SELECT count(*) FROM session WHERE archived = 0;
"""
NAMED = """FROM session
WHERE archived = 0 AND (instr(lower(coalesce(title, opening)), lower('{0}')) > 0 OR substr(id, 1, length('{0}')) = '{0}')"""
NAMES = f"""
SELECT id, coalesce(title, opening), updated_at, (SELECT count(*) FROM turn WHERE turn.session = session.key) {NAMED}
ORDER BY updated_at DESC, key DESC LIMIT 500;
"""
# Asked where there are as many as are offered.
MORE_NAMES = f"SELECT count(*) {NAMED};"
FOUND = """
SELECT min(found) FROM (SELECT rowid AS found FROM message_index WHERE message_index MATCH '"{0}"' ORDER BY rowid DESC LIMIT 5000);
SELECT message.key, turn.number, session.id, coalesce(session.title, session.opening) FROM
  (SELECT rowid AS found, bm25(message_index, 1.0, 0.5) AS score FROM message_index WHERE message_index MATCH '"{0}"'
    AND rowid >= (SELECT min(found) FROM (SELECT rowid AS found FROM message_index WHERE message_index MATCH '"{0}"'
      ORDER BY rowid DESC LIMIT 5000)) ORDER BY score, found DESC LIMIT 21)
  JOIN message ON message.key = found JOIN turn ON turn.key = message.turn JOIN session ON session.key = turn.session;
SELECT snippet(message_index, -1, '*', '*', '…', 16) FROM message_index WHERE message_index MATCH '"{0}"' LIMIT 21;
"""
PRAGMAS = "PRAGMA mmap_size = 0; PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY;"


def compare(runs, rounds, parley, shell, nothing_parley, nothing_shell):
    """The ratio of what two runs take beyond those that read nothing; and the first one's times beyond it."""
    times = {name: [] for name in ("parley", "shell", "no parley", "no shell")}
    for number in range(rounds + 1):
        for name, command in [("parley", parley(number)), ("shell", shell(number)), ("no parley", nothing_parley),
                              ("no shell", nothing_shell)]:
            times[name].append(runs.wall(command))
    medians = {name: statistics.median(values[1:]) for name, values in times.items()}
    # A tenth of a millisecond is below what such a time can tell.
    ours, theirs = max(0, medians["parley"] - medians["no parley"]), max(1e-4, medians["shell"] - medians["no shell"])
    print(f"    parley {ours * 1000:.1f} ms, sqlite3 {theirs * 1000:.1f} ms")
    ratio = ours / theirs
    return ratio, sorted(value - medians["no parley"] for value in times["parley"][1:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("binary")
    parser.add_argument("--rounds", type=int, default=20, help="searches, lists, … of each kind (default %(default)s)")
    parser.add_argument("--messages", type=int, default=1_000_000, help="in the store (default %(default)s)")
    options = parser.parse_args()
    parley = str(pathlib.Path(options.binary).resolve())

    numbers = random.Random(1)
    with tempfile.TemporaryDirectory() as directory, scripted_server() as server:
        runs, table = Runs(pathlib.Path(directory)), Table()
        home = pathlib.Path(runs.environment["PARLEY_HOME"])
        runs.processor([parley, "/connect", f"{server}/ok/v1", "kept"])
        question = ask(parley, "kept", "-m", "scripted")
        runs.processor([parley, "-c", "/history"])
        database, = home.rglob("history.sqlite")
        empty = pathlib.Path(directory) / "empty"
        shutil.copytree(home, empty)
        words = make_words(numbers)
        sentences = fill(database, words, options.messages, numbers)
        print(f"{options.messages:,} messages, {database.stat().st_size / 1e6:.0f} MB")

        # Words as they are met when a message is opened anywhere.
        wanted = [numbers.choice(numbers.choice(sentences).split()) for _ in range(options.rounds + 1)]

        def statements(text):
            return lambda number: ["sqlite3", "-readonly", str(database), PRAGMAS + text.format(wanted[number])]

        # Both open the history, and find that no session is archived.
        opened = [parley, "/history", "archived"]
        nothing = opened, ["sqlite3", "-readonly", str(database), PRAGMAS + "SELECT count(*) FROM session WHERE archived = 1"]
        ratio, times = compare(runs, options.rounds, lambda number: [parley, "/history", "search", wanted[number]],
                               statements(FOUND), *nothing)
        table.row("/history search / its statements in sqlite3, time", ratio, 1.5)
        table.row("/history search, 95th percentile", times[math.ceil(0.95 * len(times)) - 1] * 1000, 50, "ms")
        ratio, _ = compare(runs, options.rounds, lambda _: [parley, "/history"], statements(LIST), *nothing)
        table.row("/history / its statements in sqlite3, time", ratio, 1.5)

        with contextlib.closing(sqlite3.connect(database)) as store:
            counts = {word: store.execute(MORE_NAMES.format(word)).fetchone()[0] for word in wanted}

        def names(number):
            more = MORE_NAMES if counts[wanted[number]] >= 500 else ""
            return statements(NAMES + more)(number)

        ratio, _ = compare(
            runs, options.rounds,
            lambda number: [parley, "---completion", f"parley /resume {wanted[number]}", wanted[number]], names,
            [parley, "---completion", "parley /hel", "/hel"], ["sqlite3", "-readonly", str(database), PRAGMAS + "SELECT 1"])
        table.row("Tab on titles / its statement in sqlite3, time", ratio, 1.5)

        grown = statistics.median(runs.wall(opened) for _ in range(options.rounds))
        kept = [runs.wall(question) for _ in range(options.rounds)]
        runs.environment["PARLEY_HOME"] = str(empty)
        started = statistics.median(runs.wall(opened) for _ in range(options.rounds))
        alone = [runs.wall(question) for _ in range(options.rounds)]
        table.row("start, beyond that with no messages", (grown - started) * 1000, 10, "ms")
        table.row("a message that is kept / with no messages before it, time",
                  statistics.median(kept) / statistics.median(alone), 1.5)
    sys.exit(0 if table.is_met else 1)


if __name__ == "__main__":
    main()
