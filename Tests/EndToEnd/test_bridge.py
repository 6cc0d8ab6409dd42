"""Agents on another machine: a real bridge, which is paired with, lost and found again."""

import json
import subprocess

import pytest

from agents import SCENES
from bridges import Bridge
from parley import Parley
from waiting import wait_until


@pytest.fixture
def bridge(parley, tmp_path):
    """A bridge with the options that are asked for; at the end it has nothing to say against the client."""
    made = []

    def get(*options):
        made.append(Bridge(parley, tmp_path, *options))
        return made[-1]

    yield get
    for one in made:
        one.stop()
        assert one.faults == []


@pytest.fixture
def paired(bridge):
    """A bridge that was paired with."""

    def get(*options):
        there = bridge(*options)
        result = there.pair()
        assert result.status == 0, result
        return there

    return get


@pytest.fixture
def chatting(parley, paired):
    """A shell on a terminal, with an agent behind a bridge in front."""
    shells = []

    def get(*options):
        there = paired(*options)
        shell = parley.on_terminal()
        shells.append(shell)
        shell.wait_for_prompt()
        return there, shell

    yield get
    for shell in shells:
        shell.close()


def known(parley):
    path = parley.home / "servers.json"
    return json.loads(path.read_text())["servers"] if path.exists() else []


# Pairing


@pytest.mark.parametrize("style", ["bare", "prefixed", "lower", "plain"])
def test_a_code_pairs_whatever_the_spelling_of_its_fingerprint(parley, bridge, style):
    there = bridge("--fp-style", style)
    result = there.pair()
    assert result.status == 0, result
    assert f"paired with 127.0.0.1 at {there.url}" in result.err
    assert "agent: 127.0.0.1 (ACP test peer 1.0)" in result.err
    answer = parley.run("echo", "hello there")
    assert (answer.status, answer.out) == (0, "You said: hello there\n")
    assert {message["params"]["cwd"] for message in there.sent("session/new")} == {str(there.folder)}


def test_the_token_is_kept_with_the_sign_ins_and_nowhere_else(parley, paired):
    there = paired()
    parley.run("echo", "one")
    parley.run("--verbose", "echo", "two")
    holding = [path.name for path in parley.written_files if there.token.encode() in path.read_bytes()]
    assert holding == ["credentials.json"]
    assert (parley.home / "credentials.json").stat().st_mode & 0o777 == 0o600
    assert there.token not in parley.run("/agent", "info", "--json").out


def test_a_certificate_that_the_code_does_not_name_gets_nothing(parley, bridge):
    there = bridge()
    first = there.fingerprint[:2]
    result = there.pair(link=there.link.replace(f"fp={first}%3A", "fp=%02X%%3A" % (int(first, 16) ^ 1)))
    assert result.status == 6
    assert "shows another certificate than its code names" in result.err and "nothing was sent" in result.err
    assert known(parley) == []
    assert not (parley.home / "known_servers").exists()
    # The code has not been used: nothing but a look at the certificate came.
    assert there.pair().status == 0


def test_credentials_that_name_another_certificate_are_not_kept(parley, bridge):
    there = bridge("--fp-style", "wrong")
    shell = parley.on_terminal(columns=120)
    shell.wait_for_prompt()
    shell.type(f"/pair 127.0.0.1:{there.port} {there.code}")
    shell.wait_for_question("Type yes to trust it")
    shell.say("yes", until="name another certificate than the one it shows: nothing was kept")
    shell.close()
    assert known(parley) == []


def test_a_code_is_good_once(paired):
    result = paired().pair()
    assert result.status == 7
    assert "does not take this code: it is wrong, was used, or is older than a minute" in result.err


def test_a_code_that_is_too_old_says_so(bridge):
    assert "older than a minute" in bridge("--code-ttl", "0").pair().err


def test_too_many_wrong_codes_end_the_pairing(bridge):
    there = bridge()
    wrong = there.link.replace(there.code, "000000")
    for _ in range(5):
        assert "does not take this code" in there.pair(link=wrong).err
    result = there.pair(link=wrong)
    assert result.status == 7 and "takes no more codes after too many wrong ones" in result.err


def test_a_bridge_that_pairs_with_nobody_says_so(bridge):
    result = bridge("--no-pairing").pair()
    assert result.status == 7 and "lets nobody pair with it" in result.err


