"""What is being typed is not lost: not to an answer, a stop, an editor or an undo, however much it is."""

import pytest

from test_keys import Line

HELLO = "Hello from the scripted server."
PASTE = "\n".join(["/quit", "", "\tindented", "  blanks at the end  ", "日本 e\u0301"] * 100)


def last_question(scripted):
    return scripted.questions[-1]["messages"][-1]["content"]


def send(shell):
    shell.look_from_here()
    shell.press("enter")
    shell.wait_for_prompt()


@pytest.fixture
def shell(parley, scripted):
    terminal = parley.on_terminal("-s", scripted.url("ok"))
    terminal.wait_for_prompt()
    return terminal


@pytest.mark.parametrize("ends", ["\r", "\n", "\r\n"])
def test_five_hundred_lines_are_one_mark_and_come_exactly(shell, scripted, ends):
    shell.send("see ")
    shell.paste(PASTE.replace("\n", ends))
    shell.wait_for("see [paste 1: 500 lines]")
    assert scripted.questions == []
    # One Backspace takes it, undo brings it back.
    shell.send("\x7f")
    shell.wait_until(lambda: "paste" not in "".join(shell.lines), "the paste to go")
    shell.send("\x1f")
    shell.wait_until(lambda: "[paste 1: 500 lines]" in "".join(shell.lines), "the paste to be back")
    send(shell)
    assert len(scripted.questions) == 1
    assert last_question(scripted) == "see " + PASTE
    # Recalled, it is folded as it was, and can be sent again.
    shell.press("up")
    shell.wait_until(lambda: shell.typed.endswith("see [paste 1: 500 lines]"), "the mark of it")
    send(shell)
    assert last_question(scripted) == "see " + PASTE


def test_several_lines_and_a_paste_typed_during_an_answer_are_there_at_the_next_prompt(parley, scripted):
    url = scripted.url("nod")
    shell = parley.on_terminal("-s", url)
    shell.wait_for_prompt()
    line = Line(shell)
    shell.type("count")
    shell.wait_for("word5")
    shell.send("one\ntwo ")
    shell.paste(PASTE)
    shell.send("\x1b[Dx")
    scripted.nod(url)
    shell.wait_for("word50")
    line.wait_until("one\ntwo x|[paste 1: 500 lines]", "typed ahead")
    assert len(scripted.questions) == 1
    shell.look_from_here()
    shell.press("enter")
    shell.wait_until(lambda: len(scripted.questions) == 2, "the question to be asked")
    assert last_question(scripted) == "one\ntwo x" + PASTE


def test_a_stop_and_an_editor_that_fails_leave_the_line_as_it_was(parley, scripted):
    parley.environment["EDITOR"] = "false"
    bash = parley.bash()
    bash.type(f"$PARLEY -s {scripted.url('ok')}")
    bash.wait_for_prompt()
    line = Line(bash)
    bash.send("one\nsee ")
    bash.paste(PASTE)
    bash.send(" end" + "\x1b[D" * 3)
    line.wait_until("one\nsee [paste 1: 500 lines] |end", "typed")
    bash.press("ctrl-z")
    bash.wait_until(lambda: bash.typed.endswith("bash$"), "bash's prompt")
    bash.type("fg")
    line.wait_until("one\nsee [paste 1: 500 lines] |end", "after fg")
    bash.send("\x18\x05")
    bash.wait_for("the editor ended with status 1: the line is as it was")
    bash.send("\x1b[D")
    line.wait_until("one\nsee [paste 1: 500 lines]| end", "after the editor")
    send(bash)
    assert last_question(scripted) == f"one\nsee {PASTE} end"


def test_the_keys_of_a_persons_own_file(parley, scripted, tmp_path):
    (tmp_path / ".editrc").write_text(
        '# keys\nbind -e\nbind ^T ed-move-to-beg\nparley:bind ^O parley-kill-line\nother:bind ^O parley-up\nbind nonsense\n'
        'bind -s ^B "before "\n')
    shell = parley.on_terminal("-s", scripted.url("ok"))
    shell.wait_for_prompt()
    line = Line(shell)
    shell.send("one two\x14")
    line.wait_until("|one two", "Ctrl-T")
    shell.send("\x02")
    line.wait_until("before |one two", "a text on a key")
    shell.send("\x0f")
    line.wait_until("before |", "Ctrl-O")
    # Ours are still there.
    shell.send("\x1f")
    line.wait_until("before |one two", "undo")


@pytest.mark.parametrize("chosen", ["file", "setting"])
def test_vi_keys(parley, scripted, tmp_path, chosen):
    if chosen == "file":
        (tmp_path / ".editrc").write_text("bind -v\n")
    options = [] if chosen == "file" else ["--set", "editing=vi"]
    shell = parley.on_terminal("-s", scripted.url("ok"), *options)
    shell.wait_for_prompt()
    line = Line(shell)
    shell.say("ship the old build", HELLO)
    for keys, seen in [
            ("one two\nand three\x1b", "one two\nand thre|e"), ("k", "one tw|o\nand three"), ("j", "one two\nand thre|e"),
            ("hh", "one two\nand th|ree"), ("x", "one two\nand th|ee"), ("u", "one two\nand th|ree"),
            ("dd", "one tw|o"), ("u", "one two\nand th|ree"), ("A!\x1b", "one two\nand three|!"), ("ix\x1b", "one two\nand three|x!"),
            ("0dw", "one two\n|threex!"), ("ddi\x1b[A", "ship the old build|")]:
        shell.send(keys)
        line.wait_until(seen, keys)
    shell.press("escape")
    shell.send("ccdraft\x1b")
    line.wait_until("draf|t", "cc")
    shell.send("/old")
    shell.wait_for("search old: ship the old build")
    shell.press("enter")
    line.wait_until("ship the |old build", "/ and Enter")
    send(shell)
    assert last_question(scripted) == "ship the old build"
