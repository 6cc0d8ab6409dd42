"""Shells that a real Jupyter Server keeps: found, made, watched, used, scripted, come back to, ended."""

import os
import signal

import pytest

from jupyter import TOKEN, Jupyter, Road
from waiting import wait_until

# A program that no other test runs.
NAP = f"sleep 8{os.getpid()}"


# Finding it


def test_the_address_that_jupyter_prints_is_all_it_takes(parley, jupyter):
    result = parley.run("/connect", f"{jupyter.url}/lab/tree/notes.ipynb?token={TOKEN}", "lab")
    assert result.status == 0, result
    assert f"connected to lab (jupyter, {jupyter.url}), for its terminals" in result.err
    assert "signed in" in result.err and TOKEN not in result.err
    server, = parley.run("/server", "--json").json
    assert (server["name"], server["kind"], server["url"]) == ("lab", "jupyter", jupyter.url)
    assert parley.run("/terminals", "--json").json == []


def test_the_token_is_nowhere_but_where_sign_ins_are_kept(parley, lab):
    with parley.on_terminal() as shell:
        shell.wait_for_prompt()
        for address in (f"{lab.url}/?token={TOKEN}", f"127.0.0.1:{lab.port}/lab?token={TOKEN}"):
            shell.say(f"/connect {address}", until="signed in")
            shell.send("/connect \x1b[A")
            shell.wait_until(lambda: shell.typed.endswith(">") or "connect" not in shell.typed or TOKEN not in shell.typed,
                             "a line without it")
            assert TOKEN not in shell.typed
            shell.press("ctrl-u")
            shell.wait_for_prompt()
        assert shell.leave() == 0
    holding = [path.name for path in parley.written_files if TOKEN.encode() in path.read_bytes()]
    assert holding == ["credentials.json"]


def test_without_a_token_it_is_found_and_a_sign_in_asked_for(parley, jupyter):
    result = parley.run("/connect", jupyter.url, "lab")
    assert result.status == 0 and "it wants you to sign in" in result.err, result
    result = parley.run("/terminal", "show", "lab/1")
    assert result.status == 4 and "parley /server use lab, then parley /login takes it" in result.err, result
    assert parley.run("-s", "lab", "/login", "--token-stdin", input="wrong-token\n").status == 4
    assert parley.run("-s", "lab", "/login", "--token-stdin", input=TOKEN + "\n").status == 0
    assert parley.run("/terminal", "new", "lab/one").status == 0


def test_a_person_is_asked_for_the_token(parley, jupyter):
    with parley.on_terminal() as shell:
        shell.wait_for_prompt()
        shell.type(f"/connect {jupyter.url} lab")
        shell.wait_for_question("token (not shown):")
        # The whole address will do.
        shell.send(f"{jupyter.url}/lab?token={TOKEN}\r")
        shell.wait_for("it has none yet: /terminal new lab/ makes one")
        shell.wait_for_prompt()
        assert TOKEN not in shell.text
        assert shell.leave() == 0


def test_the_server_that_answers_messages_stays_in_use(parley, scripted, jupyter):
    assert parley.run("/connect", scripted.url("ok"), "chat").status == 0
    assert parley.run("/connect", f"{jupyter.url}?token={TOKEN}", "lab").status == 0
    current, = [row["name"] for row in parley.run("/server", "--json").json if row["current"]]
    assert current == "chat"
    assert "Hello" in parley.run("hello").out


def test_who_asks_it_something_is_told_that_nobody_answers(parley, lab):
    result = parley.run("-s", "lab", "hello")
    assert result.status != 0 and "'lab' keeps terminals, and nobody there answers messages" in result.err, result


def test_a_page_of_the_server_is_never_shown(parley, lab):
    """Its error pages have the token in them."""
    for words in (["show", "lab/a b"], ["show", "lab/../x"], ["attach", "lab/nowhere"], ["close", "lab/%2e"]):
        result = parley.run("-y", "/terminal", *words)
        assert result.status in (2, 4) and TOKEN not in result.err and "<" not in result.err, result


# Using it from scripts


