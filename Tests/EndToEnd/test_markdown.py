"""Answers in Markdown while they are written: what is seen, what stays, and what never changes again."""

import os
import pathlib
import re
import signal
import subprocess
import sys

import pyte
import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "TestSupport"))
import mixed_markdown

from terminal import Drawing
from waiting import wait_until

MIXED = mixed_markdown.mixed(30_000)


def answer(parley, url, columns=80, rows=24, env=None, watch=None):
    """All that was ever on a terminal of that size for one message."""
    terminal = parley.on_terminal("-s", url, "go", columns=columns, rows=rows, env=env)
    while terminal.process.poll() is None:
        if terminal.read(0.1) and watch:
            watch(terminal)
    assert terminal.wait_for_exit() == 0
    terminal.assert_restored()
    return terminal


def lines(terminal):
    return terminal.scrolled + terminal.lines


def letters(text):
    return re.sub(r"[\W_]+", "", text)


@pytest.mark.parametrize("columns, rows", [(80, 24), (40, 8), (200, 50), (20, 24)])
def test_what_is_seen_in_the_end_does_not_depend_on_how_it_came(parley, scripted, columns, rows):
    whole = answer(parley, scripted.url("mixed", len(MIXED)), columns, rows)
    pieces = answer(parley, scripted.url("mixed", 7), columns, rows)
    assert lines(pieces) == lines(whole)
    assert letters("".join(lines(whole))) != ""


def test_a_block_that_is_finished_never_changes_again(parley, scripted):
    """What stands above a heading is finished."""
    terminal = answer(parley, scripted.url("mixed-paced"))
    final = lines(terminal)
    assert final == lines(answer(parley, scripted.url("mixed", 1000)))
    screen = Drawing(80, 24)
    stream = pyte.ByteStream(screen)
    reached = []
    scrolled = []
    for at in range(0, len(terminal.raw), 500):
        stream.feed(bytes(terminal.raw[at:at + 500]))
        scrolled += [row(line) for line in list(screen.history.top)[len(scrolled):]]
        seen = scrolled + [line.rstrip() for line in screen.display]
        while seen and not seen[-1]:
            seen.pop()
        same = next((place for place, (one, other) in enumerate(zip(seen, final)) if one != other), len(seen))
        headings = [place for place in range(same) if final[place].startswith("#")]
        # The last block is the one that grows, and may be a heading itself.
        reached.append(headings[-2] if len(headings) > 1 else 0)
    assert reached == sorted(reached)
    assert reached[-1] > len(final) // 2, "hardly any of it was recognised"
    # Neither the other screen, nor a jump, nor the whole screen cleared, nor a region that scrolls.
    assert not re.search(rb"\x1b\[(\?1049[hl]|\d*;?\d*[Hfr]|2J|3J)", terminal.raw)


def row(line):
    return "".join(line[column].data for column in range(80)).rstrip()


def test_it_is_drawn_as_it_means(parley, scripted):
    seen = "\n".join(lines(answer(parley, scripted.url("markdown"))))
    assert "**" not in seen and "```" not in seen
    assert "─" in seen and "• " in seen


@pytest.mark.parametrize("env, setting", [({"TERM": "dumb"}, None), ({}, "plain")])
def test_it_is_shown_as_it_is_written_where_that_is_wanted(parley, scripted, env, setting):
    if setting:
        assert parley.run("/settings", "render", setting).status == 0
    terminal = answer(parley, scripted.url("markdown"), env=env)
    seen = "\n".join(lines(terminal))
    assert "```" in seen and b"\x1b[" not in terminal.raw.replace(b"\x1b[?2004h", b"").replace(b"\x1b[?2004l", b"")


def test_without_colour_the_marks_say_what_colour_would(parley, scripted):
    terminal = answer(parley, scripted.url("mixed", 7), env={"NO_COLOR": "1"})
    assert "**" in terminal.text and "`" in terminal.text
    assert not re.search(rb"\x1b\[[\d;]*m", terminal.raw)


def test_for_a_screen_reader_nothing_is_drawn_over(parley, scripted):
    terminal = answer(parley, scripted.url("mixed", 7), env={"ACCESSIBLE": "1"})
    assert not re.search(rb"\x1b\[\d*[AKJ]", terminal.raw)
    seen = "\n".join(lines(terminal))
    assert "code, python:" in seen and "end of code" in seen
    assert not any(sign in seen for sign in "│─•")


def test_in_a_locale_without_unicode_lines_are_drawn_in_ascii(parley, scripted):
    terminal = answer(parley, scripted.url("mixed", 7), env={"LC_ALL": "C"})
    assert not any(sign in terminal.text for sign in "│─•┼")
    assert "-+-" in terminal.text and "\n- " in terminal.text


