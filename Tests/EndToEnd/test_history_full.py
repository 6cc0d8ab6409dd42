"""A disk that is full, or fails: the answer is shown, what is not kept is said, and nothing that was kept is lost."""

import errno
import itertools
import os
import random
import shutil

import pytest

import file_log
import histories

# What a failure names has the same calls fail in the same way.
SEED = int(os.environ.get("PARLEY_SEED") or random.randrange(1 << 32))
ALL = 1 << 30

FAULTS = {"full once": (errno.ENOSPC, 1), "full": (errno.ENOSPC, ALL), "fails once": (errno.EIO, 1),
          "fails": (errno.EIO, ALL)}
TURN_IS_LOST = ("this turn is not kept: ", "nothing of this run is kept: ")


class Failing:
    """Runs that meet a fault at one of their calls, each in a home of its own."""

    def __init__(self, parley, scripted, shim, folder, is_first):
        self.parley, self.shim, self.folder = parley, shim, folder
        self.log = folder / "log"
        self.short, self.long = scripted.url("ok"), scripted.url("many", 2000)
        self.answer = parley.run("-s", self.long, "an earlier one").out
        self.start = folder / "start"
        parley.home.rename(self.start)
        if is_first:
            shutil.rmtree(self.start)
            self.start.mkdir()
        self.earlier = [] if is_first else ["an earlier one"]

    def run(self, question, at, error, count):
        self.log.unlink(missing_ok=True)
        return self.parley.run("-s", self.long, question, env={
            "LD_PRELOAD": str(self.shim), "FILES_LOG": str(self.log), "FILES_FAIL_AT": str(at),
            "FILES_FAIL_FOR": str(count), "FILES_FAIL_AS": str(error)})

    @property
    def failed(self):
        """The calls that did, or were only noted."""
        return [(data, name.partition(".sqlite")[2][:1]) for what, name, data, _ in file_log.records(self.log)
                if what == "F"]

    def begin(self):
        shutil.rmtree(self.parley.home, ignore_errors=True)
        shutil.copytree(self.start, self.parley.home)

    def calls(self):
        """What a run does when nothing fails."""
        self.begin()
        assert self.run("now", 1, 0, ALL).err == ""
        return self.failed

    def meet(self, fault, at):
        """What is wrong when the fault comes at that call, in words; nothing when all is well."""
        self.begin()
        result = self.run("now", at, *FAULTS[fault])
        if not self.failed:
            return "nothing failed"
        if result.status or result.out != self.answer:
            return f"the answer is not shown: {result}"
        after = self.parley.run("-s", self.short, "after it")
        if after.status or after.err:
            return f"the next run does not work: {after}"
        path = self.parley.home / "history.sqlite"
        histories.check(path)
        kept = histories.kept(path)
        return self.lost(kept) or self.unsaid(result.err, *kept.get("now", (None, None)))

    def lost(self, kept):
        """What was acknowledged and is not there."""
        whole = {question for question, (text, status) in kept.items() if text and status == "complete"}
        return ", ".join(f"{one!r} is lost" for one in [*self.earlier, "after it"] if one not in whole)

    def unsaid(self, told, text, status):
        """What is not kept, and was not said."""
        if text is not None and text.strip() == self.answer.strip() and status == "complete":
            return None
        losses = [*TURN_IS_LOST, *["the answer is not kept: "] * (text is not None)]
        if any(loss in told for loss in losses):
            return None
        return f"{status} {text!r} is kept, and it was said {told!r}"


def meet_all(failing, faults):
    told = [(fault, at, failing.meet(fault, at)) for fault, at in faults]
    problems = [f"{fault} at {at}: {problem}" for fault, at, problem in told if problem]
    assert not problems, "\n".join([f"{len(problems)} of {len(told)}, PARLEY_SEED={SEED}", *problems[:20]])
    assert len(told) > 10


@pytest.fixture(params=["a first run", "a later run"])
def failing(request, parley, scripted, shim, tmp_path):
    print(f"PARLEY_SEED={SEED}")
    return Failing(parley, scripted, shim, tmp_path, is_first=request.param == "a first run")


def test_a_full_or_failing_disk_costs_no_answer_and_nothing_that_was_kept(failing):
    chance, calls, at, faults = random.Random(SEED), failing.calls(), 1, []
    # One of each row of calls that are alike.
    for _, alike in itertools.groupby(calls):
        count = len(list(alike))
        faults.append((chance.choice(list(FAULTS)), at + chance.randrange(count)))
        at += count
    meet_all(failing, faults)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_no_call_at_all_that_fails_costs_an_answer_or_what_was_kept(failing):
    meet_all(failing, itertools.product(FAULTS, range(1, len(failing.calls()) + 1)))


@pytest.fixture
def full(tmp_path):
    """Nothing more can be written as long as this file is there."""
    return tmp_path / "full"


@pytest.fixture
def shell(parley, scripted, shim, full):
    """One that was asked `first`, and then `second` when the disk was full."""
    shell = parley.on_terminal("-s", scripted.url("ok"), columns=200, env={
        "LD_PRELOAD": str(shim), "FILES_FAIL_WHILE": str(full), "FILES_FAIL_AS": str(errno.ENOSPC)})
    shell.wait_for_prompt()
    shell.say("first", "scripted server.")
    full.touch()
    shell.say("second", "scripted server.")
    assert "this turn is not kept: the disk is full" in shell.text
    return shell


def test_a_shell_on_a_full_disk_goes_on_and_keeps_what_comes_when_there_is_room(parley, full, shell):
    full.unlink()
    shell.say("third", "scripted server.")
    assert shell.leave() == 0
    path = parley.home / "history.sqlite"
    histories.check(path)
    kept = histories.kept(path)
    assert kept["first"] == kept["third"] == ("Hello from the scripted server.", "complete")


def test_what_a_full_disk_did_not_take_is_exported(shell):
    shell.say("/export", "# first")
    assert "second" in shell.text


def test_what_a_full_disk_did_not_take_is_kept_when_there_is_room(parley, full, shell):
    shell.say("third", "scripted server.")
    full.unlink()
    shell.look_from_here()
    shell.say("fourth", "scripted server.")
    assert "#2 is kept now" in shell.text and "#3 is kept now" in shell.text and "another shell" not in shell.text
    assert shell.leave() == 0
    kept = histories.kept(parley.home / "history.sqlite")
    assert [kept[question] for question in ("second", "third", "fourth")] == [("Hello from the scripted server.", "complete")] * 3
    # In their order, and gone on from the last.
    shown = parley.run("/history", "show").out
    places = [shown.index(question) for question in ("first", "second", "third", "fourth")]
    assert places == sorted(places)


def test_what_a_full_disk_did_not_take_is_kept_at_the_end(parley, full, shell):
    full.unlink()
    assert shell.leave() == 0
    assert histories.kept(parley.home / "history.sqlite")["second"] == ("Hello from the scripted server.", "complete")
