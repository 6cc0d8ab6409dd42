"""Conversations that a chat-ui server keeps: three generations of such servers, and what each notes of its client."""

import json
import re
import signal
import urllib.request

import pytest

from chatui import FORMS, ChatUI
from waiting import wait_until


@pytest.fixture(params=FORMS)
def form(request):
    return request.param


@pytest.fixture
def server(parley, tmp_path, form):
    """A server that the program knows as `there`, and has nothing to say against it at the end."""
    with ChatUI(form, tmp_path / "chat-ui") as one:
        know(parley, one)
        yield one
        assert one.faults == []


def know(parley, server):
    """Makes a server the one in use."""
    parley.home.mkdir(parents=True, exist_ok=True)
    (parley.home / "servers.json").write_text(json.dumps({
        "version": 1, "current": "there", "servers": [
            {"name": "there", "kind": "chat-ui", "url": server.url, "models": [], "model": "org/m-1"}]}))


@pytest.fixture
def shell(parley, server):
    shells = []

    def get(*options, **more):
        shells.append(parley.on_terminal(*options, **more))
        shells[-1].wait_for_prompt()
        return shells[-1]

    yield get
    for one in shells:
        one.close()


def turns(parley, *session):
    return parley.run("/history", "show", "--json", *session).json["turns"]


def said(conversation):
    """The messages of a stored conversation, but its first."""
    return [(message["from"], message["content"]) for message in conversation["messages"] if message["from"] != "system"]


def spoken(*texts):
    """The messages of a conversation in which these were echoed."""
    return [message for text in texts for message in (("user", f"echo {text}"), ("assistant", text))]


def posted(server):
    """The messages that were sent."""
    return [request["fields"]["data"] for request in server.requests if request.get("fields")]


def questions(server):
    """The texts that were sent, oldest first."""
    return [data["inputs"] for data in posted(server) if "inputs" in data]


def cookies(server):
    """What those who asked called themselves, oldest first, as name and value."""
    return [tuple(request["headers"]["cookie"].split("=", 1)) for request in server.requests
            if "cookie" in request["headers"]]


def delete_elsewhere(server, conversation):
    """As another device of the same person does it."""
    request = urllib.request.Request(f"{server.url}/conversation/{conversation}", b"{}", {
        "Cookie": "=".join(cookies(server)[-1]), "Content-Type": "application/json", "Accept": "application/json"},
        method="DELETE")
    urllib.request.urlopen(request, timeout=60).close()


def test_a_server_is_known_by_its_address_alone(parley, tmp_path, form):
    with ChatUI(form, tmp_path / "chat-ui") as server:
        result = parley.run("/connect", server.url, "there")
        assert "connected to there (chat-ui, " in result.err, result
        assert "org/m-1" in parley.run("/models").out
        assert server.faults == []


def test_a_conversation_goes_on_in_later_runs(parley, server):
    assert parley.run("echo one").out == "one\n"
    assert parley.run("-C", "echo two").out == "two\n"
    conversation, = server.conversations()
    assert said(conversation) == spoken("one", "two")
    assert [turn["text"] for turn in turns(parley)] == ["one", "two"]
    # Each hangs below the one before.
    assert posted(server)[1]["id"] == conversation["messages"][2]["id"]


def test_thoughts_come_by_either_road_and_are_no_part_of_the_answer(parley, server):
    for scene in ("think", "reason"):
        answer = parley.run("--json", scene).json
        assert answer["text"] == "The answer is 42." and answer["reasoning"], answer


@pytest.mark.parametrize("form", ["current"])
def test_what_a_server_does_for_an_answer_is_shown_and_kept(parley, server):
    result = parley.run("--", "tools")
    assert "It is sunny in Bern." in result.out and "✓ tool: weather" in result.err
    steps = [call for turn in turns(parley) for step in turn["steps"] for call in step["toolCalls"]]
    assert {call["tool"] for call in steps} >= {"weather", "lottery"}


def test_a_title_may_come_last(parley, server):
    parley.run("late-title")
    assert parley.run("/history", "--json").json[0]["title"] == "Late but here"


