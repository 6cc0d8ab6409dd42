"""The program as an agent: an editor speaks with it over the client side of the protocol's own library."""

import asyncio
import json
import os
import signal
import subprocess

import acp
import pytest
from acp import schema

from agents import Agent
from editor import editing, program
from tool_servers import command
from waiting import wait_until

ADD = 'add {"a": 2, "b": 3}'
HELLO = "Hello from the scripted server."


def kept(parley, session):
    return parley.run("/history", "show", session, "--json").json


# Messages


def test_a_message_is_answered_and_kept(parley, scripted):
    async def story():
        async with editing(parley, "-s", scripted.url("ok")) as there:
            session = await there.begin()
            answer = await there.ask(session, "good morning")
            assert answer.stop_reason == "end_turn"
            assert there.editor.said() == HELLO
            assert answer.usage.total_tokens == answer.usage.input_tokens + answer.usage.output_tokens > 0
            assert [update.title for update in there.editor.of("session_info_update")] == ["good morning"]
            await there.ask(session, "and again")
        assert there.process.returncode == 0
        return session

    session = asyncio.run(story())
    roles = [message["role"] for message in scripted.questions[-1]["messages"]]
    assert roles == ["system", "user", "assistant", "user"]
    assert [turn["text"] for turn in kept(parley, session)["turns"]] == [HELLO, HELLO]


def test_a_real_model_answers(parley, model):
    async def story():
        # It may not find its end.
        async with editing(parley, "-s", model, "--set", "max-tokens=40") as there:
            answer = await there.ask(await there.begin(), "Say hello.")
            assert answer.stop_reason in ("end_turn", "max_tokens")
            assert there.editor.said().strip()

    asyncio.run(story())


@pytest.mark.parametrize(("scene", "reason"), [("length", "max_tokens"), ("filter", "end_turn")])
def test_an_answer_that_ends_early_says_how(parley, scripted, scene, reason):
    async def story():
        async with editing(parley, "-s", scripted.url(scene)) as there:
            answer = await there.ask(await there.begin(), "go")
            assert answer.stop_reason == reason

    asyncio.run(story())


@pytest.mark.parametrize(("scene", "code", "words"), [
    ("drop", -32603, "cut off"), ("500", -32603, "500"), ("401", -32603, "/login")])
def test_what_fails_is_an_error_with_its_reason(parley, scripted, scene, code, words):
    async def story():
        async with editing(parley, "-s", scripted.url(scene)) as there:
            session = await there.begin()
            with pytest.raises(acp.RequestError) as failure:
                await there.ask(session, "go")
            assert failure.value.code == code
            assert words in str(failure.value), failure.value
            assert scene != "401" or "on a terminal: parley /login" in str(failure.value)
            assert failure.value.data["hints"]
            # The session goes on.
            answer = await there.ask(session, "/about")
            assert answer.stop_reason == "end_turn"

    asyncio.run(story())


def test_what_the_model_thinks_is_a_thought(parley, scripted):
    async def story():
        async with editing(parley, "-s", scripted.url("reasoning")) as there:
            await there.ask(await there.begin(), "go")
            assert there.editor.said("agent_thought_chunk") and there.editor.said()

    asyncio.run(story())


def test_files_that_are_mentioned_are_read_by_the_editor(parley, scripted):
    async def story():
        files = {"/work/a b.txt": "the unsaved text"}
        async with editing(parley, "-s", scripted.url("ok"), files=files) as there:
            await there.ask(
                await there.begin(), "compare ", acp.resource_link_block("a b.txt", "file:///work/a%20b.txt"), " and ",
                acp.resource_block(acp.embedded_text_resource("file:///work/c.txt", "an embedded text ``` fence")))

    asyncio.run(story())
    asked = scripted.questions[-1]["messages"][-1]["content"]
    assert asked.startswith("compare @a b.txt and @c.txt\n\n")
    assert "the unsaved text" in asked and "````\nan embedded text ``` fence\n````" in asked