def test_a_terminal_is_made_listed_used_and_closed(parley, lab, work, tmp_path):
    row, = parley.run("/terminals", "--json").json
    assert (row["id"], row["name"], row["server"]) == (work, "work", "lab")
    # What the server does not tell is unknown, not none.
    assert [row[key] for key in ("pid", "folder", "program", "claude", "createdAt")] == [None] * 5
    result = parley.run("/terminal", "run", work, "pwd; echo hello; (exit 7)")
    assert (result.status, result.out) == (1, f"{tmp_path}\nhello\n") and "exit status 7" in result.err, result
    shown = parley.run("/terminal", "show", work).out
    assert "hello\n" in shown and "parley-" not in shown and "printf" not in shown
    assert parley.run("/terminal", "close", work).status == 2
    assert parley.run("-y", "/terminal", "close", work).status == 0
    assert lab.names == []


def test_a_terminal_outlives_the_program(parley, work):
    assert parley.run("/terminal", "run", work, "X=quince").status == 0
    assert parley.run("/terminal", "run", "lab/w", "echo $X").out == "quince\n"


def test_the_server_numbers_what_has_no_name(parley, lab):
    assert parley.run("/terminal", "new", "lab/").status == 0
    assert lab.names == ["1"]
    assert parley.run("/terminals", "--json").json[0]["id"] == "lab/1"


@pytest.mark.parametrize("command, status, out", [
    ("true", 0, ""), ("echo 'a  b' \"c\"", 0, "a  b c\n"), ("printf 'no end'", 0, "no end\n"), ("echo it's", 1, None),
    ("seq 20000", 0, "".join(f"{n}\n" for n in range(1, 20001))), ("echo 'äöü €'", 0, "äöü €\n"),
    ("printf '\\033[31mred\\033[0m\\n'", 0, "red\n"), ("cat <<E\na b\nE", 0, "a b\n"), ("echo '" + "x" * 3000 + "'", 0, None),
])
def test_a_command_says_what_it_says_and_how_it_ended(parley, work, command, status, out):
    result = parley.run("/terminal", "run", work, command)
    assert result.status == status, result
    if out is not None:
        assert result.out == out


def test_a_silent_command_is_left_running(parley, lab, work):
    result = parley.run("--set", "timeout.terminal=1", "/terminal", "run", work, f"echo begun; {NAP}")
    assert result.status == 8 and result.out == "begun\n", result
    assert f"nothing came of it for 1 s: it may run on in {work}" in result.err
    assert lab.shell_of(f"^{NAP}")


def test_what_runs_already_is_not_typed_into(parley, lab, work):
    parley.run("--set", "timeout.terminal=1", "/terminal", "run", work, NAP)
    result = parley.run("/terminal", "run", work, "echo hello")
    assert result.status == 2 and "something runs in it" in result.err, result
    assert lab.shell_of(f"^{NAP}")


def test_a_command_in_json(parley, work):
    result = parley.run("--json", "/terminal", "run", work, "seq 2")
    assert result.json == {"terminal": work, "output": "1\n2\n", "ended": "finished", "status": 0, "isTruncated": False,
                           "error": None}


def test_a_terminal_that_ends_under_a_command_is_told(parley, lab, work):
    result = parley.run("/terminal", "run", work, "echo bye; exit")
    assert result.status == 1 and f"terminal {work} has ended" in result.err, result


@pytest.mark.parametrize("words, status, said", [
    (["show", "lab/wrk"], 2, "did you mean lab/work?"), (["new", "lab/a-b"], 2, "no terminal can be called 'a-b'"),
    (["new", "lab/work"], 2, "there is a terminal 'lab/work' already"), (["attach", "lab/work"], 4, "no terminal to ask on"),
    (["run", "lab/work", "echo a\tb"], 2, "a control character"),
])
def test_what_cannot_be_is_said_in_a_line(parley, work, words, status, said):
    result = parley.run("/terminal", *words)
    assert result.status == status and said in result.err, result


def test_a_server_that_is_down_hides_no_others(parley, lab, work):
    road = Road(lab.port)
    assert parley.run("/connect", f"{road.url}?token={TOKEN}", "far").status == 0
    road.close()
    result = parley.run("/terminals", "--json")
    assert result.status == 0 and "far is shown as it was" in result.err, result
    assert [(row["id"], row["seenAt"] is None) for row in result.json] == [(work, True), ("far/work", False)]


