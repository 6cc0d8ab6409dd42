"""Terminals that a model uses, each command with the person's leave: of a real tmux and of a real Jupyter Server."""

import asyncio
import json
import signal

import pytest

from conftest import ROOT
from editor import editing
from jupyter import TOKEN, Jupyter
from servers import ToolCallingModel
from test_terminals import run, tmux, work  # noqa: F401
from waiting import wait_until


def call(tool, **arguments):
    """What has the scripted model ask for a tool."""
    return f"{tool} {json.dumps(arguments)}"


def command(words, terminal="work", **more):
    return call("terminal_run", terminal=terminal, command=words, **more)


@pytest.fixture
def ask(run, scripted):
    """Has the model make calls that are allowed on the command line; what came of them."""
    def get(*calls, tool="terminals", options=()):
        result = run("-y", "-T", tool, "-s", scripted.url("tools"), "--json", *options, " then ".join(calls))
        assert result.status == 0, result
        return result.json["toolCalls"]

    return get


@pytest.fixture
def chat(parley, tmux, scripted):
    """A shell in which the model may ask for terminals."""
    with parley.on_terminal("-s", scripted.url("tools"), "-T", "terminals", columns=120, env=tmux.place) as shell:
        shell.wait_for_prompt()
        yield shell


def brought(scripted):
    """What the model was told last."""
    return [message["content"] for message in scripted.questions[-1]["messages"] if message["role"] == "tool"]


# With leave given on the command line


def test_a_model_lists_shows_and_runs(ask, tmux, work, tmp_path):
    listed, ran, shown = ask(
        call("terminal_list"), command("echo quinces; (exit 3)"), call("terminal_show", terminal="work", lines=20))
    terminal, = json.loads(listed["result"])["terminals"]
    assert (terminal["id"], terminal["program"], terminal["folder"]) == ("work", "bash", str(tmp_path))
    assert terminal["idleSeconds"] < 60
    assert (ran["status"], ran["result"]) == ("done", "exit status 3\n\nquinces\n")
    assert "quinces\n" in shown["result"] and "parley-" not in shown["result"]


def test_a_terminal_keeps_what_a_command_made_of_it(ask, work):
    assert [one["result"] for one in ask(command("X=quince"), command("echo $X"))] == [
        "exit status 0", "exit status 0\n\nquince\n"]


def test_of_much_output_the_model_gets_the_end(ask, work):
    ran, = ask(command("seq 100000"), options=["--set", "tools.result-limit=1000"])
    assert ran["result"].startswith("exit status 0\n\n[") and ran["result"].endswith("\n99999\n100000\n")
    assert len(ran["result"]) <= 1000


def test_what_is_silent_is_left_running(ask, tmux, work):
    ran, = ask(command("echo begun; read line; echo $line", quiet=1))
    assert ran["status"] == "done", ran
    assert ran["result"] == "nothing came of it for 1 s: it may run on in work; terminal_show reads on\n\nbegun\n"
    tmux.ask("send-keys", "-t", "=work:", "quince", "Enter")
    tmux.wait_for("work", "quince\n")


@pytest.mark.parametrize("words, terminal, said", [
    ("ls", "wrk", "no terminal 'wrk'; did you mean work? terminal_list gives the ids"),
    ("ls", "wor", "no terminal 'wor'"), ("ls", "lab/1", "no terminal 'lab/1'"),
    ("echo a\tb", "work", "the command has a control character in it"), ("", "work", "the command is empty"),
    ("echo bye; exit", "work", "terminal work has ended"),
])
def test_what_fails_is_said_to_the_model(ask, tmux, work, words, terminal, said):
    ran, = ask(command(words, terminal))
    assert ran["status"] == "failed" and ran["isError"] and ran["result"].startswith(f"The tool failed: {said}"), ran
    if "exit" not in words:
        assert "ls" not in tmux.screen("work") and "echo" not in tmux.screen("work")


def test_a_program_in_the_foreground_reads_no_command(ask, tmux, work):
    tmux.ask("send-keys", "-t", "=work:", "cat", "Enter")
    wait_until(lambda: tmux.program("work") == "cat", "cat to run")
    ran, = ask(command("echo hello"))
    assert ran["status"] == "failed" and "cat runs in it, and would read the command as text" in ran["result"], ran
    assert "hello" not in tmux.screen("work")


def test_of_commands_that_come_together_the_first_is_typed(ask, tmux, work):
    first, second = ask(command("cd /; sleep 0.5") + " and " + command("touch harm"))
    assert (first["status"], second["status"]) == ("done", "failed") and "one at a time" in second["result"]
    assert "harm" not in tmux.screen("work")


