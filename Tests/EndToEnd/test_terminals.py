"""Shells that outlive parley, kept by a real tmux: made, watched, used, scripted, ended."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

import pytest

from waiting import wait_until


@pytest.fixture
def tmux(parley):
    """A tmux of one's own. The path of its socket has to be short."""
    folder = tempfile.mkdtemp(prefix="tmux-")
    rc = pathlib.Path(folder) / "rc"
    rc.write_text("PS1='$ '\n")
    # Keys of a test come as fast as a paste, in which tmux would take none for its own.
    rc.with_name(".tmux.conf").write_text(
        f'set -g default-command "exec bash --noprofile --rcfile {rc}"\nset -g assume-paste-time 0\n')
    there = Tmux({**parley.environment, "HOME": folder, "TMUX_TMPDIR": folder})
    yield there
    there.ask("kill-server", check=False)
    shutil.rmtree(folder, ignore_errors=True)


class Tmux:
    def __init__(self, env):
        self.env = {name: value for name, value in env.items() if name != "TMUX"}

    @property
    def place(self):
        """What leads parley to it."""
        return {name: self.env[name] for name in ("HOME", "TMUX_TMPDIR")}

    def ask(self, *words, check=True):
        return subprocess.run(["tmux", "-u", *words], env=self.env, check=check, capture_output=True, text=True,
                              timeout=60).stdout

    def names(self):
        return self.ask("list-sessions", "-F", "#{session_name}", check=False).split()

    def screen(self, name):
        return self.ask("capture-pane", "-p", "-J", "-t", f"={name}:", "-S", "-")

    def program(self, name):
        return self.ask("list-panes", "-t", f"={name}:", "-F", "#{pane_current_command}").strip()

    def wait_for(self, name, words):
        wait_until(lambda: words in self.screen(name), f"{words!r} in {name}")


@pytest.fixture
def run(parley, tmux):
    def get(*words, **more):
        return parley.run(*words, env={**tmux.place, **more.pop("env", {})}, **more)

    return get


@pytest.fixture
def work(run, tmux, tmp_path):
    """A terminal called `work`, whose shell waits for a command."""
    assert run("/terminal", "new", "work", str(tmp_path)).status == 0
    tmux.wait_for("work", "$")
    return "work"


def test_without_terminals_there_is_an_empty_list(run):
    assert run("/terminals", "--json").json == []
    assert run("/terminals").status == 0
    # The singular alone means the same.
    assert run("/terminal", "--json").json == []


def test_a_terminal_is_made_listed_used_and_closed(run, tmux, work, tmp_path):
    row, = run("/terminals", "--json").json
    assert (row["id"], row["folder"], row["program"]) == ("work", str(tmp_path), "bash")
    assert row["claude"] is False and row["watchers"] == 0 and row["pid"] > 1
    assert (row["columns"], row["rows"]) == (80, 24)
    result = run("/terminal", "run", "work", "echo hello; printf 'no end'")
    assert (result.status, result.out) == (0, "hello\nno end\n"), result
    assert "hello\n" in run("/terminal", "show", "work").out
    result = run("/terminal", "close", "work")
    assert result.status == 2 and "--yes" in result.err and tmux.names() == ["work"]
    assert run("-y", "/terminal", "close", "work").status == 0
    assert tmux.names() == []


def test_a_terminal_outlives_the_program(run, tmux, work):
    assert run("/terminal", "run", "work", "X=quince").status == 0
    assert run("/terminal", "run", "work", "echo $X").out == "quince\n"