def test_a_bridge_that_has_had_enough_of_us_says_so(bridge):
    there = bridge("--rate-attempts", "0")
    result = there.pair()
    assert result.status == 5
    assert "ended the connection before it said a word" in result.err and "wait a minute" in result.err


def test_a_code_typed_by_hand_shows_the_certificate_first(parley, bridge):
    there = bridge()
    place = f"127.0.0.1:{there.port}"
    alone = parley.run("/pair", place, there.code)
    assert alone.status == 6 and "is not trusted" in alone.err
    shell = parley.on_terminal(columns=120)
    shell.wait_for_prompt()
    shell.type(f"/pair {place} {there.code}")
    shell.wait_for_question("Type yes to trust it")
    digits = there.fingerprint.replace(":", "")
    assert digits[:4] in shell.text
    shell.say("yes", until="agent: 127.0.0.1")
    shell.say("echo hello", until="You said: hello")
    shell.close()


def test_a_pasted_code_is_not_shown(parley, bridge):
    there = bridge()
    shell = parley.on_terminal()
    shell.wait_for_prompt()
    shell.type("/pair")
    shell.wait_for_question("code:")
    shell.send(there.link)
    shell.press("enter")
    shell.wait_for("agent: 127.0.0.1")
    shell.wait_for_prompt()
    assert there.code not in str(shell)
    shell.close()


def test_a_picture_of_the_code_pairs(parley, bridge):
    there = bridge()
    subprocess.run(["qrencode", "-o", str(parley.directory / "code.png"), there.link], check=True)
    result = parley.run("/pair", "code.png")
    assert result.status == 0, result
    parley.file("empty.png", "no picture")
    result = parley.run("/pair", "empty.png")
    assert result.status != 0 and "no picture with a code in it" in result.err


def test_permanent_credentials_come_on_standard_input_and_not_on_the_line(parley, bridge):
    there = bridge()
    refused = parley.run("/pair", there.credentials)
    assert refused.status == 2 and "a line is no place for one" in refused.err
    result = there.pair(link=there.credentials)
    assert result.status == 0, result
    assert parley.run("echo", "hello").out == "You said: hello\n"


def test_without_tls_only_this_machine_is_paired_with(parley, bridge):
    there = bridge("--no-tls")
    result = there.pair()
    assert result.status == 0, result
    assert parley.run("echo", "hello").out == "You said: hello\n"
    away = parley.run("/pair", "http://192.0.2.1:8765/pair/local?code=123456")
    assert away.status == 2 and "in the clear" in away.err and "--plain" in away.err


def test_pairing_anew_renews_what_is_known_of_the_agent(parley, paired):
    there = paired("--reusable-code")
    parley.run("echo", "one")
    session = parley.run("/history", "show", "--json").json["id"]
    before = there.sent("session/prompt")[-1]["params"]["sessionId"]
    again = there.pair()
    assert again.status == 0, again
    assert len(known(parley)) == 1
    result = parley.run("-r", session, "echo", "two")
    assert (result.status, result.out) == (0, "You said: two\n")
    assert "new session there: nothing of what was said before is known" in result.err
    assert there.sent("session/prompt")[-1]["params"]["sessionId"] != before


def test_an_agent_that_moved_keeps_its_name_and_its_history(parley, paired):
    there = paired()
    parley.run("echo", "one")
    parley.run("/server", "rename", "127.0.0.1", "far")
    before = there.url
    there.port = 0
    there.restart()
    assert there.url != before
    assert there.pair().status == 0
    assert [(server["name"], server["url"]) for server in known(parley)] == [("far", there.url)]
    assert parley.run("-C", "echo", "two").out == "You said: two\n"
    assert parley.run("/agent", "delete", "far", "--yes").status == 0
    assert there.token.encode() not in (parley.home / "credentials.json").read_bytes()


def test_an_agent_that_only_says_that_it_is_known_takes_nothing_over(parley, paired):
    there = paired()
    parley.run("echo", "one")
    there.port = 0
    there.restart("--rotate-cert")
    result = there.pair()
    assert result.status == 0 and "cannot prove it" in result.err
    assert len(known(parley)) == 2
    kept = json.loads((parley.home / "credentials.json").read_text())["accounts"]
    assert len(kept) == 2


@pytest.mark.parametrize("command", [("/agent", "delete"), ("/server", "remove")])
def test_an_agent_that_is_deleted_takes_its_token_along(parley, paired, command):
    there = paired()
    parley.run("echo", "one")
    result = parley.run(*command, "127.0.0.1", "--yes")
    assert result.status == 0, result
    assert there.token.encode() not in (parley.home / "credentials.json").read_bytes()
    assert known(parley) == []


