"""Sessions out of a history and into another, through files and pipes."""

import contextlib
import json
import pathlib
import re
import signal
import sqlite3
import subprocess

import pytest

HELLO = "Hello from the scripted server."


def test_a_history_goes_through_a_file_into_another_home(parley, scripted, tmp_path):
    notes = parley.directory / "notes.txt"
    notes.write_text("remember the milk")
    shell = parley.on_terminal("-s", scripted.url("ok"))
    shell.wait_for_prompt()
    shell.say("one", HELLO)
    shell.say("/attach notes.txt", "goes with the next message")
    shell.say("two", HELLO)
    shell.say("/undo", "#2 is set aside")
    shell.say("two again", HELLO)
    shell.say("/tag garden", "tags: garden")
    file = parley.directory / "out.jsonl"
    shell.say("/export jsonl all out.jsonl", "1 session written to out.jsonl")
    shell.say("/export jsonl all out.jsonl", "File exists")
    shell.say("/export md", "## #3 You")
    assert file.stat().st_mode & 0o777 == 0o600
    assert list(parley.directory.glob("out*")) == [file]
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert [line.get("type", "head") for line in lines] == ["head", "session", "turn", "turn", "turn"]
    assert [turn.get("parent") for turn in lines[2:]] == [None, 1, 1]

    other = {"PARLEY_HOME": str(tmp_path / "other")}
    assert parley.run("/import", str(file), env=other).err == "1 session taken in\n"
    assert "stays as it is" in parley.run("/import", str(file), env=other).err
    assert parley.run("/export", "jsonl", "all", env=other).out == file.read_text()
    document = parley.run("/export", "json", "search", "tag:garden", "again", env=other).out
    assert [session["tags"] for session in json.loads(document)["sessions"]] == [["garden"]]
    shown = parley.run("/history", "show", "#2", env=other).out
    assert "two" in shown and "notes.txt" in shown
    assert parley.run("/history", "show", "#2", "notes.txt", env=other).out == "remember the milk\n"


def test_what_is_no_export_is_refused_with_its_line(parley, scripted, tmp_path):
    parley.run("-s", scripted.url("ok"), "hello")
    whole = parley.run("/export", "jsonl", "all").out
    cut = tmp_path / "cut.jsonl"
    cut.write_text(whole + whole.splitlines()[1].replace('"id":"', '"id":"b') + '\n{"type":"tu')
    other = {"PARLEY_HOME": str(tmp_path / "other")}
    refused = parley.run("/import", str(cut), env=other)
    assert refused.status == 2
    assert f"{cut} is damaged in line 5" in refused.err and "the session before that is taken in" in refused.err
    missing = parley.run("/import", str(tmp_path / "none"), env=other)
    assert missing.status == 2 and "No such file" in missing.err
    assert len(json.loads(parley.run("/history", "--json", env=other).out)) == 1


def test_hostile_words_stay_words_in_an_export_to_a_terminal(parley, scripted):
    hostile = "a\x1b]0;owned\x07b\x9b31m"
    parley.run("-s", scripted.url("ok"), input=hostile)
    shell = parley.on_terminal("/export", "json", "all")
    shell.wait_for_exit()
    assert "\\u001b]0;owned\\u0007b" in shell.text.replace("\n", "")
    shell = parley.on_terminal("/export", "md")
    shell.wait_for_exit()
    shell.assert_undisturbed()


def sessions(count):
    """An export of so many sessions of one turn each."""
    lines = [json.dumps({"parley": "history", "version": 1})]
    for number in range(count):
        name = f"00000000-0000-4000-8000-{number:012}"
        lines.append(json.dumps({"type": "session", "id": name, "opening": "hello", "createdAt": number}))
        lines.append(json.dumps({"type": "turn", "session": name, "number": 1, "messages": [
            {"role": "user", "content": "hello"}, {"role": "assistant", "content": "hi", "status": "complete"}]}))
    return "\n".join(lines) + "\n"


def test_a_long_import_says_how_far_it_is_and_is_ended_between_two_sessions(parley, tmp_path):
    (tmp_path / "many.jsonl").write_text(sessions(20_000))
    with parley.on_terminal() as shell:
        shell.wait_for_prompt()
        shell.type(f"/import {tmp_path / 'many.jsonl'}")
        shell.wait_for("taking in session")
        shell.press("ctrl-c")
        shell.wait_for("taken in before that")
        shell.wait_for_prompt()
        taken = int(re.search(r"(\d+) taken in before that", shell.text)[1])
        assert 0 < taken < 20_000
        assert shell.leave() == 0
    assert len(parley.run("/export", "jsonl", "all").out.splitlines()) == 1 + 2 * taken


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_is_left_of_an_export_that_was_ended(parley, number):
    fill(parley, 20_000)
    shell = parley.on_terminal("/export", "jsonl", "all", "out.jsonl")
    shell.wait_for("writing session")
    shell.signal(number)
    shell.wait_for_exit()
    assert list(parley.directory.glob("out*")) == []


def fill(parley, count):
    """A history of so many sessions of one question."""
    assert parley.run("/history").status == 0
    database, = parley.home.rglob("history.sqlite")
    with contextlib.closing(sqlite3.connect(database)) as history, history:
        history.execute("WITH RECURSIVE some(key) AS (SELECT 1 UNION ALL SELECT key + 1 FROM some WHERE key < ?) "
                        "INSERT INTO session (key, id, opening, created_at, updated_at, head) "
                        "SELECT key, printf('00000000-0000-4000-8000-%012d', key), 'hello', key, key, NULL FROM some",
                        [count])
        history.execute("INSERT INTO turn (key, session, number, created_at) SELECT key, key, 1, key FROM session")
        history.execute("INSERT INTO message (id, turn, position, role, content, created_at) "
                        "SELECT 'm' || key, key, 0, 'user', 'hello', key FROM turn")


@pytest.fixture(scope="module")
def late(tmp_path_factory):
    library = tmp_path_factory.mktemp("late") / "late.so"
    source = pathlib.Path(__file__).parent / "shims/late_failure.c"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-Wall", "-Werror", "-o", library, source, "-ldl"], check=True)
    return library


@pytest.mark.parametrize("call", ["fsync", "close"])
def test_a_disk_that_says_late_that_it_is_full_has_nothing_saved(parley, scripted, late, call):
    parley.run("-s", scripted.url("ok"), "hello")
    parley.run("/snippets", "add", "one", "text")
    env = {"LD_PRELOAD": str(late), "LATE_FOLDER": str(parley.directory), "LATE_CALL": call}
    for command in (["/save", "answer.md"], ["/export", "md", "all", "all.md"], ["/snippets", "export", "own.json"]):
        result = parley.run(*command, env=env)
        assert result.status == 1 and f"cannot write {command[-1]} (Disk quota exceeded)" in result.err, result
        assert "is in" not in result.err and "written to" not in result.err
    assert not list(parley.directory.iterdir())
    if call == "close":
        with open(parley.directory / "out", "wb") as out:
            result = parley.finish(parley.start("/export", "md", stdout=out, env=env))
        assert result.status == 1 and "standard output could not be written (Disk quota exceeded)" in result.err
    settings = parley.run("/settings", "seed", "1", env=env | {"LATE_FOLDER": str(parley.home)})
    assert settings.status == 10 and not (parley.home / "preferences.json").exists()