@pytest.mark.parametrize("command, status, out", [
    ("true", 0, ""), ("false", 1, ""), ("(exit 7)", 1, ""), ("echo 'a  b' \"c\"", 0, "a  b c\n"),
    ("echo one; echo", 0, "one\n\n"),
    ("printf '\\033[31mred\\033[0m\\n'", 0, "red\n"), ("printf '10%%\\r20%%\\n'", 0, "20%\n"), ("sleep 0 &", 0, None),
    ("echo a # b", 0, "a\n"), ("echo it's", 1, None), ("find . -maxdepth 0 -exec echo {} \\;", 0, ".\n"), ("true &&", 1, None),
    ("printf '\\033kname\\033\\\\\\n'", 0, "\n"), ("head -c 200000 /dev/zero | tr '\\0' x", 0, "x" * 200000 + "\n"),
    ("cat <<E\na b\nE", 0, "a b\n"),
    ("echo $'\\xff'", 0, "\ufffd\n"), ("printf '\\033['", 0, None), ("printf '\\033]0;abc'", 0, None),
    ("echo '" + ("y" * 1999 + ";") * 15 + "' | wc -c", 0, "30001\n"), ("echo parley-0123456789ab-ended:0", 0, "parley-0123456789ab-ended:0\n"),
])
def test_a_command_says_what_it_says_and_how_it_ended(run, work, command, status, out):
    result = run("/terminal", "run", "work", command)
    assert result.status == status, result
    if out is not None:
        assert result.out == out
    if command == "(exit 7)":
        assert "exit status 7" in result.err


def test_a_command_in_json(run, work):
    result = run("--json", "/terminal", "run", "work", "seq 3; false")
    assert result.status == 1, result
    # One object, what went wrong in it.
    assert result.json == {
        "terminal": "work", "output": "1\n2\n3\n", "ended": "finished", "status": 1, "isTruncated": False,
        "error": {"code": 1, "message": "exit status 1", "hint": None}}


def test_ten_thousand_lines_come_whole(run, work):
    assert run("/terminal", "run", "work", "seq 10000").out == "".join(f"{n}\n" for n in range(1, 10001))


def test_a_silent_command_is_left_running(run, tmux, work):
    result = run("--set", "timeout.terminal=1", "/terminal", "run", "work", "echo begun; read line; echo $line")
    assert result.status == 8, result
    assert result.out == "begun\n" and "nothing came of it for 1 s: it may run on in work" in result.err
    tmux.ask("send-keys", "-t", "=work:", "quince", "Enter")
    tmux.wait_for("work", "quince\n")


def test_what_runs_already_is_not_typed_into(run, tmux, work):
    tmux.ask("send-keys", "-t", "=work:", "cat", "Enter")
    wait_until(lambda: run("/terminals", "--json").json[0]["program"] == "cat", "cat to run")
    result = run("/terminal", "run", "work", "echo hello")
    assert result.status == 2 and "cat runs in it" in result.err, result
    assert "hello" not in tmux.screen("work")


def test_what_is_typed_before_and_a_look_back_are_no_part_of_a_command(run, tmux, work):
    tmux.ask("send-keys", "-t", "=work:", "-l", "touch harm ")
    tmux.ask("copy-mode", "-t", "=work:")
    assert run("/terminal", "run", "work", "test ! -e harm && test ! -e test").status == 0
    tmux.ask("send-keys", "-t", "=work:", "echo 'open", "Enter", "still")
    assert run("/terminal", "run", "work", "echo closed").out == "closed\n"
    tmux.ask("send-keys", "-t", "=work:", "bash -c 'read line; echo got $line'", "Enter")
    wait_until(lambda: run("/terminal", "run", "work", "echo typed").status == 2, "the script to read")
    assert "got" not in tmux.screen("work").splitlines()[-2:]


def test_a_run_minds_its_own_pane_alone(parley, run, tmux, work):
    go = parley.start("/terminal", "run", "work", "echo begun; read line; echo $line", env=tmux.place)
    wait_until(lambda: "begun\n" in tmux.screen("work").replace("echo begun", ""), "the command to begin")
    pane = tmux.ask("list-panes", "-t", "=work:", "-F", "#{pane_id}").strip()
    tmux.ask("split-window", "-t", "=work:", "sleep 1000")
    tmux.ask("new-window", "-t", "=work:", "sleep 1000")
    tmux.ask("send-keys", "-t", pane, "quince", "Enter")
    out, err = go.communicate(timeout=60)
    assert (go.returncode, out) == (0, b"begun\nquince\nquince\n"), err


