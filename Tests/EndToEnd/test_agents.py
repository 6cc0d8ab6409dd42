"""Agents of this machine: a real one plays each scene, and what it notes of the client is read afterwards."""

import json
import os

import pytest

from agents import SCENES, Agent, running
from waiting import wait_until


@pytest.fixture
def agent(parley, tmp_path):
    """An agent of the profile that is asked for; at the end it has nothing to say against the client."""
    made = []

    def get(profile="full", *options):
        made.append(Agent(parley, tmp_path, profile, *options))
        return made[-1]

    yield get
    for one in made:
        assert one.faults == []


@pytest.fixture
def chatting(parley, agent):
    """A shell on a terminal, with an agent in front."""
    shells = []

    def get(profile="full", *options, **more):
        peer = agent(profile)
        shell = parley.on_terminal(*options, **more)
        shells.append(shell)
        shell.wait_for_prompt()
        return peer, shell

    yield get
    for shell in shells:
        shell.close()


def only_call(answer):
    call, = answer["toolCalls"]
    return call


# From outside


def test_an_answer_comes_whole_and_is_kept(parley, agent):
    peer = agent()
    result = parley.run("echo", "hello there")
    assert (result.status, result.out) == (0, "You said: hello there\n")
    kept = parley.run("/history", "show", "--json").json
    assert "You said: hello there" in json.dumps(kept)
    assert [message["params"]["protocolVersion"] for message in peer.sent("initialize")] == [1]
    assert "cwd is absolute" in peer.praise


def test_thoughts_are_no_part_of_the_answer(agent):
    answer = agent().ask("think")
    assert answer["text"] == "Forty-two."
    assert answer["reasoning"] == "Let me see. The answer\nis near."


def test_text_arrives_as_it_was_sent_whatever_the_chunks(agent):
    peer = agent()
    assert peer.ask("utf8")["text"] == "e\u0301 漢字 👩\u200d👩\u200d👧 🇩🇪 ﷺ שלום"
    assert peer.ask("md")["text"].startswith("# Title\n\nSome *emphasis*")
    assert len(peer.ask("big 512")["text"]) == 512 * 1024


def test_a_long_stream_comes_in_order(agent):
    words = agent().ask("stream 20 1")["text"].split()
    assert words == [f"word{number}" for number in range(20)]


def test_what_comes_between_the_pieces_of_a_message_breaks_no_line(parley, agent):
    answer = agent().ask("meta My garden")
    assert answer["text"] == "One message in two parts.\n\nAnother message."
    assert parley.run("/history", "--json").json[0]["title"] == "My garden"


def test_calls_are_kept_with_what_came_of_them(agent):
    call = only_call(agent().ask("tool"))
    assert (call["name"], call["tool"], call["status"]) == ("search", "Search for TODO", "done")
    assert "main.txt:3: TODO one" in call["result"]
    assert call["arguments"] == {"pattern": "TODO"}


def test_a_call_that_fails_and_one_that_has_no_end(agent):
    calls = {call["tool"]: call["status"] for call in agent().ask("failtool")["toolCalls"]}
    assert calls == {"Fetch a page": "failed", "Out of the blue": "done", "Never finishes": "unreported"}


def test_a_plan_is_kept_as_it_was_in_the_end(parley, agent):
    peer = agent()
    lines = parley.run("--jsonl", "plan").json_lines
    plans = [line for line in lines if line["event"] == "activity"]
    assert plans[0]["content"][0]["entries"][0]["status"] == "running"
    assert [entry["status"] for entry in plans[-1]["content"][0]["entries"]] == ["done"] * 3
    assert peer.faults == []


def test_diffs_are_shown_by_what_changed(parley, agent):
    agent()
    result = parley.run("diff")
    assert "  - two\n  + TWO" in result.err and "new.txt (new)" in result.err and "gone.txt (emptied)" in result.err


