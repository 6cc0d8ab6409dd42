"""Models that act: tools of real servers, called with the person's leave, by models that a script plays."""

import json
import os
import sqlite3
import subprocess

import pytest

from conftest import ROOT
from playground import FORMS
from tool_servers import Listener, Peer, command, interpreter
from waiting import wait_until

ROUNDS = int(os.environ.get("PARLEY_ROUNDS", "200"))
ADD = 'add {"a": 2, "b": 3}'
ALL_TOOLS = {"web_search", "add", "slow", "fail", "crash", "image", "weather", "mixed", "big", "escapes", "route",
             "wire_info", "log_lines", "greet", "toggle"}
NETWORK = [("mcp2", "streamable-http"), ("mcp1", "streamable-http"), ("fastmcp", "http"), ("mcp2", "sse"),
           ("mcp1", "sse"), ("fastmcp", "sse")]


@pytest.fixture(scope="module")
def peer(tmp_path_factory):
    """Real tool servers: started when first asked for, and shared by the tests that ask for the same."""
    started = {}

    def get(name="mcp2", *options, transport=None):
        key = (name, transport, options)
        if key not in started:
            started[key] = Peer(name, tmp_path_factory.mktemp("peer"), *options, transport=transport)
        return started[key]

    yield get
    for one in started.values():
        one.stop()


@pytest.fixture
def listen():
    """Listeners in front of servers; they stop with the test."""
    started = []

    def get(upstream=None):
        started.append(Listener(upstream))
        return started[-1]

    yield get
    for one in started:
        one.stop()


@pytest.fixture
def watched(parley, peer, listen):
    """A tool server that the program knows as `peer`, and the listener before it."""
    listener = listen(peer().address)
    add(parley, "peer", listener.address + "/mcp")
    listener.forget()
    return listener


def add(parley, name, *where, status=0):
    result = parley.run("--yes", "/tools", "add", name, *where)
    assert result.status == status, result
    return result


def ask(parley, url, question, *options, tool="peer", status=0):
    """A message from outside, with a tool that may run; the object of --json."""
    result = parley.run("-s", url, "-T", tool, "--yes", "--json", *options, question)
    assert result.status == status, result
    return result.json


def only_call(answer):
    call, = answer["toolCalls"]
    return call


@pytest.fixture
def chatting(parley, scripted):
    """A shell on a terminal, with the tools of `peer` on, and a model that does as the question says."""

    def open_shell(*options, scene="tools", tool="peer", env=None):
        shell = parley.on_terminal("-s", scripted.url(scene), "-T", tool, *options, env=env)
        shell.wait_for_prompt()
        return shell

    return open_shell


# Servers, and what they offer


@pytest.mark.parametrize(("name", "transport"), NETWORK)
def test_a_server_is_added_listed_and_called(parley, scripted, peer, name, transport):
    server = peer(name, transport=transport)
    assert "add" in add(parley, "peer", server.url).err
    listed = parley.run("/tools", "--json")
    assert listed.status == 0
    assert {"add", "slow", "fail", "weather"} <= {row["tool"] for row in listed.json}
    for scene in ("tools", "tools-text"):
        answer = ask(parley, scripted.url(scene), ADD)
        call = only_call(answer)
        assert (call["name"], call["arguments"], call["isError"]) == ("add", {"a": 2, "b": 3}, False)
        assert "5" in call["result"] and "The tools said:" in answer["text"] and "5" in answer["text"]


@pytest.mark.parametrize("name", ["mcp2", "mcp1", "fastmcp"])
def test_a_program_is_added_listed_and_called(parley, scripted, name):
    assert "add" in add(parley, "peer", "--", *command(name)).err
    answer = ask(parley, scripted.url("tools"), ADD + ' and weather {"city": "Oslo"}')
    assert [call["isError"] for call in answer["toolCalls"]] == [False, False]
    assert "5" in answer["toolCalls"][0]["result"] and "drizzle" in answer["toolCalls"][1]["result"]


def test_every_page_of_a_list_is_read(parley, peer):
    add(parley, "peer", peer("mcp2", "--page-size", "2").url)
    assert {row["tool"] for row in parley.run("/tools", "--json").json if row["server"] == "peer"} == ALL_TOOLS


def test_a_server_that_answers_with_whole_bodies_is_as_good(parley, scripted, peer):
    add(parley, "peer", peer("mcp2", "--json").url)
    assert "5" in only_call(ask(parley, scripted.url("tools"), ADD))["result"]