def test_without_tmux_that_is_what_the_model_is_told(parley, scripted, tmp_path):
    result = parley.run("-y", "-T", "terminals", "-s", scripted.url("tools"), "--json", call("terminal_list"),
                        env={"PATH": str(tmp_path)})
    listed, = result.json["toolCalls"]
    assert listed["status"] == "failed" and "tmux is not installed" in listed["result"], listed


# Leave


@pytest.mark.parametrize("options", [["-T", "terminals"], ["-T", "terminals", "--set", "tools.approval=session"]])
def test_where_nobody_can_be_asked_nothing_is_typed(run, tmux, work, scripted, options):
    result = run("-s", scripted.url("tools"), *options, command("echo hello"))
    assert result.status == 1 and "terminal_run" in result.err and "you have not allowed it" in result.err, result
    assert "hello" not in tmux.screen("work")


def test_a_yes_is_for_what_the_command_line_names(run, tmux, work, scripted):
    result = run("-y", "-s", scripted.url("tools"), "-T", "terminal_list", command("echo hello"))
    assert "hello" not in tmux.screen("work")
    # What was remembered was named by nobody.
    assert run("/tools", "remember", "on").status == 0 and run("/tools", "on", "terminals").status == 0
    result = run("-y", "-s", scripted.url("tools"), command("echo hello"))
    assert "No tools were offered" in result.out, result
    assert "hello" not in tmux.screen("work")


def test_nobody_gets_them_by_the_way(run, tmux, work, scripted):
    run("-y", "-s", scripted.url("tools"), "-c", "/tools all", "-c", command("echo hello"))
    assert "tools" not in scripted.questions[-1]
    assert "hello" not in tmux.screen("work")


def test_a_setting_that_lets_everything_run_lets_commands_run(run, work, scripted):
    result = run("--set", "tools.approval=always", "-T", "terminals", "-s", scripted.url("tools"), command("echo hi"))
    assert result.status == 0 and "exit status 0\n\nhi" in result.out, result


def test_a_person_says_no_and_nothing_is_typed(chat, tmux, work, scripted):
    chat.type(command("echo hello"))
    chat.wait_for_question("allow terminal_run? [y]es once, [N]o")
    assert 'terminal: "work"' in chat.text and 'command: "echo hello"' in chat.text and "parley's own" in chat.text
    chat.send("n use ls\r")
    chat.wait_for("did not allow this call: use ls")
    chat.wait_for_prompt()
    assert "hello" not in tmux.screen("work")


def test_a_person_says_yes_each_time(chat, tmux, work):
    for count in (1, 2):
        chat.type(command(f"echo hello{count}"))
        for word in ("s", "a", "session", "always"):
            chat.wait_for_question("allow terminal_run?")
            chat.look_from_here()
            chat.send(word + "\r")
            chat.wait_for("y or n, for each command anew")
        chat.wait_for_question("allow terminal_run?")
        assert f"hello{count}" not in tmux.screen("work")
        chat.send("y\r")
        chat.wait_for("The tools said: exit status 0")
        chat.wait_for_prompt()
        assert f"hello{count}\n" in tmux.screen("work")
    chat.say("/permissions", until="each tool is asked about before it runs")


def test_what_is_asked_about_is_seen_whole(chat, tmux, work):
    chat.type(command("echo one\nrm -rf \x1b[2J\u202e/"))
    chat.wait_for_question("allow terminal_run?")
    assert "| echo one" in chat.text and "| rm -rf ^[[2J<U+202E>/" in chat.text
    chat.press("enter")
    chat.wait_for_prompt()
    assert b"\x1b[2J" not in chat.raw and "echo one" not in tmux.screen("work")


# While it runs


def test_ctrl_c_is_typed_into_the_terminal(chat, tmux, work):
    chat.type(command("echo begun; sleep 1000"))
    chat.wait_for_question("allow terminal_run?")
    chat.send("y\r")
    chat.wait_for("begun")
    wait_until(lambda: tmux.program("work") == "sleep", "sleep to run")
    chat.press("ctrl-c")
    chat.wait_for("terminal_run: stopped")
    chat.wait_for_prompt()
    wait_until(lambda: tmux.program("work") == "bash", "sleep to end")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_run_that_is_ended_leaves_no_command_running(parley, tmux, work, scripted, number):
    go = parley.start("-y", "-T", "terminals", "-s", scripted.url("tools"), command("sleep 1000"), env=tmux.place)
    wait_until(lambda: tmux.program("work") == "sleep", "sleep to run")
    go.send_signal(number)
    go.communicate(timeout=60)
    wait_until(lambda: tmux.program("work") == "bash", "sleep to end")