@pytest.mark.parametrize("reason, status, words", [
    ("max_tokens", 9, "length limit"), ("max_turn_requests", 9, "max_turn_requests"), ("end_turn", 0, ""),
    ("out_of_coffee", 8, "out_of_coffee")])
def test_how_it_stopped_is_said(parley, agent, reason, status, words):
    agent()
    result = parley.run("stop " + reason)
    assert (result.status, result.out) == (status, "Stopping. \n")
    assert words in result.err


def test_a_refusal_is_no_success(parley, agent):
    agent()
    result = parley.run("refuse")
    assert result.status == 9 and "refused" in result.err


def test_an_error_is_said_with_its_reason(parley, agent):
    agent()
    result = parley.run("error -32603 Something broke")
    assert result.status != 0
    assert "Something broke" in result.err and "made by the test peer" in result.err


def test_an_agent_that_dies_is_said_and_what_came_is_kept(parley, agent):
    agent()
    result = parley.run("crash")
    assert result.status == 5 and result.out == "About to die. \n"
    assert "exit status 3" in result.err and "dying on request" in result.err
    again = parley.run("echo", "again")
    assert again.out == "You said: again\n"


def test_what_is_no_protocol_is_passed_over(agent):
    peer = agent("full", "--banner")
    assert peer.ask("noise")["text"] == "Still here."
    assert peer.ask("unknown")["text"].startswith("Still here.")
    assert "unknown request refused with -32601" in peer.praise


def test_no_byte_of_an_agent_reaches_the_terminal_raw(parley, agent):
    agent()
    result = parley.run("ansi")
    for output in (result.out_bytes, result.err_bytes):
        assert b"\x1b" not in output and b"\x9b" not in output and b"\x07" not in output


def test_blocks_that_are_no_text_are_named(agent):
    answer = agent().ask("blocks")
    assert len(answer["toolCalls"]) == 4
    assert answer["text"] == "print(1)\n"


def test_an_image_of_an_agent_is_drawn_by_a_terminal_that_can(parley, agent):
    agent()
    terminal = parley.on_terminal("blocks", env={"TERM": "xterm-kitty"})
    assert terminal.wait_for_exit() == 0
    assert terminal.raw.count(b"\x1b_Ga=T,f=100,c=1,r=1,q=2,m=0;") == 1
    assert "image, image/png" in terminal.text


def test_a_prompt_that_is_echoed_is_not_said_twice(agent):
    assert agent().ask("dupuser hello")["text"] == "Seen."


def test_nothing_is_allowed_where_nobody_can_be_asked(parley, agent):
    peer = agent()
    result = parley.run("permit")
    assert "Permission answer: reject_once" in result.out
    assert result.status != 0 and "Delete build output" in result.err
    result = parley.run("write peer.txt hello")
    assert "Not written" in result.out and not (parley.directory / "peer.txt").exists()
    assert "terminal refused" in parley.run("run touch canary").out
    assert not (parley.directory / "canary").exists()
    assert peer.faults == []


PIXEL = bytes.fromhex("89504e470d0a1a0a0000000d4948445200000001000000010806000000" "1f15c489")


def test_files_that_a_message_names_go_along(parley, agent):
    peer = agent()
    parley.file("my notes.txt", "not this one\n")
    parley.file("notes.txt", "one\n")
    (parley.directory / "dot.png").write_bytes(PIXEL)
    (parley.directory / "odd.bin").write_bytes(b"\0\1")
    (parley.directory / "folder").mkdir()
    result = parley.run("look at @notes.txt, @dot.png, @odd.bin, @folder, @missing and @notes.txt!",
                        input="@notes.txt in a pipe is no file\n")
    assert result.status == 0, result
    assert "attached notes.txt (text, 1 line, 4 bytes)" in result.err
    assert "@folder is a folder: only its name is sent" in result.err
    text, *files = peer.sent("session/prompt")[-1]["params"]["prompt"]
    assert text["text"].startswith("look at @notes.txt, @dot.png")
    assert [file["type"] for file in files] == ["resource", "image", "resource"]
    uri = f"file://{parley.directory}/notes.txt"
    assert files[0]["resource"] == {"uri": uri, "mimeType": "text/plain", "text": "one\n"}
    assert files[1]["mimeType"] == "image/png" and files[2]["resource"]["blob"] == "AAE="