def test_without_tools_none_are_offered(parley, scripted, watched):
    parley.run("-s", scripted.url("tools"), "--no-tools", ADD)
    assert "tools" not in scripted.questions[-1]
    assert watched.calls == []


def test_a_tool_that_is_not_there_is_wrong_usage(parley, scripted, watched):
    assert parley.run("-s", scripted.url("tools"), "-T", "nothing", ADD).status == 2


def test_a_model_whose_server_takes_no_tools_gets_them_in_the_text(parley, scripted, watched):
    answer = ask(parley, scripted.url("tools-refused"), ADD)
    assert "5" in only_call(answer)["result"]
    assert "tools" not in scripted.questions[-1]


def test_what_is_remembered_is_chosen_next_time(parley, scripted, watched):
    assert parley.run("/tools", "remember", "on").status == 0
    assert parley.run("/tools", "on", "add", "weather").status == 0
    chosen = {row["tool"] for row in parley.run("/tools", "--json").json if row["selected"]}
    assert chosen == {"add", "weather"}
    shell = parley.on_terminal("-s", scripted.url("tools"))
    shell.wait_for_prompt()
    shell.type(ADD)
    shell.wait_for_question("allow add?")
    shell.press("enter")
    shell.wait_for_prompt()
    offered = {tool["function"]["name"] for tool in scripted.questions[0]["tools"]}
    assert offered == {"add", "weather"}
    assert shell.leave() == 0


@pytest.mark.parametrize("name", ["mcp2", "mcp1"])
def test_what_a_server_has_to_read_goes_with_the_message(parley, scripted, peer, name):
    add(parley, "peer", peer(name).url)
    result = parley.run("-s", scripted.url("ok"), "what is @peer:peer://notes/7 about?")
    assert result.status == 0, result
    assert "Note number 7" in json.dumps(scripted.questions[-1]["messages"])


@pytest.mark.parametrize("name", ["mcp2", "mcp1"])
def test_a_prompt_of_a_server_is_a_message(parley, scripted, peer, name):
    add(parley, "peer", peer(name).url)
    result = parley.run("--yes", "-s", scripted.url("ok"), "/tools", "prompt", "peer:summarise", "topic=tides")
    assert result.status == 0, result
    assert "Summarise tides in at most 50 words." in scripted.questions[-1]["messages"][-1]["content"]


# Results


def test_a_tool_that_fails_tells_the_model_why(parley, scripted, watched):
    answer = ask(parley, scripted.url("tools"), 'fail {"message": "the disk is full"} then crash')
    assert [call["isError"] for call in answer["toolCalls"]] == [True, True]
    assert "the disk is full" in answer["text"]


def test_what_happens_is_told_as_it_happens(parley, scripted, watched):
    result = parley.run("-s", scripted.url("tools"), "-T", "peer", "--yes", "--jsonl", ADD)
    assert result.status == 0, result
    events = {event["event"]: event for event in result.json_lines}
    assert events["toolCall"]["arguments"] == {"a": 2, "b": 3}
    assert "5" in events["toolResult"]["result"] and events["toolResult"]["id"] == events["toolCall"]["id"]
    assert "The tools said:" in events["finish"]["text"]


def test_calls_that_cannot_be_made_are_the_models_own_fault(parley, scripted, watched):
    answer = ask(parley, scripted.url("tools-text"), 'add {"a": and nothing {} and add {"a": 2}')
    assert all(call["isError"] for call in answer["toolCalls"])
    assert watched.calls in ([], ["add"])


def test_results_that_are_no_text(parley, scripted, watched):
    answer = ask(parley, scripted.url("tools"), 'image then weather {"city": "Oslo"} then mixed')
    picture, weather, mixed = (call["result"] for call in answer["toolCalls"])
    assert "image/png" in picture and "iVBOR" not in picture
    assert "drizzle" in weather and weather.count("drizzle") == 1
    assert "peer://notes/1" in mixed and "an embedded note" in mixed
    shown = parley.run("/tools", "result")
    assert shown.status == 0 and "drizzle" in shown.out and "image/png" in shown.out


