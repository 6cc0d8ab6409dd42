"""A program that a ttyd starts for whoever attaches, and ends when they leave."""

import os
import signal
import subprocess

import pytest

from ttyd import Ttyd
from waiting import wait_until


@pytest.fixture
def ttyd(tmp_path):
    started = []

    def start(*options):
        started.append(Ttyd(tmp_path, *options))
        return started[-1]

    yield start
    for one in started:
        one.close()


@pytest.fixture
def box(parley, ttyd):
    one = ttyd()
    assert parley.run("/connect", one.url, "box").status == 0
    return one


# A program that no other test runs.
NAP = f"sleep 7{os.getpid()}"


def processes(command):
    return subprocess.run(["pgrep", "-f", command], capture_output=True, text=True, check=False).stdout.split()


def test_it_is_found_and_is_one_terminal(parley, ttyd):
    result = parley.run("/connect", ttyd().url, "box")
    assert result.status == 0 and "connected to box (ttyd, http://" in result.err, result
    row, = parley.run("/terminals", "--json").json
    assert (row["id"], row["server"], row["pid"], row["lastActivity"]) == ("box/tty", "box", None, None)


def test_the_address_of_one_run_is_used_or_the_run_fails(parley, ttyd):
    one = ttyd()
    row, = parley.run("-s", one.url, "/terminals", "--json").json
    assert row["id"] == f"127.0.0.1:{one.port}/tty"
    result = parley.run("-s", one.url, "/terminal", "run", row["id"], "echo quince")
    assert (result.status, result.out) == (0, "quince\n"), result
    # A name alone is one of that server's, and not of this machine's.
    result = parley.run("-s", one.url, "/terminal", "run", "tty", "echo medlar")
    assert (result.status, result.out) == (0, "medlar\n"), result
    one.close()
    result = parley.run("-s", one.url, "/terminals")
    assert (result.status, result.out) == (5, ""), result


def test_a_list_that_the_only_server_refuses_is_an_error(parley, ttyd):
    assert parley.run("/connect", ttyd("-c", "me:quince").url, "box").status == 0
    result = parley.run("/terminals")
    assert (result.status, result.out) == (4, "") and "box" in result.err, result


def test_a_command_has_a_shell_of_its_own(parley, box):
    result = parley.run("/terminal", "run", "box/tty", "X=quince; echo $X; (exit 3)")
    assert (result.status, result.out) == (1, "quince\n") and "exit status 3" in result.err, result
    assert parley.run("/terminal", "run", "box", "echo [$X]").out == "[]\n"
    assert parley.run("/terminal", "run", "box", "seq 20000").out == "".join(f"{n}\n" for n in range(1, 20001))
    assert parley.run("/terminal", "run", "box", "echo 'äöü €'; printf '\\377\\n'").out == "äöü €\n\ufffd\n"


def test_what_was_left_has_ended(parley, box):
    result = parley.run("--set", "timeout.terminal=1", "/terminal", "run", "box", f"echo begun; {NAP}")
    assert result.status == 8 and result.out == "begun\n" and "it was left, and box/tty ends with that" in result.err, result
    wait_until(lambda: not processes(f"^{NAP}"), "sleep to end")


def test_what_it_cannot_do_is_said(parley, box):
    for words in (["show", "box"], ["new", "box/x"], ["close", "box"]):
        result = parley.run("-y", "/terminal", *words)
        assert result.status == 1 and "its server" in result.err, result


def test_a_name_and_a_password_are_asked_for(parley, ttyd):
    one = ttyd("-c", "anna:quince pie")
    result = parley.run("/connect", one.url, "box")
    assert result.status == 0 and "it wants you to sign in" in result.err, result
    assert parley.run("/terminal", "run", "box", "true").status == 4
    assert parley.run("-s", "box", "/login", "anna", "--password-stdin", input="wrong\n").status == 4
    assert parley.run("-s", "box", "/login", "anna", "--password-stdin", input="quince pie\n").status == 0
    assert parley.run("/terminal", "run", "box", "echo in").out == "in\n"
    assert parley.run("-s", "box", "/whoami", "--json").json["name"] == "anna"
    assert parley.run("-s", "box", "/logout").status == 0
    assert parley.run("/terminal", "run", "box", "echo in").status == 4


def test_an_end_without_a_word_is_an_end(parley, ttyd):
    one = ttyd("--abrupt")
    assert parley.run("/connect", one.url, "box").status == 0
    result = parley.run("/terminal", "run", "box", "printf last; exit 3")
    assert result.status == 1 and "terminal box/tty has ended" in result.err and result.out == "lastexit\n", result


def test_a_server_that_has_clients_enough_hangs_up(parley, ttyd):
    one = ttyd("-m", "1")
    assert parley.run("/connect", one.url, "box").status == 0
    first = parley.start("/terminal", "run", "box", f"echo begun; {NAP}")
    wait_until(lambda: processes(f"^{NAP}"), "the first")
    result = parley.run("/terminal", "run", "box", "true")
    assert result.status != 0 and "it may have clients enough" in result.err, result
    first.terminate()


@pytest.fixture
def shell(parley, box, scripted):
    with parley.on_terminal("-s", scripted.url("ok")) as one:
        one.wait_for_prompt()
        yield one


def attach(shell):
    shell.type("/terminal attach box")
    shell.wait_until(lambda: shell.typed.endswith("$"), "the prompt of the terminal")


def test_a_person_attaches_types_and_leaves(shell):
    attach(shell)
    assert "and box/tty ends" in shell.text
    shell.send(f"stty size; echo 'in''side'; exec {NAP}\r")
    shell.wait_for("24 80")
    shell.wait_for("inside")
    wait_until(lambda: processes(f"^{NAP}"), "a program to run")
    shell.send("\r~.")
    shell.wait_for("box/tty has ended, as nobody is attached to it")
    shell.wait_for_prompt()
    wait_until(lambda: not processes(f"^{NAP}"), "it to end")
    assert shell.leave() == 0


def test_the_size_follows_the_window(shell):
    attach(shell)
    shell.resize(100, 30)
    shell.signal(signal.SIGWINCH)
    shell.send("until stty size | grep 100; do :; done\r")
    shell.wait_for("30 100")
    shell.send("exit\r")
    shell.wait_for("box/tty has ended")
    shell.wait_for_prompt()
    assert shell.leave() == 0


def test_a_program_that_fails_and_a_server_that_dies_are_an_end(shell, box):
    attach(shell)
    shell.send("exit 7\r")
    shell.wait_for("box/tty has ended")
    shell.wait_for_prompt()
    attach(shell)
    box.close()
    shell.wait_for("box/tty has ended")
    shell.wait_for_prompt()
    shell.say("/terminal attach box", until="cannot reach")
    assert shell.leave() == 0
