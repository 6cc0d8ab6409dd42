"""What a server says cannot take over the terminal."""

import contextlib
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import urllib.parse

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "TestSupport"))
import hostile_texts

from waiting import wait_until


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


# What parley itself writes on a terminal: styles, small moves and erasures while it draws, pastes that are marked, modes that
# are off when it leaves, and links whose address is printable.
OURS = re.compile(rb"\x1b\[[\d;]*m|\x1b\[\d*[ABCDKJ]|\x1b\[\?2004[hl]|\x1b\[\?(?:25h|(?:1000|1002|1003|1004|1006|2026)l)"
                  rb"|\x1b\]8;;(?:https?://|mailto:)[\x21-\x7e]+\x1b\\|\x1b\]8;;\x1b\\", re.IGNORECASE)


def foreign(raw):
    """The control characters that are none of ours."""
    rest = OURS.sub(b"", bytes(raw)).decode("utf-8")
    return sorted({character for character in rest if character < " " and character not in "\n\r" or "\x7f" <= character <= "\x9f"
                   or "\u202a" <= character <= "\u202e" or "\U000e0000" <= character <= "\U000e0fff"})


def undisturbed(terminal):
    assert foreign(terminal.raw) == []
    assert "owned" not in terminal.screen.title
    terminal.assert_undisturbed()


@pytest.mark.parametrize("seed, render", [(1, "markdown"), (2, "markdown"), (3, "plain"), (4, "markdown")])
def test_ten_thousand_answers_leave_the_terminal_as_it_was(parley, scripted, seed, render):
    url = scripted.url("hostile-cases", seed)
    terminal = parley.on_terminal("-s", url, "--private", "--set", f"render={render}", "go", rows=12)
    assert terminal.wait_for_exit() == 0
    assert "unharmed" in terminal.text
    undisturbed(terminal)


def test_they_leave_tmux_as_it_was_too(parley, scripted, tmp_path):
    socket = tmp_path / "tmux"
    env = parley.environment | {"TERM": "xterm-256color"}
    state = ("#{pane_title} #{cursor_flag} #{insert_flag} #{keypad_flag} #{keypad_cursor_flag} #{mouse_any_flag} #{alternate_on} "
             "#{origin_flag} #{wrap_flag} #{scroll_region_upper} #{scroll_region_lower} #{pane_tabs} #{window_name}")

    def tmux(*words):
        return subprocess.run(["tmux", "-S", socket, "-f", os.devnull, *words], env=env, check=True, timeout=60,
                              capture_output=True, text=True, errors="replace").stdout
    url = scripted.url("hostile-cases", 5)
    script = (f"printf ready; read line; env TERM=tmux-256color {parley.binary} -s {url} --private go; "
              "printf 'over%s' ' now'; read line")
    tmux("new-session", "-d", "-x", "80", "-y", "24", "-n", "it", script)
    try:
        wait_until(lambda: "ready" in tmux("capture-pane", "-p"), "the shell in tmux")
        before, buffers = tmux("display", "-p", state), tmux("list-buffers")
        tmux("send-keys", "Enter")
        wait_until(lambda: "over now" in tmux("capture-pane", "-p"), "the answer in tmux")
        assert "unharmed" in tmux("capture-pane", "-p")
        assert (tmux("display", "-p", state), tmux("list-buffers")) == (before, buffers)
        # What is drawn next is drawn as always: neither line drawing nor a colour was left behind.
        assert tmux("capture-pane", "-p", "-e").split("taken out")[-1].lstrip("\x1b[0m39;49\n").startswith("over now")
    finally:
        tmux("kill-server")


def test_names_of_models_are_harmless_in_lists_and_in_what_tab_offers(parley, scripted):
    terminal = parley.on_terminal("-s", scripted.url("hostile-names"), rows=12)
    terminal.wait_for_prompt()
    terminal.say("/models", "m299")
    terminal.send("/model m2\t")
    terminal.wait_for("more")
    terminal.send("\x15")
    terminal.wait_for_prompt()
    assert terminal.leave() == 0
    undisturbed(terminal)


def test_what_the_history_holds_is_harmless_wherever_it_is_shown(parley, scripted):
    parley.run("-s", scripted.url("ok"), "hello")
    database, = parley.home.rglob("history.sqlite")
    everything = " ".join(text for text in hostile_texts.corpus() if "\x00" not in text)
    with contextlib.closing(sqlite3.connect(database)) as connection, connection:
        connection.execute("UPDATE session SET title = ?", ["wicked " + everything])
        connection.execute("UPDATE message SET content = content || ?", [everything])
    terminal = parley.on_terminal("-s", scripted.url("ok"), rows=12)
    terminal.wait_for_prompt()
    for line, seen in [("/history", "TITLE"), ("/history show wicked", "hello"), ("/resume wicked", "resumed"), ("/raw", "<U+202D>")]:
        terminal.say(line, seen)
    terminal.send("/resume wi\t")
    # The end of it: the line is longer than the screen.
    terminal.wait_until(lambda: terminal.typed.endswith("[200~'"), "the title on the line")
    terminal.send("\x15")
    terminal.wait_for_prompt()
    assert terminal.leave() == 0
    undisturbed(terminal)


def test_an_answer_is_kept_whole_whatever_is_in_it(parley, scripted):
    """To SQLite a NUL ends a text."""
    everything = "before\x00after " + " ".join(hostile_texts.corpus())
    said = parley.run("-s", scripted.url("says", urllib.parse.quote(everything, safe="")), "hello")
    assert said.status == 0
    kept = parley.run("/raw", "--json").json["text"]
    assert kept == everything.replace("\x00", "\ufffd")