def test_without_a_server_it_says_what_to_do(parley):
    async def story():
        async with editing(parley) as there:
            session = await there.begin()
            with pytest.raises(acp.RequestError) as failure:
                await there.ask(session, "hello")
            assert "no server yet" in str(failure.value) and "/connect" in str(failure.value)

    asyncio.run(story())


def test_a_sign_in_that_is_wanted_is_asked_for_where_the_editor_can_do_that(parley, scripted):
    wire = Wire(parley, "-s", scripted.url("401"))
    wire.ask(1, "initialize", protocolVersion=1, clientCapabilities={"auth": {"terminal": True}})
    session = wire.ask(2, "session/new", cwd="/", mcpServers=[])["result"]["sessionId"]
    failure = wire.ask(3, "session/prompt", sessionId=session, prompt=[{"type": "text", "text": "go"}])["error"]
    assert failure["code"] == -32000


@pytest.mark.parametrize("line", ["/login", "/new", "/pair", "/quit", "/modle x"])
def test_a_slip_and_what_needs_a_terminal_are_not_sent_to_a_model(parley, scripted, line):
    async def story():
        async with editing(parley, "-s", scripted.url("ok")) as there:
            answer = await there.ask(await there.begin(), line)
            assert answer.stop_reason == "end_turn"
            assert "error:" in there.editor.said() and "hint:" in there.editor.said()

    asyncio.run(story())
    assert scripted.questions == []


# Stopping


def test_a_cancelled_answer_ends_and_is_kept_as_far_as_it_came(parley, scripted):
    async def story():
        async with editing(parley, "-s", scripted.url("nod")) as there:
            session = await there.begin()
            asking = asyncio.create_task(there.ask(session, "go"))
            await there.editor.wait_for("word4")
            await there.agent.cancel(session_id=session)
            assert (await asking).stop_reason == "cancelled"
            return session

    session = asyncio.run(story())
    turn, = kept(parley, session)["turns"]
    assert turn["status"] == "interrupted" and "word4" in turn["text"]


def test_a_question_that_is_open_ends_with_the_turn(parley, scripted):
    async def story():
        async with editing(parley, "-s", scripted.url("tools"), answers=[None]) as there:
            session = await there.begin([program("peer", *command("mcp2"))])
            asking = asyncio.create_task(there.ask(session, ADD))
            await asyncio.wait_for(there.editor.asked.wait(), 60)
            await there.agent.cancel(session_id=session)
            assert (await asking).stop_reason == "cancelled"
            # What was not allowed has not run.
            assert [call["states"] for call in there.editor.calls().values()] == [["pending", "failed"]]

    asyncio.run(story())


@pytest.mark.parametrize("stop", ["cancel", signal.SIGTERM])
def test_a_file_that_the_editor_does_not_give_holds_nobody_up(parley, scripted, stop):
    wire = Wire(parley, "-s", scripted.url("ok"))
    wire.ask(1, "initialize", protocolVersion=1, clientCapabilities={"fs": {"readTextFile": True}})
    session = wire.ask(2, "session/new", cwd="/", mcpServers=[])["result"]["sessionId"]
    link = {"type": "resource_link", "name": "a", "uri": "file:///a"}
    wire.send({"id": 3, "method": "session/prompt", "params": {"sessionId": session, "prompt": [link]}})
    while wire.next().get("method") != "fs/read_text_file":
        pass
    if stop == "cancel":
        wire.send({"method": "session/cancel", "params": {"sessionId": session}})
        assert wire.answer(3)["result"]["stopReason"] == "cancelled"
    else:
        os.kill(wire.process.pid, stop)
        assert wire.process.wait(timeout=60) == 143
    assert scripted.questions == []


def test_a_server_that_is_still_being_asked_what_it_is_holds_nobody_up(parley, scripted):
    wire = Wire(parley, "-s", scripted.url("models-silent"))
    prompt = {"sessionId": wire.begin(), "prompt": [{"type": "text", "text": "go"}]}
    wire.send({"id": 3, "method": "session/prompt", "params": prompt},
              {"method": "session/cancel", "params": {"sessionId": prompt["sessionId"]}})
    assert wire.answer(3)["result"]["stopReason"] == "cancelled"
    assert wire.end()[1] == 0


