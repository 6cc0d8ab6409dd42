"""Answers, and the code in them, out of the shell: /copy, /save, /pipe and the handles that name them."""

import base64
import pathlib
import re
import shutil
import subprocess

import pytest

ANSWER = """Two ways:

```python
print("one")
print("two")
```

1. In a shell:

   ~~~ sh
   echo three
   ~~~

Done."""

NO_DESKTOP = {"TERM": "xterm-256color", "DISPLAY": "", "WAYLAND_DISPLAY": ""}


@pytest.fixture
def shell(parley, scripted):
    """At the prompt, with an answer that has code."""
    terminal = parley.on_terminal("-s", scripted.url("repeat"), env=NO_DESKTOP)
    terminal.wait_for_prompt()
    terminal.paste(ANSWER)
    terminal.press("enter")
    terminal.wait_for("Done.")
    terminal.wait_for_prompt()
    return terminal


def asked(shell):
    """What the terminal was asked to put on the clipboard (OSC 52)."""
    return [base64.b64decode(text).decode() for text in re.findall(rb"\x1b\]52;c;([^\x07]*)\x07", shell.raw)]


def test_the_terminal_is_asked_to_copy_what_the_handle_names(shell):
    for line in ["/copy", "/copy code", "/copy code 1", "/copy #1.code2", "/copy #-1.code"]:
        shell.look_from_here()
        shell.type(line)
        shell.wait_for("the terminal was asked to copy")
        shell.wait_for_prompt()
    python, sh = 'print("one")\nprint("two")', "echo three"
    # Never a last newline, which would send off what is pasted.
    assert asked(shell) == [ANSWER, sh, python, sh, sh]


def test_what_a_handle_does_not_name_is_said(parley, scripted):
    parley.run("-s", scripted.url("repeat"), ANSWER)
    for handle, said, hint in [("#1.code3", "#1 has 2 blocks of code, and no 3", "#1.code2 is the last"),
                               ("#7", "no turn '#7'", None), ("#1.cod", "'#1.cod' names no answer", "#3.code1"),
                               ("#1.code0", "'#1.code0' names no answer", "#3.code1")]:
        result = parley.run("/raw", handle)
        assert result.status == 2 and said in result.err, result
        assert hint is None or hint in result.err
    assert parley.run("/raw", "#1.code1").out == 'print("one")\nprint("two")\n'
    parley.run("-s", scripted.url("ok"), "no code here")
    result = parley.run("/raw", "#1.code")
    assert result.status == 2 and "there is no code in #1" in result.err


@pytest.mark.parametrize("term", ["dumb", "linux"])
def test_where_there_is_no_clipboard_that_is_said(parley, scripted, term):
    parley.run("-s", scripted.url("repeat"), ANSWER)
    shell = parley.on_terminal("-C", "-s", scripted.url("ok"), env={**NO_DESKTOP, "TERM": term})
    shell.wait_for_prompt()
    shell.type("/copy")
    shell.wait_for("there is no clipboard to copy to")
    shell.wait_for("/save FILE")
    assert b"\x1b]52" not in shell.raw
    result = parley.run("/copy", env=NO_DESKTOP)
    assert result.status == 1 and result.out == ""


def test_the_program_of_the_desktop_is_used_but_not_over_ssh(parley, scripted):
    parley.run("-s", scripted.url("repeat"), ANSWER)
    copied = parley.directory / "copied"
    (parley.directory / "bin").mkdir()
    parley.file("bin/xclip", f'#!/bin/sh\necho "$*" >"{copied}"; cat >>"{copied}"\n').chmod(0o755)
    desktop = {**NO_DESKTOP, "DISPLAY": ":7", "PATH": f"{parley.directory}/bin:/usr/bin:/bin"}
    result = parley.run("/copy", "code", "1", env=desktop)
    assert result.status == 0 and "copied code 1 of 2 of #1 (python) with xclip (2 lines, 26 bytes)" in result.err, result
    assert copied.read_text() == '-selection clipboard\nprint("one")\nprint("two")'
    assert parley.run("/copy", env={**desktop, "SSH_CONNECTION": "10.0.0.2 5 10.0.0.1 22"}).status == 1
    # The person's own way comes before all.
    parley.run("/settings", "clipboard", "tr a-z A-Z >mine")
    assert parley.run("/copy", "code", env=desktop).status == 0
    assert (parley.directory / "mine").read_text() == "ECHO THREE"
    parley.run("/settings", "clipboard", "exit 3")
    result = parley.run("/copy", env=desktop)
    assert result.status == 1 and "exit 3 ended with exit status 3" in result.err


def test_no_control_character_reaches_the_clipboard(parley, scripted):
    parley.run("-s", scripted.url("repeat"), "say \x1b[201~rm -rf\x9b31m\n\x07")
    copied = parley.directory / "copied"
    parley.run("/settings", "clipboard", f"cat >{copied}")
    assert parley.run("/copy").status == 0
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]", copied.read_text())


@pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")
def test_within_tmux_its_paste_buffer_has_it(parley, scripted, tmp_path):
    parley.run("-s", scripted.url("repeat"), ANSWER)
    socket = tmp_path / "tmux"
    tmux = ["tmux", "-S", socket, "-f", "/dev/null"]
    subprocess.run([*tmux, "new-session", "-d", "-s", "work", "sh"], check=True, env={**parley.environment, "TERM": "xterm"})
    try:
        result = parley.run("/copy", "code", "1", env={**NO_DESKTOP, "TMUX": f"{socket},1,0"})
        assert result.status == 0 and "is in tmux's paste buffer" in result.err, result
        shown = subprocess.run([*tmux, "show-buffer"], capture_output=True, text=True, check=True)
        assert shown.stdout == 'print("one")\nprint("two")'
    finally:
        subprocess.run([*tmux, "kill-server"], check=True)