def test_files_that_were_attached_go_along_again_when_it_is_asked_again(parley, agent):
    peer = agent()
    (parley.directory / "dot.png").write_bytes(PIXEL)
    path = parley.file("my notes.txt", "one\n")
    assert parley.run("-a", "my notes.txt", "look at @dot.png").status == 0
    path.unlink()
    assert parley.run("/retry").status == 0
    first, again = [sent["params"]["prompt"][1:] for sent in peer.sent("session/prompt")]
    assert [block["type"] for block in again] == ["image", "resource"] and first == again


def test_a_pipe_that_a_message_names_is_not_waited_for(parley, agent):
    peer = agent()
    os.mkfifo(parley.directory / "pipe")
    result = parley.run("look at @pipe")
    assert result.status == 2 and "pipe is a pipe, and no file" in result.err, result
    assert peer.sent("session/prompt") == []


def test_an_agent_that_takes_no_files_is_told_where_they_are(parley, agent):
    peer = agent("minimal")
    parley.file("notes.txt", "one\n")
    parley.run("look at @notes.txt")
    _, link = peer.sent("session/prompt")[-1]["params"]["prompt"]
    assert link == {"type": "resource_link", "uri": f"file://{parley.directory}/notes.txt", "name": "notes.txt",
                    "mimeType": "text/plain", "size": 4}


def test_tab_completes_the_files_that_a_message_can_name(parley, chatting):
    parley.file("notes-of-may.txt", "one\n")
    peer, shell = chatting()
    shell.send("look at @notes-")
    shell.press("tab")
    shell.wait_until(lambda: shell.typed.endswith("@notes-of-may.txt"), "the name to be completed")


def test_every_scene_goes_through_in_one_session(parley, agent):
    peer = agent()
    parley.file("notes.txt", "one\n")
    result = parley.run("--set", "tools.approval=always", *(word for scene in SCENES for word in ("-c", scene)))
    assert "You said: the end" in result.out, result
    assert not set(result.out + result.err) & {"\x1b", "\x9b", "\u202e"}
    assert [message["params"]["prompt"][0]["text"] for message in peer.sent("session/prompt")] == SCENES
    assert len({message["params"]["sessionId"] for message in peer.sent("session/prompt")}) == 1
    assert [turn["question"] for turn in parley.run("/history", "show", "--json").json["turns"]] == SCENES


def test_everything_is_allowed_where_the_person_says_so(parley, agent):
    peer = agent()
    always = ("--set", "tools.approval=always")
    assert "Permission answer: allow_once" in parley.run(*always, "permit").out
    assert "Permission answers: ['allow_once', 'allow_once']" in parley.run(*always, "parallel").out
    result = parley.run(*always, "write peer.txt hello\\nworld\\n")
    assert "Wrote peer.txt." in result.out
    assert (parley.directory / "peer.txt").read_text() == "hello\nworld\n"
    assert "what was written reads back the same" in peer.praise
    assert "exit 0 signal None" in parley.run(*always, "run echo from the terminal").out
    assert "one\ntwo" in parley.run(*always, "runline").out
    assert "started" in parley.run(*always, "runkill").out
    parley.run(*always, "runbig")
    assert {"output kept within outputByteLimit", "a released terminal id is refused", "exitStatus present after exit",
            "no exitStatus while the command runs"} <= peer.praise


def test_files_of_the_folder_may_be_read(parley, agent):
    agent()
    parley.file("notes.txt", "one\ntwo\nthree\n")
    assert "one\ntwo\nthree" in parley.run("read notes.txt").out
    assert "read 4 characters" in parley.run("read notes.txt 2 1").out
    assert "read failed: -32002" in parley.run("read missing.txt").out