def test_a_choice_in_the_middle_of_a_turn_holds_from_the_next(parley, scripted):
    async def story():
        async with editing(parley, "-s", scripted.url("nod")) as there:
            session = await there.begin()
            asking = asyncio.create_task(there.ask(session, "go"))
            await there.editor.wait_for("word4")
            chosen = await there.agent.set_config_option(session_id=session, config_id="tools", value="never")
            assert {option.id: option.current_value for option in chosen.config_options}["tools"] == "never"
            there.editor.updates.clear()
            await there.agent.cancel(session_id=session)
            await asking
            answer = await there.ask(session, "/about")
            assert answer.stop_reason == "end_turn"
            # It was never taken back on the way.
            assert there.editor.of("config_option_update") == []

    asyncio.run(story())


@pytest.mark.parametrize("ending", ["hang-up", signal.SIGTERM, signal.SIGKILL])
def test_what_came_is_kept_when_the_editor_goes(parley, scripted, ending):
    async def story():
        async with editing(parley, "-s", scripted.url("nod")) as there:
            session = await there.begin()
            asking = asyncio.create_task(there.ask(session, "go"))
            await there.editor.wait_for("word4")
            if ending == signal.SIGKILL:
                # It is on disk a second after it came.
                wait_until(lambda: "word4" in json.dumps(kept(parley, session)), "the words to be kept")
            if ending == "hang-up":
                there.process.stdin.close()
            else:
                there.process.send_signal(ending)
            status = await asyncio.wait_for(there.process.wait(), 60)
            assert status == {"hang-up": 0, signal.SIGTERM: 143, signal.SIGKILL: -9}[ending]
            asking.cancel()
            return session

    session = asyncio.run(story())
    turn, = kept(parley, session)["turns"]
    assert "word4" in turn["text"]


# Tools


def test_a_tool_of_the_editors_runs_when_the_person_says_so(parley, scripted):
    async def story():
        async with editing(parley, "-s", scripted.url("tools"), answers=["allow_once", "reject_once"]) as there:
            session = await there.begin([program("peer", *command("mcp2"))])
            await there.ask(session, ADD)
            (call, options), = there.editor.questions
            assert call.raw_input == {"a": 2, "b": 3} and "add" in call.title and "peer" in call.title
            assert [option.kind for option in options] == ["allow_once", "allow_always", "allow_always", "reject_once"]
            done, = there.editor.calls().values()
            assert done["states"] == ["pending", "in_progress", "completed"]
            assert "5" in done["content"][0].content.text and "The tools said:" in there.editor.said()
            assert there.editor.calls().keys() == {call.tool_call_id}
            await there.ask(session, ADD)
            assert list(there.editor.calls().values())[1]["states"] == ["pending", "failed"]
            return session

    session = asyncio.run(story())
    assert "did not allow" in json.dumps(scripted.questions[-1]["messages"])
    calls = [call for turn in kept(parley, session)["turns"] for step in turn["steps"] for call in step["toolCalls"]]
    statuses = [call["status"] for call in calls]
    assert statuses == ["done", "refused"]


def test_who_wants_no_more_calls_ends_the_turn(parley, scripted):
    async def story():
        answers = ["allow_always", "No"]
        async with editing(parley, "--set", "tools.rounds=1", "-s", scripted.url("tools-endless"), answers=answers) as there:
            answer = await there.ask(await there.begin([program("peer", *command("mcp2"))]), ADD)
            assert answer.stop_reason == "max_turn_requests"
            # The question was shown as a call, and is over.
            assert all(call["states"][-1] in ("completed", "failed") for call in there.editor.calls().values())

    asyncio.run(story())