@pytest.mark.parametrize("width", [50, 110])
def test_a_change_of_size_in_the_middle_loses_and_doubles_nothing(parley, scripted, width):
    url = scripted.url("mixed-nod")
    terminal = parley.on_terminal("-s", url, "go", columns=80, rows=24)
    half = letters(MIXED[:len(MIXED) // 2])[-200:-100]
    terminal.wait_until(lambda: half in letters("".join(lines(terminal))), "half of it")
    finished = lines(terminal)[:40]
    terminal.resize(width, 30)
    terminal.signal(signal.SIGWINCH)
    scripted.nod(url)
    assert terminal.wait_for_exit() == 0
    assert lines(terminal)[:40] == [line[:width].rstrip() for line in finished]
    # Every tenth paragraph of the second half is there, once.
    seen = letters("".join(lines(terminal)))
    for part in MIXED[len(MIXED) * 2 // 3:].split("\n\n")[1:-1]:
        if "|" not in part and "](" not in part and len(letters(part)) > 60:
            assert seen.count(letters(part)[-60:]) == MIXED_LETTERS.count(letters(part)[-60:]), part


MIXED_LETTERS = letters(re.sub(r"```(\w+)", r"\1", MIXED))


def test_what_came_stays_when_it_is_stopped(parley, scripted):
    url = scripted.url("mixed-nod")
    shell = parley.on_terminal("-s", url)
    shell.wait_for_prompt()
    shell.type("go")
    half = letters(MIXED[:len(MIXED) // 2])[-200:-100]
    shell.wait_until(lambda: half in letters("".join(lines(shell))), "half of it")
    shell.press("ctrl-c")
    shell.wait_for_prompt()
    assert letters(MIXED[:len(MIXED) // 2])[-60:-10] in letters("".join(lines(shell)))
    assert "interrupted" in shell.text
    assert shell.leave() == 0


def test_code_that_was_cut_goes_on_as_code(parley, scripted):
    shell = parley.on_terminal("-s", scripted.url("cut"), columns=40)
    shell.wait_for_prompt()
    shell.type("write a function")
    shell.wait_for("/continue goes on")
    shell.wait_for_prompt()
    shell.type("/continue")
    shell.wait_for("So be it.")
    shell.wait_for_prompt()
    rows = [line.rstrip() for line in lines(shell)]
    start = rows.index("    return *1*")
    assert rows[start - 1].startswith("── python ──") and rows[start + 1].startswith("────")
    assert rows[start + 2:start + 4] == ["", "So be it."]
    assert shell.leave() == 0


def test_its_source_can_be_had(parley, scripted):
    url = scripted.url("mixed", 7)
    assert parley.run("-s", url, "go").out == MIXED
    assert parley.run("/raw").out == MIXED
    assert parley.run("/raw", "#1", "--json").json == {"turn": 1, "text": MIXED}
    terminal = parley.on_terminal("/history", "show", columns=80, rows=24)
    assert terminal.wait_for_exit() == 0
    shown = lines(terminal)
    rendered = lines(answer(parley, url))
    assert "\n".join(line for line in rendered if line) in "\n".join(line for line in shown if line)
    result = parley.run("/raw", "#7")
    assert (result.status, "turn" in result.err) == (2, True)


def test_a_real_terminal_shows_the_same(parley, scripted, tmp_path):
    """tmux is one: what it keeps of the answer is what pyte was shown."""
    expected = lines(answer(parley, scripted.url("mixed", 7), 80, 24))
    socket = tmp_path / "tmux"
    env = parley.environment | {"TERM": "xterm-256color"}

    def tmux(*words):
        return subprocess.run(["tmux", "-S", socket, "-f", os.devnull, *words], env=env, check=True, timeout=60,
                              capture_output=True, text=True).stdout
    tmux("new-session", "-d", "-x", "80", "-y", "24", "cat")
    try:
        tmux("set", "-g", "history-limit", "20000")
        tmux("set", "-g", "status", "off")
        tmux("set", "-g", "remain-on-exit", "on")
        command = f"exec env TERM=tmux-256color {parley.binary} -s {scripted.url('mixed', 7)} go"
        tmux("new-window", "-n", "it", command)
        wait_until(lambda: tmux("display", "-p", "-t", "it", "#{pane_dead}").strip() == "1", "the answer in tmux")
        seen = tmux("capture-pane", "-p", "-J", "-S", "-", "-t", "it").splitlines()
    finally:
        tmux("kill-server")
    seen = [line.rstrip() for line in seen]
    while seen and (not seen[-1] or seen[-1].startswith("Pane is dead")):
        seen.pop()
    assert letters("".join(seen)) == letters("".join(expected))
