"""What is longer than the screen is read by the person's pager."""

import os
import shutil
import signal
import subprocess
import termios

import pytest

from waiting import wait_until

LONG = "\n".join(f"row {number}" for number in range(200))

needs_less = pytest.mark.skipif(shutil.which("less") is None, reason="less is not installed")


@pytest.fixture
def long(parley, scripted):
    """A session of 400 rows, half of them an answer; of pagers the machine's own is asked for."""
    parley.run("-s", scripted.url("repeat"), input=LONG)
    del parley.environment["PAGER"]
    return scripted.url("ok")


def pager(parley, commands):
    """One that tells that it ran, as a command line."""
    path = parley.file("pager", f"#!/bin/sh\ntouch ran\n{commands}\n")
    path.chmod(0o755)
    return str(path)


def has_run(parley):
    return (parley.directory / "ran").exists()


def wait_for_less(terminal):
    terminal.wait_until(lambda: terminal.typed == ":", "the prompt of less")


@needs_less
def test_a_long_session_is_read_in_less_and_q_leads_back(parley, long):
    shell = parley.on_terminal("-C", "-s", long)
    shell.wait_for_prompt()
    modes = termios.tcgetattr(shell.slave)
    shell.type("/history show")
    wait_for_less(shell)
    # A page of it, from the beginning.
    assert "#1 row 0" in shell.text and "row 100" not in shell.text
    shell.send("q")
    shell.wait_for_prompt()
    assert termios.tcgetattr(shell.slave) == modes
    # It stays where it was read, as after git's.
    assert b"\x1b[?1049h" not in shell.raw and "row 0" in shell.text and "row 100" not in shell.text
    assert "pager" not in shell.text
    shell.say("/title", until="row 0")
    assert shell.leave() == 0


@needs_less
def test_ctrl_c_in_less_is_its_own(parley, long):
    shell = parley.on_terminal("-C", "-s", long)
    shell.wait_for_prompt()
    shell.type("/history show")
    wait_for_less(shell)
    shell.send("/row 150\r")
    shell.wait_for("row 155")
    before = len(shell.raw)
    shell.press("ctrl-c")
    shell.wait_until(lambda: b"\x07" in shell.raw[before:] and shell.typed == ":", "less to go on")
    shell.send("G")
    shell.wait_for("(END)")
    assert "row 199" in shell.text
    shell.send("q")
    shell.wait_for_prompt()
    shell.say("hello", until="Hello from")
    assert shell.leave() == 0


@needs_less
def test_a_command_from_outside_is_paged_too(parley, long):
    for words in [["/history", "show"], ["/help", "history"], ["--private", "/keys"]]:
        terminal = parley.on_terminal(*words, rows=8)
        wait_for_less(terminal)
        terminal.send("q")
        assert terminal.wait_for_exit() == 0
        terminal.assert_restored()


@needs_less
@pytest.mark.parametrize("words", [["/history", "show"], ["-C"]], ids=["alone", "prompt"])
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_what_ends_us_ends_less_and_leaves_the_terminal_as_it_was(parley, long, words, number):
    shell = parley.on_terminal(*words)
    if words == ["-C"]:
        shell.wait_for_prompt()
        shell.type("/history show")
    wait_for_less(shell)
    shell.signal(number)
    assert shell.wait_for_exit() == 128 + number
    shell.assert_restored()
    name = os.ttyname(shell.slave).removeprefix("/dev/")
    wait_until(lambda: subprocess.run(["pgrep", "-x", "-t", name, "less"], capture_output=True).returncode == 1,
               "less to be gone")


def test_the_modes_of_a_pager_that_dies_die_with_it(parley, long):
    for words in [["/history", "show"], ["-C"]]:
        shell = parley.on_terminal(*words, env={"PAGER": "head -1; stty raw -echo; kill -9 $$"})
        if words == ["-C"]:
            shell.wait_for_prompt()
            shell.say("/history show", until="row 0")
            shell.say("/title", until="row 0")
            assert shell.leave() == 0
        else:
            shell.wait_for_exit()
        shell.assert_restored()