# Talking


@pytest.mark.parametrize("words, text", [
    ("utf8", "e\u0301 漢字 👩\u200d👩\u200d👧 🇩🇪 ﷺ שלום"), ("think", "Forty-two."), ("tool", "Two hits."),
    ("diff", "Edited."), ("unknown", "Still here."),
])
def test_what_is_said_comes_as_from_a_program(paired, words, text):
    assert text in paired().ask(words)["text"]


def test_a_large_answer_comes_whole(paired):
    assert len(paired().ask("big 2048")["text"]) == 2048 * 1024


def test_this_machine_is_none_of_its_business(parley, paired):
    there = paired()
    assert there.ask("read", "/etc/passwd")["text"] == "The client reads no files."
    assert there.ask("write", "peer.txt", "hello")["text"] == "The client writes no files."
    assert there.ask("run", "echo", "hello")["text"] == "The client runs no terminals."


def test_a_session_goes_on_in_a_later_run(parley, paired):
    there = paired()
    assert parley.run("echo", "one").status == 0
    result = parley.run("-C", "echo", "two")
    assert (result.status, result.out) == (0, "You said: two\n")
    assert "session resumed" in result.err
    prompts = there.sent("session/prompt")
    assert prompts[0]["params"]["sessionId"] == prompts[1]["params"]["sessionId"]


def test_another_session_is_a_new_one_of_the_agents(parley, paired):
    there = paired()
    parley.run("echo", "one")
    parley.run("echo", "two")
    one, two = (message["params"]["sessionId"] for message in there.sent("session/prompt"))
    assert one != two


def test_a_permission_is_given_over_the_bridge(chatting):
    there, shell = chatting()
    shell.type("permit")
    shell.wait_for_question("allow?")
    shell.say("y", until="Permission answer: allow_once")


def test_ctrl_c_stops_the_agent_behind_it(parley, chatting):
    there, shell = chatting()
    shell.type("slow")
    shell.wait_for("tick1")
    shell.press("ctrl-c")
    shell.wait_for("interrupted")
    shell.wait_for_prompt()
    assert len(there.sent("session/cancel")) == 1
    shell.say("echo still here", until="You said: still here")


# Lost and found


def test_a_file_goes_to_another_machine_whole_or_not_at_all(parley, paired):
    there = paired()
    parley.file("notes.txt", "one\n")
    (parley.directory / "large.txt").write_text("x" * (9 << 20))
    result = parley.run("look at @notes.txt and @large.txt")
    _, file = there.sent("session/prompt")[-1]["params"]["prompt"]
    assert file["resource"]["text"] == "one\n"
    assert "@large.txt cannot go along: only its name is sent" in result.err


def test_every_scene_of_a_real_agent_goes_through(parley, paired):
    there = paired("--ping", "1")
    result = parley.run("--set", "tools.approval=always", *(word for scene in SCENES for word in ("-c", scene)))
    assert "You said: the end" in result.out, result
    assert not set(result.out + result.err) & {"\x1b", "\x9b", "\u202e"}
    # Each went out once, and has an end.
    assert [words(message) for message in there.sent("session/prompt")] == SCENES
    turns = parley.run("/history", "show", "--json").json["turns"]
    assert [turn["question"] for turn in turns] == SCENES
    assert {turn["status"] for turn in turns} <= {"complete", "length", "filtered", "failed", "cut-off"}
    # Nothing of this machine was offered, and nothing of it was touched.
    assert list(parley.directory.iterdir()) == []


# One that hangs for good would outlive its bridge, which ends without a word to it.
@pytest.mark.parametrize("scene", ["slow", "cancel-late", "ignore-cancel", "cancel-error"])
def test_every_habit_of_stopping_goes_through(chatting, scene):
    there, shell = chatting()
    shell.type(scene)
    wait_until(lambda: there.sent("session/prompt"), "the message to arrive")
    shell.press("ctrl-c")
    shell.wait_for("interrupted")
    shell.wait_for_prompt()
    assert there.sent("session/cancel")