def test_a_sparse_question_has_the_title_of_the_call(parley, agent):
    agent()
    result = parley.run("permit-sparse")
    assert "Permission answer: deny" in result.out and "Write notes.txt" in result.err


def test_a_question_without_a_no_is_cancelled(parley, agent):
    agent()
    result = parley.run("permit-unknown")
    assert "Permission answer: cancelled" in result.out
    assert b"\x1b" not in result.err_bytes


def test_forms_are_declined_where_nobody_can_be_asked(parley, agent):
    agent()
    assert '"action":"decline"' in parley.run("elicit").out.replace(" ", "")
    assert '"action":"decline"' in parley.run("elicit url").out.replace(" ", "")


def test_an_agent_that_offers_nothing_is_asked_for_nothing(parley, agent):
    peer = agent("minimal")
    assert parley.run("echo", "hi").out == "You said: hi\n"
    assert parley.run("-c", "echo one", "-c", "echo two").out == "You said: one\nYou said: two\n"
    assert peer.faults == []


def test_another_version_of_the_protocol_is_not_spoken(parley, agent):
    agent("v2only")
    result = parley.run("echo", "hi")
    assert result.status != 0 and "another version" in result.err and result.out == ""


@pytest.mark.parametrize("profile", ["early", "legacy", "cfgonly", "slowinit"])
def test_agents_of_all_habits_answer(parley, agent, profile):
    agent(profile)
    assert parley.run("echo", "hi").out == "You said: hi\n"


def test_a_sign_in_is_asked_for_when_the_agent_wants_it(parley, agent):
    agent("auth")
    result = parley.run("echo", "hi")
    assert result.status == 4 and "agent-login" in result.err and "log in first" in result.err


def test_a_session_goes_on_in_a_later_run(parley, agent):
    peer = agent()
    parley.run("echo", "one")
    result = parley.run("-C", "echo two")
    assert result.out == "You said: two\n"
    assert len(peer.sent("session/resume")) == 1
    turns = parley.run("/history", "show", "--json").json
    assert json.dumps(turns).count("You said: one") == 1


def test_a_program_that_is_no_agent_is_not_kept_and_what_it_said_is_shown(parley):
    result = parley.run("/agent", "run", "--", "sh", "-c", "echo no key here >&2; exit 7")
    assert result.status == 5 and result.out == ""
    assert "| no key here" in result.err and "exit status 7" in result.err and "is not kept" in result.err
    assert parley.run("/agent", "--json").json == []


def test_an_agent_is_called_by_its_program(parley, agent):
    peer = agent()
    parley.run("--yes", "/agent", "delete", "peer")
    assert parley.run("/agent", "run", "--", *peer.command).status == 0
    assert [one["name"] for one in parley.run("/agent", "--json").json] == ["acp_peer"]


# On a terminal


def test_a_permission_is_given_and_refused_at_the_prompt(chatting):
    peer, shell = chatting()
    shell.type("permit")
    shell.wait_for_question("allow?")
    assert "rm -r build" in shell.text and "Always allow" in shell.text
    shell.say("y", until="Permission answer: allow_once")
    shell.type("permit")
    shell.wait_for_question("allow?")
    shell.say("", until="Permission answer: reject_once")
    shell.type("permit-sparse")
    shell.wait_for_question("allow?")
    shell.say("3", until="Permission answer: perm")


def test_what_was_allowed_for_good_is_not_asked_about_until_it_is_taken_back(parley, chatting):
    peer, shell = chatting()
    shell.type("run echo hello")
    shell.wait_for_question("allow?")
    shell.say("a", until="exit 0")
    shell.say("run echo hello", until="exit 0")
    shell.type("run echo another")
    shell.wait_for_question("allow?")
    shell.say("n", until="terminal refused")
    assert "run echo hello" in parley.run("/permissions").out
    shell.say("/permissions revoke peer", until="asked about again")
    shell.type("run echo hello")
    shell.wait_for_question("allow?")
    shell.press("ctrl-c")
    shell.wait_for("interrupted")
    shell.wait_for_prompt()


