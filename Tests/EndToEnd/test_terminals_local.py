"""Shells of parley's own, for whoever has no tmux: used as others are, and ended with it."""

import os
import pathlib
import signal
import subprocess

import pytest

from waiting import wait_until


@pytest.fixture
def shell(parley, scripted, tmp_path):
    programs = tmp_path / "programs"
    programs.mkdir()
    for program in [*pathlib.Path("/bin").iterdir(), *pathlib.Path("/usr/bin").iterdir()]:
        if program.name != "tmux" and not (programs / program.name).exists():
            (programs / program.name).symlink_to(program)
    (tmp_path / ".bashrc").write_text("PS1='$ '\n")
    with parley.on_terminal("-s", scripted.url("ok"), env={"PATH": str(programs), "PARLEY_TOKEN": "sk-quince"}) as one:
        one.wait_for_prompt()
        one.say("/terminal new work", until="it ends with parley, as tmux is not installed")
        yield one


def attach(shell, prompt="$"):
    shell.type("/terminal attach work")
    shell.wait_until(lambda: shell.typed.endswith(prompt), "the prompt of the terminal")


def leave_terminal(shell):
    shell.send("\r~.")
    shell.wait_for("detached from work")
    shell.wait_for_prompt()


def processes(command):
    return [int(word) for word in
            subprocess.run(["pgrep", "-f", command], capture_output=True, text=True, check=False).stdout.split()]


def test_it_is_listed_used_and_closed(shell, parley):
    shell.say("/terminals", until="bash")
    shell.say("/terminal run work X=quinces; echo pies of $X", until="pies of quinces")
    attach(shell)
    assert "pies of quinces" in shell.text
    shell.send("stty size; echo $X and [$PARLEY_TOKEN]\r")
    shell.wait_for("24 80")
    shell.wait_for("quinces and []")
    leave_terminal(shell)
    shell.say("/terminal show work 10", until="24 80")
    shell.type("/terminal close work")
    shell.wait_for_question("End terminal work")
    shell.send("y\r")
    shell.wait_for("work is closed")
    shell.wait_for_prompt()
    shell.say("/terminals", until="no terminals")
    assert shell.leave() == 0


def test_vim_and_the_size_of_the_window(shell, parley):
    attach(shell)
    shell.send("vim -u NONE -N note\r")
    shell.wait_until(lambda: "[New]" in "".join(shell.lines), "vim")
    shell.send("iquinces\x1b:wq\r")
    wait_until(lambda: (parley.directory / "note").exists(), "the note")
    assert (parley.directory / "note").read_text() == "quinces\n"
    shell.wait_until(lambda: shell.typed.endswith("$"), "the prompt again")
    shell.resize(100, 30)
    shell.signal(signal.SIGWINCH)
    shell.send("until stty size | grep 100; do :; done\r")
    shell.wait_for("30 100")
    leave_terminal(shell)
    shell.screen.answers.clear()
    assert shell.leave() == 0


def test_what_stands_on_its_screen_is_shown(shell, parley):
    attach(shell)
    shell.send("vim -u NONE -N note\r")
    shell.wait_until(lambda: "[New]" in "".join(shell.lines), "vim")
    shell.send("iquinces\rand medlars\x1b")
    shell.wait_until(lambda: any(line.startswith("and medlars") for line in shell.lines), "what was typed")
    before = len(shell.raw)
    shell.send("\r~.")
    shell.wait_until(lambda: b"detached from work" in shell.raw[before:], "to be detached")
    shell.wait_until(lambda: shell.at_prompt, "a prompt")
    shell.look_from_here()
    before = len(shell.raw)
    shell.type("/terminal show work 30")
    shell.wait_until(lambda: b"quinces\r\nand medlars\r\n~\r\n~\r\n" in shell.raw[before:], "vim's screen")
    shell.wait_until(lambda: shell.at_prompt, "a prompt")
    shell.look_from_here()
    shell.type("/terminal close work")
    shell.wait_for_question("End terminal work")
    shell.send("y\r")
    shell.wait_for("work is closed")
    shell.wait_for_prompt()
    shell.screen.answers.clear()
    assert shell.leave() == 0


def test_it_goes_on_while_nobody_looks(shell, parley):
    attach(shell)
    shell.send("seq 100000 > /dev/null; seq 30000; touch done\r")
    shell.wait_for("5")
    leave_terminal(shell)
    wait_until(lambda: (parley.directory / "done").exists(), "it to go on")
    shell.say("/terminal show work 10", until="30000")
    shell.say("/terminal run work seq 3000 | tail -1", until="3000")
    assert shell.leave() == 0


def test_its_exit_status_is_told(shell):
    attach(shell)
    shell.send("exit 7\r")
    shell.wait_for("work has ended with exit status 7")
    shell.wait_for_prompt()
    shell.say("/terminal attach work", until="no terminal 'work'")
    assert shell.leave() == 0


@pytest.mark.parametrize("number", [None, signal.SIGTERM, signal.SIGKILL])
def test_it_ends_with_parley_however_that_ends(shell, number):
    attach(shell)
    shell.send(f"exec -a quinces-{os.getpid()} sleep 12361\r")
    wait_until(lambda: processes(f"^quinces-{os.getpid()}"), "a program to run")
    if number is None:
        leave_terminal(shell)
        assert shell.leave() == 0
    else:
        shell.signal(number)
        assert shell.wait_for_exit() == 128 + number
    wait_until(lambda: not processes(f"^quinces-{os.getpid()}"), "it to end")


def test_a_run_that_ends_at_once_has_none(parley, tmp_path):
    result = parley.run("/terminal", "new", "work", env={"PATH": str(tmp_path)})
    assert result.status == 1 and "tmux is not installed" in result.err, result