def test_a_server_that_is_no_program_is_left_out_and_said_to_be(parley, scripted):
    async def story():
        async with editing(parley, "-s", scripted.url("ok")) as there:
            session = await there.begin([schema.HttpMcpServer(type="http", name="far", url="http://127.0.0.1:1/", headers=[])])
            await there.ask(session, "go")
            assert "MCP server far is no program" in there.editor.said("agent_thought_chunk")
            assert there.editor.said() == HELLO

    asyncio.run(story())


def test_what_is_allowed_for_a_session_is_not_asked_again_in_it(parley, scripted):
    async def story():
        answers = ["Allow until this session ends", "reject_once"]
        async with editing(parley, "-s", scripted.url("tools"), answers=answers) as there:
            server = program("peer", *command("mcp2"))
            first = await there.begin([server])
            await there.ask(first, ADD)
            await there.ask(first, ADD)
            assert len(there.editor.questions) == 1
            await there.ask(await there.begin([server]), ADD)
            assert len(there.editor.questions) == 2

    asyncio.run(story())


def test_whether_tools_run_unasked_can_be_chosen(parley, scripted):
    async def story():
        async with editing(parley, "-s", scripted.url("tools")) as there:
            session = await there.begin([program("peer", *command("mcp2"))])
            chosen = await there.agent.set_config_option(session_id=session, config_id="tools", value="always")
            assert {option.id: option.current_value for option in chosen.config_options}["tools"] == "always"
            await there.ask(session, ADD)
            assert there.editor.questions == [] and "The tools said:" in there.editor.said()
            with pytest.raises(acp.RequestError) as failure:
                await there.agent.set_config_option(session_id=session, config_id="tools", value="whatever")
            assert failure.value.code == -32602

    asyncio.run(story())
    # For that session only.
    assert "ask" in parley.run("/settings", "tools.approval").out.split()


def test_an_editors_tool_server_gets_its_variables_and_its_folder(parley, scripted, tmp_path):
    note = tmp_path / "note.txt"
    server = program("odd", "/bin/sh", "-c", f'echo "$SECRET_KEY $(pwd)" > {note}')
    server.env = [schema.EnvVariable(name="SECRET_KEY", value="of-the-editor")]

    async def story():
        async with editing(parley, "-s", scripted.url("ok")) as there:
            answer = await there.ask(await there.begin([server]), "go")
            assert answer.stop_reason == "end_turn"
            assert "odd is unavailable" in there.editor.said("agent_thought_chunk")

    asyncio.run(story())
    assert note.read_text().split() == ["of-the-editor", str(parley.directory)]


def test_the_editors_tool_server_does_not_take_the_place_of_the_persons(parley, scripted, tmp_path):
    note = tmp_path / "note.txt"
    parley.run("--yes", "/tools", "add", "peer", "--env", "LANG", "--", "/bin/sh", "-c", f'echo "$LANG" >> {note}',
               env={"LANG": "of-the-person"})
    note.write_text("")
    server = program("peer", *command("mcp2"))
    server.env = [schema.EnvVariable(name="LANG", value="of-the-editor")]

    async def story():
        async with editing(parley, "-s", scripted.url("tools"), answers=["allow_once"]) as there:
            session = await there.begin([server])
            await there.ask(session, ADD)
            assert "The tools said:" in there.editor.said()
            await there.ask(session, "/tools")

    parley.environment["LANG"] = "of-the-person"
    asyncio.run(story())
    assert set(note.read_text().split()) == {"of-the-person"}


def test_what_was_allowed_for_good_was_allowed_with_these_variables(parley, scripted):
    def server(value):
        one = program("peer", *command("mcp2"))
        one.env = [schema.EnvVariable(name="DATABASE", value=value)]
        return one

    async def story():
        answers = ["Always allow", "reject_once"]
        async with editing(parley, "-s", scripted.url("tools"), answers=answers) as there:
            for value, asked in (("trial", 1), ("trial", 1), ("real", 2)):
                await there.ask(await there.begin([server(value)]), ADD)
                assert len(there.editor.questions) == asked

    asyncio.run(story())