def test_a_write_that_was_allowed_is_asked_about_once(parley, chatting):
    peer, shell = chatting()
    shell.type("write peer.txt hello\\nworld\\n")
    shell.wait_for_question("allow?")
    assert "+ hello" in shell.text and "+ world" in shell.text
    shell.say("y", until="Wrote peer.txt.")
    assert (parley.directory / "peer.txt").read_text() == "hello\nworld\n"


def test_a_form_is_filled_in(chatting):
    peer, shell = chatting()
    shell.type("elicit")
    shell.wait_for_question("Name:")
    shell.type("Ada")
    for _ in range(4):
        shell.wait_until(lambda: shell.typed.endswith(":") or shell.typed.endswith("]"), "the next field")
        shell.type("")
    shell.wait_for_question("send?")
    shell.type("y")
    shell.wait_for('"name":"Ada"')


def test_ctrl_c_stops_the_agent_and_what_came_is_kept(parley, chatting):
    peer, shell = chatting()
    shell.type("slow 60")
    shell.wait_for("tick3")
    shell.press("ctrl-c")
    shell.wait_for("interrupted")
    shell.wait_for_prompt()
    assert len(peer.sent("session/cancel")) == 1
    shell.say("echo still here", until="You said: still here")
    assert "tick3" in json.dumps(parley.run("/history", "show", "--json").json)


def test_ctrl_c_at_a_question_stops_the_turn(chatting):
    peer, shell = chatting()
    shell.type("permit")
    shell.wait_for_question("allow?")
    shell.press("ctrl-c")
    shell.wait_for("interrupted")
    shell.wait_for_prompt()
    wait_until(lambda: peer.cancelled_answers, "the question to be answered")
    assert peer.came.index("session/cancel") < peer.came.index("cancelled")


def test_an_agent_cleans_up_after_ctrl_c_and_is_heard(chatting):
    peer, shell = chatting()
    shell.type("cancel-late")
    shell.wait_for("Long job")
    shell.press("ctrl-c")
    shell.wait_for("(cleaning up)")
    shell.wait_for("interrupted")
    shell.wait_for_prompt()


def test_an_agent_that_answers_a_cancel_with_an_error_is_interrupted(chatting):
    peer, shell = chatting()
    shell.type("cancel-error")
    wait_until(lambda: peer.sent("session/prompt"), "the message to arrive")
    shell.press("ctrl-c")
    shell.wait_for("interrupted")
    shell.wait_for_prompt()


def test_an_agent_that_does_not_listen_gives_the_prompt_back_and_is_ended(chatting):
    peer, shell = chatting()
    shell.type("hang")
    wait_until(lambda: peer.sent("session/prompt"), "the message to arrive")
    shell.press("ctrl-c")
    shell.wait_for("interrupted")
    shell.wait_for_prompt()
    assert peer.sent("session/cancel")
    shell.type("echo one")
    shell.wait_for("still busy")
    shell.press("ctrl-c")
    shell.wait_for("interrupted")
    shell.wait_for_prompt()
    shell.say("echo two", until="You said: two")


def test_a_second_ctrl_c_gives_the_prompt_back_however_soon_it_comes(chatting):
    peer, shell = chatting()
    shell.type("ignore-cancel")
    shell.wait_for("I do not hear you.")
    shell.press("ctrl-c", "ctrl-c")
    shell.wait_for_prompt()
    assert shell.process.poll() is None


def test_what_was_chosen_holds_in_a_session_that_is_begun_anew(chatting):
    peer, shell = chatting()
    shell.say("/agent set mode code", until="mode: code")
    shell.type("/agent clear")
    shell.wait_for_question("[y/N]")
    shell.type("y")
    shell.wait_for("mode: code")
    shell.wait_for_prompt()
    assert len(peer.sent("session/new")) == 2
    # The one before is let go.
    assert len(peer.sent("session/close")) == 1


