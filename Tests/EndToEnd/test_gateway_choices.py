"""What a person chooses on a gateway, and what it counts."""

import pytest

from test_gateway import connected, gateway, kept, paths  # noqa: F401

A_KEY = "sk-a-key-of-adas"


# The keeper counts the system prompt too.
@pytest.mark.parametrize("form, messages", [("A", 2), ("C", 5), ("S", 4)])
def test_what_a_session_holds_is_shown_without_its_words(parley, connected, form, messages):
    there = connected(form)
    assert parley.run("cost").status == 0
    assert parley.run("-C", "cost").status == 0
    name = there.chats[-1]["session"]
    shown = parley.run("/sessions", "show", name[:8], "--json")
    assert shown.status == 0, shown
    assert (shown.json["id"], shown.json["messages"]) == (name, messages)
    assert shown.json["here"]
    page = parley.run("/sessions", "show", name[:8])
    assert f"messages  {messages}\n" in page.out and "/history show" in page.out
    result = parley.run("/sessions", "show", "nothing")
    assert result.status == 2 and "'nothing'" in result.err, result


@pytest.mark.parametrize("form, known", [
    ("A", {"sessions", "running", "messages", "tokens"}), ("C", {"sessions", "messages"}),
    ("S", {"sessions", "messages", "tokens", "cost"})])
def test_what_all_sessions_took_is_told_as_far_as_it_is_counted(parley, connected, form, known):
    connected(form)
    assert parley.run("cost").status == 0
    result = parley.run("/sessions", "stats", "--json")
    assert result.status == 0, result
    assert {name for name, value in result.json.items() if value not in (None, [])} == known | (
        {"models"} if form == "A" else set())
    assert result.json["sessions"] == 1
    page = parley.run("/sessions", "stats")
    assert "sessions  1\n" in page.out, page


def test_who_counts_nothing_says_so(parley, connected):
    connected("B")
    result = parley.run("/sessions", "stats")
    assert result.status == 2, result
    assert "server 'gw' has no counts of its sessions" in result.err


def test_a_choice_of_tools_begins_with_what_the_server_uses_and_nothing_dangerous(parley, connected):
    there = connected("S")
    assert parley.run("/mcp", "audit", "on").status == 0
    assert parley.run("tool").status == 0
    assert there.chats[-1]["body"]["mcp"] == {
        "enabled_servers": ["fs-local", "bash", "web"], "enabled_tools": ["fs.read"], "priority": [],
        "audit_log": True}


def test_what_was_learnt_of_a_server_outlives_a_choice(parley, connected):
    there = connected("S")
    result = parley.run("-c", "/mcp", "-c", "/mcp audit on", "-c", "/mcp audit off", "-c", "echo hello")
    assert result.status == 0, result
    assert paths(there).count("/health") <= 1


def test_another_system_prompt_in_a_later_run_is_heard(parley, connected):
    there = connected("C")
    assert parley.run("--system", "You know quinces.", "echo", "one").status == 0
    assert parley.run("-C", "--system", "You know medlars.", "recall").status == 0
    first, second = (chat["body"]["messages"] for chat in there.chats)
    assert [message["content"] for message in first] == ["You know quinces.", "echo one"]
    assert [message["content"] for message in second] == ["You know medlars.", "echo one", "one", "recall"]
    assert there.chats[0]["session"] != there.chats[1]["session"]


def test_no_folder_on_the_server_is_called_by_the_key(parley, gateway):
    there = gateway("A", "--key", A_KEY)
    env = {"PARLEY_SERVER": there.url, "PARLEY_TOKEN": A_KEY}
    assert parley.run("echo", "hello", env=env).out == "hello\n"
    assert there.chats[-1]["body"]["project_id"] == "default"
    assert not [path for path in (there.directory / "projects").rglob("*") if A_KEY in path.name]


def test_what_may_be_a_failure_is_shown_when_it_stays_unknown(parley, connected):
    there = connected("A")
    there.test(hold=True)
    result = parley.run("--set", "timeout.idle=1", "api-error slow")
    there.test(hold=False)
    assert result.status != 0, result
    assert "API Error: 529" in result.out + result.err


@pytest.mark.parametrize("form", ["A", "B", "C", "S"])
def test_what_happens_is_told_with_its_moment_whatever_the_server(parley, connected, form):
    connected(form)
    result = parley.run("--jsonl", "tool")
    assert result.status == 0, result
    moments = [event["timestamp"] for event in result.json_lines]
    assert moments == sorted(moments) and moments[0] > 1_700_000_000_000
    kinds = {event["event"] for event in result.json_lines}
    assert {"text", "finish"} <= kinds and ("activity" in kinds) == (form in ("A", "S"))