def test_a_message_that_is_too_long_ends_it_with_a_word(parley, scripted):
    wire = Wire(parley)
    wire.ask(1, "initialize", protocolVersion=1)
    with pytest.raises(BrokenPipeError):
        wire.send('"' + "x" * (65 << 20) + '"')
    result = parley.finish(wire.process)
    assert result.status == 1 and "longer than 64 MiB" in result.err


def test_requests_are_answered_though_nothing_more_comes(parley, scripted):
    lines = [{"id": 1, "method": "initialize", "params": {"protocolVersion": 1}},
             {"id": 2, "method": "session/new", "params": {"cwd": "/"}}, {"id": 3, "method": "session/list"}]
    text = "".join(json.dumps({"jsonrpc": "2.0", **line}) + "\n" for line in lines)
    result = parley.run("--acp", input=text)
    assert result.status == 0
    assert {line["id"] for line in result.json_lines if "result" in line} == {1, 2, 3}


# An agent behind it


def test_an_agent_behind_it_asks_and_shows_through_the_editor(parley, tmp_path):
    agent = Agent(parley, tmp_path)

    async def story():
        async with editing(parley, answers=["allow_once", "reject_once"]) as there:
            session = await there.begin()
            await there.ask(session, "permit")
            (call, options), = there.editor.questions
            assert {"allow_once", "reject_once"} <= {option.kind for option in options}
            await there.ask(session, "permit")
            await there.ask(session, "diff")
            diffs = [content for call in there.editor.calls().values() for content in call["content"] or []
                     if content.type == "diff"]
            assert diffs and diffs[0].path
            await there.ask(session, "plan")
            assert there.editor.of("plan")

    asyncio.run(story())
    assert agent.faults == []


def test_an_agent_behind_it_writes_where_the_session_is(parley, tmp_path):
    agent = Agent(parley, tmp_path)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()

    async def story():
        async with editing(parley, answers=["allow_once"]) as there:
            session = await there.agent.new_session(cwd=str(elsewhere), mcp_servers=[])
            await there.ask(session.session_id, "write notes.txt good")
            (call, _), = there.editor.questions
            assert call.kind == "edit" and [content.type for content in call.content] == ["content", "diff"]
            assert "Agent peer asks leave" in call.content[0].content.text

    asyncio.run(story())
    assert (elsewhere / "notes.txt").read_text() == "good"
    assert agent.faults == []


# Sessions


def test_a_session_is_listed_loaded_and_removed(parley, scripted):
    async def first():
        async with editing(parley, "-s", scripted.url("tools"), answers=["allow_once"]) as there:
            session = await there.begin([program("peer", *command("mcp2"))])
            await there.ask(session, ADD)
            await there.agent.close_session(session_id=session)
            with pytest.raises(acp.RequestError) as failure:
                await there.ask(session, "more")
            assert failure.value.code == -32002
            return session

    async def second(session):
        async with editing(parley, "-s", scripted.url("tools"), answers=["allow_once"]) as there:
            listed, = (await there.agent.list_sessions()).sessions
            assert (listed.session_id, listed.title) == (session, ADD)
            server = program("peer", *command("mcp2"))
            await there.agent.load_session(cwd=str(there.folder), session_id=session, mcp_servers=[server])
            assert there.editor.said("user_message_chunk") == ADD
            call, = there.editor.calls().values()
            assert call["states"] == ["completed"] and "5" in call["content"][0].content.text
            assert "The tools said:" in there.editor.said()
            await there.ask(session, ADD)
            assert there.editor.said("user_message_chunk") == ADD
            # The model's server counts its calls anew; in the session each has a name of its own.
            assert len(there.editor.calls()) == 2
            await there.agent.close_session(session_id=session)
            there.editor.updates.clear()
            await there.agent.resume_session(cwd=str(there.folder), session_id=session)
            assert there.editor.of("agent_message_chunk") == []
            with pytest.raises(acp.RequestError) as failure:
                await there.agent.load_session(cwd=str(there.folder), session_id="of-nobody", mcp_servers=[])
            assert failure.value.code == -32002

    session = asyncio.run(first())
    asyncio.run(second(session))
    assert len(kept(parley, session)["turns"]) == 2
    # What the library does not know yet.
    wire = Wire(parley)
    wire.ask(1, "initialize", protocolVersion=1)
    for number in (2, 3):
        assert wire.ask(number, "session/delete", sessionId=session)["result"] == {}
    assert wire.ask(4, "session/list")["result"]["sessions"] == []


