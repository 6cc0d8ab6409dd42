"""A person at the prompt."""

import signal
import termios

import pytest

from test_one_shot import COLOUR

HELLO = "Hello from the scripted server."


@pytest.fixture
def shell(parley, scripted):
    """At the prompt, with a server that answers at once."""
    terminal = parley.on_terminal("-s", scripted.url("ok"))
    terminal.wait_for_prompt()
    return terminal


def ask(shell, text):
    shell.type(text)
    shell.wait_for_prompt()


def test_a_message_is_answered_and_the_prompt_comes_back(shell):
    ask(shell, "hello")
    assert HELLO in shell.text
    ask(shell, "again")
    assert HELLO in shell.text
    assert shell.leave() == 0


def test_the_answer_is_seen_while_it_is_written(parley, scripted):
    url = scripted.url("nod")
    shell = parley.on_terminal("-s", url)
    shell.wait_for_prompt()
    shell.type("count")
    shell.wait_for("word5")
    assert "word6" not in shell.text
    scripted.nod(url)
    shell.wait_for("word50")
    shell.wait_for_prompt()
    assert shell.leave() == 0


def test_ctrl_c_stops_an_answer_and_the_prompt_is_back(parley, scripted):
    shell = parley.on_terminal("-s", scripted.url("nod"))
    shell.wait_for_prompt()
    shell.type("count")
    shell.wait_for("word5")
    shell.press("ctrl-c")
    # The answer would never go on.
    shell.wait_for_prompt()
    assert "interrupted" in shell.text and "word6" not in shell.text
    ask(shell, "/models")
    assert "scripted" in shell.text
    assert shell.leave() == 0


def test_ctrl_c_while_nothing_has_come_yet(parley, scripted):
    shell = parley.on_terminal("-s", scripted.url("silent"))
    shell.wait_for_prompt()
    shell.type("hello")
    shell.wait_until(lambda: len(scripted.questions) == 1, "the question to be asked")
    shell.press("ctrl-c")
    shell.wait_for_prompt()
    assert shell.leave() == 0


@pytest.mark.parametrize("options, env", [([], {"NO_COLOR": "1"}), (["--set", "color=never"], {})])
def test_who_wants_no_colour_gets_none_at_the_prompt_either(parley, scripted, options, env):
    shell = parley.on_terminal("-s", scripted.url("ok"), *options, env=env)
    shell.wait_for_prompt()
    ask(shell, "hello")
    assert HELLO in shell.text
    assert not COLOUR.search(shell.raw)


def test_ctrl_c_clears_the_line_and_hints_at_an_empty_prompt(shell, scripted):
    shell.send("half a thought")
    shell.wait_for("half a thought")
    shell.look_from_here()
    shell.press("ctrl-c")
    shell.wait_for_prompt()
    shell.look_from_here()
    shell.press("ctrl-c")
    shell.wait_for("Ctrl-D")
    shell.wait_for_prompt()
    assert scripted.questions == []
    assert shell.leave() == 0


def test_a_mistyped_command_is_put_back_with_a_suggestion_and_not_sent(shell, scripted):
    shell.type("/modle")
    shell.wait_for("/model")
    shell.wait_until(lambda: shell.typed.endswith("/modle"), "the line to be put back")
    assert scripted.questions == []
    shell.press("ctrl-u")
    shell.wait_for_prompt()
    assert shell.leave() == 0


@pytest.mark.parametrize("line, sent", [
    ("/srv/data/x is it?", "/srv/data/x is it?"),
    ("//hello", "/hello"),
    (" /models", "/models"),
    ("naïve café 日本語 🙂", "naïve café 日本語 🙂"),
])
def test_what_is_meant_as_a_message_is_sent(shell, scripted, line, sent):
    ask(shell, line)
    assert scripted.questions[-1]["messages"][-1]["content"] == sent


def test_a_message_of_several_lines(shell, scripted):
    shell.type('"""')
    shell.type("one")
    shell.type("two")
    ask(shell, '"""')
    assert scripted.questions[-1]["messages"][-1]["content"] == "one\ntwo"


def test_ctrl_j_makes_a_new_line_in_the_message(shell, scripted):
    shell.send("one")
    shell.press("ctrl-j")
    ask(shell, "two")
    assert scripted.questions[-1]["messages"][-1]["content"] == "one\ntwo"


