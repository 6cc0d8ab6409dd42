"""What a server says cannot take over the terminal."""

import pytest


def controls(data):
    """The control characters in some output, but for newlines and the tabs between columns."""
    return sorted({character for character in data.decode("utf-8")
                   if character not in "\n\t" and (character < " " or "\x7f" <= character <= "\x9f")
                   or "\u202a" <= character <= "\u202e" or "\U000e0000" <= character <= "\U000e0fff"})


@pytest.mark.parametrize("scene", ["hostile", "hostile-error", "bad-utf8", "garbage"])
@pytest.mark.parametrize("options", [[], ["-v"], ["--jsonl"], ["--json"]])
def test_no_control_character_comes_through_to_a_pipe(parley, scripted, scene, options):
    result = parley.run(*options, "-s", scripted.url(scene), "hello")
    assert controls(result.out_bytes) == []
    assert controls(result.err_bytes) == []


def test_commands_that_show_what_a_server_said_are_no_way_round(parley, scripted):
    url = scripted.url("hostile")
    for line in ["/models", "/model", "/server", "/history", "hello"]:
        result = parley.run("-s", url, "-c", line)
        assert controls(result.out_bytes + result.err_bytes) == [], line
    session = parley.run("--json", "/history").json[0]["id"]
    for words in [["/history", "show", session], ["/export", "md", session], ["/export", "json", session]]:
        result = parley.run(*words)
        assert controls(result.out_bytes + result.err_bytes) == [], words


def test_the_terminal_keeps_its_title_its_modes_and_its_words(parley, scripted):
    terminal = parley.on_terminal("-s", scripted.url("hostile"))
    terminal.wait_for_prompt()
    title, modes = terminal.screen.title, set(terminal.screen.mode)
    for line in ["hello", "/models", "/history"]:
        terminal.type(line)
        terminal.wait_for_prompt()
        assert (terminal.screen.title, set(terminal.screen.mode)) == (title, modes)
    assert "owned" not in terminal.screen.title
    assert b"\x1b]52" not in terminal.raw and b"\x1b]8;;http://evil" not in terminal.raw
    # The screen was not cleared under the question.
    terminal.seen_from = 0
    assert "hello" in terminal.text and "red" in terminal.text
    assert terminal.leave() == 0


def test_what_was_said_stays_harmless_when_it_is_recalled_later(parley, scripted):
    parley.run("-s", scripted.url("hostile"), "hello")
    terminal = parley.on_terminal("-C", "-s", scripted.url("ok"))
    terminal.wait_for_prompt()
    terminal.type("/history show")
    terminal.wait_for_prompt()
    assert "owned" not in terminal.screen.title
    assert terminal.leave() == 0
