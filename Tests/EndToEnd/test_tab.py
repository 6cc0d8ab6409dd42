"""What Tab offers of each kind of word, on each kind of terminal."""

import re

import pytest

from test_keys import TERMINALS, Line

# The kind, the line, what it is after Tab, and patterns of rows below it.
KINDS = [
    ("a command", "/abo", "/about ", []),
    ("several commands", "/model", "/model", ["/model show or switch the model", "/models list the server's models"]),
    ("what they have in common", "/mod", "/model", []),
    ("a command that is none", "/modle", "/modle", ["did you mean /model?"]),
    ("a word of its own", "/server us", "/server use ", []),
    ("words that begin alike", "/history ", "/history ", ["archived show search"]),
    ("a flag", "/connect x --ki", "/connect x --kind ", []),
    ("the value of a flag", "/connect x --kind kam", "/connect x --kind kamiwaza ", []),
    ("a model of ten thousand", "/model model-09999", "/model model-09999 ", []),
    ("models", "/model model-0", "/model model-0", ["model-00000 current", "model-00001", "… 9978 more"]),
    ("a model by letters in order", "/model m09998", "/model model-09998 ", []),
    ("a model that is none", "/model modle-09999", "/model modle-09999", ["did you mean model-09999"]),
    ("servers", "/server use ", "/server use ", ["lab openai, http://", "many current, openai, http://"]),
    ("a server that is none", "/server use lba", "/server use lba", ["did you mean lab?"]),
    ("sessions", "/resume ", "/resume ", [r"'Trains in Spain\?' .+ ago, 1 turn", "'Capitals of Europe"]),
    ("a session by letters in order", "/resume cpeur", "/resume 'Capitals of Europe?' ", []),
    ("a setting", "/settings temp", "/settings temperature ", []),
    ("settings", "/settings too", "/settings tools.", []),
    ("settings with what they are now", "/settings tim", "/settings tim", ["timeout.connect now 10, time to reach a serv"]),
    ("the values of a setting", "/settings reasoning ", "/settings reasoning ", ["dim current", "fold"]),
    ("what a setting takes", "/settings seed ", "/settings seed ",
     ["seed takes a whole number from 0 on, or unset; now unset"]),
    ("tools", "/tools on terminal", "/tools on terminal", ["terminals", "terminal_list"]),
    ("a turn", "/retry ", "/retry #1 ", []),
    ("a turn from the end", "/retry #-", "/retry #-1 ", []),
    ("a file", "/run n", "/run notes.txt ", []),
    ("a file with a blank", "/run my", "/run 'my file.txt' ", []),
    ("a folder", "/run sr", "/run src/", []),
    ("a file at home", "/run ~/lett", "/run ~/letters/", []),
    ("a file that is none", "/run src/mian.swift", "/run src/mian.swift", ["did you mean src/main.swift?"]),
    ("a path in a message", "what is in src/ma", "what is in src/main.swift ", []),
    ("a snippet", "/snippets run rev", "/snippets run review ", []),
    ("a topic", "/help exit", "/help exit-codes ", []),
    ("a message", "hello", "hello", []),
]


@pytest.fixture
def prepared(parley, scripted, tmp_path):
    """Everything that Tab can know of."""
    (parley.directory / "src").mkdir()
    for name in ["notes.txt", "my file.txt", "src/main.swift"]:
        parley.file(name, "text\n")
    (tmp_path / "letters").mkdir()
    for words in [["/connect", scripted.url("ok"), "lab"], ["/connect", scripted.url("models-many"), "many"],
                  ["/snippets", "add", "review", "Review this"], ["Capitals of Europe?"], ["Trains in Spain?"]]:
        result = parley.run(*words)
        assert result.status == 0, result
    return parley


@pytest.mark.parametrize("term", TERMINALS)
def test_tab_completes_each_kind_of_word(prepared, term):
    shell = prepared.on_terminal("-C", env={"TERM": term})
    shell.wait_for_prompt()
    line = Line(shell)
    for kind, typed, after, below in KINDS:
        line.put(typed + "|")
        shell.press("tab")

        def is_there():
            first = line.seen.split("\n")[0]
            rows = [" ".join(row.split()) for row in shell.lines[shell.screen.cursor.y + 1:]]
            return first == after + "|" and all(any(re.match(wanted, row) for row in rows) for wanted in below)

        # A message is completed by nothing: the next key is seen on the line as it was.
        if typed == after and not below:
            shell.send("!")
            line.wait_until(typed + "!|", kind)
        else:
            shell.wait_until(is_there, f"{kind}: {after!r} with {below} below")
        line.clear()
        assert len(shell.lines) == shell.screen.cursor.y + 1, "the list is still there"


def test_a_list_is_as_high_as_the_screen(prepared):
    shell = prepared.on_terminal("-C", rows=8, columns=40)
    shell.wait_for_prompt()
    line = Line(shell)
    line.put("/model model-0|")
    shell.press("tab")
    shell.wait_for("… 9994 more")
    shell.send("9999")
    shell.press("tab")
    line.wait_until("/model model-09999 |", "one is left")
    assert line.row(shell.screen.cursor.y).startswith(line.prompt)


def test_tab_again_shows_the_next_page(prepared):
    shell = prepared.on_terminal("-s", "many", rows=8)
    shell.wait_for_prompt()
    shell.send("/model model-000")
    shell.press("tab")
    shell.wait_for("Tab shows the next")
    assert "model-00001" in shell.text and "model-00009" not in shell.text
    shell.press("tab")
    shell.wait_until(lambda: "model-00009" in shell.text and "model-00001" not in shell.text, "the next page")
    # Any other key starts again at the first page.
    shell.send("0")
    shell.press("tab")
    shell.wait_until(lambda: "model-00001" in shell.text, "the first page")
    shell.press("ctrl-u")
    shell.wait_for_prompt()
    assert shell.leave() == 0


def test_where_lines_are_read_plainly_tab_does_nothing(prepared):
    shell = prepared.on_terminal("-C", env={"TERM": "dumb"})
    shell.wait_for_prompt()
    shell.send("/abo\t")
    shell.look_from_here()
    shell.press("enter")
    shell.wait_for("parley")
    shell.wait_for_prompt()
    assert shell.leave() == 0
    assert b"\x1b" not in shell.raw