def test_sessions_are_listed_by_pages(parley, scripted):
    async def story():
        async with editing(parley, "-s", scripted.url("ok")) as there:
            for number in range(52):
                session = await there.begin()
                await there.ask(session, f"message {number}")
                await there.agent.close_session(session_id=session)
            page = await there.agent.list_sessions()
            rest = await there.agent.list_sessions(cursor=page.next_cursor)
            assert (len(page.sessions), len(rest.sessions), rest.next_cursor) == (50, 2, None)
            assert page.sessions[0].title == "message 51" and rest.sessions[-1].title == "message 0"

    asyncio.run(story())


def test_several_sessions_go_on_at_once(parley, scripted):
    async def story():
        async with editing(parley, "-s", scripted.url("nod", "once")) as there:
            one, other = await there.begin(), await there.begin()
            asking = [asyncio.create_task(there.ask(session, "go")) for session in (one, other)]
            await there.editor.wait_for("word4")
            with pytest.raises(acp.RequestError) as failure:
                await there.ask(one, "and more")
            assert "still at another prompt" in str(failure.value)
            for session in (one, other):
                await there.agent.cancel(session_id=session)
            assert [(await each).stop_reason for each in asking] == ["cancelled", "cancelled"]

    asyncio.run(story())


def test_the_model_and_the_server_can_be_chosen(parley, scripted):
    parley.run("/connect", scripted.url("ok"), "one")
    parley.run("/connect", scripted.url("echo"), "other")

    async def story():
        async with editing(parley) as there:
            session = await there.agent.new_session(cwd=str(there.folder), mcp_servers=[])
            options = {option.id: option for option in session.config_options}
            assert options["server"].current_value == "other"
            assert {choice.value for choice in options["server"].options} == {"one", "other"}
            assert options["model"].current_value == "scripted" and options["model"].category == "model"
            await there.agent.set_config_option(session_id=session.session_id, config_id="server", value="one")
            await there.ask(session.session_id, "go")
            assert there.editor.said() == HELLO

    async def back_and_forth():
        address = scripted.url("ok")
        async with editing(parley, "-s", address) as there:
            session = await there.begin()
            for value in ("other", address):
                chosen = await there.agent.set_config_option(session_id=session, config_id="server", value=value)
                server = next(option for option in chosen.config_options if option.id == "server")
                assert server.current_value == value
                assert {choice.value for choice in server.options} == {"one", "other", address}
            await there.ask(session, "go")
            assert there.editor.said() == HELLO

    asyncio.run(story())
    asyncio.run(back_and_forth())
    # The choice was the session's.
    assert next(row for row in parley.run("/server", "--json").json if row["current"])["name"] == "other"


# Commands


def test_a_command_is_run_and_shown(parley, scripted):
    async def story():
        async with editing(parley, "-s", scripted.url("ok")) as there:
            session = await there.begin()
            answer = await there.ask(session, "/models")
            assert answer.stop_reason == "end_turn"
            assert there.editor.said().startswith("```\n") and "scripted" in there.editor.said()
            commands, = there.editor.of("available_commands_update")
            names = {each.name for each in commands.available_commands}
            assert "models" in names and not names & {"login", "pair", "new", "resume", "quit"}
            there.editor.updates.clear()
            await there.ask(session, "/help")
            assert "/retry" in there.editor.said() and "/pair" not in there.editor.said()
            await there.ask(session, "/model nosuch")
            assert "error: no model 'nosuch'" in there.editor.said() and "hint:" in there.editor.said()
            there.editor.updates.clear()
            await there.ask(session, "/etc/hosts is a file")
            assert there.editor.said() == HELLO
            there.editor.updates.clear()
            answer = await there.ask(session, "/retry")
            assert answer.stop_reason == "end_turn" and there.editor.said() == HELLO

    asyncio.run(story())