def test_what_was_said_while_nobody_was_there_belongs_to_the_answer_before(parley, paired):
    there = paired()
    parley.run("echo", "one")
    session = parley.run("/history", "show", "--json").json["id"]
    gone = parley.start("-r", session, "stream", "12", "100")
    wait_until(lambda: "word2" in there.log.read_text(), "the answer to begin")
    gone.kill()
    gone.wait()
    wait_until(lambda: there.log.read_text().count("stopReason") == 2, "the answer to end")
    result = parley.run("-r", session, "echo", "five")
    assert (result.status, result.out) == (0, "You said: five\n")
    turns = parley.run("/history", "show", "--json").json["turns"]
    assert [turn["text"] for turn in turns if turn["question"] == "echo five"] == ["You said: five"]
    before, = [turn["text"] for turn in turns if turn["question"].startswith("stream")]
    assert before.split()[-1] == "word11" and before.split() == list(dict.fromkeys(before.split()))


def test_an_answer_goes_on_over_a_connection_that_was_lost(parley, paired):
    there = paired()
    result = parley.run("netdrop")
    assert result.status == 0, result
    assert result.out.split() == [f"word{number}" for number in range(30)]
    assert "the connection was lost" in result.err and "connected again" in result.err
    assert len(there.sent("session/prompt")) == 1
    kept = parley.run("/history", "show", "--json").json["turns"][-1]
    assert kept["status"] == "complete" and kept["text"].split() == result.out.split()


def test_an_agent_that_was_started_anew_is_not_taken_for_the_one_before(parley, chatting):
    there, shell = chatting()
    shell.say("echo one", until="You said: one")
    shell.type("slow")
    shell.wait_for("tick1")
    there.restart()
    shell.wait_for("the agent was started anew and does not know this message")
    shell.wait_for_prompt()
    shell.say("/agent info", until="connected")
    shell.say("echo two", until="You said: two")
    assert "tick1" in json.dumps(parley.run("/history", "show", "--json").json)


def test_an_agent_that_dies_in_its_answer_is_found_out(parley, paired):
    there = paired()
    result = parley.run("--set", "timeout.request=2", "crash")
    assert result.status == 8, result
    assert "the agent was started anew and does not know this message" in result.err
    assert result.out == "About to die. \n"
    assert len(there.sent("session/prompt")) == 1


def test_a_message_that_was_typed_while_there_was_no_connection_is_sent_by_the_next(chatting):
    there, shell = chatting()
    shell.say("echo one", until="You said: one")
    there.stop()
    wait_until(lambda: agent_state(shell) == "reconnecting", "the connection to be lost")
    shell.type("echo two")
    there.start()
    shell.wait_for("You said: two")
    shell.wait_for_prompt()
    assert [words(message) for message in there.sent("session/prompt")].count("echo two") == 1


def agent_state(shell):
    shell.say("/agent info", until="folder")
    return next(line.split()[1] for line in shell.text.splitlines() if line.startswith("state"))


def words(prompt):
    return " ".join(block["text"] for block in prompt["params"]["prompt"])


def test_another_certificate_ends_it_at_once(parley, paired):
    there = paired()
    assert parley.run("echo", "one").status == 0
    there.restart("--rotate-cert")
    result = parley.run("echo", "two")
    assert result.status == 6 and "has changed" in result.err


def test_a_token_that_is_not_taken_any_more_names_the_way_out(parley, paired):
    there = paired()
    there.token = "another-token-of-the-bridge-1234567890"
    there.restart()
    result = parley.run("echo", "one")
    assert result.status == 4
    assert "does not take our token" in result.err and "/pair pairs with it anew" in result.err


def test_a_question_of_another_devices_is_left_to_it(parley, binary, tmp_path, chatting):
    there, shell = chatting("--reusable-code")
    shell.say("echo one", until="You said: one")
    (tmp_path / "phone").mkdir()
    phone = Parley(binary, tmp_path / "phone")
    assert phone.run("/pair", input=there.link + "\n").status == 0
    assert "Permission answer: reject_once" in phone.run("permit").out
    assert not there.cancelled_answers


def test_what_another_device_asks_is_told_and_not_taken_for_ours(parley, binary, tmp_path, chatting):
    there, shell = chatting("--reusable-code")
    shell.say("echo one", until="You said: one")
    (tmp_path / "phone").mkdir()
    phone = Parley(binary, tmp_path / "phone")
    assert phone.run("/pair", input=there.link + "\n").status == 0
    assert phone.run("echo", "from the phone").out == "You said: from the phone\n"
    shell.say("/about", until="echo from the phone")
    assert "from another device" in shell.text
    kept = parley.run("/history", "show", "--json").json["turns"]
    assert [turn["text"] for turn in kept] == ["You said: one"]
