"""Titles that a model is asked for behind the prompt."""

import signal

import pytest

from one_slot import OneSlot
from waiting import wait_until


@pytest.fixture
def slot():
    with OneSlot() as server:
        yield server


@pytest.fixture
def shell(parley, slot):
    terminal = parley.on_terminal("-s", slot.url, "--set", "titles=model")
    terminal.wait_for_prompt()
    return terminal


def ask(shell, text):
    shell.type(text)
    shell.wait_for(f"The answer to {text}.")
    shell.wait_for_prompt()


def test_the_next_message_does_not_wait_for_a_title(shell, slot):
    ask(shell, "one")
    wait_until(lambda: slot.events == ["one", "a title"], "the title to be asked for")
    # The server has nothing for anybody until that is over; its answer would never come.
    ask(shell, "two")
    wait_until(lambda: slot.events == ["one", "a title", "hung up", "two", "a title"], "it to be asked for again")
    assert shell.leave() == 0
    wait_until(lambda: slot.events[-1] == "hung up", "the request to be given up")


def test_a_title_is_kept_when_it_comes(parley, shell, slot):
    ask(shell, "one")
    wait_until(lambda: slot.events == ["one", "a title"], "the title to be asked for")
    slot.name_it()
    wait_until(lambda: "The first of all" in parley.run("/history").out, "the title to be kept")
    shell.say("/title", "The first of all")
    ask(shell, "two")
    assert shell.leave() == 0
    assert slot.events == ["one", "a title", "two"]


def test_a_title_that_is_given_elsewhere_meanwhile_stays(parley, shell, slot):
    ask(shell, "one")
    wait_until(lambda: slot.events == ["one", "a title"], "the title to be asked for")
    assert parley.run("/title", "Mine").status == 0
    slot.name_it()
    # The next message is behind it, whether it came or was given up.
    ask(shell, "two")
    assert parley.run("/title").out == "Mine\n"
    assert "The first of all" not in parley.run("/export", "json").out
    assert shell.leave() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_does_not_wait_for_a_title(shell, slot, number):
    ask(shell, "one")
    wait_until(lambda: slot.events == ["one", "a title"], "the title to be asked for")
    shell.signal(number)
    assert shell.wait_for_exit() == 128 + number
    wait_until(lambda: slot.events[-1] == "hung up", "the request to be given up")


def test_a_message_on_the_command_line_has_no_title(parley, slot):
    result = parley.run("-s", slot.url, "--set", "titles=model", "one")
    assert (result.status, result.out, result.err) == (0, "The answer to one.\n", "")
    assert slot.events == ["one"]