def test_an_image_of_a_tool_is_drawn_by_a_terminal_that_can(parley, scripted, watched):
    terminal = parley.on_terminal("-s", scripted.url("tools"), "-T", "peer", "--yes", "image", env={"TERM": "xterm-kitty"})
    assert terminal.wait_for_exit() == 0
    assert terminal.raw.count(b"\x1b_Ga=T,f=100,c=1,r=1,q=2,m=0;") == 1
    assert "image: image, image/png" in terminal.text and "The tools said:" in terminal.text
    shown = parley.on_terminal("/tools", "result", env={"TERM": "xterm-kitty"})
    assert shown.wait_for_exit() == 0
    assert shown.raw.count(b"\x1b_Ga=T,f=100,c=1,r=1,q=2,m=0;") == 1


def test_a_big_result_is_cut_for_the_model_and_said_to_be(parley, scripted, watched):
    result = only_call(ask(parley, scripted.url("tools"), 'big {"size": 200000}'))["result"]
    assert len(result) < 25000 and "cut" in result


def test_control_characters_of_a_tool_do_not_reach_the_terminal(chatting, watched):
    shell = chatting("--yes")
    shell.type("escapes")
    shell.wait_for_prompt()
    shell.type("/tools result")
    shell.wait_for_prompt()
    for hostile in (b"\x1b]0;stolen", b"\x1b[2J", "\u202e".encode()):
        assert hostile not in shell.raw
    assert "stolen title" in shell.text
    assert shell.leave() == 0


def test_a_locale_without_unicode_gets_no_signs_of_tools(parley, scripted, watched):
    shell = parley.on_terminal("-s", scripted.url("tools"), "-T", "peer", "--yes", env={"LC_ALL": "C"})
    shell.wait_for_prompt()
    shell.type(ADD)
    shell.wait_for_prompt()
    assert watched.calls == ["add"] and "add (peer)" in shell.text
    assert not {"⚒", "✓", "✗", "…"} & set(shell.text)
    assert shell.leave() == 0


def test_a_model_that_calls_for_ever_is_stopped(parley, scripted, watched):
    result = parley.run("-s", scripted.url("tools-endless"), "-T", "peer", "--yes", "--set", "tools.rounds=3", ADD)
    assert result.status != 0
    assert watched.calls == ["add"] * 3


# Leave


def test_away_from_a_terminal_nothing_runs_without_a_word(parley, scripted, watched):
    result = parley.run("-s", scripted.url("tools"), "-T", "peer", ADD)
    assert result.status == 1, result
    assert "add" in result.err
    assert watched.calls == []


def test_yes_is_for_the_tools_that_were_named(parley, scripted, watched):
    result = parley.run("-s", scripted.url("tools"), "--yes", "-T", "weather", "-T", "add", "--json", ADD)
    assert result.status == 0 and "5" in only_call(result.json)["result"]
    assert watched.calls == ["add"]


def answer_question(shell, word):
    shell.wait_for_question("allow add?")
    shell.look_from_here()
    shell.send(word)
    shell.press("enter")


def test_each_call_is_asked_about(chatting, watched):
    shell = chatting()
    shell.type(ADD)
    shell.wait_for("allow add?")
    assert watched.calls == []
    assert "a: 2" in shell.text and "b: 3" in shell.text and watched.address in shell.text
    answer_question(shell, "y")
    shell.wait_for("The tools said:")
    shell.wait_for_prompt()
    assert watched.calls == ["add"]

    for refusal in ("n", ""):
        shell.type(ADD)
        answer_question(shell, refusal)
        shell.wait_for("did not allow")
        shell.wait_for_prompt()
        assert watched.calls == ["add"]

    shell.type(ADD)
    shell.wait_for_question("allow add?")
    shell.press("ctrl-c")
    shell.wait_for_prompt()
    assert watched.calls == ["add"]

    shell.type(ADD)
    answer_question(shell, "s")
    shell.wait_for_prompt()
    shell.type(ADD)
    shell.wait_for("The tools said:")
    shell.wait_for_prompt()
    assert watched.calls == ["add"] * 3
    assert "allow add?" not in shell.text
    assert shell.leave() == 0


def test_what_is_allowed_for_good_stays_until_it_is_revoked(parley, scripted, chatting, watched):
    shell = chatting()
    shell.type(ADD)
    answer_question(shell, "a")
    shell.wait_for("The tools said:")
    shell.wait_for_prompt()
    assert shell.leave() == 0

    def run():
        return parley.run("-s", scripted.url("tools"), "-T", "peer", "--json", ADD)

    assert run().status == 0
    assert [entry["tool"] for entry in parley.run("/permissions", "--json").json] == ["add"]
    assert parley.run("/permissions", "revoke", "add").status == 0
    watched.forget()
    assert run().status == 1
    assert watched.calls == []