# Used by hand


@pytest.fixture
def shell(parley, work, scripted):
    with parley.on_terminal("-s", scripted.url("ok")) as one:
        one.wait_for_prompt()
        yield one


def attach(shell, word="lab/work"):
    shell.type(f"/terminal attach {word}")
    shell.wait_until(lambda: shell.typed.endswith("$"), "the prompt of the terminal")


def enter(shell, command):
    """Types a command at the other shell's prompt, and waits for the next one."""
    shell.send(command)
    shell.wait_until(lambda: command[-10:] in shell.typed, f"the echo of {command!r}")
    shell.look_from_here()
    shell.send("\r")


def leave_terminal(shell):
    shell.send("\r")
    shell.send("~.")
    shell.wait_for("detached from lab/work")
    shell.wait_for_prompt()


def test_a_person_attaches_types_detaches_and_comes_back(parley, lab, shell):
    attach(shell)
    enter(shell, "echo 'from ''inside'")
    shell.wait_for("from inside")
    shell.wait_until(lambda: shell.typed.endswith("$"), "the prompt again")
    leave_terminal(shell)
    assert lab.names == ["work"]
    shell.say("hello", until="Hello")
    attach(shell)
    # What was said before is there.
    assert "from inside" in shell.text
    leave_terminal(shell)
    assert shell.leave() == 0
    assert parley.run("/terminal", "run", "lab/work", "echo again").out == "again\n"


def test_the_size_is_that_of_the_window_and_follows_it(shell):
    attach(shell)
    enter(shell, "stty size")
    shell.wait_for("24 80")
    shell.wait_until(lambda: shell.typed.endswith("$"), "the prompt again")
    shell.resize(100, 30)
    shell.signal(signal.SIGWINCH)
    enter(shell, "until stty size | grep 100; do :; done")
    shell.wait_for("30 100")
    shell.wait_until(lambda: shell.typed.endswith("$"), "the prompt again")
    leave_terminal(shell)


def test_keys_go_as_they_are(shell, lab):
    attach(shell)
    shell.send("cat -v\r")
    wait_until(lambda: lab.shell_of("^cat -v"), "cat")
    shell.send("\x1b[A\tä~.\r")
    shell.wait_for("M-CM-$~.")
    assert any(line.startswith("^[[A ") and line.endswith("M-CM-$~.") for line in shell.lines)
    shell.press("ctrl-c")
    shell.wait_until(lambda: shell.typed.endswith("$"), "the prompt again")
    leave_terminal(shell)


def test_vim_is_usable_when_attached(shell, tmp_path):
    attach(shell)
    shell.send(f"vim -u NONE -N {tmp_path}/note\r")
    shell.wait_until(lambda: "[New]" in "".join(shell.lines), "vim")
    shell.send("iquinces\x1b")
    shell.wait_until(lambda: any(line.startswith("quinces") for line in shell.lines), "what was typed")
    shell.send(":wq\r")
    wait_until(lambda: (tmp_path / "note").exists(), "the note")
    assert (tmp_path / "note").read_text() == "quinces\n"
    shell.wait_until(lambda: shell.typed.endswith("$"), "the prompt again")
    leave_terminal(shell)
    shell.screen.answers.clear()
    assert shell.leave() == 0


def test_what_stands_on_a_screen_is_shown(parley, shell, tmp_path):
    attach(shell)
    enter(shell, "echo before vim")
    shell.wait_for("before vim")
    shell.send(f"vim -u NONE -N {tmp_path}/note\r")
    shell.wait_until(lambda: "[New]" in "".join(shell.lines), "vim")
    shell.send("iquinces\rand medlars")
    shell.wait_until(lambda: any(line.startswith("and medlars") for line in shell.lines), "what was typed")
    shown = parley.run("/terminal", "show", "lab/work").out
    assert "quinces\nand medlars\n~\n~\n" in shown and "-- INSERT --" in shown.splitlines()[-1], shown
    shell.send("\x1b:q!\r")
    shell.wait_until(lambda: shell.typed.endswith("$"), "the prompt again")
    # One that the shell wraps; `shell` is 80 columns wide.
    long = "echo " + " ".join(f"word{number}" for number in range(40))
    enter(shell, long)
    shell.wait_for("word39")
    shell.wait_until(lambda: shell.typed.endswith("$"), "the prompt again")
    shown = parley.run("/terminal", "show", "lab/work").out.splitlines()
    assert "$ echo before vim" in shown and "before vim" in shown and not any("medlars" in line for line in shown), shown
    assert f"$ {long}" in shown and long.removeprefix("echo ") in shown, shown
    leave_terminal(shell)
    shell.screen.answers.clear()
    assert shell.leave() == 0