def test_a_session_that_cannot_be_loaded_stays_open(parley, scripted):
    async def story():
        async with editing(parley, "-s", scripted.url("ok")) as there:
            session = await there.begin()
            # The history has it with its first message: until then there is nothing to load.
            await there.agent.load_session(cwd=str(there.folder), session_id=session, mcp_servers=[])
            await there.agent.resume_session(cwd=str(there.folder), session_id=session)
            await there.ask(session, "hello")
            assert there.editor.said() == HELLO
            assert parley.run("--yes", "/forget", "all").status == 0
            for take_up in (there.agent.load_session, there.agent.resume_session):
                with pytest.raises(acp.RequestError) as failure:
                    await take_up(cwd=str(there.folder), session_id=session, mcp_servers=[])
                assert failure.value.code == -32002
            there.editor.updates.clear()
            await there.ask(session, "hello")
            assert there.editor.said() == HELLO

    asyncio.run(story())


# The wire


class Wire:
    """The program as an agent, spoken with line by line."""

    def __init__(self, parley, *options):
        self.process = parley.start("--acp", *options, stdin=subprocess.PIPE)
        self.lines = []

    def send(self, *messages):
        for message in messages:
            line = message if isinstance(message, str) else json.dumps({"jsonrpc": "2.0", **message})
            self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def next(self):
        self.lines.append(self.process.stdout.readline())
        return json.loads(self.lines[-1])

    def answer(self, number):
        """The answer to the request of that number; what comes before it is passed over."""
        while True:
            message = self.next()
            if message.get("id") == number and "method" not in message:
                return message

    def ask(self, number, method, **params):
        self.send({"id": number, "method": method, "params": params})
        return self.answer(number)

    def wait_for_commands(self):
        """A new session tells its commands some time after the answer that names it."""
        while self.next().get("params", {}).get("update", {}).get("sessionUpdate") != "available_commands_update":
            pass

    def begin(self):
        """The name of a session, behind a greeting."""
        self.ask(1, "initialize", protocolVersion=1)
        return self.ask(2, "session/new", cwd="/", mcpServers=[])["result"]["sessionId"]

    def end(self):
        """What comes behind what was read, and the exit status."""
        self.process.stdin.close()
        rest = self.process.stdout.read()
        return rest, self.process.wait(timeout=60)


def test_what_is_no_request_is_answered_as_such_or_passed_over(parley):
    wire = Wire(parley)
    assert wire.ask(1, "session/new", cwd="/", mcpServers=[])["error"]["code"] == -32600
    assert "error" not in wire.ask(2, "initialize", protocolVersion=1)
    wire.send("no json", "[]")
    assert [wire.answer(None)["error"]["code"] for _ in range(2)] == [-32700, -32600]
    assert wire.ask(3, "nothing/there")["error"]["code"] == -32601
    assert wire.ask(4, "session/prompt", sessionId="x", prompt=[])["error"]["code"] == -32002
    for cwd in ("relative", "/nowhere/at/all"):
        assert wire.ask(5, "session/new", cwd=cwd, mcpServers=[])["error"]["code"] == -32602
    odd = [{"name": "n"}, 5, {"name": "n", "command": "c", "args": [5]}, {"name": "n", "command": "c", "env": [5]}]
    for server in odd:
        assert wire.ask(6, "session/new", cwd="/", mcpServers=[server])["error"]["code"] == -32602
    twice = {"name": "n", "command": "c", "args": [], "env": []}
    for servers in ("x", [twice, twice]):
        assert wire.ask(6, "session/new", cwd="/", mcpServers=servers)["error"]["code"] == -32602
    deep = '{"jsonrpc":"2.0","id":8,"method":"session/list","params":' + "[" * 300 + "]" * 300 + "}"
    wire.send(deep)
    assert wire.answer(None)["error"]["code"] == -32700
    assert wire.ask(8, "session/list", cwd="relative")["error"]["code"] == -32602
    session = wire.ask(9, "session/new", cwd="/")["result"]["sessionId"]
    wire.wait_for_commands()
    assert wire.ask(10, "session/prompt", sessionId=session, prompt=[])["error"]["code"] == -32602
    wire.send({"method": "session/cancel", "params": {"sessionId": "x"}}, {"method": "$/whatever"})
    assert wire.end() == (b"", 0)