def test_an_answer_that_the_server_changes_at_its_end_is_kept_as_it_stands_there(parley, server):
    result = parley.run("--json", "revises")
    stored = said(server.conversations()[0])[-1][1]
    assert "never over the leaves" in stored and stored.endswith("Mulch keeps the soil moist.")
    assert result.json["text"] == stored
    assert turns(parley)[-1]["text"] == stored
    shown = parley.run("revises")
    draft, _, whole = shown.out.partition("☀️\n")
    assert "in the evening" in draft and "Mulch" not in draft
    assert whole == stored + "\n"
    assert "the server changed its answer" in shown.err


@pytest.mark.parametrize("how, text", [
    ("", "Let me look.\n\nIt is sunny."), (" same", "Let me look."), (" begins", "Let me look. Sunny!")])
@pytest.mark.parametrize("form", ["current"])
def test_what_a_server_says_behind_its_tools_follows_what_it_said_before(parley, server, how, text):
    result = parley.run("--json", "tools-final" + how)
    assert said(server.conversations()[0])[-1][1] == text
    # A tool stands between the two, and breaks them where the server does not.
    assert result.json["text"].split() == text.split()
    turn = turns(parley)[-1]
    assert "\n".join([step["text"] for step in turn["steps"]] + [turn["text"]]).split() == text.split()


def test_odd_lines_hide_nothing(parley, server):
    assert parley.run("odd").out == "Odd \nbut fine.\n"


ENDED = "error: the server ended the answer with an error "
PAY_FIRST = ENDED + "(You have exceeded your monthly included credits. Please upgrade.)"
# The message: the exit status, what came of the answer, and the first line about it.
FAILURES = {
    "error": (7, "", ENDED + "(Something is wrong.)"),
    "error 401": (4, "", "wants you to sign in"),
    "error 402": (7, "", PAY_FIRST),
    "error 402 late": (7, "It began well ", PAY_FIRST),
    "error 429": (7, "", "takes no more requests now (Too many requests. Please slow down.)"),
    "error 500": (7, "", ENDED + "(The endpoint is on fire.)"),
    "empty": (7, "", ENDED + "(No output was generated. Something went wrong.)"),
    "length": (8, "Too long to", "reason 'interrupted'"),
}


@pytest.mark.parametrize("message", FAILURES)
def test_what_goes_wrong_in_an_answer_is_said_and_the_status_tells(parley, server, message):
    status, out, err = FAILURES[message]
    result = parley.run(message)
    assert (result.status, result.out) == (status, out + "\n" * bool(out)), result
    assert err in result.err.splitlines()[0], result
    turn, = turns(parley)
    assert (turn["text"], turn["status"]) == (out, "cut-off" if status == 8 else "failed")


def test_a_message_is_asked_again_as_a_sibling(parley, server, shell):
    terminal = shell()
    terminal.say("echo one", until="one")
    terminal.say("/retry", until="one")
    conversation, = server.conversations()
    assert said(conversation) == [("user", "echo one"), ("assistant", "one"), ("assistant", "one")]
    assert posted(server)[1]["is_retry"] is True and "inputs" not in posted(server)[1]


def test_an_earlier_message_is_changed_and_goes_on_from_there(parley, server, shell):
    terminal = shell()
    terminal.say("echo one", until="one")
    terminal.say("echo two", until="two")
    terminal.say("/edit #2 echo three", until="three")
    terminal.say("echo four", until="four")
    conversation, = server.conversations()
    assert [text for author, text in said(conversation) if author == "assistant"] == ["one", "two", "three", "four"]
    users = [message for message in conversation["messages"] if message["from"] == "user"]
    assert users[1]["ancestors"] == users[2]["ancestors"]
    assert [turn["text"] for turn in turns(parley)] == ["one", "three", "four"]


def test_the_last_message_comes_back_to_be_changed(server, shell):
    terminal = shell()
    terminal.say("echo onne", until="onne")
    terminal.type("/edit")
    terminal.wait_until(lambda: terminal.typed.endswith("> echo onne"), "the message on the line")
    terminal.press("ctrl-u")
    terminal.say("echo one", until="one")
    conversation, = server.conversations()
    assert [text for author, text in said(conversation) if author == "user"] == ["echo onne", "echo one"]