def test_a_session_of_the_agents_is_opened_branched_and_forgotten(parley, chatting):
    peer, shell = chatting()
    shell.say("meta My garden", until="Another message.")
    first = peer.sent("session/prompt")[-1]["params"]["sessionId"]
    shell.say("/agent fork", until="a branch of the session")
    shell.say("echo on the branch", until="on the branch")
    branch = peer.sent("session/prompt")[-1]["params"]["sessionId"]
    assert branch != first
    shell.say(f"/agent open {first}", until="session resumed")
    shell.say("echo on the first", until="on the first")
    assert peer.sent("session/prompt")[-1]["params"]["sessionId"] == first
    shell.type(f"/agent forget {branch}")
    shell.wait_for_question("[y/N]")
    shell.type("y")
    shell.wait_for("forgotten by the agent")
    shell.wait_for_prompt()
    shell.say("/agent open nothing", until="no session of the agent's 'nothing'")
    shell.leave()
    kept = {row["title"]: row["turns"] for row in parley.run("/history", "--json").json}
    # What was opened went on with what is kept of it.
    assert kept == {"My garden": 2, "My garden (branch)": 1}
    # What was opened goes on in a later run.
    parley.run("-C", "echo", "later")
    assert peer.sent("session/prompt")[-1]["params"]["sessionId"] == first


def test_an_agent_that_keeps_little_says_what_it_does_not_offer(chatting):
    peer, shell = chatting("minimal")
    shell.say("/agent fork", until="the agent does not offer sessions that branch")
    shell.say("/agent open x", until="the agent does not offer a list of its sessions")


def test_what_only_a_question_says_of_a_call_is_kept(parley, agent):
    agent()
    result = parley.run("--set", "tools.approval=always", "permit-input")
    assert result.status == 0, result
    steps = parley.run("/history", "show", "--json").json["turns"][-1]["steps"]
    assert [call["arguments"] for step in steps for call in step["toolCalls"]] == [{"command": "make clean"}]


def test_the_agents_model_is_the_model(chatting):
    peer, shell = chatting()
    shell.say("/model", until="on peer")
    shell.say("/models", until="huge-1")
    shell.say("/model huge", until="huge-1 or huge-2")
    shell.say("/model huge-1", until="model: huge-1")
    shell.say("/model", until="huge-1 on peer")
    shell.say("/agent set mode nothing", until="it has")


def test_an_agent_that_stops_late_loses_nothing_and_the_hint_holds(chatting):
    peer, shell = chatting()
    shell.type("ignore-cancel")
    shell.wait_for("I do not hear you.")
    shell.press("ctrl-c")
    shell.wait_for("interrupted: another message goes on, /retry asks again")
    shell.wait_for_prompt()
    shell.say("echo next", until="You said: next")
    shell.say("/history show", until="interrupted: another message goes on")
    assert "/continue" not in shell.text


def test_a_command_of_ours_is_sent_to_the_agent_behind_a_space(chatting):
    peer, shell = chatting()
    shell.say(" help", until="# Scenarios")


def test_everything_at_once_is_asked_about_step_by_step(parley, chatting):
    peer, shell = chatting()
    shell.type("all")
    shell.wait_for_question("allow?")
    shell.type("y")
    shell.wait_for("Wrote peer.txt.")
    shell.wait_for_question("allow?")
    shell.say("y", until="Some emphasis")
    assert (parley.directory / "peer.txt").read_text() == "hello\nworld\n"
    kept = json.dumps(parley.run("/history", "show", "--json").json)
    for said in ("Forty-two.", "Two hits.", "Edited.", "from the terminal", "Search for TODO", "Write peer.txt"):
        assert said in kept


def test_what_comes_late_is_shown_and_kept(parley, chatting):
    peer, shell = chatting()
    shell.say("late", until="First half,")
    wait_until(lambda: "second half" in peer.log.read_text(), "the rest to be said")
    shell.say("/about", until="second half.")
    assert "First half, second half." in json.dumps(parley.run("/history", "show", "--json").json)


