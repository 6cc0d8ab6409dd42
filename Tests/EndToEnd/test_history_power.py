"""Power cuts at random moments of a log: what was acknowledged before is there.

The log has each change that programs made to the files of their history, and each acknowledgement where it came. A cut
keeps what a sync had covered that was over, and of the rest nothing, everything, some writes, or some sectors of 512
bytes; names come to the disk in order, some of them or all. It is no proof against a disk that says of a sync that it is
done when it is not, that writes a sector in part, or that loses what it had.
"""

import contextlib
import os
import pathlib
import random
import sqlite3
import subprocess
import sys
import tempfile

import pytest

import file_log
import histories
from waiting import wait_until

ROUNDS = int(os.environ.get("PARLEY_ROUNDS") or 1000)
# What a failure names makes the same cuts again, of a log that is alike.
SEED = int(os.environ.get("PARLEY_SEED") or random.randrange(1 << 32))

# Keeps the file in WAL mode while programs that would rather not have it come and go.
KEEPER = """
import sqlite3, sys
history = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=60)
print(*history.execute("PRAGMA journal_mode = WAL").fetchone(), flush=True)
history.execute("SELECT count(*) FROM session").fetchone()
for line in sys.stdin:
    print(*history.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone(), flush=True)
"""


class Witness:
    """Sees what is acknowledged, and notes in the log when."""

    def __init__(self, parley, log):
        self.parley, self.log = parley, log

    def start(self, url, question):
        """It has begun to answer: the question is kept."""
        process = self.parley.start("-s", url, question)
        first = os.read(process.stdout.fileno(), 65536)
        file_log.mark(self.log, question)
        return process, question, first

    def finish(self, process, question, first):
        """It has ended: the answer is kept."""
        result = self.parley.finish(process)
        assert (result.status, result.err) == (0, ""), result
        file_log.mark(self.log, f"{question}\0{first.decode()}{result.out}")

    def ask(self, url, *questions):
        for started in [self.start(url, question) for question in questions]:
            self.finish(*started)

    def start_and_see_saved(self, url, question):
        started = self.start(url, question)
        wait_until(lambda: "word5" in (histories.kept(self.parley.home / "history.sqlite")[question][0] or ""),
                   "the words to be saved")
        return started

    def talk(self, url, *questions):
        shell = self.parley.on_terminal("-s", url)
        shell.wait_for_prompt()
        for question in questions:
            shell.say(question, "server.")
            file_log.mark(self.log, f"{question}\0Hello from the scripted server.")
        assert shell.leave() == 0


@contextlib.contextmanager
def kept_in_wal_mode(parley, is_wanted):
    """Gives what has the journal written into the file."""
    if not is_wanted:
        yield lambda: None
        return
    keeper = subprocess.Popen([sys.executable, "-c", KEEPER, parley.home / "history.sqlite"], stdin=subprocess.PIPE,
                              stdout=subprocess.PIPE, text=True, env=os.environ | parley.environment)
    parley.started.append(keeper)

    def checkpoint():
        print("now", file=keeper.stdin, flush=True)
        assert keeper.stdout.readline()

    assert keeper.stdout.readline() == "wal\n"
    yield checkpoint
    keeper.stdin.close()
    assert keeper.wait(60) == 0


def record(parley, scripted, log, mode):
    """All kinds of writes: a beginning, short and long answers, some at once, a kill, a shell, a vacuum."""
    witness, url = Witness(parley, log), scripted.url("ok")
    witness.ask(url, "the very first")
    with kept_in_wal_mode(parley, mode == "wal") as checkpoint:
        for number in range(3):
            witness.ask(url, *[f"three at once, {number} {letter}" for letter in "abc"])
            witness.ask(scripted.url("many", 8000 * (number + 1)), f"a long one, {number}")
            checkpoint()
        killed, *_ = witness.start_and_see_saved(scripted.url("nod"), "to be killed")
        killed.kill()
        parley.finish(killed)
        slow = scripted.url("nod")
        started = witness.start_and_see_saved(slow, "slow and whole")
        scripted.nod(slow)
        witness.finish(*started)
        witness.talk(url, "the first of a shell", "the second of a shell")
        assert parley.run("/db", "vacuum").status == 0
        witness.ask(url, "the very last")
    histories.check(parley.home / "history.sqlite")