def test_a_stop_stops_the_server(parley, server, shell):
    terminal = shell()
    server.test(hold=True)
    terminal.type("slow 500")
    wait_until(lambda: server.test()["running"], "the answer to be written")
    server.test(hold=False)
    terminal.wait_for("tick 3")
    terminal.press("ctrl-c")
    terminal.wait_for("interrupted")
    terminal.wait_for_prompt()
    wait_until(lambda: not server.test()["running"], "the server to stop")
    stopped = said(server.conversations()[0])[-1][1]
    ticks = re.findall(r"tick (\d+)", stopped)
    assert ticks == [str(number + 1) for number in range(len(ticks))] and 3 <= len(ticks) < 500
    # The person saw all that is kept; what was on its way may have been shown and not be kept.
    assert re.findall(r"tick (\d+)", terminal.text)[:len(ticks)] == ticks
    terminal.say("echo again", until="again")
    assert turns(parley)[0]["text"].strip() == stopped.strip()


def test_an_answer_goes_on_when_its_connection_is_lost(parley, server):
    for scene in ("cut", "no-final"):
        result = parley.run(scene)
        conversation = server.conversations()[0]
        assert result.status == 0 and result.out.strip() == said(conversation)[-1][1].strip(), result


def test_an_answer_that_was_being_written_when_the_program_was_killed_loses_no_character(parley, server, shell):
    terminal = shell()
    terminal.type("slow 60")
    terminal.wait_for("tick 5")
    terminal.signal(signal.SIGKILL)
    terminal.wait_for_exit()
    again = shell("-C")
    again.say("/resume", until="tick 60")
    whole = said(server.conversations()[0])[-1][1]
    assert turns(parley)[-1]["text"].strip() == whole.strip()
    assert turns(parley)[-1]["status"] == "complete"
    assert len(turns(parley)) == 1


def test_what_was_written_before_an_answer_is_gone_on_with_is_on_the_screen(server, shell):
    terminal = shell()
    terminal.type("slow 20")
    terminal.wait_for("tick 3")
    terminal.signal(signal.SIGKILL)
    terminal.wait_for_exit()
    again = shell()
    again.type("/continue")
    again.wait_for("tick 20")
    again.wait_for_prompt()
    seen = " ".join(again.text.split())
    assert [number for number in range(1, 21) if f"tick {number}" not in seen] == []


def test_an_answer_that_was_finished_meanwhile_is_here_at_once(parley, server, shell):
    terminal = shell()
    server.test(hold=True)
    terminal.type("slow 20")
    wait_until(lambda: server.test()["running"], "the answer to be written")
    terminal.signal(signal.SIGKILL)
    terminal.wait_for_exit()
    server.test(hold=False)
    wait_until(lambda: not server.test()["running"], "the answer to be done")
    again = shell("-C")
    again.say("/resume", until="tick 20")
    assert turns(parley)[-1]["text"].strip() == said(server.conversations()[0])[-1][1].strip()


def kill_before_a_byte(server, shell, stall):
    """A shell that was killed behind its first answer, while the next question was under way."""
    terminal = shell()
    terminal.say("echo one", until="one")
    server.test(stall=stall)
    terminal.type("echo what became of me")
    wait_until(lambda: questions(server)[-1] == "echo what became of me", "the question to arrive")
    if stall == "unanswered":
        wait_until(lambda: len(said(server.conversations()[0])) == 4, "the question to be taken")
    assert "what became of me" not in terminal.text
    terminal.signal(signal.SIGKILL)
    terminal.wait_for_exit()


ASKED_ONCE = spoken("one", "what became of me")


@pytest.mark.parametrize("stall", ["unread", "unanswered"])
def test_a_question_that_arrived_before_the_program_was_killed_is_asked_once(parley, server, shell, stall):
    kill_before_a_byte(server, shell, stall)
    server.test(stall=None)
    wait_until(lambda: said(server.conversations()[0]) == ASKED_ONCE and not server.test()["running"], "the answer")
    again = shell()
    assert "resumed" in again.text and "#2 echo what became of me" in again.text
    again.say("/resume", until="an answer was finished there meanwhile")
    again.say("echo three", until="three")
    assert questions(server) == ["echo one", "echo what became of me", "echo three"]
    assert said(server.conversations()[0])[:4] == ASKED_ONCE
    assert [(turn["text"], turn["status"]) for turn in turns(parley)] == [
        ("one", "complete"), ("what became of me", "complete"), ("three", "complete")]


