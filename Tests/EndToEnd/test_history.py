"""What is kept when the program, or the machine, does not wait."""

import contextlib
import json
import os
import signal
import sqlite3

import pytest

import histories
from waiting import wait_until

ROUNDS = int(os.environ.get("PARLEY_ROUNDS", "0"))


def sessions(parley):
    result = parley.run("/history", "1000", "--json")
    assert result.status == 0, result
    return result.json


def show(parley, session):
    return parley.run("/history", "show", session["id"]).out


def check_database(parley):
    database, = parley.home.rglob("history.sqlite")
    connection = sqlite3.connect(database)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


def test_the_next_start_knows_the_last_one(parley, scripted):
    url = scripted.url("ok")
    shell = parley.on_terminal("-s", url)
    shell.wait_for_prompt()
    shell.type("a question about whales")
    shell.wait_for_prompt()
    assert shell.leave() == 0

    shell = parley.on_terminal("-s", url)
    shell.wait_for_prompt()
    shell.press("up")
    shell.wait_until(lambda: shell.typed.endswith("a question about whales"), "the line to be recalled")
    shell.press("ctrl-c")
    shell.wait_for_prompt()
    shell.type("/history")
    shell.wait_for_prompt()
    assert "whales" in shell.text
    assert shell.leave() == 0


def test_an_answer_that_was_killed_is_there_at_the_next_start(parley, scripted, model):
    shell = parley.on_terminal("-s", scripted.url("nod"))
    shell.wait_for_prompt()
    shell.type("count to fifty")
    shell.wait_for("word5")
    # It is saved as it grows.
    wait_until(lambda: any("word5" in show(parley, session) for session in sessions(parley)), "the words to be saved")
    shell.signal(signal.SIGKILL)
    shell.wait_for_exit()

    shell = parley.on_terminal("-C", "-s", model, "--set", "max-tokens=20")
    shell.wait_for_prompt()
    shell.seen_from = 0
    assert "interrupted" in shell.text
    shell.type("/history show")
    shell.wait_for_prompt()
    assert "count to fifty" in shell.text and "word5" in shell.text
    shell.type("/continue")
    # The other server has not had it.
    shell.wait_for_question("too? [y/N]")
    shell.type("y")
    shell.wait_for_prompt()
    assert shell.text.strip()
    assert shell.leave() == 0
    session, = sessions(parley)
    assert "word5" in show(parley, session)


def test_an_answer_that_its_window_took_along_is_gone_on_with_at_the_next_start(parley, scripted):
    shell = parley.on_terminal("-s", scripted.url("nod"))
    shell.wait_for_prompt()
    shell.type("the count of whales")
    shell.wait_for("word5")
    shell.signal(signal.SIGHUP)
    assert shell.wait_for_exit() == 129
    shell = parley.on_terminal("-s", scripted.url("ok"))
    shell.wait_for('resumed "the count of whales"')
    shell.wait_for_prompt()
    assert "interrupted: /continue goes on" in shell.text
    assert shell.leave() == 0


def test_what_was_cut_off_and_then_asked_again_is_not_named(parley, scripted):
    process = parley.start("-s", scripted.url("nod"), "the count of whales")
    assert process.stdout.read(6) == b"word1 "
    wait_until(lambda: any("word1" in show(parley, session) for session in sessions(parley)), "the words to be saved")
    process.kill()
    parley.finish(process)
    assert parley.run("-s", scripted.url("ok"), "/retry").status == 0
    shell = parley.on_terminal("-s", scripted.url("ok"))
    shell.wait_for_prompt()
    shell.seen_from = 0
    assert "cut off" not in shell.text and "resumed" not in shell.text
    assert shell.leave() == 0