def test_what_comes_late_is_told_above_the_line_that_is_typed(parley, chatting):
    peer, shell = chatting()
    shell.say("late", until="First half,")
    shell.send("echo half a li")
    shell.wait_for("second half.")
    shell.wait_until(lambda: shell.typed.endswith("> echo half a li"), "the line to be there still")
    shell.send("ne")
    shell.press("enter")
    shell.wait_for("You said: half a line")
    assert "First half, second half." in json.dumps(parley.run("/history", "show", "--json").json)


def test_what_is_asked_while_a_line_is_typed_waits_for_its_end(chatting):
    peer, shell = chatting()
    shell.type("late-ask")
    shell.wait_for("peer asks something: Enter shows it")
    shell.wait_for_prompt()
    shell.press("enter")
    shell.wait_for_question("allow?")
    shell.type("y")
    shell.wait_for("Late answer: allow_once")


def test_the_agents_own_commands_and_settings_are_at_hand(chatting):
    peer, shell = chatting()
    shell.say("/agent set", until="huge-1")
    shell.say("/agent set mode code", until="mode: code")
    shell.say("/agent set brave on", until="brave: true")
    wait_until(lambda: "available_commands_update" in peer.log.read_text(), "the commands to be told")
    while "/plan /web" not in shell.text:  # what was told may be on its way
        shell.say("/agent info", until="settings")
    shell.say("/web something", until="You said:")


def test_a_person_signs_in_by_a_way_of_the_agents(chatting):
    peer, shell = chatting("auth")
    shell.type("echo hello")
    shell.wait_for_question("which way?")
    shell.say("1", until="You said: hello")


def test_a_session_that_a_setting_has_opened_goes_on_in_a_later_run(parley, chatting):
    peer, shell = chatting()
    shell.say("/agent set mode code", until="mode: code")
    shell.say("echo one", until="You said: one")
    assert shell.leave() == 0
    assert parley.run("-C", "echo two").out == "You said: two\n"
    assert len(peer.sent("session/new")) == 1 and len(peer.sent("session/resume")) == 1


def test_a_setting_is_of_the_session_that_comes_next(chatting):
    peer, shell = chatting()
    shell.say("echo one", until="You said: one")
    shell.say("/new", until="new session")
    shell.say("/agent set mode plan", until="mode: plan")
    shell.say("echo two", until="You said: two")
    changed, = peer.sent("session/set_config_option")
    assert changed["params"]["sessionId"] == peer.sent("session/prompt")[-1]["params"]["sessionId"]


def test_ctrl_c_ends_the_command_that_runs_for_the_agent(chatting):
    peer, shell = chatting()
    shell.type("run sleep 98765")
    shell.wait_for_question("allow?")
    shell.type("y")
    wait_until(lambda: running("sleep 98765"), "the command to run")
    shell.press("ctrl-c")
    shell.wait_for("interrupted")
    shell.wait_for_prompt()
    wait_until(lambda: not running("sleep 98765"), "the command to end")


def test_several_agents_run_and_one_is_in_front(chatting, agent):
    peer, shell = chatting()
    shell.say("echo one", until="You said: one")
    command = " ".join(peer.command[:3])
    shell.say(f"/agent run {command}", until="new session")
    shell.say("/agent", until="running")
    shell.say("/agent use peer", until="session resumed")
    shell.say("echo two", until="You said: two")
    assert len(peer.sent("session/new")) == 1


def test_an_agent_and_what_it_started_end_with_the_shell(chatting):
    peer, shell = chatting()
    shell.say("echo one", until="You said: one")
    assert running(str(peer.state))
    assert shell.leave() == 0
    assert not running(str(peer.state))


def test_a_forgotten_agent_takes_its_sessions_along(parley, agent):
    agent()
    parley.run("echo", "hello")
    assert parley.run("--yes", "/agent", "delete", "peer").status == 0
    assert parley.run("/history", "--json").json == []
    assert parley.run("/agent", "--json").json == []