@pytest.mark.parametrize("look", [[], ["/resume"]], ids=["straight", "resume"])
def test_a_question_that_did_not_arrive_before_the_program_was_killed_can_be_asked_again(parley, server, shell, look):
    kill_before_a_byte(server, shell, "unread")
    server.kill()
    server.start()
    again = shell()
    assert "#2 echo what became of me" in again.text and "/retry asks again" in again.text
    for line in look:
        again.type(line)
        again.wait_for_prompt()
        assert "#2 echo what became of me" in again.text
    again.type("/retry")
    again.wait_for_prompt()
    assert said(server.conversations()[0]) == ASKED_ONCE
    assert [(turn["question"], turn["text"]) for turn in turns(parley)] == [
        ("echo one", "one"), ("echo what became of me", "what became of me")]


def test_files_go_along(parley, server):
    parley.file("notes.txt", "one\n")
    result = parley.run("echo look at @notes.txt")
    assert result.status == 0 and "attached notes.txt" in result.err, result
    request = next(request for request in server.requests if request.get("files"))
    assert request["files"][0]["name"] == "base64;notes.txt"
    # An answer that is asked for again has them there already.
    assert parley.run("/retry").status == 0
    assert sum(bool(request.get("files")) for request in server.requests) == 1
    assert parley.run("/edit", "#1", "echo look again").status == 0
    request = [request for request in server.requests if request.get("files")][-1]
    assert [file["name"].split(";")[1] for file in request["files"]] == ["notes.txt"]


def test_conversations_of_the_server_are_listed_and_opened(parley, server, shell):
    parley.run("echo one")
    parley.run("echo two")
    listed = parley.run("/sessions", "--json").json
    assert [row["title"] for row in listed] == ["echo two", "echo one"] and all(row["here"] for row in listed)
    terminal = shell()
    terminal.say(f"/sessions open {listed[1]['id'][:8]}", until="resumed")
    terminal.say("echo three", until="three")
    newest, other = server.conversations()
    assert newest["_id"] == listed[1]["id"] and said(newest) == spoken("one", "three")
    assert said(other) == spoken("two")


def test_a_conversation_from_elsewhere_is_kept_as_it_is_read(parley, server, shell):
    parley.run("echo one")
    parley.run("-C", "think")
    (parley.home / "history.sqlite").unlink()
    listed, = parley.run("/sessions", "--json").json
    assert listed["here"] is None
    terminal = shell()
    terminal.say(f"/sessions open {listed['id']}", until="resumed")
    assert [turn["text"] for turn in turns(parley)] == ["one", "The answer is 42."]
    assert parley.run("/history", "search", "42", "--json").json


def test_a_conversation_is_renamed_shared_taken_and_deleted(parley, server, shell):
    terminal = shell()
    terminal.say("echo one", until="one")
    terminal.say("/sessions rename My garden", until="title there and here")
    assert server.conversations()[0]["title"] == "My garden"
    terminal.type("/sessions share")
    terminal.wait_for_question("[y/N]")
    terminal.type("y")
    terminal.wait_for("/r/")
    terminal.wait_for_prompt()
    link = next(line for line in terminal.text.splitlines() if "/r/" in line).strip()
    terminal.say(f"/sessions take {link}", until="resumed")
    assert len(server.conversations()) == 2
    terminal.type(f"/sessions delete {server.conversations()[0]['_id']}")
    terminal.wait_for_question("[y/N]")
    terminal.type("y")
    terminal.wait_for("deleted on the server")
    terminal.wait_for_question("[y/N]")
    terminal.type("n")
    terminal.wait_for("stays")
    terminal.wait_for_prompt()
    assert len(server.conversations()) == 1
    assert len(parley.run("/history", "--json").json) == 2


def test_a_turn_is_deleted_there_and_stays_here(parley, server, shell):
    terminal = shell()
    terminal.say("echo one", until="one")
    terminal.say("echo two", until="two")
    terminal.type("/sessions delete #2")
    terminal.wait_for_question("[y/N]")
    terminal.type("y")
    terminal.wait_for("deleted there and kept here: #2")
    terminal.wait_for_prompt()
    assert len(said(server.conversations()[0])) == 2
    assert [turn["text"] for turn in turns(parley)] == ["one"]
    assert "two" in parley.run("/history", "show", "#2").out


