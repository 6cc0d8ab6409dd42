"""Terminals of an editor elsewhere, by the contract as it is written and as its server was built; behind them real shells."""

import json
import os
import subprocess

import pytest

from tool_servers import SUPPORT, interpreter
from waiting import wait_until


class Editor:
    def __init__(self, directory, *options):
        (directory / "editor-rc").write_text("PS1='$ '\n")
        self.log = directory / "editor-log"
        self.process = subprocess.Popen(
            [interpreter("acp"), str(SUPPORT / "code_server.py"), "--rcfile", str(directory / "editor-rc"), "--user", "anna",
             "--password", "quince pie", "--key", "the-key-of-quinces", "--log", str(self.log), "--terminals", "work",
             *options],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=directory, text=True)
        line = self.process.stdout.readline()
        assert line.startswith("ready "), line
        self.url = f"http://127.0.0.1:{int(line.split()[1])}"

    @property
    def events(self):
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def asked(self, path):
        return [event for event in self.events if event.get("path") == path and event["event"] == "request"]

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture
def editor(parley, tmp_path):
    started = []

    def start(form, *options, signed=True):
        one = Editor(tmp_path, "--form", form, *options)
        started.append(one)
        assert parley.run("/connect", one.url, "ed").status == 0
        if signed and form == "spec":
            assert parley.run("-s", "ed", "/login", "anna", "--password-stdin", input="quince pie\n").status == 0
        elif signed:
            assert parley.run("-s", "ed", "/login", "--token-stdin", input="the-key-of-quinces\n").status == 0
        return one

    yield start
    for one in started:
        one.close()


@pytest.mark.parametrize("form", ["spec", "code"])
def test_it_is_found_signed_in_to_and_listed(parley, editor, form):
    one = editor(form, signed=False)
    assert parley.run("/server", "--json").json[0]["kind"] == "code-server"
    result = parley.run("/terminal", "run", "ed/work", "true")
    assert result.status == 4 and "then parley /login takes them" in result.err, result
    if form == "spec":
        assert parley.run("-s", "ed", "/login", "anna", "--password-stdin", input="wrong\n").status == 4
        assert parley.run("-s", "ed", "/login", "anna", "--password-stdin", input="quince pie\n").status == 0
        assert parley.run("-s", "ed", "/whoami", "--json").json["name"] == "anna"
    else:
        assert parley.run("-s", "ed", "/login", "--token-stdin", input="wrong\n").status == 4
        assert parley.run("-s", "ed", "/login", "--token-stdin", input="the-key-of-quinces\n").status == 0
    row, = parley.run("/terminals", "--json").json
    assert (row["id"], row["server"], row["claude"]) == ("ed/work", "ed", False)
    assert row["pid"] > 1 and row["folder"] and row["createdAt"] > 0 and row["lastActivity"] > 0
    for path in parley.written_files:
        assert path.name == "credentials.json" or b"quince" not in path.read_bytes()
    assert not any("quince" in json.dumps(event) for event in one.events)


@pytest.mark.parametrize("form, options", [
    ("spec", []), ("spec", ["--bare-list"]), ("spec", ["--raw-frames"]), ("spec", ["--bare-list", "--raw-frames"]),
    ("code", []),
])
def test_a_command_says_what_it_says_and_how_it_ended(parley, editor, form, options):
    editor(form, *options)
    result = parley.run("/terminal", "run", "ed/work", "X=quince; echo $X; (exit 3)")
    assert (result.status, result.out) == (1, "quince\n") and "exit status 3" in result.err, result
    assert parley.run("/terminal", "run", "ed/work", "echo [$X] 'äöü €'").out == "[quince] äöü €\n"
    assert parley.run("/terminal", "run", "ed", "seq 5000").out == "".join(f"{n}\n" for n in range(1, 5001))
    assert "4999\n5000\n" in parley.run("/terminal", "show", "ed/work").out


def test_a_terminal_is_made_and_closed_where_that_is_written(parley, editor, tmp_path):
    editor("spec")
    assert parley.run("/terminal", "new", "ed/more", str(tmp_path)).status == 0
    assert parley.run("/terminal", "run", "ed/more", "pwd").out == f"{tmp_path}\n"
    result = parley.run("/terminal", "new", "ed/more")
    assert result.status == 2 and "there is a terminal 'ed/more' already" in result.err, result
    assert parley.run("-y", "/terminal", "close", "ed/more").status == 0
    assert [row["id"] for row in parley.run("/terminals", "--json").json] == ["ed/work"]
    assert parley.run("/terminal", "run", "ed/work", "exit").status == 1
    assert parley.run("/terminals", "--json").json == []


def test_what_the_built_one_cannot_do_is_said(parley, editor, scripted):
    editor("code")
    for words in (["new", "ed/more"], ["close", "ed/work"]):
        result = parley.run("-y", "/terminal", *words)
        assert result.status == 1 and "its server" in result.err, result
    with parley.on_terminal("-s", scripted.url("ok")) as shell:
        shell.wait_for_prompt()
        shell.say("/terminal attach ed/work", until="its server takes whole lines alone")
        assert shell.leave() == 0


def test_a_token_is_renewed_before_its_end(parley, editor):
    """Five minutes before: one that has ended would not be taken for another."""
    one = editor("spec")
    assert parley.run("/terminals").status == 0
    assert not one.asked("/api/auth/refresh")
    file = next(path for path in parley.written_files if path.name == "credentials.json")
    kept = json.loads(file.read_text())
    before = kept["accounts"][one.url]["token"]
    kept["accounts"][one.url]["expiresAt"] -= 86_400_000 - 290_000
    file.write_text(json.dumps(kept))
    assert [row["id"] for row in parley.run("/terminals", "--json").json] == ["ed/work"]
    assert len(one.asked("/api/auth/refresh")) == 1 and len(one.asked("/api/auth/login")) == 1
    assert json.loads(file.read_text())["accounts"][one.url]["token"] != before


def test_a_person_attaches_types_detaches_and_comes_back(parley, editor, scripted):
    one = editor("spec")
    assert parley.run("/terminal", "run", "ed/work", "echo before").status == 0
    with parley.on_terminal("-s", scripted.url("ok")) as shell:
        shell.wait_for_prompt()
        shell.type("/terminal attach ed/work")
        shell.wait_for("before")
        shell.wait_until(lambda: shell.typed.endswith("$"), "the prompt of the terminal")
        shell.send("stty size; echo 'in''side'\r")
        shell.wait_for("24 80")
        shell.wait_for("inside")
        shell.send("vim -u NONE -N note\r")
        shell.wait_until(lambda: "[New]" in "".join(shell.lines), "vim")
        shell.send("iquinces\x1b:wq\r")
        wait_until(lambda: (one.log.parent / "note").exists(), "the note")
        shell.wait_until(lambda: shell.typed.endswith("$"), "the prompt again")
        shell.send("\r~.")
        shell.wait_for("detached from ed/work")
        shell.wait_for_prompt()
        shell.screen.answers.clear()
        assert shell.leave() == 0


def test_a_shell_that_ends_tells_its_status(parley, editor, scripted):
    editor("spec")
    with parley.on_terminal("-s", scripted.url("ok")) as shell:
        shell.wait_for_prompt()
        shell.type("/terminal attach ed/work")
        shell.wait_until(lambda: shell.typed.endswith("$"), "the prompt of the terminal")
        shell.send("exit 7\r")
        shell.wait_for("ed/work has ended with exit status 7")
        shell.wait_for_prompt()
        assert shell.leave() == 0