def test_a_session_that_was_cut_off_is_named_though_a_script_found_it_first(parley, scripted):
    url = scripted.url("nod")
    process = parley.start("-s", url, "the count of whales")
    assert process.stdout.read(6) == b"word1 "
    wait_until(lambda: any("word1" in show(parley, session) for session in sessions(parley)), "the words to be saved")
    process.kill()
    parley.finish(process)
    assert parley.run("-s", scripted.url("ok"), "something else").err == ""

    shell = parley.on_terminal("-s", scripted.url("ok"))
    shell.wait_for_prompt()
    shell.seen_from = 0
    assert "\"the count of whales\" was cut off: /resume" in " ".join(shell.text.split())
    assert shell.leave() == 0
    # It is said once.
    shell = parley.on_terminal("-s", scripted.url("ok"))
    shell.wait_for_prompt()
    shell.seen_from = 0
    assert "cut off" not in shell.text
    assert shell.leave() == 0


def test_ctrl_c_keeps_what_came(parley, scripted):
    shell = parley.on_terminal("-s", scripted.url("nod"))
    shell.wait_for_prompt()
    shell.type("count")
    shell.wait_for("word5")
    shell.press("ctrl-c")
    shell.wait_for_prompt()
    assert shell.leave() == 0
    session, = sessions(parley)
    assert "word5" in show(parley, session)


def test_two_shells_share_one_history(parley, scripted):
    url = scripted.url("ok")
    one, two = parley.on_terminal("-s", url), parley.on_terminal("-s", url)
    for shell, text in [(one, "from the first"), (two, "from the second"), (one, "first again")]:
        shell.wait_for_prompt()
        shell.type(text)
        shell.wait_for_prompt()
    assert one.leave() == two.leave() == 0
    texts = "\n".join(show(parley, session) for session in sessions(parley))
    assert all(text in texts for text in ["from the first", "from the second", "first again"])
    check_database(parley)


def test_a_shell_goes_on_when_another_has_forgotten_the_turn_it_stands_at(parley, scripted):
    shell = parley.on_terminal("-s", scripted.url("ok"))
    for text in ["the first", "the second"]:
        shell.wait_for_prompt()
        shell.type(text)
    shell.wait_for_prompt()
    assert parley.run("--yes", "-C", "/forget #2").status == 0
    shell.type("the third")
    shell.wait_for("#2 was forgotten by another shell")
    shell.wait_for_prompt()
    assert "the second" not in str(scripted.questions[-1]["messages"])
    # What is asked again and is gone is a message like others.
    assert parley.run("--yes", "-C", "/forget #-1").status == 0
    shell.type("/retry")
    shell.wait_for_prompt()
    assert shell.leave() == 0
    assert "not kept" not in shell.text
    kept, = sessions(parley)
    assert "the first" in show(parley, kept) and "the third" in show(parley, kept)
    assert "the second" not in show(parley, kept)
    check_database(parley)


def test_many_at_once_lose_nothing(parley, scripted):
    url = scripted.url("ok")
    started = [parley.start("-s", url, f"message {number:02}") for number in range(24)]
    results = [parley.finish(process, timeout=100) for process in started]
    assert [result.status for result in results] == [0] * 24
    assert [result.err for result in results] == [""] * 24
    assert len(sessions(parley)) == 24
    found = parley.run("/history", "search", "message")
    assert found.out.count("#1") == 20 and "the best 20, and there are more" in found.err
    check_database(parley)


def test_many_at_once_beside_two_open_shells_lose_nothing(parley, scripted):
    url = scripted.url("ok")
    shells = [parley.on_terminal("-s", url) for _ in range(2)]
    for shell in shells:
        shell.wait_for_prompt()
    asked = [f"message {number:02}" for number in range(24)]
    started = [parley.start("-s", url, question) for question in asked]
    while any(process.poll() is None for process in started) or len(asked) < 24 + 2 * 3:
        for name, shell in zip(["one", "two"], shells):
            asked.append(f"shell {name} at {len(asked)}")
            shell.say(asked[-1], "Hello from the scripted server.")
            assert "kept" not in shell.text
    results = [parley.finish(process, timeout=100) for process in started]
    assert [(result.status, result.err) for result in results] == [(0, "")] * 24
    assert [shell.leave() for shell in shells] == [0, 0]
    whole = ("Hello from the scripted server.", "complete")
    assert histories.kept(parley.home / "history.sqlite") == dict.fromkeys(asked, whole)
    histories.check(parley.home / "history.sqlite")