def test_what_somebody_adds_elsewhere_is_seen(parley, server):
    """Another home with the same cookie is another device."""
    parley.run("echo one")
    there = {"PARLEY_HOME": str(parley.home.with_name("elsewhere"))}
    parley.home.with_name("elsewhere").mkdir(mode=0o700)
    for name in ("servers.json", "credentials.json"):
        (parley.home.with_name("elsewhere") / name).write_bytes((parley.home / name).read_bytes())
        (parley.home.with_name("elsewhere") / name).chmod(0o600)
    listed, = parley.run("/sessions", "--json", env=there).json
    parley.run("-c", f"/sessions open {listed['id']}", "-c", "echo two", env=there)
    result = parley.run("-C", "echo three")
    assert "1 turn came to it elsewhere" in result.err
    assert [turn["text"] for turn in turns(parley)] == ["one", "two", "three"]
    # Both are one person to the server, which has one conversation.
    assert len({value for name, value in cookies(server) if name == server.cookie}) == 1
    assert len(server.conversations()) == 1


def test_all_of_them_are_deleted_when_that_is_meant(parley, server):
    parley.run("echo one")
    parley.run("echo two")
    assert parley.run("/sessions", "delete", "all").status != 0
    assert len(server.conversations()) == 2
    assert parley.run("--yes", "/sessions", "delete", "all").status == 0
    assert server.conversations() == []
    assert len(parley.run("/history", "--json").json) == 2


def test_the_cookie_is_kept_and_stays_the_same(parley, server):
    for message in ("echo one", "echo two", "echo three"):
        assert parley.run("-v", message).status == 0
    # What it is called is the server's to say, once; then it stays, also in later runs.
    names = [name for name, _ in cookies(server)]
    theirs = cookies(server)[names.index(server.cookie):]
    assert len(set(theirs)) == 1 and len(theirs) > 2 * (len(names) - len(theirs))
    assert len(server.conversations()) == 3 and len(parley.run("/sessions", "--json").json) == 3
    assert (parley.home / "credentials.json").stat().st_mode & 0o777 == 0o600


def assert_masked(parley, server, shell, message, words):
    """What a server repeats of the cookie is nowhere to be seen or found, and what stands around it is."""
    parley.run("echo one")
    cookie = cookies(server)[-1][1]
    seen = [parley.run("-v", message), parley.run("--jsonl", message)]
    terminal = shell()
    terminal.say(message, until=words)
    seen.append(parley.run("/history", "show", "--json"))
    for result in seen:
        assert cookie not in result.out + result.err
    assert all("<secret>" in result.out + result.err for result in seen[:2])
    assert "<secret>" in terminal.text and cookie.encode() not in terminal.raw
    holders = [path.name for path in parley.written_files if cookie.encode() in path.read_bytes()]
    assert holders == ["credentials.json"]


def test_a_cookie_that_a_server_repeats_in_a_refusal_is_masked(parley, server, shell):
    parley.run("echo one")
    server.test(message_length=8, refuse_with_cookie=True)
    assert_masked(parley, server, shell, "echo something longer", "Message too long. You are")


def test_a_cookie_that_a_server_repeats_in_an_error_of_an_answer_is_masked(parley, server, shell):
    assert_masked(parley, server, shell, "cookie error", "Your cookie is")


def test_a_cookie_that_a_server_repeats_in_an_answer_is_masked(parley, server, shell):
    assert_masked(parley, server, shell, "cookie", "Your cookie is")


def test_no_byte_of_a_server_reaches_the_terminal_raw(parley, server):
    for words in (["hostile"], ["--jsonl", "hostile"], ["/sessions"], ["/history", "show"]):
        result = parley.run(*words)
        for output in (result.out_bytes, result.err_bytes):
            assert b"\x1b" not in output and b"\xc2\x9b" not in output and b"\x07" not in output, words


def test_a_final_text_that_is_another_one_is_shown_anew(parley, server):
    result = parley.run("differs")
    stored = said(server.conversations()[0])[-1][1]
    assert "the server changed its answer" in result.err and stored in result.out
    assert turns(parley)[-1]["text"] == stored
    assert "revised" in [line["event"] for line in parley.run("--jsonl", "differs").json_lines]


def test_a_file_of_an_answer_is_saved_and_nothing_is_written_over(parley, server):
    assert "✓ file" in parley.run("image").err
    name = next(call["tool"] for step in turns(parley)[-1]["steps"] for call in step["toolCalls"])
    result = parley.run("-C", "-c", f"/sessions file {name} here.png")
    assert result.status == 0 and "saved here.png" in result.err, result
    assert (parley.directory / "here.png").read_bytes().startswith(b"\x89PNG")
    again = parley.run("-C", "-c", f"/sessions file {name} here.png")
    assert again.status != 0 and "here.png" in again.err


