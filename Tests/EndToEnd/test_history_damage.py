"""Damaged histories: parley ends as it should, shows the answer, deletes nothing that it sets aside, and mends it."""

import os
import random
import shutil
import sqlite3

import pytest

import histories

ROUNDS = int(os.environ.get("PARLEY_ROUNDS") or 300)
# What a failure names damages the same files in the same way.
SEED = int(os.environ.get("PARLEY_SEED") or random.randrange(1 << 32))
PAGE = 4096
ANSWER = "Hello from the scripted server.\n"


def flip(content, chance):
    for _ in range(chance.choice([1, 10, 200])):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)


def flip_heads(content, chance):
    """What says where on a page its rows are."""
    for _ in range(10):
        content[chance.randrange(len(content) // PAGE) * PAGE + chance.randrange(40)] ^= 1 << chance.randrange(8)


def cut(content, chance):
    del content[chance.choice([0, 1, 99, PAGE, chance.randrange(len(content)), len(content) - 1]):]


def overwrite(content, chance):
    start = chance.randrange(len(content))
    end = min(len(content), start + chance.choice([16, 100, PAGE, 5 * PAGE, len(content)]))
    content[start:end] = chance.choice([bytes, chance.randbytes])(end - start)


def overwrite_the_beginning(content, chance):
    end = chance.choice([1, 16, 100, PAGE])
    content[:end] = chance.choice([bytes, chance.randbytes])(end)


def exchange_pages(content, chance):
    one, two = (chance.randrange(len(content) // PAGE) * PAGE for _ in range(2))
    content[one:one + PAGE], content[two:two + PAGE] = content[two:two + PAGE], content[one:one + PAGE]


def lengthen(content, chance):
    content += chance.randbytes(chance.choice([1, PAGE, 10 * PAGE]))


WAYS = [flip, flip_heads, cut, overwrite, overwrite_the_beginning, exchange_pages, lengthen]


class Damaged:
    """A history that was damaged, looked at by one run after another."""

    def __init__(self, parley, url, start, chance):
        self.parley, self.url, self.path = parley, url, parley.home / "history.sqlite"
        shutil.rmtree(parley.home, ignore_errors=True)
        shutil.copytree(start, parley.home)
        content = bytearray(self.path.read_bytes())
        self.way = chance.choice(WAYS)
        self.way(content, chance)
        self.path.write_bytes(content)
        self.beside = chance.choice([None, None, "-journal", "-wal", ".check"])
        if self.beside:
            (parley.home / f"history.sqlite{self.beside}").write_bytes(chance.randbytes(chance.choice([10, 9000])))
        self.log = []

    @property
    def set_aside(self):
        return set(self.parley.home.glob("history.corrupt-*.sqlite"))

    def run(self, *words):
        before, aside = self.path.read_bytes(), self.set_aside
        result = self.parley.run(*words)
        self.log.append((words, result))
        assert result.status in (0, 10), "it ended badly"
        assert self.path.exists(), "there is no file any more"
        assert aside <= self.set_aside, "what was set aside is gone"
        for new in self.set_aside - aside:
            assert new.read_bytes() == before, "what was set aside is not what there was"
        return result

    def ask(self, question):
        result = self.run("-s", self.url, question)
        assert (result.status, result.out) == (0, ANSWER), "the answer is not shown"
        assert "kept: " in result.err or self.has(question), "the answer is not kept, and that was not said"

    def has(self, question):
        """Whether it is kept with its answer, or there is damage on the way there that no run has met yet."""
        try:
            return histories.kept(self.path).get(question) == (ANSWER.strip(), "complete")
        except sqlite3.DatabaseError:
            return True

    def play(self):
        self.ask("after the damage")
        self.run("/history", "--json")
        self.run("/history", "search", "word7")
        self.run("/export", "json", "all")
        if self.run("/db", "check").status:
            assert self.run("/db", "recover").status == 0, "it cannot be mended"
        assert self.run("/db", "check").status == 0, "it was not mended"
        self.ask("at the end")
        histories.check(self.path)
        assert self.has("at the end"), "nothing more is kept"

    def problem(self):
        try:
            self.play()
        except Exception as error:
            return f"{self.way.__name__}, {self.beside} beside: {error}; {self.log[-1:]}"
        return None


def damage(parley, scripted, folder, count):
    print(f"PARLEY_SEED={SEED}")
    url, start, chance = scripted.url("ok"), folder / "start", random.Random(SEED)
    for words in [300, 3000, 20]:
        for number in range(3):
            assert parley.run("-s", scripted.url("many", words), f"{words} words, {number}").status == 0
    parley.home.rename(start)
    told = [(number, Damaged(parley, url, start, chance).problem()) for number in range(count)]
    problems = [f"round {number}: {problem}" for number, problem in told if problem]
    assert not problems, "\n".join([f"{len(problems)} of {count}, PARLEY_SEED={SEED}", *problems[:20]])


def test_damaged_files_end_no_run_hide_no_answer_and_are_kept(parley, scripted, tmp_path):
    damage(parley, scripted, tmp_path, 40)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_hundreds_of_damaged_files_end_no_run_hide_no_answer_and_are_kept(parley, scripted, tmp_path):
    damage(parley, scripted, tmp_path, ROUNDS)


def test_an_index_that_is_of_no_known_format_is_mended(parley, scripted):
    url = scripted.url("ok")
    assert parley.run("-s", url, "before").status == 0
    with histories.opened(parley.home / "history.sqlite") as history:
        history.execute("UPDATE message_index_config SET v = 0 WHERE k = 'version'")
    assert parley.run("/db", "check").status == 10
    assert parley.run("/db", "recover").status == 0
    assert parley.run("/db", "check").status == 0
    assert parley.run("-s", url, "after").err == ""


@pytest.mark.parametrize("change, problem", [
    ("UPDATE sqlite_schema SET sql = replace(sql, 'new.content', 'new.con') WHERE name = 'message_added'",
     "changed trigger message_added"),
    ("UPDATE sqlite_schema SET sql = replace(sql, 'status', 'state') WHERE name = 'message_text'",
     "changed view message_text"),
    ("DROP TRIGGER message_settled; DROP INDEX turn_by_parent", "missing index turn_by_parent")])
def test_a_schema_that_reads_otherwise_is_mended(parley, scripted, change, problem):
    url = scripted.url("ok")
    assert parley.run("-s", url, "before").status == 0
    with histories.opened(parley.home / "history.sqlite") as history:
        history.executescript(f"PRAGMA writable_schema = ON; {change}")
    checked = parley.run("/db", "check")
    assert checked.status == 10 and problem in checked.out + checked.err
    assert parley.run("/db", "recover").status == 0
    assert parley.run("/db", "check").status == 0
    assert parley.run("-s", url, "after").err == ""
    assert sorted(histories.kept(parley.home / "history.sqlite")) == ["after", "before"]