# A call on its way


@pytest.mark.parametrize("name", ["mcp2", "mcp1", "fastmcp"])
def test_progress_is_shown_and_ctrl_c_cancels_at_the_server(parley, chatting, tmp_path, name):
    server = Peer(name, tmp_path)
    try:
        add(parley, "peer", server.url)
        shell = chatting("--yes")
        shell.type('slow {"seconds": 60, "steps": 300}')
        shell.wait_for("step 2 of 300")
        shell.press("ctrl-c")
        shell.wait_for_prompt()
        wait_until(lambda: "slow: cancelled" in server.errors, "the server to stop its work")
        assert "error" not in shell.text
        # The next one works.
        shell.type(ADD)
        shell.wait_for("The tools said:")
        shell.wait_for_prompt()
        assert shell.leave() == 0
    finally:
        server.stop()


@pytest.mark.parametrize("name", ["mcp2", "mcp1"])
def test_a_call_that_is_late_is_cancelled_and_the_model_told(parley, scripted, tmp_path, name):
    server = Peer(name, tmp_path)
    try:
        add(parley, "peer", server.url)
        answer = ask(parley, scripted.url("tools"), 'slow {"seconds": 60, "steps": 1}', "--set", "timeout.tool=5")
        assert only_call(answer)["status"] == "timed-out" and only_call(answer)["isError"]
        wait_until(lambda: "slow: cancelled" in server.errors, "the server to stop its work")
    finally:
        server.stop()


def test_progress_keeps_a_call_alive(parley, scripted, watched):
    answer = ask(parley, scripted.url("tools"), 'slow {"seconds": 11, "steps": 44}', "--set", "timeout.tool=10")
    assert not only_call(answer)["isError"]


@pytest.mark.parametrize("name", ["mcp2", "mcp1"])
def test_a_server_that_starts_anew_is_taken_up_again(parley, chatting, tmp_path, name):
    server = Peer(name, tmp_path)
    try:
        add(parley, "peer", server.url)
        shell = chatting("--yes")
        for call in range(2):
            if call:
                server.restart()
            shell.type(ADD)
            shell.wait_for("The tools said:")
            shell.wait_for_prompt()
            assert "unavailable" not in shell.text
        assert shell.leave() == 0
    finally:
        server.stop()


def test_a_server_that_is_gone_stops_no_answer(parley, chatting, tmp_path):
    server = Peer("mcp2", tmp_path)
    add(parley, "peer", server.url)
    shell = chatting("--yes")
    shell.type(ADD)
    shell.wait_for("The tools said:")
    shell.wait_for_prompt()
    server.stop()
    shell.type(ADD)
    shell.wait_for("peer is unavailable. The assistant will continue without it.")
    shell.wait_for("No tools were offered.")
    shell.wait_for_prompt()
    assert shell.leave() == 0


def test_a_kill_in_the_middle_of_a_call_keeps_question_and_call(parley, scripted, watched):
    process = parley.start("-s", scripted.url("tools"), "-T", "peer", "--yes", 'slow {"seconds": 60, "steps": 60}')
    wait_until(lambda: "slow" in watched.calls, "the call")
    process.kill()
    parley.finish(process)
    session, = parley.run("/history", "--json").json
    shown = parley.run("/history", "show", session["id"], "--json")
    assert shown.status == 0
    turn, = shown.json["turns"]
    assert "slow" in json.dumps(turn["steps"]) and "seconds" in json.dumps(turn)
    database, = parley.home.rglob("history.sqlite")
    connection = sqlite3.connect(database)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


# What servers ask


@pytest.mark.parametrize("name", ["mcp2", "mcp1"])
def test_a_server_asks_and_the_person_answers(parley, chatting, peer, name):
    add(parley, "peer", peer(name).url)
    shell = chatting("--yes")
    shell.type("greet")
    # What is typed before the field can be read is not the answer to it.
    shell.wait_for_question("Name:")
    assert "'peer' asks you" in shell.text and "Your name" in shell.text
    shell.send("Ann\r")
    shell.wait_for_question("Age")
    shell.send("\r")
    shell.wait_for_question("send?")
    shell.send("y\r")
    shell.wait_for("Hello Ann")
    shell.wait_for_prompt()

    shell.type("greet")
    shell.wait_for_question("Name:")
    shell.press("ctrl-c")
    shell.wait_for("The tools said:")
    shell.wait_for_prompt()
    assert "Hello" not in shell.text
    assert shell.leave() == 0