def test_settings_of_the_server_are_changed_one_at_a_time(parley, server):
    assert parley.run("/server", "settings", "directPaste", "on").status == 0
    assert parley.run("/server", "settings", "customPrompts.org/m-1", "You are brief.").status == 0
    rows = {row["key"]: row["value"] for row in parley.run("/server", "settings", "--json").json}
    assert rows["directPaste"] is True and rows["customPrompts.org/m-1"] == "You are brief."
    # It holds for the conversations that are begun from now on, where no other was asked for.
    parley.run("echo one")
    assert server.conversations()[0]["preprompt"] == "You are brief."
    parley.run("--system", "Be long.", "echo two")
    assert server.conversations()[0]["preprompt"] == "Be long."
    assert parley.run("/server", "settings", "customPrompts.org/m-1", "").status == 0
    assert "customPrompts.org/m-1" not in parley.run("/server", "settings").out
    assert parley.run("/server", "settings", "nothing", "x").status == 2


def test_a_model_that_is_gone_is_replaced_and_the_conversation_goes_on(parley, server, shell):
    assert parley.run("/model", "org/m-1").status == 0
    terminal = shell()
    terminal.say("echo one", until="one")
    server.test(model_gone="org/m-1")
    terminal.type("echo two")
    terminal.wait_for_question("which model instead?")
    assert "model 'org/m-1', which you chose, is not running on there any more" in terminal.text
    assert "org/tools-3" in terminal.text and server.conversations()[0]["model"] == "org/m-1"
    terminal.say("org/tools-3", until="two")
    conversation, = server.conversations()
    assert conversation["model"] == "org/tools-3"
    assert said(conversation) == spoken("one", "two")
    assert [(turn["text"], turn["model"]) for turn in turns(parley)] == [("one", "org/m-1"), ("two", "org/tools-3")]


def test_a_model_that_nobody_chose_and_that_is_gone_is_the_persons_to_replace(parley, server, shell):
    terminal = shell()
    terminal.say("echo one", until="one")
    server.test(model_gone="org/m-1")
    terminal.say("echo two", until="model 'org/m-1' is not running any more")
    assert "org/tools-3" in terminal.text and "org/m-1 " not in terminal.text.partition("MODEL")[2]
    terminal.say("/model org/tools-3", until="model: org/tools-3")
    terminal.say("/retry", until="two")
    conversation, = server.conversations()
    assert conversation["model"] == "org/tools-3"
    assert said(conversation) == spoken("one", "two")
    assert [turn["text"] for turn in turns(parley)] == ["one", "two"]


def test_a_script_is_not_asked_which_model_replaces_one_that_is_gone(parley, server):
    assert parley.run("/model", "org/m-1").status == 0
    parley.run("echo one")
    server.test(model_gone="org/m-1")
    result = parley.run("-C", "echo two")
    assert result.status == 2 and "which you chose, is not running on there any more" in result.err, result
    assert "parley /model omni chooses another" in result.err
    assert questions(server) == ["echo one", "echo two"] and len(said(server.conversations()[0])) == 2


def test_a_conversation_that_begins_with_a_model_that_is_gone_says_which(parley, server):
    parley.run("echo one")
    server.test(model_gone="org/m-1")
    result = parley.run("echo two")
    assert "model 'org/m-1' is not running any more" in result.err, result


def test_a_conversation_that_is_gone_there_is_said_to_be(parley, server, shell):
    terminal = shell()
    terminal.say("echo one", until="one")
    delete_elsewhere(server, server.conversations()[0]["_id"])
    terminal.type("echo two")
    terminal.wait_for_prompt()
    assert "does not have this conversation any more" in terminal.text
    assert "/new begins another; what is here stays in the history" in terminal.text
    # It did not begin anew by itself, and nothing that is here was lost.
    assert server.conversations() == [] and questions(server) == ["echo one"]
    assert [(turn["question"], turn["text"]) for turn in turns(parley)] == [("echo one", "one"), ("echo two", "")]
    terminal.type("/new")
    terminal.wait_for_prompt()
    terminal.say("echo three", until="three")
    assert said(server.conversations()[0]) == spoken("three")