def test_a_file_gets_it_and_none_is_written_over(parley, scripted):
    parley.run("-s", scripted.url("repeat"), ANSWER)
    assert parley.run("/save", "answer.md").status == 0
    assert (parley.directory / "answer.md").read_text() == ANSWER + "\n"
    result = parley.run("/save", "one.py", "#1.code1")
    assert result.status == 0 and "code 1 of 2 of #1 (python) is in one.py (2 lines, 26 bytes)" in result.err
    assert parley.run("/save", "three.sh", "code").status == 0
    assert (parley.directory / "three.sh").read_text() == "echo three\n"
    before = (parley.directory / "one.py").read_text()
    assert parley.run("/save", "one.py").status != 0
    assert (parley.directory / "one.py").read_text() == before == 'print("one")\nprint("two")\n'


def test_a_program_gets_it_and_its_end_is_ours(parley, scripted):
    parley.run("-s", scripted.url("repeat"), ANSWER)
    assert parley.run("/pipe", "#1.code1", "python3").out == "one\ntwo\n"
    assert parley.run("/pipe", "tail -1").out == "Done.\n"
    assert parley.run("/pipe", "#1.code2", "head -c 3").out == "ech"
    result = parley.run("/pipe", "#1.code2", "exit 4")
    assert result.status == 1 and "exit 4 ended with exit status 4" in result.err
    # More than any pipe holds, and a reader that does not want it.
    long = "\n".join(f"row {number}" for number in range(40_000))
    parley.run("-s", scripted.url("repeat"), stdin=subprocess.DEVNULL, input=long)
    assert parley.run("/pipe", "wc -l").out.strip() == "40000"
    assert parley.run("/pipe", "head -1").out == "row 0\n"


def test_what_a_program_shows_on_a_terminal_was_filtered_before(parley, scripted):
    shell = parley.on_terminal("-s", scripted.url("repeat"), env=NO_DESKTOP)
    shell.wait_for_prompt()
    shell.send("say \x16\x1b[31mred\r")
    shell.wait_for_prompt()
    parley.run("-s", scripted.url("repeat"), "say \x1b]0;title\x07")
    again = parley.on_terminal("-C", "-s", scripted.url("ok"), env=NO_DESKTOP)
    again.wait_for_prompt()
    again.look_from_here()
    before = len(again.raw)
    again.type("/pipe cat")
    again.wait_for("say ")
    again.wait_for_prompt()
    assert b"\x1b]0;title" not in again.raw[before:]


def test_quotes_in_quotes_are_no_end_of_it(parley, scripted):
    parley.run("-s", scripted.url("repeat"), input=">" * 200_000 + " ```\n")
    result = parley.run("/raw", "#1.code1")
    assert result.status in (0, 2), result


def test_a_stray_handle_is_no_name_of_a_file(parley, scripted):
    parley.run("-s", scripted.url("repeat"), ANSWER)
    for name in ["#1.code1", "#-1", " "]:
        result = parley.run("/save", name)
        assert result.status == 2 and "/save needs FILE" in result.err, result
    assert not list(parley.directory.glob("#*"))


def test_the_quit_key_of_a_program_is_the_programs(shell):
    shell.type("/pipe sh -c 'echo here; sleep 30'")
    shell.wait_for("here")
    shell.send("\x1c")
    shell.wait_for("ended with exit status 131")
    shell.wait_for_prompt()
    assert shell.leave() == 0


def test_a_program_that_stopped_itself_is_ended_by_ctrl_c(shell):
    shell.type("/pipe echo number $$; kill -STOP $$")
    shell.wait_for(re.compile(r"^number \d+", re.MULTILINE))
    number = re.search(r"^number (\d+)", shell.text, re.MULTILINE)[1]
    shell.wait_until(lambda: pathlib.Path(f"/proc/{number}/stat").read_text().split()[2] == "T", "it to stop")
    shell.press("ctrl-c")
    shell.wait_for_prompt()
    assert shell.leave() == 0


def test_an_expression_with_too_many_ways_is_given_up(parley, scripted):
    result = parley.run("-s", scripted.url("repeat"), "-c", "a" * 40 + "!", "-c", "/expect /(a+)+$/", timeout=300)
    assert result.status == 1 and "takes too long" in result.err


def test_a_program_has_the_terminal_and_leaves_it_as_it_was(shell):
    shell.type("/pipe #1.code1 sed 's/one/1 & 1/'")
    shell.wait_for('print("1 one 1")')
    shell.wait_for_prompt()
    shell.look_from_here()
    # One that asks the person has the keyboard by /dev/tty, as less and fzf do.
    shell.type("/pipe #-1.code sh -c 'cat; printf \"name: \"; read name </dev/tty; echo \"hello $name\"'")
    shell.wait_until(lambda: shell.typed.endswith("name:"), "the question of the program")
    shell.send("Ada\r")
    shell.wait_for("hello Ada")
    shell.wait_for_prompt()
    assert shell.leave() == 0
    shell.assert_restored()


def test_tab_knows_the_code_of_an_answer(shell):
    shell.send("/copy #1.\t\t")
    shell.wait_for("#1.code2")
    assert re.search(r'#1\.code1 +python print\("one"\)', shell.text), shell
    assert re.search(r"#1\.code2 +sh echo three", shell.text), shell