def test_a_noisy_neighbour_keeps_no_silent_command_company(run, tmux, work):
    tmux.ask("split-window", "-d", "-t", "=work:", "while :; do echo noise; sleep 0.1; done")
    result = run("--set", "timeout.terminal=1", "/terminal", "run", "work", "sleep 1000")
    assert result.status == 8 and "nothing came of it for 1 s" in result.err, result


def test_who_takes_a_terminal_for_themselves_is_told_apart_from_its_end(parley, run, tmux, work):
    go = parley.start("/terminal", "run", "work", "echo begun; sleep 1000", env=tmux.place)
    wait_until(lambda: "begun\n" in tmux.screen("work").replace("echo begun", ""), "the command to begin")
    tmux.ask("detach-client", "-s", "=work")
    out, err = go.communicate(timeout=60)
    assert go.returncode == 8 and b"somebody took terminal work for themselves" in err, err
    assert run("/terminals", "--json").json[0]["program"] == "sleep"


def test_a_folder_is_no_command_whatever_it_is_called(parley, run, tmux, tmp_path):
    folder = tmp_path / "#(touch pwned)"
    folder.mkdir()
    assert run("/terminal", "new", "work", str(folder)).status == 0
    assert run("/terminal", "run", "work", "pwd").out == f"{folder}\n"
    assert run("/terminals", "--json").json[0]["folder"] == str(folder)
    assert not list(tmp_path.rglob("pwned"))


def test_a_name_that_looks_like_a_number_of_tmuxs_is_a_name(run, tmux, work):
    tmux.ask("new-session", "-d", "-s", "$0")
    wait_until(lambda: "$" in tmux.ask("capture-pane", "-p", "-t", "$1:"), "its shell")
    assert run("/terminal", "run", "work", "X=work").status == 0
    assert run("/terminal", "run", "$0", "echo ${X:-another}").out == "another\n"


def test_words_of_a_command_are_no_flags_of_ours(run, work):
    assert run("-c", "/terminal run work echo --attach x").out == "--attach x\n"
    assert run("/terminal", "run", "work", "echo --attach --json").out == "--attach --json\n"


def test_a_terminal_that_ends_under_a_command_is_told(run, work):
    result = run("/terminal", "run", "work", "echo bye; exit")
    assert result.status == 1 and "terminal work has ended" in result.err, result
    assert run("/terminals", "--json").json == []


@pytest.mark.parametrize("words, status, said", [
    (["show", "wrk"], 2, "did you mean work?"), (["new", "a.b"], 2, "no terminal can be called 'a.b'"),
    (["new", "work"], 2, "there is a terminal 'work' already"), (["new", "x", "/nonexistent"], 2, "no such folder"),
    (["attach", "work"], 4, "no terminal to ask on"), (["run", "work"], 2, "COMMAND"), (["show", "work", "0"], 2, "0"),
    (["new", "x", "/etc/passwd"], 2, "no such folder"), (["run", "work", "echo a\tb"], 2, "a control character"),
])
def test_what_cannot_be_is_said_in_a_line(run, work, words, status, said):
    result = run("/terminal", *words)
    assert result.status == status, result
    assert said in result.err


def test_who_has_no_tmux_is_told_what_to_install(parley, tmp_path):
    result = parley.run("/terminals", env={"PATH": str(tmp_path)})
    assert result.status == 1 and "tmux is not installed" in result.err and "apt install tmux" in result.err, result


def test_windows_of_one_session_have_numbers(run, tmux, work):
    tmux.ask("new-window", "-d", "-t", "=work:")
    rows = run("/terminals", "--json").json
    assert [row["id"] for row in rows] == ["work:0", "work:1"]
    wait_until(lambda: "$" in tmux.ask("capture-pane", "-p", "-t", "=work:1"), "the second shell")
    assert run("/terminal", "run", "work:1", "echo second").out == "second\n"
    assert run("/terminal", "show", "work").status == 2


def test_claude_code_is_known_by_what_it_is_called(run, tmux, work):
    tmux.ask("send-keys", "-t", "=work:", "(exec -a claude sleep 1000)", "Enter")
    wait_until(lambda: run("/terminals", "--json").json[0]["claude"], "it to be known")
    assert "Claude Code" in run("/terminals").out


