"""Texts and commands that are used often."""

import json
import os
import signal

import pytest

from waiting import wait_until


@pytest.fixture
def shell(parley, scripted):
    terminal = parley.on_terminal("-s", scripted.url("ok"))
    terminal.wait_for_prompt()
    return terminal


def kept(parley):
    path = parley.home / "snippets.json"
    return json.loads(path.read_text())["snippets"] if path.exists() else []


def names(parley):
    return [snippet["name"] for snippet in kept(parley)]


def test_what_is_not_given_is_asked_for_and_sent(shell, scripted):
    shell.say("/snippets add review 'Review ${file:main.swift} as ${who}'", "kept snippet 'review'")
    shell.type("/snippets run review")
    shell.wait_for_question("file [main.swift]:")
    shell.type("")
    shell.wait_for_question("who:")
    shell.type("")
    shell.wait_for("needs a value")
    shell.wait_for_question("who:")
    shell.type("a judge")
    shell.wait_for("Hello from the scripted server.")
    shell.wait_for_prompt()
    assert scripted.questions[-1]["messages"][-1]["content"] == "Review main.swift as a judge"
    shell.say("/snippets run review who=me file=x", "Hello from the scripted server.")
    assert scripted.questions[-1]["messages"][-1]["content"] == "Review x as me"
    shell.type("/snippets run review")
    shell.wait_for_question("file [main.swift]:")
    shell.press("ctrl-c")
    shell.wait_for_prompt()
    assert len(scripted.questions) == 2
    assert shell.leave() == 0


def test_a_secret_is_not_seen_while_it_is_typed(shell, scripted):
    shell.say("/snippets add p 'Log in with ${password}'", "kept snippet 'p'")
    shell.type("/snippets run p")
    shell.wait_for_question("password:")
    shell.send("hunter2\r")
    shell.wait_for("Hello from the scripted server.")
    shell.wait_for_prompt()
    assert scripted.questions[-1]["messages"][-1]["content"] == "Log in with hunter2"
    assert "hunter2" not in shell.text
    assert shell.leave() == 0


def test_tab_offers_the_most_used_first(shell, parley):
    for name in ("first", "second", "third"):
        shell.say(f"/snippets add {name} --kind shell -- echo out-{name}", f"kept snippet '{name}'")
    for name in ("third", "second", "third"):
        shell.say(f"/snippets run {name}", f"out-{name}")
    shell.look_from_here()
    shell.send("/snippets run ")
    shell.press("tab")
    shell.wait_for("echo out-first")
    places = [shell.text.index(f"echo out-{name}") for name in ("third", "second", "first")]
    assert places == sorted(places)
    shell.send("se")
    shell.press("tab")
    shell.wait_until(lambda: "/snippets run second" in "\n".join(shell.lines), "the name to be completed")
    shell.press("enter")
    shell.wait_for("out-second")
    shell.wait_for_prompt()
    assert {s["name"]: s["usageCount"] for s in kept(parley)} == {"first": 0, "second": 2, "third": 2}
    assert shell.leave() == 0
    # And in the person's own shell, from the file alone.
    rows = parley.run("---completion", "parley /snippets run ").out.splitlines()
    assert [row.split("\t")[0] for row in rows] == ["second", "third", "first"]


def test_a_text_is_mended_on_the_line(shell, parley):
    shell.say("/snippets add note 'Write a note'", "kept snippet 'note'")
    shell.type("/snippets edit note")
    shell.wait_for_question("text: Write a note")
    shell.send(" today")
    shell.wait_for_question("text: Write a note today")
    shell.press("enter")
    shell.wait_for("changed snippet 'note'")
    shell.wait_for_prompt()
    assert kept(parley)[0]["command"] == "Write a note today"
    assert shell.leave() == 0


@pytest.mark.parametrize("text", ["printf '<%s>' ${v}", "printf '<%s>' \"${v}\"", "printf '<${v}>'",
                                  "printf '<%s>' \"$(printf %s \"${v}\"; printf '')\""])
