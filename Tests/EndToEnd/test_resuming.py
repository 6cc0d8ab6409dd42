"""/resume without a name: choosing an earlier session from a list."""

import pytest

QUESTION = "which? (a number or words; Enter: 1)"


@pytest.fixture
def shell(parley, scripted):
    """At the prompt, with three sessions of two servers before."""
    for scene, words in [("ok", "what grows on a balcony"), ("ok", "the capital of France"),
                         ("repeat", "the capital of Portugal")]:
        assert parley.run("-s", scripted.url(scene), words).status == 0
    terminal = parley.on_terminal("-s", scripted.url("ok"))
    terminal.wait_for_prompt()
    return terminal


def ask(shell):
    shell.type("/resume")
    shell.wait_for_question(QUESTION)


def test_one_is_taken_by_its_number(shell):
    ask(shell)
    rows = [line for line in shell.text.splitlines() if line[:1].isdigit()]
    assert [line.split()[-1] for line in rows[:3]] == ["Portugal", "France", "balcony"]
    shell.say("2", until='resumed "the capital of France" (1 turn)')
    # It is not among those that can be chosen now.
    ask(shell)
    assert "of France" not in shell.text
    shell.say("", until='resumed "the capital of Portugal" (1 turn)')
    assert shell.leave() == 0


def test_tab_has_the_titles_and_words_find_one(shell):
    ask(shell)
    shell.send("what")
    shell.press("tab")
    shell.wait_for_question("what grows on a balcony")
    shell.press("enter")
    shell.wait_for('resumed "what grows on a balcony" (1 turn)')
    shell.wait_for_prompt()
    ask(shell)
    shell.type("capital")
    # Below the line that was typed: the first question is still there, and what is typed before the second one is left for
    # the prompt behind it.
    shell.wait_for(QUESTION)
    shell.wait_for_question(QUESTION)
    shell.say("portugal", until='resumed "the capital of Portugal" (1 turn)')
    assert shell.leave() == 0


@pytest.mark.parametrize("key", ["ctrl-c", "ctrl-d"])
def test_to_leave_the_question_changes_nothing(shell, key):
    ask(shell)
    shell.press(key)
    shell.wait_for("left as it is")
    shell.wait_for_prompt()
    shell.say("/title", until="untitled")
    assert shell.leave() == 0


def test_as_many_are_listed_as_fit(parley, scripted):
    url = scripted.url("ok")
    for number in range(6):
        parley.run("-s", url, f"question {number}")
    shell = parley.on_terminal("-s", url, columns=40, rows=7)
    shell.wait_for_prompt()
    ask(shell)
    # The list, what is said of the others and the question have the screen.
    assert shell.lines == [
        "#  AGE  TITLE", "1  now  question 5", "2  now  question 4", "3  now  question 3", "4  now  question 2",
        "and 2 more, found by words of a title", QUESTION]
    shell.say("question 0", until='resumed "question 0"')
    assert shell.leave() == 0