def instants(log, count, chance):
    """Where to cut: half of them anywhere, and half just after something was acknowledged or synced."""
    all = range(1, len(log) + 1)
    near = [at for at in all if log[at - 1][0] in "!ST" or log[at - 2][0] == "!"]
    return sorted(chance.choices(all, k=count - count // 2) + chance.choices(near, k=count // 2))


def by_file(_, folder):
    """What is kept, of a file that is sound."""
    path = folder / "history.sqlite"
    if not path.exists():
        return {}
    histories.check(path)
    return histories.kept(path)


def by_program(parley, folder):
    """The same as the program has it."""
    home = {"PARLEY_HOME": str(folder), "LD_PRELOAD": ""}
    sound = parley.run("/db", "check", env=home)
    assert sound.status == 0, sound
    listed = parley.run("/history", "1000", "--json", env=home)
    assert listed.status == 0, listed
    kept = {}
    for session in parley.run("/export", "json", "all", env=home).json["sessions"] if listed.json else []:
        for turn in session["turns"]:
            question, *rest = turn["messages"]
            kept[question["content"]] = (rest[-1]["content"], rest[-1]["status"]) if rest else (None, None)
    assert not list(folder.glob("*corrupt*")), sound
    return kept


def judge(kept, acknowledged):
    """What is lost of what was acknowledged, in words; nothing when all is well."""
    for note in acknowledged:
        question, _, answer = note.partition("\0")
        if question not in kept:
            return f"the question {question!r} is not there"
        text, status = kept[question]
        if answer and (text.strip() != answer.strip() or status != "complete"):
            return f"the answer to {question!r} is {status} and has {len(text)} of {len(answer)} characters"
    return None


def cut_the_power(parley, scripted, shim, folder, mode, count, each):
    """Every so many cuts the program looks at what is left."""
    print(f"PARLEY_SEED={SEED}")
    chance = random.Random(SEED)
    log = folder / "log"
    parley.environment |= {"LD_PRELOAD": str(shim), "FILES_LOG": str(log)}
    record(parley, scripted, log, mode)
    told = list(file_log.records(log))
    journal = "history.sqlite-wal" if mode == "wal" else "history.sqlite-journal"
    assert any((what, name) == ("S", journal) for what, name, *_ in told)
    disk, acknowledged, at, losses = file_log.Disk(), [], 0, []
    for number, instant in enumerate(instants(told, count, chance)):
        for what, name, data, offset in told[at:instant]:
            if what == "!":
                acknowledged.append(data.decode())
            disk.take(what, name, data, offset)
        at = instant
        way = chance.choice(file_log.WAYS)
        with tempfile.TemporaryDirectory(dir=folder) as cut:
            cut = pathlib.Path(cut)
            disk.cut(cut, way, chance)
            try:
                loss = judge((by_program if number % each == 0 else by_file)(parley, cut), acknowledged)
            except (AssertionError, sqlite3.Error) as error:
                loss = f"it is not sound: {error}"
        if loss:
            losses.append(f"at {instant} of {len(told)}, {way}: {loss}")
    assert len(acknowledged) > 20
    assert not losses, "\n".join([f"{len(losses)} of {count} cuts, PARLEY_SEED={SEED}", *losses[:20]])


@pytest.mark.parametrize("mode", ["truncate", "wal"])
def test_power_cuts_lose_nothing_that_was_acknowledged(parley, scripted, shim, tmp_path, mode):
    cut_the_power(parley, scripted, shim, tmp_path, mode, 40, each=8)


@pytest.mark.long
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("mode", ["truncate", "wal"])
def test_a_thousand_power_cuts_lose_nothing_that_was_acknowledged(parley, scripted, shim, tmp_path, mode):
    cut_the_power(parley, scripted, shim, tmp_path, mode, ROUNDS, each=20)