def test_two_shells_that_go_on_with_one_answer_both_keep_what_came(parley, scripted):
    assert parley.run("-s", scripted.url("drop"), "hello").status == 8
    scripted.forget()
    waiting = scripted.url("nod-start")
    slow = parley.start("-s", waiting, "-C", "/continue")
    wait_until(lambda: scripted.questions, "the first shell to ask")
    other = parley.run("-s", scripted.url("markdown"), "-C", "/continue")
    assert other.status == 0
    scripted.nod(waiting)
    result = parley.finish(slow)
    assert result.status == 0, result
    assert "is kept beside it, as #2" in result.err
    session, = sessions(parley)
    texts = [parley.run("/history", "show", f"#{number}", "--json").json["text"] for number in (1, 2)]
    assert texts[0].strip().endswith(other.out.strip()[-20:])
    assert texts[1] == "One two threeHello from the scripted server."
    check_database(parley)


@contextlib.contextmanager
def refused_ends(parley):
    """The history takes no end of an answer meanwhile."""
    path, = parley.home.rglob("history.sqlite")
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as history:
        history.execute("""CREATE TRIGGER refused BEFORE UPDATE ON message WHEN new.status = 'complete'
                           BEGIN SELECT RAISE(ABORT, 'not now'); END""")
        yield
        history.execute("DROP TRIGGER refused")


def test_an_answer_that_was_not_kept_is_kept_later(parley, scripted):
    shell = parley.on_terminal("-s", scripted.url("ok"))
    shell.wait_for_prompt()
    shell.type("first")
    shell.wait_for_prompt()
    with refused_ends(parley):
        shell.type("second")
        shell.wait_for_prompt()
        assert "the answer is not kept" in shell.text
    shell.type("third")
    shell.wait_for_prompt()
    assert "the answer of #2 is kept now" in shell.text
    assert shell.leave() == 0
    session, = sessions(parley)
    assert show(parley, session).count("Hello from the scripted server.") == 3
    check_database(parley)


def test_an_answer_that_is_lost_is_said_even_where_nothing_else_is(parley, scripted):
    assert parley.run("-q", "-s", scripted.url("ok"), "first").err == ""
    url = scripted.url("nod")
    process = parley.start("-q", "-s", url, "second")
    printed = b""
    while b"word5" not in printed:
        printed += process.stdout.read(1)
    with refused_ends(parley):
        scripted.nod(url)
        result = parley.finish(process)
        assert "the answer is not kept" in result.err, result
        # With a trigger that somebody added nothing is written at all.
        assert "nothing of this run is kept" in parley.run("-q", "-s", scripted.url("ok"), "third").err


def test_a_signal_to_the_process_and_then_to_its_group_loses_nothing(parley, scripted):
    process = parley.start("-s", scripted.url("nod"), "count to fifty")
    printed = b""
    while b"word5" not in printed:
        printed += process.stdout.read(1)
    # As timeout(1) does it.
    os.kill(process.pid, signal.SIGTERM)
    os.killpg(process.pid, signal.SIGTERM)
    result = parley.finish(process)
    assert result.status == 143, result
    session, = sessions(parley)
    assert session["status"] == "interrupted"
    assert "word1 word2 word3 word4 word5" in show(parley, session)


def kill_while_answering(parley, scripted, rounds):
    """Kills it again and again in the middle of an answer, a little later each time."""
    url = scripted.url("many", 200000)
    for number in range(rounds):
        process = parley.start("-s", url, f"message {number:03}")
        process.stdout.read(1 + 4000 * (number % 25))
        process.kill()
        process.communicate(timeout=60)
    kept = sessions(parley)
    assert len(kept) == rounds
    check_database(parley)
    return kept