def test_another_version_is_answered_with_ours(parley):
    wire = Wire(parley)
    answer = wire.ask(1, "initialize", protocolVersion=7, clientCapabilities={"auth": {"terminal": True}})["result"]
    assert answer["protocolVersion"] == 1
    way, = answer["authMethods"]
    assert (way["type"], way["args"]) == ("terminal", ["/login"])


def test_the_way_to_sign_in_is_the_same_program_on_a_terminal(parley, playground):
    there = playground()
    parley.run("/connect", there.address, "lab")
    terminal = parley.on_terminal("--acp", "/login")
    terminal.wait_for_question("user name")


def test_a_question_that_is_called_off_is_withdrawn(parley, scripted):
    wire = Wire(parley, "-s", scripted.url("tools"))
    wire.ask(1, "initialize", protocolVersion=1)
    start, *arguments = command("mcp2")
    server = {"name": "peer", "command": start, "args": arguments, "env": []}
    session = wire.ask(2, "session/new", cwd="/", mcpServers=[server])["result"]["sessionId"]
    prompt = {"sessionId": session, "prompt": [{"type": "text", "text": ADD}]}
    wire.send({"id": 3, "method": "session/prompt", "params": prompt})
    while (question := wire.next()).get("method") != "session/request_permission":
        pass
    wire.send({"method": "$/cancel_request", "params": {"requestId": 3}})
    while (message := wire.next()).get("method") != "$/cancel_request":
        pass
    assert message["params"]["requestId"] == question["id"]
    assert wire.answer(3)["result"]["stopReason"] == "cancelled"


def test_a_request_can_be_called_off_by_its_id(parley, scripted):
    wire = Wire(parley, "-s", scripted.url("nod"))
    session = wire.begin()
    prompt = {"sessionId": session, "prompt": [{"type": "text", "text": "go"}]}
    wire.send({"id": "mine", "method": "session/prompt", "params": prompt})
    while "word4" not in json.dumps(wire.next()):
        pass
    wire.send({"method": "$/cancel_request", "params": {"requestId": "mine"}})
    assert wire.answer("mine")["result"]["stopReason"] == "cancelled"


def test_only_messages_come_on_standard_output(parley, scripted):
    wire = Wire(parley, "-v", "-s", scripted.url("hostile"))
    session = wire.begin()
    wire.wait_for_commands()
    wire.ask(3, "session/prompt", sessionId=session, prompt=[{"type": "text", "text": "go"}])
    assert wire.end() == (b"", 0)
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in wire.lines)


def test_a_person_at_a_terminal_is_told_that_it_is_for_editors(parley):
    terminal = parley.on_terminal("--acp")
    terminal.wait_for("/help editors")
    assert terminal.process.wait(timeout=60) == 2


@pytest.mark.parametrize("words", [["--json"], ["-c", "/about"], ["-C"], ["hello"]])
def test_what_does_not_go_together_is_wrong_usage(parley, words):
    result = parley.run("--acp", *words)
    assert (result.status, result.out) == (2, "") and "hint:" in result.err


def test_an_editor_that_reads_nothing_stops_nobody_from_leaving(parley, scripted):
    wire = Wire(parley, "-s", scripted.url("long", "4"))
    prompt = {"sessionId": wire.begin(), "prompt": [{"type": "text", "text": "go"}]}
    wire.send({"id": 3, "method": "session/prompt", "params": prompt})
    # All of it has come, and far more waits than a pipe holds.
    wait_until(lambda: '"complete"' in parley.run("/history", "show", "--json").out, "the answer to be kept")
    os.kill(wire.process.pid, signal.SIGTERM)
    assert wire.process.wait(timeout=60) == 143