def test_hostile_output_touches_no_terminal(parley, run, tmux, work, scripted):
    evil = tmux.env["TMUX_TMPDIR"] + "/evil"
    with open(evil, "wb") as file:
        file.write(b"\x1b]0;pwned\x07\x1b[2J\x1b]52;c;cHduZWQ=\x07a\xe2\x80\xaeb\x1bPq#0\x1b\\done\n\xc2\x9b31m\n")
    result = run("/terminal", "run", "work", f"cat {evil}")
    assert "done" in result.out and "\x1b" not in result.out and "\x9b" not in result.out and "\u202e" not in result.out
    with parley.on_terminal("-s", scripted.url("ok"), env=tmux.place) as shell:
        shell.wait_for_prompt()
        shell.say(f"/terminal run work cat {evil}", until="done")
        assert b"pwned\x07" not in shell.raw and b"\x1b[2J" not in shell.raw and b"\x1b]52" not in shell.raw
        assert shell.leave() == 0


# Used by hand


@pytest.fixture
def shell(parley, tmux, scripted):
    with parley.on_terminal("-s", scripted.url("ok"), env=tmux.place) as one:
        one.wait_for_prompt()
        yield one


def test_a_person_attaches_types_detaches_and_comes_back(shell, tmux, work):
    shell.type("/terminal attach wo")
    shell.wait_until(lambda: "[work]" in "".join(shell.lines), "tmux's own line")
    shell.send("echo 'from ''inside'\r")
    tmux.wait_for("work", "from inside")
    shell.send("\x02d")
    shell.wait_for("detached from work")
    shell.wait_for_prompt()
    # It is tmux that asks a terminal what it is.
    shell.screen.answers.clear()
    shell.say("/terminal run work echo again", until="again")
    assert shell.leave() == 0
    assert tmux.names() == ["work"]


def test_vim_is_usable_when_attached(shell, tmux, work, tmp_path):
    shell.type("/terminal attach work")
    shell.wait_until(lambda: "[work]" in "".join(shell.lines), "tmux's own line")
    shell.send(f"vim -u NONE -N {tmp_path}/note\r")
    shell.wait_until(lambda: "[New]" in "".join(shell.lines), "vim")
    shell.send("iquinces\x1b")
    shell.wait_until(lambda: any(line.startswith("quinces") for line in shell.lines), "what was typed")
    shell.send(":wq\r")
    wait_until(lambda: (tmp_path / "note").exists(), "the note")
    assert (tmp_path / "note").read_text() == "quinces\n"
    shell.send("\x02d")
    shell.wait_for("detached from work")
    shell.wait_for_prompt()


def test_the_screen_comes_back_when_the_client_is_killed(shell, tmux, work):
    shell.type("/terminal attach work")
    shell.wait_until(lambda: "[work]" in "".join(shell.lines), "tmux's own line")
    client = int(tmux.ask("list-clients", "-F", "#{client_pid}").split()[0])
    os.kill(client, signal.SIGKILL)
    shell.wait_for("its client ended with exit status 137")
    shell.wait_for_prompt()
    assert b"\x1b[?1049l" in shell.raw[shell.raw.rfind(b"\x1b[?1049h"):]
    shell.say("hello", until="Hello")
    assert tmux.names() == ["work"]


def test_a_terminal_that_ends_while_attached_is_told(shell, tmux, work):
    shell.type("/terminal attach work")
    shell.wait_until(lambda: "[work]" in "".join(shell.lines), "tmux's own line")
    shell.send("exit\r")
    shell.wait_for("work has ended")
    shell.wait_for_prompt()


def test_ctrl_c_is_typed_into_the_terminal(shell, tmux, work):
    shell.type("/terminal run work sleep 1000")
    wait_until(lambda: tmux.program("work") == "sleep", "sleep to run")
    shell.press("ctrl-c")
    shell.wait_for("Ctrl-C was typed into work")
    shell.wait_for_prompt()
    wait_until(lambda: tmux.program("work") == "bash", "sleep to end")