def test_a_long_command_is_shown_whole(parley, work):
    long = "echo " + " ".join(f"word{number}" for number in range(60))
    assert parley.run("/terminal", "run", work, long).status == 0
    shown = parley.run("/terminal", "show", work).out
    # It was typed with a blank before it.
    assert f"$  {long}\n" in shown and "parley-" not in shown and "printf" not in shown, shown


def test_detaching_from_a_full_screen_gives_the_screen_back(shell, tmp_path):
    attach(shell)
    shell.send(f"vim -u NONE -N {tmp_path}/note\r")
    shell.wait_until(lambda: "[New]" in "".join(shell.lines), "vim")
    leave_full_screen(shell)
    assert b"\x1b[?1049l" in shell.raw[shell.raw.rfind(b"\x1b[?1049h"):]
    # Nothing of the replay asks the terminal anything.
    shell.screen.answers.clear()
    before = len(shell.raw)
    shell.type("/terminal attach lab/work")
    shell.wait_until(lambda: b"[New]" in shell.raw[before:], "vim's screen")
    leave_full_screen(shell)
    assert shell.leave() == 0


def leave_full_screen(shell):
    """The drawing of a test knows no other screen: what was above stays there."""
    before = len(shell.raw)
    shell.send("\r~.")
    shell.wait_until(lambda: b"detached from lab/work" in shell.raw[before:], "to be detached")
    shell.wait_until(lambda: shell.at_prompt, "a prompt")
    shell.look_from_here()


def test_a_paste_does_not_detach(shell):
    attach(shell)
    # Not by what goes on behind them, as a paste does.
    shell.send("\r~.hello")
    shell.wait_until(lambda: shell.typed.endswith("~.hello"), "the keys at the other prompt")
    shell.press("ctrl-u")
    shell.send("~.")
    shell.wait_for("detached from lab/work")
    shell.wait_for_prompt()
    shell.say("hello", until="Hello")
    shell.wait_for_prompt()
    assert shell.leave() == 0


def test_what_is_typed_ahead_is_the_terminals(shell):
    shell.send("/terminal attach lab/work\recho typed' 'ahead\r~.")
    shell.wait_for("detached from lab/work")
    shell.wait_for_prompt()
    shell.say("/terminal show lab/work", until="\ntyped ahead")
    assert shell.leave() == 0


def test_a_terminal_that_ends_while_attached_is_told(shell):
    attach(shell)
    shell.send("exit\r")
    shell.wait_for("lab/work has ended")
    shell.wait_for_prompt()
    assert shell.leave() == 0


def test_what_ends_parley_gives_the_terminal_back(shell, lab):
    attach(shell)
    shell.signal(signal.SIGTERM)
    assert shell.wait_for_exit() == 143
    shell.assert_restored()
    assert lab.names == ["work"]