def test_a_kill_in_the_middle_loses_no_message(parley, scripted):
    kept = kill_while_answering(parley, scripted, 5)
    assert "message 00" in "".join(show(parley, session) for session in kept)


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_many_kills_lose_no_message(parley, scripted):
    rounds = ROUNDS or 200
    kept = kill_while_answering(parley, scripted, rounds)
    texts = [show(parley, session) for session in kept]
    assert all(any(f"message {number:03}" in text for text in texts) for number in range(rounds))


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_many_stops_and_sizes_lose_no_character(parley, scripted):
    shell = parley.on_terminal("-s", scripted.url("ok"))
    shell.wait_for_prompt()
    for number in range(ROUNDS or 200):
        text = f"text {number}"
        shell.send(text)
        shell.wait_until(lambda: shell.typed.endswith(text), "what was typed")
        shell.resize(60 + number % 40, 20 + number % 10)
        shell.signal(signal.SIGWINCH)
        shell.type(" end")
        shell.wait_for_prompt()
        assert scripted.questions[-1]["messages"][-1]["content"] == text + " end"
    assert shell.leave() == 0


def test_nothing_is_readable_by_others(parley, scripted):
    parley.run("-s", scripted.url("ok"), "hello")
    assert parley.written_files
    assert parley.home.stat().st_mode & 0o077 == 0
    for path in parley.written_files:
        assert path.stat().st_mode & 0o777 == 0o600, path


def lengthen(parley, turns, answer):
    """Gives the one session there is so many turns, the last of which is told apart."""
    path, = parley.home.rglob("history.sqlite")
    with contextlib.closing(sqlite3.connect(path)) as history, history:
        session, parent, number = history.execute("SELECT session, key, number FROM turn").fetchone()
        for number in range(number + 1, number + turns + 1):
            is_last = number == turns + 1
            turn = history.execute("INSERT INTO turn (session, parent, number, created_at) VALUES (?, ?, ?, 1)",
                                   (session, parent, number)).lastrowid
            history.execute("INSERT INTO message (id, turn, position, role, content, created_at)"
                            " VALUES (?, ?, 0, 'user', ?, 1)",
                            (f"q{number}", turn, "the last question" if is_last else f"question {number}"))
            history.execute("INSERT INTO message (id, turn, position, role, content, created_at, status)"
                            " VALUES (?, ?, 1, 'assistant', ?, 1, 'complete')",
                            (f"a{number}", turn, answer + ("\n\nthe end of all\n" if is_last else "")))
            parent = turn
        history.execute("UPDATE session SET head = ?", (parent,))


@pytest.mark.parametrize("command, first, last", [
    ("/history show", "question 2", "the last question"),
    ("/history show --json", '"question":"question 2"', "the last question"),
    ("/raw", "**word**", "the end of all"),
    ("/history show #-1", "the last question", "the end of all"),
])
def test_ctrl_c_ends_what_is_shown_of_the_history(parley, scripted, command, first, last):
    url = scripted.url("ok")
    parley.run("-s", url, "the first question")
    is_of_one = last == "the end of all"
    lengthen(parley, 1 if is_of_one else 3000, "A **word** and another.\n\n" * (100_000 if is_of_one else 10))
    shell = parley.on_terminal("-s", url)
    shell.wait_for_prompt()
    shell.type(command)
    shell.wait_for(first)
    shell.press("ctrl-c")
    shell.wait_for("error: interrupted")
    shell.wait_for_prompt()
    assert last not in shell.text
    shell.say("and now?", "Hello from the scripted server.")
    assert shell.leave() == 0