def test_hostile_output_touches_no_screen(chat, tmux, work):
    evil = tmux.env["TMUX_TMPDIR"] + "/evil"
    with open(evil, "wb") as file:
        file.write(b"\x1b]0;pwned\x07\x1b[2J\x1b]52;c;cHduZWQ=\x07a\xe2\x80\xaeb\x1bPq#0\x1b\\done\n\xc2\x9b31m\n")
    chat.type(command(f"cat {evil}; sleep 0.5") + " then " + call("terminal_show", terminal="work"))
    chat.wait_for_question("allow terminal_run?")
    chat.send("y\r")
    chat.wait_for_question("allow terminal_show?")
    chat.send("y\r")
    chat.wait_for("The tools said:")
    chat.wait_for_prompt()
    chat.say("/tools result", until="done")
    for hostile in (b"pwned\x07", b"\x1b[2J", b"\x1b]52", "\u202e".encode(), b"\xc2\x9b"):
        assert hostile not in chat.raw
    assert chat.leave() == 0


def test_an_editor_is_asked_about_each_command(parley, tmux, work, scripted):
    async def story():
        parley.environment |= tmux.place
        async with editing(parley, "-s", scripted.url("tools"), "-T", "terminals",
                           answers=["allow_once", "reject_once"]) as there:
            session = await there.begin()
            await there.ask(session, command("echo hello"))
            (asked, options), = there.editor.questions
            assert asked.raw_input == {"terminal": "work", "command": "echo hello"} and "parley's own" in asked.title
            assert [option.kind for option in options] == ["allow_once", "reject_once"]
            assert "exit status 0\n\nhello" in there.editor.said()
            await there.ask(session, command("echo again"))
            assert len(there.editor.questions) == 2

    asyncio.run(story())
    assert "hello\n" in tmux.screen("work") and "again" not in tmux.screen("work")


def test_a_real_model_uses_a_terminal(run, tmux, work, local_model, tmp_path):
    """The calls are those that it is told to make, the rest of what it says its own."""
    with ToolCallingModel(ROOT, tmp_path, local_model.url) as model:
        result = run("-y", "-T", "terminals", "-s", model.url, "--json",
                     "Use terminal_run with terminal=work and command='echo quinces'")
    ran, = result.json["toolCalls"]
    assert ran["result"] == "exit status 0\n\nquinces\n" and result.json["text"].strip(), result
    assert "quinces\n" in tmux.screen("work")


def test_the_terminal_that_was_asked_about_is_meant_and_no_other(chat, run, tmux, work):
    assert run("/terminal", "new", "prod").status == 0
    chat.type(command("echo quin''ces"))
    chat.wait_for_question("allow terminal_run?")
    assert "acts on this machine, " in chat.text
    tmux.ask("rename-session", "-t", "work", "other")
    tmux.ask("rename-session", "-t", "prod", "work")
    chat.send("y\r")
    chat.wait_for("another terminal by now")
    chat.wait_for_prompt()
    assert "quinces" not in tmux.screen("work") + tmux.screen("other")


def test_nobody_is_asked_about_one_that_there_is_not(chat, work):
    chat.type(command("ls", terminal="wrok"))
    chat.wait_for("no terminal 'wrok'; did you mean work?")
    chat.wait_for_prompt()
    assert "allow" not in chat.text


# On a server


def test_terminals_of_a_server_are_used_too(parley, ask, jupyter, work):
    assert parley.run("/connect", f"{jupyter.url}/lab?token={TOKEN}", "lab").status == 0
    assert parley.run("/terminal", "new", "lab/one").status == 0
    listed, ran, shown, missing = ask(
        call("terminal_list"), command("echo quinces; (exit 3)", "lab/one"), call("terminal_show", terminal="lab/one"),
        command("ls", "lab/two"))
    assert [row["id"] for row in json.loads(listed["result"])["terminals"]] == ["work", "lab/one"]
    assert ran["result"] == "exit status 3\n\nquinces\n" and "quinces" in shown["result"]
    assert "no terminal 'lab/two'" in missing["result"]
    assert parley.run("-y", "-s", "lab", "/logout").status == 0
    listed, ran = ask(call("terminal_list"), command("ls", "lab/one"))
    assert json.loads(listed["result"])["leftOut"][0]["server"] == "lab"
    assert ran["status"] == "failed" and "sign in" in ran["result"] and TOKEN not in ran["result"], ran


def test_a_server_that_is_away_is_left_out(parley, ask, work, tmp_path_factory):
    gone = Jupyter(tmp_path_factory.mktemp("gone"))
    try:
        assert parley.run("/connect", f"{gone.url}/lab?token={TOKEN}", "lab").status == 0
    finally:
        gone.close()
    listed, ran = ask(call("terminal_list"), command("ls", "lab/one"))
    found = json.loads(listed["result"])
    assert [row["id"] for row in found["terminals"]] == ["work"] and found["leftOut"][0]["server"] == "lab"
    assert ran["status"] == "failed" and "cannot reach" in ran["result"], ran