def test_a_stop_gives_the_screen_back_and_the_way_on_too(parley, lab, work, scripted):
    with parley.bash() as bash:
        bash.type(f"$PARLEY -s {scripted.url('ok')}")
        bash.wait_for_prompt()
        attach(bash)
        bash.send("printf '\\033[?1049h\\033[?1000h\\033[?25l'; cat\r")
        wait_until(lambda: lab.shell_of("^cat$"), "a program with the screen")
        bash.wait_until(lambda: bash.screen.cursor.hidden, "its screen")
        bash.send("\r~\x1a")
        bash.wait_for("Stopped")
        bash.wait_until(lambda: bash.typed.endswith("bash$"), "bash")
        assert not bash.screen.cursor.hidden and b"\x1b[?1049l" in bash.raw and b"\x1b[?1000l" in bash.raw
        taken = bash.raw.count(b"\x1b[?1049h")
        bash.send("fg\r")
        # Until parley has the terminal again, what is typed is echoed by the line discipline.
        bash.wait_until(lambda: bash.raw.count(b"\x1b[?1049h") > taken, "the program's screen again")
        bash.send("quinces\r")
        bash.wait_until(lambda: "".join(bash.lines).count("quinces") == 2, "what was typed, and cat's answer")
        bash.send("\x04")
        bash.wait_until(lambda: bash.typed.endswith("$"), "the shell")
        leave_terminal(bash)
        bash.press("ctrl-d")
        bash.wait_until(lambda: bash.typed.endswith("bash$"), "bash")


def test_ctrl_c_is_typed_into_the_terminal(shell, lab):
    shell.type(f"/terminal run lab/work {NAP}")
    wait_until(lambda: lab.shell_of(f"^{NAP}"), "sleep")
    shell.press("ctrl-c")
    shell.wait_for("Ctrl-C was typed into lab/work")
    shell.wait_for_prompt()
    wait_until(lambda: not lab.shell_of(f"^{NAP}"), "sleep to end")


# When the connection breaks


@pytest.fixture
def far(parley, lab, road, work, scripted):
    """Attached to the same terminal by a road that can be cut."""
    assert parley.run("/connect", f"{road.url}?token={TOKEN}", "far").status == 0
    with parley.on_terminal("-s", scripted.url("ok")) as one:
        one.wait_for_prompt()
        attach(one, "far/work")
        yield one


def test_a_terminal_comes_back_and_shows_nothing_twice(parley, lab, road, far, tmp_path):
    enter(far, "for n in 1 2 3; do echo line $n; done")
    far.wait_for("line 3")
    far.wait_until(lambda: far.typed.endswith("$"), "the prompt again")
    enter(far, "echo begun; until [ -e go ]; do :; done; echo line 4")
    # Else the key might be among those that did not arrive.
    far.wait_for("begun")
    road.cut()
    far.wait_for("the connection to far/work is lost")
    (tmp_path / "go").touch()
    # It goes on without us.
    wait_until(lambda: parley.run("/terminal", "show", "lab/work").out.count("line 4") == 2, "the command to go on")
    road.mend()
    far.wait_for("connected again")
    far.wait_until(lambda: far.text.endswith("$"), "the prompt")
    lines = [line for line in (far.scrolled + far.lines) if line.startswith("line ")]
    assert lines == ["line 1", "line 2", "line 3", "line 4"]
    enter(far, "echo still here")
    far.wait_for("still here")


def test_what_is_typed_meanwhile_is_left_out_and_said(lab, road, far):
    road.cut()
    far.wait_for("the connection to far/work is lost")
    far.send("touch harm")
    calls = road.calls
    wait_until(lambda: road.calls > calls, "another try")
    road.mend()
    far.wait_for("connected again; what you typed meanwhile was not sent (10")
    enter(far, "echo fine")
    far.wait_for("fine")


def test_who_waits_for_a_connection_can_leave(road, far):
    road.cut()
    far.wait_for("the connection to far/work is lost")
    far.send("\r~.")
    far.wait_for("detached from far/work")
    far.wait_for_prompt()
    assert far.leave() == 0


def test_a_server_that_was_killed_and_begun_anew_has_other_terminals(parley, tmp_path, scripted):
    server = Jupyter(tmp_path)
    try:
        assert parley.run("/connect", f"{server.url}?token={TOKEN}", "lab").status == 0
        assert parley.run("/terminal", "new", "lab/work").status == 0
        with parley.on_terminal("-s", scripted.url("ok")) as shell:
            shell.wait_for_prompt()
            attach(shell)
            server.stop(signal.SIGKILL)
            shell.wait_for("the connection to lab/work is lost")
            server.start()
            shell.wait_for("lab/work has ended")
            shell.wait_for_prompt()
            assert shell.leave() == 0
    finally:
        server.close()