def test_the_prompt_tells_what_one_says_that_is_watched(shell, run, tmux, work):
    shell.type("/terminal watch work")
    shell.wait_until(lambda: "[work connected]>" in shell.typed, "the state in the prompt")
    assert run("/terminal", "run", "work", "seq 1 3; echo quin''ces").status == 0
    while not any(line.startswith("work: ") and line.endswith(": quinces") for line in shell.scrolled + shell.lines):
        shell.type("/timing")
        shell.wait_until(lambda: shell.typed.endswith(">"), "the next prompt")
    assert "parley-" not in shell.text
    shell.say("/terminals", until="watched, connected")
    tmux.ask("kill-session", "-t", "work")
    shell.wait_until(lambda: "[work disconnected]>" in shell.typed, "the end")
    shell.type("/timing")
    shell.wait_for("work has ended")


def test_tab_knows_the_terminals(shell, tmux, work):
    shell.say("/terminals", until="work")
    shell.send("/terminal attach w\t")
    shell.wait_until(lambda: shell.typed.endswith("attach work"), "the name")
    shell.press("ctrl-c")
    shell.wait_for_prompt()


# With the model


def test_a_model_is_asked_what_went_wrong(run, work, scripted):
    assert run("/terminal", "run", "work", "ls /nonexistent").status == 1
    result = run("-s", scripted.url("ok"), "/terminal", "ask", "work")
    assert result.status == 0, result
    asked = scripted.questions[-1]["messages"][-1]["content"]
    assert asked.startswith("What went wrong here?\n\nterminal work:\n```\n")
    assert "/nonexistent': No such file or directory" in asked
    result = run("-s", scripted.url("ok"), "/terminal", "ask", "work", "why", "this?")
    assert scripted.questions[-1]["messages"][-1]["content"].startswith("why this?\n\n")


def test_what_a_terminal_shows_goes_with_the_next_message(run, work, scripted):
    assert run("/terminal", "run", "work", "echo quinces").status == 0
    result = run("-s", scripted.url("ok"), "-c", "/terminal show work 5 --attach", "-c", "what is that?")
    assert result.status == 0, result
    asked = scripted.questions[-1]["messages"][-1]["content"]
    assert asked.startswith("what is that?\n\nterminal work:\n") and "quinces" in asked


# With snippets


def test_a_snippet_runs_in_a_terminal_with_each_value_one_word(run, tmux, work):
    assert run("/snippets", "add", "greet", 'echo "hello ${name}"', "--kind", "shell").status == 0
    result = run("/snippets", "run", "greet", "@work", "name=a'b; echo pwned $(echo no)")
    assert result.status == 0, result
    assert result.out == "hello a'b; echo pwned $(echo no)\n"
    assert run("/snippets", "show", "greet", "--json").json["usageCount"] == 1
    # A message can be a command too, where the person says so.
    assert run("/snippets", "add", "date", "echo ${what:now}").status == 0
    assert run("/snippets", "run", "date", "@wo").out == "now\n"


@pytest.mark.parametrize("text, words, said", [
    ("echo ${x}", ["@nowhere", "x=1"], "no terminal 'nowhere'"),
    ("login ${password}", ["@work", "password=x"], "sounds like a secret"),
    ("echo ${x}", ["@work", "x=a\x03b"], "control character"), ("echo ${x}", ["@work"], "needs a value for x"),
    ("echo ${x}", ["nowhere"], "@TERMINAL"),
])
def test_what_no_snippet_may_type_is_refused(run, tmux, work, text, words, said):
    assert run("/snippets", "add", "one", text, "--kind", "shell").status == 0
    result = run("/snippets", "run", "one", *words)
    assert result.status == 2 and said in result.err, result
    assert "parley-" not in tmux.screen("work")


def test_a_command_of_a_file_asks_before_it_is_typed_into_a_terminal(run, tmux, work, tmp_path):
    file = tmp_path / "commands.json"
    file.write_text(json.dumps([{"name": "theirs", "command": "echo from outside"}]))
    assert run("/snippets", "import", str(file)).status == 0
    result = run("/snippets", "run", "theirs", "@work")
    assert result.status == 2 and "--yes" in result.err, result
    assert "outside" not in tmux.screen("work")
    assert run("-y", "/snippets", "run", "theirs", "@work").out == "from outside\n"