def test_a_paste_of_three_lines_is_one_edit(shell, scripted):
    shell.paste("first\n/models\nthird")
    shell.wait_for("third")
    assert scripted.questions == []
    ask(shell, " and more")
    assert scripted.questions[-1]["messages"][-1]["content"] == "first\n/models\nthird and more"
    assert len(scripted.questions) == 1


def test_a_paste_keeps_its_indentation_and_is_recalled(shell, scripted):
    shell.paste("\n    if x:\n        y")
    shell.send("\r")
    shell.wait_for("Hello")
    shell.wait_for_prompt()
    assert scripted.questions[-1]["messages"][-1]["content"] == "\n    if x:\n        y"
    # A space that is typed keeps the line out of the list.
    shell.say(" secret plan", until="Hello")
    assert scripted.questions[-1]["messages"][-1]["content"] == "secret plan"
    shell.press("up")
    shell.wait_until(lambda: shell.typed.endswith("y"), "the paste")
    shell.press("enter")
    shell.wait_until(lambda: len(scripted.questions) == 3, "the same message")
    assert scripted.questions[-1]["messages"][-1]["content"] == "\n    if x:\n        y"
    shell.wait_for_prompt()
    assert shell.leave() == 0


def test_the_end_of_a_paste_inside_a_paste_ends_nothing(shell, scripted):
    shell.paste("one\n\x1b[201~/quit\n")
    shell.wait_for("/quit")
    assert shell.process.poll() is None
    assert scripted.questions == []


def test_what_is_typed_during_an_answer_waits_for_the_next_prompt(parley, scripted):
    shell = parley.on_terminal("-s", scripted.url("slow-start", 2))
    shell.wait_for_prompt()
    shell.type("first")
    shell.wait_until(lambda: len(scripted.questions) == 1, "the question to be asked")
    shell.send("typed ahead")
    shell.wait_until(lambda: shell.typed.endswith("typed ahead"), "what was typed ahead, at the prompt")
    answer = next(line for line in shell.lines if HELLO[:5] in line)
    assert "typed" not in answer
    shell.look_from_here()
    shell.press("enter")
    shell.wait_for(HELLO)
    assert scripted.questions[-1]["messages"][-1]["content"] == "typed ahead"


def test_a_message_started_on_the_command_line_of_the_shell_is_edited_with_the_arrows(shell, scripted):
    shell.send("hllo")
    shell.send("\x1b[D\x1b[D\x1b[D")
    ask(shell, "e")
    assert scripted.questions[-1]["messages"][-1]["content"] == "hello"


def test_tab_completes_a_command(shell):
    shell.send("/mod")
    shell.press("tab")
    shell.wait_for("/model")
    shell.press("ctrl-c")
    assert shell.process.poll() is None


def test_a_command_of_the_system_runs_in_between(shell, scripted):
    ask(shell, "!echo from outside | tr a-z A-Z")
    assert "FROM OUTSIDE" in shell.text
    assert scripted.questions == []


def test_help_is_shown(shell):
    ask(shell, "/help")
    assert "/models" in shell.text and "/history" in shell.text


def test_ctrl_r_finds_an_earlier_line(shell, scripted):
    for line in ["about whales", "about trains", "about tea"]:
        ask(shell, line)
    shell.press("ctrl-r")
    shell.send("whal")
    shell.wait_for("about whales")
    shell.look_from_here()
    shell.press("enter")
    shell.wait_for(HELLO)
    assert scripted.questions[-1]["messages"][-1]["content"] == "about whales"


def test_a_long_message_is_written_in_the_editor(parley, scripted):
    editor = parley.file("editor", '#!/bin/sh\nprintf "first\\nsecond" >>"$1"\n')
    editor.chmod(0o755)
    shell = parley.on_terminal("-s", scripted.url("ok"), env={"EDITOR": str(editor)})
    shell.wait_for_prompt()
    shell.send("start ")
    shell.wait_for("start")
    shell.send("\x18\x05")
    shell.wait_for("second")
    assert scripted.questions == []
    shell.look_from_here()
    shell.press("enter")
    shell.wait_for(HELLO)
    content = scripted.questions[-1]["messages"][-1]["content"]
    assert content.replace("\n", " ").split() == ["start", "first", "second"]