@needs_less
def test_ctrl_z_in_less_stops_the_whole_job(parley, long):
    bash = parley.bash()
    bash.type(f"$PARLEY -C -s {long}")
    bash.wait_for_prompt()
    bash.type("/history show")
    wait_for_less(bash)
    bash.press("ctrl-z")
    bash.wait_until(lambda: bash.typed == "bash$", "the prompt of bash")
    # No key of it is taken by what was stopped.
    bash.type("echo one; echo two")
    bash.wait_for("two")
    bash.wait_until(lambda: bash.typed == "bash$", "the prompt of bash")
    bash.type("fg")
    wait_for_less(bash)
    bash.send("q")
    bash.wait_for_prompt()
    bash.say("hello", until="Hello from")


@needs_less
def test_no_filter_of_the_persons_looks_into_it(parley, long):
    terminal = parley.on_terminal("/history", "show", env={"LESSOPEN": "|-touch ran %s"})
    wait_for_less(terminal)
    terminal.send("q")
    assert terminal.wait_for_exit() == 0
    assert not has_run(parley)


def test_what_fits_starts_no_pager(parley, long):
    parley.environment["PAGER"] = pager(parley, "cat")
    shell = parley.on_terminal("-s", long)
    shell.wait_for_prompt()
    shell.say("/history", until="row 0")
    shell.say("/title", until="untitled")
    assert not has_run(parley)
    shell.say("/help", until="/quit")
    assert has_run(parley)
    assert shell.leave() == 0


@pytest.mark.parametrize("arguments, env", [
    (["--plain"], {}), ([], {"TERM": "dumb"}), ([], {"ACCESSIBLE": "1"}), (["--set", "pager=off"], {}),
    (["--json"], {}), (["-c"], {}), ([], {"PAGER": "cat"}), ([], {"PAGER": ""})],
    ids=["plain", "dumb", "accessible", "off", "json", "script", "cat", "empty"])
def test_nothing_is_paged_where_it_is_not_wanted(parley, long, arguments, env):
    named = pager(parley, "cat")
    words = ["/history show"] if arguments == ["-c"] else ["/history", "show"]
    terminal = parley.on_terminal(*arguments, *words, env={"PAGER": named} | env)
    assert terminal.wait_for_exit() == 0
    assert "row 199" in terminal.text and "row 100" in terminal.text
    assert not has_run(parley)


def test_output_in_a_pipe_is_as_it_was(parley, long):
    plain = parley.run("/history", "show")
    assert plain.out.count("row 199") == 2
    named = pager(parley, "cat")
    for extra in [[], ["--set", f"pager={named}"]]:
        result = parley.run(*extra, "/history", "show", env={"PAGER": named})
        assert result.out_bytes == plain.out_bytes and result.err == plain.err
    assert not has_run(parley)


@pytest.mark.parametrize("named, why", [
    ("/nowhere", "the pager '/nowhere' is not there"), ("exit 3", "the pager 'exit 3' failed (exit status 3)")])
def test_a_pager_that_shows_nothing_is_named_and_the_text_is_there(parley, long, named, why):
    shell = parley.on_terminal("-C", "-s", long, env={"PAGER": named})
    shell.wait_for_prompt()
    shell.type("/history show")
    shell.wait_for(why)
    shell.wait_for_prompt()
    assert "/settings pager" in shell.text
    assert "row 100" in shell.text and "row 199" in shell.text
    shell.say("hello", until="Hello from")
    assert shell.leave() == 0


def test_one_that_ends_early_has_failed_in_nothing(parley, scripted):
    # More than any pipe holds.
    parley.run("-s", scripted.url("repeat"), input="\n".join(f"line {number}" for number in range(40_000)))
    for commands in ["head -2", "head -2; exit 3"]:
        terminal = parley.on_terminal("/history", "show", env={"PAGER": pager(parley, commands)})
        assert terminal.wait_for_exit() == 0
        assert has_run(parley) and "line 0" in terminal.text and "line 20000" not in terminal.text
        assert "pager" not in terminal.text
        terminal.assert_restored()


def test_a_pager_gets_characters_and_their_styles_alone(parley, scripted):
    parley.run("-s", scripted.url("repeat"), input="**bold** [name](http://host/x) \x1b]0;title\x07\n\n" + LONG)
    terminal = parley.on_terminal("/history", "show", env={"PAGER": "cat >seen; echo done"})
    terminal.wait_for("done")
    assert terminal.wait_for_exit() == 0
    seen = (parley.directory / "seen").read_bytes()
    assert b"\x1b[1mbold\x1b[0m" in seen and b"http://host/x" in seen and b"row 199" in seen
    assert b"\x1b]" not in seen
    assert parley.run("/history", "show").out != ""