def leave_rising_questions(parley, chatting, peer, rounds):
    """Ctrl-C as soon as anything of a form is seen, which is before its first field can be typed into."""
    add(parley, "peer", peer().url)
    shell = chatting("--yes")
    for number in range(rounds):
        shell.type("greet")
        shell.wait_for("asks you" if number % 2 else "Ctrl-C leaves the form")
        shell.press("ctrl-c")
        shell.wait_for("The tools said:")
        shell.wait_for_prompt()
        assert "Hello" not in shell.text
    assert shell.leave() == 0


def test_ctrl_c_while_a_question_comes_up_is_not_lost(parley, chatting, peer):
    leave_rising_questions(parley, chatting, peer, 10)


@pytest.mark.long
@pytest.mark.timeout(0)
def test_ctrl_c_while_a_question_comes_up_is_never_lost(parley, chatting, peer):
    leave_rising_questions(parley, chatting, peer, ROUNDS)


@pytest.mark.long
@pytest.mark.timeout(0)
def test_a_run_that_ends_while_connections_stand_ends_well(parley, peer):
    add(parley, "peer", peer().url)
    for _ in range((ROUNDS or 200) * 10):
        result = parley.run("/tools")
        assert result.status == 0, result


@pytest.mark.parametrize("name", ["mcp2", "mcp1"])
def test_without_a_person_a_servers_question_is_declined(parley, scripted, peer, name):
    add(parley, "peer", peer(name).url)
    assert only_call(ask(parley, scripted.url("tools"), "greet"))["isError"]


# Signing in


TOKEN = "tool-token-CANARY-8f3b1c"


def assert_kept_secret(parley, secret, *results):
    for result in results:
        assert secret not in result.out + result.err
    holders = [path.name for path in parley.written_files if secret.encode() in path.read_bytes()]
    assert holders == ["credentials.json"]


def test_a_token_opens_a_server_and_stays_in_the_store(parley, scripted, peer, listen):
    listener = listen(peer("mcp2", "--token", TOKEN).address)
    parley.run("/settings", "credential-store", "file")
    added = add(parley, "peer", listener.address + "/mcp", status=4)
    assert "sign in" in added.err
    wrong = parley.run("/tools", "login", "peer", "--token-stdin", input="tool-token-WRONG\n")
    assert wrong.status == 4, wrong
    login = parley.run("-v", "/tools", "login", "peer", "--token-stdin", input=TOKEN + "\n")
    assert login.status == 0, login
    asked = parley.run("-v", "-s", scripted.url("tools"), "-T", "peer", "--yes", ADD)
    assert asked.status == 0 and "5" in asked.out, asked
    assert listener.requests[-1].headers["authorization"] == f"Bearer {TOKEN}"
    assert_kept_secret(parley, TOKEN, added, login, asked)
    # Neither the model nor its server hears of it.
    assert TOKEN not in json.dumps(scripted.requests)
    assert parley.run("/tools", "logout", "peer").status == 0
    assert not [path for path in parley.written_files if TOKEN.encode() in path.read_bytes()]
    assert parley.run("/tools", "--json").json[0]["state"] == "sign-in needed"


def test_a_sign_in_in_the_browser(parley, scripted, peer, tmp_path):
    add(parley, "peer", peer("mcp2", "--oauth").url, status=4)
    parley.run("/settings", "credential-store", "file")
    browser = tmp_path / "browser"
    browser.write_text('#!/bin/sh\nexec curl --silent --show-error --location --output /dev/null "$1"\n')
    browser.chmod(0o755)
    shell = parley.on_terminal("/tools", "login", "peer", env={"BROWSER": str(browser)})
    shell.wait_for_question("Enter alone for the browser")
    shell.press("enter")
    shell.wait_for_question("Open it now?")
    shell.send("y\r")
    assert shell.wait_for_exit() == 0, shell.text
    assert "signed in to peer" in shell.text
    assert "5" in only_call(ask(parley, scripted.url("tools"), ADD))["result"]
    tokens, = (path for path in parley.written_files if path.name == "credentials.json")
    assert tokens.stat().st_mode & 0o077 == 0


