"""The same message to several servers at once."""

import json

import pytest


@pytest.fixture
def two(parley, scripted):
    """Two servers that the program keeps, `one` in use."""
    parley.home.mkdir(parents=True, exist_ok=True)
    (parley.home / "servers.json").write_text(json.dumps({
        "version": 1, "current": "one", "servers": [
            {"name": name, "kind": "openai", "url": scripted.url(scene), "models": []}
            for name, scene in [("one", "ok"), ("two", "echo"), ("broken", "500"), ("silent", "silent")]]}))
    return parley


def test_each_answers_below_its_name_and_the_answers_are_siblings(two):
    result = two.run("/ask", "@one", "@two", "hello")
    assert result.status == 0, result
    # A pipe gets each answer with its label, in the order of the command.
    one, other_answer = result.out.index("#1 one "), result.out.index("#2 two ")
    assert one < result.out.index("Hello from the scripted server.") < other_answer, result
    history = two.run("/history", "show", "--json").json
    assert [turn["turn"] for turn in history["turns"]] == [1]
    other = two.run("/history", "show", "#2", "--json").json
    assert other["question"] == "hello" and other["server"] == "two"


def test_the_session_goes_on_from_the_answer_that_is_kept(two):
    terminal = two.on_terminal()
    terminal.wait_for_prompt()
    terminal.say("/ask @one @two hello", until="/keep #N goes on from another")
    terminal.say("/keep #2", until="the session goes on from #2")
    assert "two's answer: /server use two goes on there" in terminal.text
    # The answer of one server goes to the other.
    terminal.type("and then")
    terminal.wait_for_question("too? [y/N]")
    terminal.say("y", until="Hello from the scripted server.")
    assert [turn["turn"] for turn in two.run("/history", "show", "--json").json["turns"]] == [2, 3]
    assert terminal.leave() == 0
    terminal.close()


def test_one_that_fails_is_said_and_the_others_answer(two):
    result = two.run("/ask", "@broken", "@one", "hello")
    assert result.status != 0 and result.out.strip()
    assert "broken" in result.err


def test_several_answers_for_programs(two):
    lines = two.run("--jsonl", "/ask", "@one", "@two", "hello").json_lines
    assert {line["server"] for line in lines} == {"one", "two"}
    assert all(line["event"] == "answer" and line["status"] == "complete" for line in lines)


def test_who_is_not_known_is_asked_nothing(two, scripted):
    result = two.run("/ask", "@one", "@nobody", "hello")
    assert result.status == 2 and "nobody" in result.err
    assert two.run("/history", "--json").json == []
    assert two.run("/ask", "hello").status == 2
    assert two.run("/ask", "@one").status == 2


def test_ctrl_c_stops_all_of_them(two):
    terminal = two.on_terminal()
    terminal.wait_for_prompt()
    terminal.type("/ask @one @silent hello")
    terminal.wait_for("#1 one")
    terminal.press("ctrl-c")
    terminal.wait_for("#2 silent")
    terminal.wait_for_prompt()
    assert terminal.leave() == 0
    terminal.close()