def test_a_conversation_that_was_deleted_there_begins_anew(parley, server):
    parley.run("echo one")
    conversation = server.conversations()[0]["_id"]
    assert parley.run("--yes", "/sessions", "delete", conversation).status == 0
    assert server.conversations() == []
    # What is kept here is a session like others, which begins anew there.
    result = parley.run("-C", "echo two")
    assert result.out == "two\n", result
    assert said(server.conversations()[0]) == spoken("two")
    assert [turn["text"] for turn in turns(parley)] == ["one", "two"]


@pytest.mark.parametrize("change, words", [
    ({"rate_limit": 0}, "takes no more requests"), ({"message_length": 3}, "too long")])
def test_limits_of_a_server_are_said_in_its_words(parley, server, change, words):
    server.test(**change)
    result = parley.run("echo one")
    assert result.status != 0 and words in result.err.lower(), result


@pytest.mark.parametrize("form", ["2025-10", "seed"])
def test_a_server_that_has_the_older_interface_alone(parley, tmp_path, form):
    with ChatUI(form, tmp_path / "chat-ui", "--v1") as server:
        result = parley.run("/connect", server.url, "there")
        assert f"connected to there (chat-ui, {server.url}): 4 models" in result.err, result
        assert [row["name"] for row in parley.run("/models", "--json").json] == [
            "org/m-1", "omni", "org/see-2", "org/tools-3"]
        assert parley.run("echo one").out == "one\n"
        assert parley.run("-C", "echo two").out == "two\n"
        assert parley.run("think").out == "The answer is 42.\n"
        newest, first = server.conversations()
        assert said(first) == spoken("one", "two")
        # Each hangs below the one before, though the server does not tell what hangs where.
        assert [len(message["ancestors"]) for message in first["messages"]] == [0, 1, 2, 3, 4]
        assert [(row["id"], row["title"]) for row in parley.run("/sessions", "--json").json] == [
            (newest["_id"], "think"), (first["_id"], "echo one")]
        # One that only the server has is read as one line.
        (parley.home / "history.sqlite").unlink()
        assert parley.run("/sessions", "open", first["_id"]).status == 0
        assert [turn["question"] for turn in turns(parley)] == ["echo one", "echo two"]
        assert [turn["text"] for turn in turns(parley)] == ["one", "two"]
        # What is lost on the way is found there too.
        assert parley.run("cut").out == "This goes on without you.\n"
        assert parley.run("-y", "/sessions", "delete", newest["_id"]).status == 0
        assert [row["title"] for row in parley.run("/sessions", "--json").json] == ["cut", "echo one"]
        assert server.faults == []


def test_a_server_below_a_path_with_a_cookie_of_its_own(parley, tmp_path, form):
    with ChatUI(form, tmp_path / "chat-ui", "--base", "/chat", "--cookie", "our-chat") as server:
        know(parley, server)
        assert parley.run("echo one").out == "one\n"
        assert parley.run("-C", "echo two").out == "two\n"
        assert len(server.conversations()) == 1
        assert "our-chat=" in server.requests[-1]["headers"]["cookie"]
        assert server.faults == []


def test_a_server_behind_a_proxy_knows_itself_by_another_name(parley, tmp_path, form):
    other = "https://chat.example.com"
    with ChatUI(form, tmp_path / "chat-ui", "--origin", other, "--public-origin", other) as server:
        know(parley, server)
        assert parley.run("echo one").out == "one\n"


def test_who_is_not_signed_in_is_told_and_a_pasted_cookie_lets_in(parley, tmp_path, form):
    with ChatUI(form, tmp_path / "chat-ui", "--login", "--user-cookie", "the-cookie-of-ada") as server:
        know(parley, server)
        result = parley.run("echo one")
        assert result.status == 4 and "sign in" in result.err, result
        terminal = parley.on_terminal()
        terminal.wait_for_prompt()
        terminal.type("/login")
        terminal.wait_for_question("which (1 to 2)")
        terminal.type("2")
        terminal.wait_for_question("(not shown)")
        terminal.send("the-cookie-of-ada")
        terminal.press("enter")
        terminal.wait_for("signed in as")
        terminal.wait_for_prompt()
        assert "the-cookie-of-ada" not in terminal.text
        terminal.say("echo one", until="one")
        assert terminal.leave() == 0
        assert parley.run("-C", "echo two").out == "two\n"
        assert "the-cookie-of-ada" not in (parley.home / "servers.json").read_text()
        terminal.close()