def fill_and_damage(parley, scripted, damage):
    """Thirty sessions, of whose file two pages in the middle are overwritten after `damage` was called."""
    for number in range(30):
        parley.run("-s", scripted.url("ok"), f"question {number} " + "with many words " * 40)
    damage()
    file = parley.home / "history.sqlite"
    content = bytearray(file.read_bytes())
    middle = len(content) // 2 // 4096 * 4096
    content[middle:middle + 8192] = bytes(8192)
    file.write_bytes(content)


def test_a_damaged_history_is_found_set_aside_and_saved_from(parley, scripted):
    def look():
        sound = parley.run("/db", "check")
        assert sound.status == 0 and sound.out.startswith("sound: 30 sessions, 60 messages, ")

    fill_and_damage(parley, scripted, look)
    broken = parley.run("/db", "check")
    assert broken.status == 10 and "is damaged" in broken.err and "/db recover" in broken.err, broken.err
    saved = parley.run("/db", "recover")
    assert saved.status == 0 and "it is kept as" in saved.err and "messages now" in saved.err, saved.err
    assert list(parley.home.glob("history.corrupt-*.sqlite"))
    assert parley.run("/db", "check").status == 0
    assert len(json.loads(parley.run("/history", "100", "--json").out)) > 10
    assert "nothing to recover" in parley.run("/db", "recover").err


def test_what_a_later_version_made_is_read_and_never_said_to_be_changed(parley, scripted):
    assert parley.run("-s", scripted.url("ok"), "hello").status == 0
    path = parley.home / "history.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as history:
        history.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    assert "hello" in parley.run("/history").out
    for command in [["/pin", "hello"], ["/forget", "hello"], ["/forget", "all"], ["/forget", "older", "1h"],
                    ["/title", "Other"], ["/archive", "hello"]]:
        run = parley.run("--yes", *command)
        # What is younger than that need not be forgotten.
        if command[-1] == "1h":
            assert "no session is that old" in run.err
            continue
        assert run.status == 10, command
        assert "a later version of parley made it" in run.err, command
    assert path.read_bytes() == before


def test_a_private_run_forgets_nothing_of_the_disk_and_says_so(parley, scripted):
    assert parley.run("-s", scripted.url("ok"), "hello").status == 0
    for command in [["all"], ["older", "1h"]]:
        run = parley.run("--private", "--yes", "/forget", *command)
        assert run.status == 2
        assert "the history of this run is in memory" in run.err and "without --private" in run.err
    assert "hello" in parley.run("/history").out


def test_a_shell_goes_on_in_its_session_after_it_has_recovered_its_history(parley, scripted):
    fill_and_damage(parley, scripted, lambda: None)
    shell = parley.on_terminal("-s", scripted.url("ok"))
    shell.wait_for_prompt()
    shell.say("hello", "Hello from")
    shell.say("/db check", "hint: /db recover")
    shell.say("/db recover", "messages now")
    shell.say("and again", "Hello from")
    shell.say("/db check", "sound: ")
    shell.say("/history show", "#2 and again")


def test_a_copy_of_the_history_is_a_history(parley, scripted, tmp_path):
    parley.run("-s", scripted.url("ok"), "remember the milk")
    (tmp_path / "other").mkdir()
    copy = tmp_path / "other/history.sqlite"
    assert f"all of the history is in {copy}" in parley.run("/db", "backup", str(copy)).err
    again = parley.run("/db", "backup", str(copy))
    assert again.status == 2 and "File exists" in again.err
    there = parley.run("/history", "search", "milk", env={"PARLEY_HOME": str(tmp_path / "other")})
    assert "remember the *milk*" in there.out
    assert "before" in parley.run("/db", "vacuum").err


def test_a_hit_in_what_was_thought_is_shown_with_it(parley, scripted):
    shell = parley.on_terminal("-s", scripted.url("reasoning"))
    shell.wait_for_prompt()
    shell.say("capital?", "scripted>")
    shell.say("/history search think", "/history hit 1")
    shell.look_from_here()
    shell.say("/history hit 1", "think")
    assert "#1 capital?" in shell.text
