"""`make chat`: the model is started, the shell is connected to it, and nothing is left running."""

import os
import pathlib
import signal

import pytest

from conftest import ROOT
from terminal import Terminal


def model_processes():
    found = []
    for entry in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = entry.read_bytes().split(b"\0")
        except OSError:
            continue
        if any(word.endswith(b"local_model.py") for word in words) and any(b"/.run/chat." in word for word in words):
            found.append(int(entry.parent.name))
    return found


@pytest.fixture
def chat(parley, local_model):
    env = parley.environment | {"PARLEY": str(parley.binary), "PATH": os.environ["PATH"]}
    before = set(model_processes())

    def start(*arguments):
        terminal = Terminal([str(ROOT / "scripts/chat"), *arguments], env=env, cwd=parley.directory)
        parley.started.append(terminal.process)
        return terminal

    yield start
    assert set(model_processes()) <= before


def test_the_shell_opens_connected_and_leaves_nothing_behind(chat):
    shell = chat("-t", "0")
    shell.wait_for_prompt(seconds=60)
    shell.type("What is the capital of France?")
    shell.wait_for_prompt(seconds=60)
    assert "Paris" in shell.text
    assert shell.leave() == 0


def test_ctrl_c_in_the_shell_stops_the_answer_and_not_the_model(chat):
    # At another temperature so small a model may go on for minutes.
    shell = chat("-t", "0")
    shell.wait_for_prompt(seconds=60)
    shell.type("Write a long story about a lighthouse keeper and the sea.")
    shell.wait_until(lambda: len(shell.text.split()) > 10, "the story to begin", seconds=60)
    shell.press("ctrl-c")
    shell.wait_for_prompt()
    shell.type("Say hello.")
    shell.wait_for_prompt(seconds=60)
    assert "error" not in shell.text
    assert shell.leave() == 0


def test_the_exit_status_is_handed_on(chat):
    shell = chat("/nonsense")
    assert shell.wait_for_exit(seconds=60) == 2


def test_the_model_goes_when_the_script_is_killed(chat):
    before = set(model_processes())
    shell = chat()
    shell.wait_for_prompt(seconds=60)
    assert set(model_processes()) - before
    shell.signal(signal.SIGKILL)
    shell.wait_until(lambda: set(model_processes()) <= before, "the model to go")