# A platform's own


@pytest.fixture(scope="module")
def running_tools():
    """The playground's tools, by `scripts/playground_tools.py`, with a listener before them."""
    process = subprocess.Popen(
        [interpreter("mcp2"), ROOT / "scripts/playground_tools.py", "--while-stdin-open"], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, text=True)
    line = process.stdout.readline()
    assert line.startswith("ready "), line
    listener = Listener(line.split()[1])
    yield listener
    listener.stop()
    process.stdin.close()
    assert process.wait(timeout=60) == 0
    process.stdout.close()


@pytest.fixture
def platform_tools(running_tools):
    running_tools.forget()
    return running_tools


@pytest.fixture(params=["localhost", "127.0.0.1"])
def elsewhere(request):
    """The host of a tool that is not the platform's: another name of this machine, and its own at a port without TLS."""
    return request.param


@pytest.fixture(params=FORMS)
def form(request):
    """What makes a platform be of one of the forms that there are."""
    return FORMS[request.param]


@pytest.fixture
def signed_in(parley, playground, scripted, platform_tools, listen, peer, elsewhere, form):
    """A platform with tools of its own and one that is somewhere else; the program is signed in to it."""
    foreign = listen(peer().address)
    elsewhere = foreign.address.replace("127.0.0.1", elsewhere)
    platform = playground("--tls", "--tools", platform_tools.address, "--model", scripted.url("tools-text"),
                          "--tool-elsewhere", f"foreign={elsewhere}/mcp", *form)
    platform.foreign = foreign
    assert parley.run("/server", "trust", platform.address, platform.fingerprint).status == 0
    assert parley.run("/connect", platform.address, "kz").status == 0
    assert parley.run("/login", "demo", "--password-stdin", input="demo\n").status == 0
    return platform


@pytest.mark.parametrize("elsewhere", ["localhost"], indirect=True)
def test_a_platforms_tools_are_found_and_called(parley, signed_in, platform_tools):
    listed = parley.run("/tools", "--json").json
    tools = {(row["server"], row["tool"]) for row in listed}
    assert {("calculator", "calculate"), ("calculator", "convert"), ("almanac", "look_up")} <= tools
    assert "calendar" not in {server for server, _ in tools}

    model = ("-m", "SmolLM2-135M-Instruct")
    result = parley.run(*model, "-T", "calculator", "--yes", "--json", 'calculate {"expression": "6*7"}')
    assert result.status == 0, result
    assert only_call(result.json)["result"].strip() == "42"
    result = parley.run(*model, "-T", "look_up", "--yes", "--json", 'look_up {"query": "highest mountain"}')
    assert "Everest" in only_call(result.json)["result"]
    # The platform's sign-in ends at the platform.
    assert [one for one in platform_tools.requests if "authorization" in one.headers] == []


@pytest.mark.parametrize("elsewhere", ["localhost"], indirect=True)
def test_the_playgrounds_responder_shows_a_call(parley, signed_in):
    result = parley.run("-m", "tool-demo", "-T", "calculator", "--yes", "--json", "What is 12 * 7?")
    assert result.status == 0, result
    assert only_call(result.json)["arguments"] == {"expression": "12 * 7"}
    assert "84" in result.json["text"]


def test_the_platforms_sign_in_goes_to_no_other_place(parley, signed_in):
    assert parley.run("/tools", "--json").status == 0
    result = parley.run("-m", "SmolLM2-135M-Instruct", "-T", "foreign/add", "--yes", "--json", ADD)
    seen = "".join(json.dumps(one.headers) + one.body.decode() for one in signed_in.foreign.requests)
    assert "authorization" not in seen
    for token in signed_in.given:
        assert token not in seen
        assert token not in result.out + result.err


def test_no_tool_is_said_to_run_that_does_not(parley, playground):
    platform = playground()
    token = platform.sign_in()["access_token"]
    servers = platform.api("GET", "/tool/discover", token=token).json["servers"]
    assert {one["status"] for one in servers} == {"FAILED"} and servers
    path = servers[0]["url"].removeprefix(platform.address)
    assert platform.ask("POST", path + "/mcp", body={}, token=token).status == 503
    assert platform.ask("POST", path + "/mcp", body={}).status == 401