@pytest.mark.parametrize("value", ["plain", "a b", "'; touch ran; '", "$(touch ran)", "`touch ran`", "\"$(touch ran)\"",
                                   "\\", "\\'; touch ran #", "-n", "*"])
def test_a_value_is_data_for_the_shell(parley, text, value):
    assert parley.run("/snippets", "add", "v", text, "--kind", "shell").status == 0
    result = parley.run("/snippets", "run", "v", f"v={value}")
    # printf reads its first word as a format.
    assert result.out == f"<{value}>" or "printf '<${v}>'" in text
    assert result.status == 0
    assert not (parley.directory / "ran").exists()


@pytest.mark.parametrize("text", ["echo ) '${v}'", "@( echo '\n${v}'", "a=(b (${v}"])
def test_a_mistake_in_a_command_runs_no_value(parley, text):
    # bash goes on in the next line.
    assert parley.run("/snippets", "add", "v", text, "--kind", "shell").status == 0
    result = parley.run("/snippets", "run", "v", "v=x\ntouch ran\n")
    assert "syntax error" in result.err
    assert not (parley.directory / "ran").exists()


def test_statuses_and_streams_in_a_script(parley, scripted):
    run = parley.run
    url = scripted.url("ok")
    assert (run("/snippets").status, run("/snippets").out) == (0, "")
    assert run("/snippets", "--json").json == []
    assert run("/snippets", "add", "review", "Review ${file}", "--category", "code").status == 0
    lacking = run("-s", url, "/snippets", "run", "review")
    assert lacking.status == 2 and lacking.out == ""
    assert "snippet 'review' needs a value for file" in lacking.err
    answer = run("-s", url, "/snippets", "run", "review", "file=a b")
    assert answer.status == 0 and answer.out == "Hello from the scripted server.\n"
    assert scripted.questions[-1]["messages"][-1]["content"] == "Review a b"
    assert run("/snippets", "run", "reviw", "file=a").status == 2
    assert "did you mean review?" in run("/snippets", "run", "reviw").err
    assert run("/snippets", "remove", "review").status == 2
    [row] = run("/snippets", "--json").json
    assert (row["name"], row["usageCount"], row["category"], row["places"]) == ("review", 1, "code", ["file"])
    assert run("/snippets").out == "1\treview\t1\tcode\t\tReview ${file}\n"
    assert run("/snippets", "show", "review", "--json").json == row
    assert run("--yes", "/snippets", "remove", "review").status == 0
    assert names(parley) == []


def test_a_round_trip_loses_nothing(parley, tmp_path):
    source = [{"id": f"5C0A6B2E-7A3F-4A56-9A33-0D8B8A9A{number:04}", "name": f"Nr. {number} 🦜",
               "command": f"echo {number}", "category": f"c{number % 7}", "color": "#007AFF", "icon": "terminal", "isActive": number % 3 > 0,
               "createdAt": 800000000 + number + 0.25, "usageCount": number, "own": {"deep": [number, None]}}
              for number in range(150)]
    (parley.directory / "app.json").write_text(json.dumps(source))
    took = parley.run("/snippets", "import", "app.json")
    assert took.status == 0 and "150 snippets added" in took.err
    assert parley.run("/snippets", "export", "own.json").status == 0
    assert parley.run("/snippets", "export", "own.json").status == 2
    assert json.loads(parley.run("/snippets", "export", "--dates", "swift").out) == source
    before = kept(parley)
    (parley.home / "snippets.json").unlink()
    assert parley.run("/snippets", "import", "own.json").status == 0
    assert kept(parley) == before
    again = parley.run("/snippets", "import", "own.json")
    assert "0 snippets added" in again.err and kept(parley) == before
    assert parley.run("/snippets", "show", "nr. 149").status == 0
    assert len(parley.run("/snippets").out.splitlines()) == 150