def test_plain_lines_for_a_screen_reader(parley, scripted):
    shell = parley.on_terminal("-s", scripted.url("slow-start", 2), env={"ACCESSIBLE": "1", "NO_COLOR": "1"})
    shell.wait_for_prompt()
    before = len(shell.raw)
    shell.type("hello")
    shell.wait_for(HELLO)
    shell.wait_for_prompt()
    # Nothing is redrawn while it waits for the answer.
    answer = bytes(shell.raw[before:shell.raw.index(HELLO.encode())])
    assert answer.count(b"\x1b[K") <= 1 and answer.count(b"\x1b[2K") == 0


def test_twenty_columns_are_enough(parley, scripted):
    shell = parley.on_terminal("-s", scripted.url("ok"), columns=20, rows=10)
    shell.wait_for_prompt()
    ask(shell, "a message that is longer than the screen is wide")
    assert "Hello" in shell.text and "server." in shell.text
    assert scripted.questions[-1]["messages"][-1]["content"] == "a message that is longer than the screen is wide"
    ask(shell, "/help")
    assert shell.leave() == 0


def test_a_list_can_be_read_in_twenty_columns(parley, scripted):
    shell = parley.on_terminal("-s", scripted.url("ok"), columns=20, rows=10)
    shell.wait_for_prompt()
    ask(shell, "/models")
    assert "MODEL   scripted" in shell.text


def test_the_text_survives_a_change_of_size(shell, scripted):
    shell.send("keep this")
    shell.wait_for("keep this")
    for columns, rows in [(40, 12), (20, 6), (132, 43), (80, 24)]:
        shell.resize(columns, rows)
        shell.read(0.2)
    ask(shell, " text")
    assert scripted.questions[-1]["messages"][-1]["content"] == "keep this text"


def stopped_with_half_a_line(parley, scripted):
    """A bash in which the program was stopped with `half a` on its line."""
    bash = parley.bash()
    bash.type(f"$PARLEY -s {scripted.url('ok')}")
    bash.wait_for_prompt()
    bash.send("half a")
    bash.wait_for("half a")
    bash.press("ctrl-z")
    bash.wait_for("Stopped")
    bash.wait_until(lambda: bash.typed.endswith("bash$"), "bash's prompt")
    return bash


def ask_the_rest_in_front(bash, scripted):
    bash.type("fg")
    bash.wait_until(lambda: bash.typed.endswith("half a"), "the text to be there again")
    ask(bash, " question")
    assert HELLO in bash.text
    assert scripted.questions[-1]["messages"][-1]["content"] == "half a question"
    bash.press("ctrl-d")
    bash.wait_until(lambda: bash.typed.endswith("bash$"), "bash's prompt")


def test_ctrl_z_and_fg_keep_the_text(parley, scripted):
    bash = stopped_with_half_a_line(parley, scripted)
    bash.type("echo in between")
    bash.wait_for("in between")
    bash.wait_until(lambda: bash.typed.endswith("bash$"), "bash's prompt")
    ask_the_rest_in_front(bash, scripted)


def test_in_the_background_it_waits_for_fg_as_other_programs_do(parley, scripted):
    bash = stopped_with_half_a_line(parley, scripted)
    number = 0
    for _ in range(2):
        bash.look_from_here()
        bash.type("bg")
        bash.wait_for("[1]+")
        # At a prompt there is nothing to do there.
        while "Stopped" not in bash.text:
            number += 1
            bash.type(f"jobs; echo looked''{number}")
            bash.wait_for(f"looked{number}")
    ask_the_rest_in_front(bash, scripted)


def test_ctrl_z_during_an_answer(parley, scripted):
    bash = parley.bash()
    bash.type(f"$PARLEY -s {scripted.url('slow')}")
    bash.wait_for_prompt()
    bash.type("count")
    bash.wait_for("word2")
    bash.press("ctrl-z")
    bash.wait_for("Stopped")
    bash.type("fg")
    bash.wait_for("word20")
    bash.press("ctrl-c")
    bash.wait_for_prompt()


