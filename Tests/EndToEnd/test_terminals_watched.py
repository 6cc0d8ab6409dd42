"""Terminals that are looked at from behind the prompt: a real Jupyter Server by a road that can be cut, and a real tmux."""

import pytest

from jupyter import TOKEN


@pytest.fixture
def shell(parley, road, work, scripted):
    """At a prompt that watches a terminal by a road."""
    assert parley.run("/connect", f"{road.url}?token={TOKEN}", "far").status == 0
    with parley.on_terminal("-s", scripted.url("ok"), columns=100) as one:
        one.wait_for_prompt()
        one.type("/terminal watch far/work")
        one.wait_for("watching far/work")
        one.wait_until(lambda: "[far/work connected]>" in one.typed, "the state in the prompt")
        yield one


def run(parley, command):
    return parley.run("/terminal", "run", "lab/work", command)


def tell(shell, *words):
    """Asks for prompts until something is told before one: what a terminal says comes when it comes."""
    while True:
        shell.wait_until(lambda: shell.typed.endswith(">"), "a prompt")
        if any(all(word in line for word in words) for line in shell.scrolled + shell.lines):
            return
        shell.type("/timing")


def test_what_it_says_is_told_before_the_next_prompt(parley, shell):
    assert run(parley, "seq 1 3; echo quin''ces").status == 0
    tell(shell, "far/work: ", "quinces")
    assert "parley-" not in shell.text
    shell.wait_until(lambda: "[far/work connected]>" in shell.typed, "the state in the prompt")


def test_the_prompt_tells_how_the_connection_stands_while_a_line_is_typed(parley, road, shell):
    shell.send("a line under way")
    shell.wait_until(lambda: shell.typed.endswith("a line under way"), "the line")
    road.cut()
    shell.wait_until(lambda: "[far/work disconnected]> a line under way" in shell.typed, "the loss")
    road.mend()
    shell.wait_until(lambda: "[far/work connected]> a line under way" in shell.typed, "the connection")
    assert run(parley, "seq 1 3; echo again").status == 0
    shell.press("ctrl-c")
    tell(shell, "far/work: ", "again")


def test_what_was_heard_of_it_is_there_when_its_server_is_away(parley, road, shell):
    assert run(parley, "seq 1 3; echo quin''ces").status == 0
    tell(shell, "far/work: ", "quinces")
    road.cut()
    shell.wait_until(lambda: "[far/work disconnected]>" in shell.typed, "the loss")
    shell.look_from_here()
    shell.type("/terminal show far/work")
    shell.wait_for("far/work as it was a moment ago:")
    shell.wait_until(lambda: "quinces" in shell.text.splitlines(), "what it said last")


def test_one_that_ends_is_said_and_watched_no_more(parley, shell):
    assert parley.run("-y", "/terminal", "close", "lab/work").status == 0
    shell.wait_until(lambda: "[far/work disconnected]>" in shell.typed, "the end")
    tell(shell, "far/work has ended")
    shell.wait_until(lambda: shell.typed.endswith(">") and "far/work" not in shell.typed, "a prompt without it")


def test_a_sign_in_that_ends_is_an_error_in_the_prompt(parley, lab, road, shell):
    lab.stop()
    lab.token = "another-token-0123456789"
    try:
        lab.start()
        shell.wait_until(lambda: "[far/work error]>" in shell.typed, "the error")
        tell(shell, "far/work is watched no more")
        shell.wait_until(lambda: shell.typed.endswith(">") and "far/work" not in shell.typed, "a prompt without it")
    finally:
        lab.stop()
        lab.token = TOKEN
        lab.start()


def test_it_is_watched_until_the_person_has_enough(shell):
    shell.type("/terminal unwatch far/work")
    shell.wait_for("far/work is not watched any more")
    shell.wait_until(lambda: shell.typed.endswith(">") and "far/work" not in shell.typed, "a prompt without it")
    shell.type("/terminal unwatch far/work")
    shell.wait_for("terminal 'far/work' is not watched")


@pytest.mark.parametrize("command", ["/server remove far", "/terminal unwatch far/work"])
def test_a_server_that_is_forgotten_is_not_watched(shell, command):
    shell.type(command)
    if "remove" in command:
        shell.wait_for_question("[y/N]")
        shell.type("y")
    shell.wait_until(lambda: shell.typed.endswith(">") and "far/work" not in shell.typed, "a prompt without it")


def test_a_server_that_is_renamed_is_watched_by_its_new_name(shell):
    shell.type("/server rename far near")
    shell.wait_until(lambda: "[near/work connected]>" in shell.typed, "the new name")


def test_without_a_prompt_nothing_is_watched(parley, work):
    result = parley.run("/terminal", "watch", work)
    assert result.status != 0 and "watched from a prompt" in result.err and "/terminal show" in result.err