def test_nothing_of_a_snippet_steers_the_terminal(parley, scripted):
    hostile = "\x1b]0;owned\x07\x1b[2J\x1b[6n\u202e"
    (parley.directory / "hostile.json").write_text(json.dumps([
        {"name": "a" + hostile, "command": "echo x" + hostile, "icon": hostile, "color": hostile, "category": hostile,
         "kind": "shell"}]))
    shell = parley.on_terminal("-s", scripted.url("ok"))
    shell.wait_for_prompt()
    shell.say("/snippets import hostile.json", "1 snippet added")
    shell.say("/snippets", "echo x")
    shell.say("/snippets show a", "in your shell")
    shell.type("/snippets run a")
    shell.wait_for_question("Run this in your shell? [y/N]")
    shell.type("n")
    shell.wait_for_prompt()
    shell.send("/snippets run ")
    shell.press("tab")
    shell.wait_for("/snippets run 'a ]0;owned")
    shell.press("ctrl-u")
    shell.wait_for_prompt()
    assert b"\x1b]0;owned" not in bytes(shell.raw) and b"\x1b[6n" not in bytes(shell.raw)
    assert shell.leave() == 0


def test_two_shells_lose_nothing_of_each_other(parley):
    for shell in "ab":
        parley.file(f"{shell}.txt", "".join(f"/snippets add {shell}{number} text {number}\n" for number in range(50)))
    running = [parley.start("-f", f"{shell}.txt") for shell in "ab"]
    assert [parley.finish(process).status for process in running] == [0, 0]
    assert sorted(names(parley)) == sorted(f"{shell}{number}" for shell in "ab" for number in range(50))


def test_a_shell_that_stands_sees_what_another_one_does(shell, parley):
    shell.say("/snippets add mine text", "kept snippet 'mine'")
    assert parley.run("/snippets", "add", "theirs", "other text").status == 0
    shell.say("/snippets rename mine ours", "is now 'ours'")
    assert names(parley) == ["ours", "theirs"]
    shell.say("/snippets", "other text")
    assert shell.leave() == 0


@pytest.mark.parametrize("enough", [1, 3, 7, 12, 20])
def test_a_kill_in_the_middle_leaves_a_whole_file(parley, enough):
    parley.file("adds.txt", "".join(f"/snippets add s{number} {'x' * 2000}\n" for number in range(400)))
    process = parley.start("-f", "adds.txt")
    # The file is whole at each moment at which it is looked at, and after the kill.
    wait_until(lambda: len(names(parley)) >= enough, f"{enough} snippets to be kept")
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    found = names(parley)
    assert found == [f"s{number}" for number in range(len(found))] and len(found) >= enough
    assert parley.run("/snippets", "add", "after", "it goes on").status == 0
    assert names(parley) == found + ["after"]


def test_a_private_run_counts_nothing(parley, scripted):
    assert parley.run("/snippets", "add", "a", "text").status == 0
    before = (parley.home / "snippets.json").read_bytes()
    assert parley.run("--private", "-s", scripted.url("ok"), "/snippets", "run", "a").status == 0
    assert parley.run("--private", "/snippets", "add", "b", "text").status == 0
    assert (parley.home / "snippets.json").read_bytes() == before


def test_a_text_of_blanks_is_none_and_harms_no_other(parley):
    assert parley.run("/snippets", "add", "one", "a text").status == 0
    for words in (["add", "two", " "], ["edit", "one", "  "]):
        assert parley.run("/snippets", *words).status == 2, words
    assert [row["name"] for row in parley.run("/snippets", "--json").json] == ["one"]
    assert parley.run("/snippets", "show", "one", "--json").json["command"] == "a text"


def test_a_count_that_no_one_reaches_is_no_danger(parley, tmp_path):
    file = tmp_path / "commands.json"
    file.write_text(json.dumps([{"name": "often", "command": "echo hello", "usageCount": 2**63 - 1}]))
    assert parley.run("/snippets", "import", str(file)).status == 0
    result = parley.run("-y", "/snippets", "run", "often", "shell")
    assert (result.status, result.out) == (0, "hello\n"), result
    assert parley.run("/snippets", "show", "often", "--json").json["usageCount"] == 10**9