@pytest.mark.parametrize("number, status", [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_leaves_the_terminal_as_it_was_and_the_line_comes_back(parley, scripted, number, status):
    shell = parley.on_terminal("-s", scripted.url("ok"))
    shell.wait_for_prompt()
    shell.send("half a thought")
    shell.wait_for("half a thought")
    shell.signal(number)
    assert shell.wait_for_exit() == status
    shell.assert_restored()

    # Start-up commands leave it alone. A command typed over it leaves it on the recall list; a third start has nothing
    # to put back.
    (parley.home / "parleyrc").write_text("/settings temperature 0.3\n")
    again = parley.on_terminal("-s", scripted.url("ok"))
    again.wait_for("was not sent")
    again.wait_for("scripted> half a thought")
    again.send("/timing")
    again.wait_for("scripted> /timing")
    again.press("enter")
    again.wait_for_prompt()
    again.press("up")
    again.press("up")
    again.wait_for("scripted> half a thought")
    again.press("ctrl-c")
    again.wait_for_prompt()
    assert again.leave() == 0
    third = parley.on_terminal("-s", scripted.url("ok"))
    third.wait_for_prompt()
    assert third.leave() == 0


@pytest.mark.parametrize("number, status", [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
@pytest.mark.parametrize("line, seen", [("/help", "/about"), ("count", "word2"), ("half a thought", None)])
def test_a_terminal_that_takes_nothing_keeps_no_process(parley, scripted, number, status, line, seen):
    """As after Ctrl-S: in a listing, in an answer and while a line is typed."""
    shell = parley.on_terminal("-s", scripted.url("slow"))
    shell.wait_for_prompt()
    if seen:
        shell.type(line)
        shell.wait_for(seen)
    termios.tcflow(shell.slave, termios.TCOOFF)
    shell.send(line)
    shell.signal(number)
    assert shell.wait_for_exit() == status
    assert termios.tcgetattr(shell.slave) == shell.settings_before


@pytest.mark.parametrize("options, line", [(["--private"], "half a secret"), ([], "  half a secret")])
def test_a_line_that_is_to_leave_no_trace_leaves_none_when_the_terminal_goes(parley, scripted, options, line):
    shell = parley.on_terminal(*options, "-s", scripted.url("ok"))
    shell.wait_for_prompt()
    shell.send(line)
    shell.wait_for("half a secret")
    shell.signal(signal.SIGHUP)
    assert shell.wait_for_exit() == 129
    assert not any("half a secret" in file.read_text("utf-8", "replace")
                   for file in parley.home.rglob("*") if file.is_file())


def test_a_locale_without_unicode_gets_none_of_our_signs(parley, scripted):
    shell = parley.on_terminal("-s", scripted.url("ok"), env={"LC_ALL": "C"})
    shell.wait_for_prompt()
    shell.type("/help tools")
    shell.wait_for_prompt()
    assert "TOOL..." in shell.text and "…" not in shell.text
    assert shell.leave() == 0


def test_a_narrow_screen_shows_whole_paths_and_what_was_found(parley, scripted):
    parley.run("-s", scripted.url("ok"), "where does the long sentence about a heron end after all these words")
    shell = parley.on_terminal("-s", scripted.url("ok"), columns=40)
    shell.wait_for_prompt()
    shell.type("/about")
    shell.wait_for_prompt()
    assert str(parley.home / "history.sqlite") in "".join(shell.text.split())
    shell.look_from_here()
    shell.type("/history search words")
    shell.wait_for_prompt()
    assert "*words*" in shell.text
    assert shell.leave() == 0


def test_without_a_server_it_says_how_to_begin(parley, scripted):
    shell = parley.on_terminal()
    shell.wait_for_prompt()
    shell.seen_from = 0
    assert "/connect" in shell.text
    ask(shell, f"/connect {scripted.url('ok')} here")
    ask(shell, "hello")
    assert HELLO in shell.text
    assert shell.leave() == 0
    assert parley.run("hello").out == HELLO + "\n"


def test_quit_leaves(shell):
    shell.type("/quit")
    assert shell.wait_for_exit() == 0
    shell.assert_restored()


def test_a_line_that_was_typed_before_the_first_prompt_is_run(parley):
    shell = parley.on_terminal()
    shell.send("/about\r")
    shell.wait_for("licence")
    shell.wait_for_prompt()
    assert shell.leave() == 0