@pytest.mark.parametrize("answer, outcome", [("y", "booked"), ("n", "not booked: decline")])
@pytest.mark.parametrize("how", ["", " park"])
@pytest.mark.parametrize("form", ["current"])
def test_a_question_of_the_servers_tool_is_answered(server, shell, answer, outcome, how):
    terminal = shell()
    terminal.type("ask" + how)
    while True:
        terminal.wait_until(
            lambda: terminal.cursor_line >= terminal.seen_from and terminal.typed.endswith((":", "]", "[N]o")),
            "a field or the end of the form")
        if terminal.typed.startswith("send?"):
            break
        is_mail = "mail" in terminal.typed
        terminal.look_from_here()
        terminal.send("ada@example.com" if is_mail else "")
        terminal.press("enter")
    terminal.say(answer, until="The tool says " + outcome)


def test_a_checkup_leaves_nothing_behind_on_the_server(parley, server):
    result = parley.run("/doctor")
    assert "answered in" in result.out, result
    assert server.conversations() == []


@pytest.mark.parametrize("form", ["current"])
def test_the_tools_of_the_server_are_chosen(parley, server):
    listed = parley.run("/mcp", "--json").json
    names = {row["server"] if "server" in row else row["id"] for row in listed}
    assert names, listed
    name = sorted(names)[0]
    parley.run("echo one")
    assert parley.run("/mcp", "enable", name).status == 0
    parley.run("echo two")
    assert parley.run("/mcp", "disable", name).status == 0
    parley.run("echo three")
    assert parley.run("/mcp", "reset").status == 0
    parley.run("echo four")
    sent = [data.get("selectedMcpServerNames", "all") for data in posted(server)]
    assert sent == ["all", [name], [], "all"]


def test_a_conversation_that_only_the_server_has_is_resumed_by_its_title(parley, server, shell):
    parley.run("echo one")
    server.test(new_client=True)
    (parley.home / "history.sqlite").unlink()
    title = server.conversations()[0]["title"]
    terminal = shell()
    terminal.say("/sessions", until=title)
    terminal.say(f"/resume {title}", until="resumed")
    terminal.say("echo two", until="two")
    assert len(server.conversations()) == 1


@pytest.mark.parametrize("form", ["current", "2025-10"])
def test_a_slow_server_does_not_keep_the_prompt_waiting(parley, server):
    server.test(delay=3600)
    terminal = parley.on_terminal("-C")
    terminal.wait_for_prompt()
    terminal.say("/help sessions", until="Usage")
    terminal.type("/sessions")
    wait_until(lambda: any("conversations" in request["path"] for request in server.requests), "the list to be asked for")
    terminal.press("ctrl-c")
    terminal.wait_for_prompt()
    assert terminal.leave() == 0
    terminal.close()
    server.test(delay=0)


def test_a_stop_of_an_answer_that_was_taken_up_again_stops_the_server(parley, server, shell):
    terminal = shell()
    terminal.type("slow 500")
    terminal.wait_for("tick 3")
    terminal.signal(signal.SIGKILL)
    terminal.wait_for_exit()
    again = shell("-C")
    again.type("/resume")
    again.wait_for("tick 6")
    again.press("ctrl-c")
    again.wait_for("interrupted")
    again.wait_for_prompt()
    wait_until(lambda: not server.test()["running"], "the server to stop")


@pytest.mark.parametrize("form", ["current"])
def test_two_who_write_below_one_answer_keep_their_own(parley, server, shell):
    parley.run("echo one")
    elsewhere = parley.home.with_name("elsewhere")
    elsewhere.mkdir(mode=0o700)
    for path in parley.home.iterdir():
        if path.is_file():
            (elsewhere / path.name).write_bytes(path.read_bytes())
            (elsewhere / path.name).chmod(0o600)
    terminal = shell("-C")
    server.test(hold=True)
    terminal.type("echo mine all mine")
    wait_until(lambda: server.test()["running"], "the answer to be written")
    other = parley.start("-C", "echo theirs alone", env={"PARLEY_HOME": str(elsewhere)})
    wait_until(lambda: server.test()["running"] == 2, "the other answer to be written")
    server.test(hold=False)
    assert parley.finish(other).out == "theirs alone\n"
    terminal.wait_for_prompt()
    terminal.say("echo after mine", until="after mine")
    messages = {message["id"]: message for message in server.conversations()[0]["messages"]}
    after = next(message for message in messages.values() if message["content"] == "echo after mine")
    assert messages[after["ancestors"][-1]]["content"] == "mine all mine"
