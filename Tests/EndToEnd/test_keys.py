"""Each key that /keys lists does what it says, on each kind of terminal.

A story is what stands on the line, the keys, and what stands there afterwards; `|` is the cursor. What comes behind a `¦`,
the cursor too, is only suggested.
"""

import re
import subprocess

import pytest

TERMINALS = ["xterm-256color", "tmux-256color", "linux"]

EARLIER = ["first line\nsecond line", "ship the old build"]

# By the name that /keys has for the key. Where a key needs others before it, they come first.
STORIES = {
    "Ctrl-J": [("one| two", "Ctrl-J", "one\n| two")],
    "Alt-Enter": [("one|", "Alt-Enter", "one\n|")],
    "Up": [("draft|", "Up", "ship the old build|"),
           ("draft|", "Up Up", "first line\nsecond line|"),
           ("a\n日本 and more|", "Up", "a|\n日本 and more"),
           ("日本 and\na\nlonger line|", "Up Up", "日本 and|\na\nlonger line"),
           ("日本 more\na\n1234|5", "Up Up", "日本| more\na\n12345")],
    "Down": [("draft|", "Up Up Down Down Down", "draft|"), ("one|\ntwo", "Down", "one\ntwo|"),
             ("1234|5\na\n日本x", "Down Down", "12345\na\n日本|x")],
    "Right": [("|日本", "Right", "日|本"), ("shi¦p the old build", "Right", "ship the old build|")],
    "Alt-Right": [("|one two", "Alt-Right", "one| two"), ("shi¦p the old build", "Alt-Right", "ship¦ the old build")],
    "Tab": [("/abo|", "Tab", "/about |")],
    "Ctrl-C": [("some text|", "Ctrl-C", "|")],
    "Ctrl-A": [("one\ntwo|", "Ctrl-A", "one\n|two")],
    "Home": [("one two|", "Home", "|one two")],
    "Ctrl-E": [("on|e\ntwo", "Ctrl-E", "one|\ntwo"), ("shi¦p the old build", "Ctrl-E", "ship the old build|")],
    "End": [("|one two", "End", "one two|"), ("fi¦rst line … 1 more line", "End", "first line\nsecond line|")],
    "Alt-B": [("one two|", "Alt-B", "one |two")],
    "Alt-F": [("|one two", "Alt-F", "one| two")],
    "Ctrl-W": [("one two|three", "Ctrl-W", "one |three")],
    "Ctrl-U": [("one\ntwo| three", "Ctrl-U", "one\n| three")],
    "Ctrl-K": [("one| two\nthree", "Ctrl-K", "one|\nthree")],
    "Ctrl-Y": [("one two|", "Ctrl-W Ctrl-Y Ctrl-Y", "one twotwo|")],
    "Ctrl-_": [("one two|", "Ctrl-W Ctrl-_", "one two|"), ("draft|", "Up Ctrl-_", "draft|"),
               ("one two|", "Ctrl-U Ctrl-Y Ctrl-_", "|")],
    "Ctrl-D": [("on|e", "Ctrl-D", "on|")],
    # Not worth a line of /keys.
    "Ctrl-F": [("|one", "Ctrl-F", "o|ne"), ("shi¦p the old build", "Ctrl-F", "ship the old build|")],
    "Left": [("日本|", "Left", "日|本")],
    "Backspace": [("日本|", "Backspace", "日|")],
    "Delete": [("|日本", "Delete", "|本")],
    "Ctrl-X Ctrl-U": [("one two|", "Ctrl-W Ctrl-X Ctrl-U", "one two|")],
}

CAPABILITIES = {"Up": "kcuu1", "Down": "kcud1", "Left": "kcub1", "Right": "kcuf1", "Home": "khome", "End": "kend",
                "Delete": "kdch1", "Backspace": "kbs", "Alt-Right": "kRIT3"}


class Keyboard:
    """What the keys of a kind of terminal send (terminfo(5))."""

    def __init__(self, term):
        shown = subprocess.run(["infocmp", "-1", "-x", term], capture_output=True, text=True, check=True).stdout
        self.known = dict(re.findall(r"^\t(k\w+)=(.*),$", shown, re.MULTILINE))

    def forms(self, keys):
        """What is sent with and without the keypad's application mode, where these differ."""
        sent = b"".join(self.bytes(name) for name in keys.split())
        return sorted({sent, sent.replace(b"\x1bO", b"\x1b[")})

    def bytes(self, name):
        named = {"Enter": b"\r", "Tab": b"\t", "Alt-Enter": b"\x1b\r"}
        if name in named:
            return named[name]
        if name in CAPABILITIES and CAPABILITIES[name] in self.known:
            spelled = self.known[CAPABILITIES[name]].replace(r"\E", "\x1b").replace("^?", "\x7f").replace("^H", "\x08")
            return spelled.encode()
        # The Linux console has no such key of its own, and its Alt sends an ESC before the letter.
        if name == "Alt-Right":
            return b"\x1bf"
        modifier, letter = name.split("-")
        return b"\x1b" + letter.lower().encode() if modifier == "Alt" else bytes([ord(letter) & 0x1F])


class Line:
    """The line being typed, as it is seen."""

    def __init__(self, shell):
        self.shell = shell
        self.prompt = self.row(shell.screen.cursor.y)[:shell.screen.cursor.x]

    def row(self, y):
        return "".join(self.shell.screen.buffer[y][x].data for x in range(self.shell.screen.columns))

    @property
    def seen(self):
        """With `|` where the cursor is."""
        screen = self.shell.screen
        top = screen.cursor.y
        while top > 0 and not self.row(top).startswith(self.prompt):
            top -= 1
        rows = []
        for y in range(top, screen.lines):
            width = len(self.prompt) if y == top else 2
            cells = [screen.buffer[y][x].data for x in range(screen.columns)]
            if y == screen.cursor.y:
                cells[screen.cursor.x] = "|" + cells[screen.cursor.x]
            rows.append("".join(cells[width:]).rstrip())
        while len(rows) > 1 and not rows[-1]:
            rows.pop()
        # A blank before the cursor is part of the line.
        return "\n".join(rows)

    def wait_until(self, seen, why):
        self.shell.wait_until(lambda: self.seen == seen.replace("¦", "|"), f"{seen!r} on the line: {why}")

    def put(self, text):
        """Types a text and goes to its cursor."""
        typed, _, rest = text.partition("|")
        if "¦" in text:
            typed, rest = text.partition("¦")[0], ""
        self.shell.send(typed + rest + "\x1b[D" * len(rest))
        self.wait_until(text, "typed")

    def clear(self):
        below = self.shell.cursor_line
        self.shell.press("ctrl-c")
        self.shell.wait_until(lambda: self.shell.cursor_line > below and self.seen == "|", "a prompt after Ctrl-C")


@pytest.fixture(params=TERMINALS)
def term(request, parley):
    parley.environment["TERM"] = request.param
    return request.param


@pytest.fixture
def shell(parley, scripted, term):
    """At the prompt, below a bash, with lines of before."""
    editor = parley.file("editor", '#!/bin/sh\nprintf "%s and more" "$(cat "$1")" >"$1"\n')
    editor.chmod(0o755)
    parley.environment["EDITOR"] = str(editor)
    terminal = parley.bash()
    terminal.type(f"$PARLEY -s {scripted.url('ok')}")
    terminal.wait_for_prompt()
    for line in EARLIER:
        terminal.send(line)
        terminal.wait_for(line.split("\n")[-1])
        terminal.look_from_here()
        terminal.press("enter")
        terminal.wait_for_prompt()
    return terminal


def test_every_key_of_the_list_has_its_story(parley):
    told = set(STORIES) | set(TOLD_BELOW)
    names = re.findall(r"^ {0,2}((?:(?:Ctrl|Alt)-\S+|Enter|Up|Down|Right|Tab|Home|End)(?:,? (?:(?:Ctrl|Alt)-\S+|Enter|Up"
                       r"|Down|Right|Tab|Home|End))*)  ", parley.run("/keys").out, re.MULTILINE)
    assert len(names) > 15
    keys = {key for row in names for key in row.split(", ")}
    assert keys <= told, f"without a story: {keys - told}"
    assert told - keys == {"Ctrl-F", "Left", "Backspace", "Delete", "Ctrl-X Ctrl-U"}


def test_what_each_key_makes_of_a_line(shell, term):
    keyboard, line = Keyboard(term), Line(shell)
    for stories in STORIES.values():
        for before, keys, after in stories:
            for sent in keyboard.forms(keys):
                line.put(before)
                if "¦" in before:
                    # It is dim, which tells it from what is typed.
                    assert b"\x1b[2m" in shell.raw[-400:]
                shell.send(sent)
                line.wait_until(after, f"{keys} ({sent!r}) after {before!r}")
                if after != "|":
                    line.clear()


# Those that do more than change the line.
TOLD_BELOW = ["Enter", "Ctrl-R", "Ctrl-Z", "Ctrl-X Ctrl-E", "Ctrl-L", "Ctrl-C", "Ctrl-D"]


def test_the_keys_that_do_more(shell, scripted, term):
    line = Line(shell)
    # Ctrl-L: the line is at the top, and nothing else is there.
    line.put("one\ntw|o")
    shell.send("\x0c")
    shell.wait_until(lambda: len(shell.lines) == 2 and shell.lines[0].startswith(line.prompt), "a clear screen")
    line.wait_until("one\ntw|o", "after Ctrl-L")
    # Ctrl-Z: bash in between, and the same line again.
    shell.press("ctrl-z")
    shell.wait_until(lambda: shell.typed.endswith("bash$"), "bash's prompt")
    shell.type("fg")
    line.wait_until("one\ntw|o", "after fg")
    # Ctrl-X Ctrl-E: what the editor leaves is the line.
    shell.send("\x18\x05")
    line.wait_until("one\ntwo and more|", "after the editor")
    # Enter sends it.
    shell.look_from_here()
    shell.press("enter")
    shell.wait_for_prompt()
    assert scripted.questions[-1]["messages"][-1]["content"] == "one\ntwo and more"
    # Ctrl-R: letters narrow it, Ctrl-G gives up, another key takes what was found.
    line.put("draft|")
    shell.press("ctrl-r")
    shell.send("OLD")
    shell.wait_for("search OLD: ship the old build")
    shell.send("\x07")
    line.wait_until("draft|", "after Ctrl-G")
    shell.press("ctrl-r")
    shell.send("second\x05")
    line.wait_until("first line\nsecond line|", "found, and Ctrl-E")
    # Esc takes it, and the keys are those of the line again.
    line.clear()
    line.put("draft|")
    shell.press("ctrl-r")
    shell.send("old")
    shell.wait_for("search old: ship the old build")
    shell.press("escape")
    line.wait_until("ship the |old build", "found, and Esc")
    shell.send("x")
    line.wait_until("ship the x|old build", "typed after Esc")
    # Ctrl-C leaves what was typed above; at an empty prompt it only hints, and Ctrl-D leaves.
    line.clear()
    assert "second line^C" in shell.text
    shell.press("ctrl-c")
    shell.wait_for("Ctrl-D or /quit leaves")
    shell.wait_for_prompt()
    shell.press("ctrl-d")
    shell.wait_until(lambda: shell.typed.endswith("bash$"), "bash's prompt")


def test_a_long_paste_that_is_recalled_is_folded_as_it_was(shell, scripted):
    line, long = Line(shell), "\n".join(f"row {number}" for number in range(500))
    shell.send(f"say \x1b[200~{long}\x1b[201~ twice")
    line.wait_until("say [paste 1: 500 lines] twice|", "pasted")
    shell.send("\x1f")
    line.wait_until("say [paste 1: 500 lines] |", "a step back")
    shell.send("\x1f\x1f")
    line.wait_until("say |", "the paste is one step")
    shell.send(f"\x1b[200~{long}\x1b[201~")
    line.wait_until("say [paste 2: 500 lines]|", "pasted again")
    for _ in range(2):
        shell.look_from_here()
        shell.press("enter")
        shell.wait_for_prompt()
        assert scripted.questions[-1]["messages"][-1]["content"] == f"say {long}"
        shell.press("up")
        line.wait_until("say [paste 1: 500 lines]|", "recalled")


# On "one / two three / four", keys and what is then seen, from the last letter in the command mode; what vim makes of them, but for the column that
# `k` keeps to, and the cursor behind what `P` put. Blanks at the end of a line are not seen.
ESCAPE = "\x1b"

VI_STORIES = [
    # Motions.
    ("k0", "one\n|two three\nfour"), ("k$", "one\ntwo thre|e\nfour"), ("k5|", "one\ntwo |three\nfour"),
    ("k0w", "one\ntwo |three\nfour"), ("k0W", "one\ntwo |three\nfour"), ("kb", "one\n|two three\nfour"),
    ("kB", "one\n|two three\nfour"), ("k0e", "one\ntw|o three\nfour"), ("k0E", "one\ntw|o three\nfour"),
    ("k02l", "one\ntw|o three\nfour"), ("kh", "one\ntw|o three\nfour"), ("k0j", "one\ntwo three\n|four"),
    ("k$^", "one\n|two three\nfour"), ("k0ft", "one\ntwo |three\nfour"), ("k0tt", "one\ntwo| three\nfour"),
    ("k0fe;", "one\ntwo thre|e\nfour"), ("k$Fo", "one\ntw|o three\nfour"), ("k$Tt", "one\ntwo t|hree\nfour"),
    ("k0fe;,", "one\ntwo thr|ee\nfour"), ("k0fr,", "one\ntwo th|ree\nfour"), ("k0fu", "one\n|two three\nfour"),
    # Operators.
    ("kdd", "one\n|four"), ("kk2dd", "|four"), ("kkdj", "|four"), ("kdk", "|four"), ("kD", "one\ntw|o\nfour"),
    ("k0dw", "one\n|three\nfour"), ("k02dw", "one\n|\nfour"), ("k0wdw", "one\ntwo|\nfour"),
    ("k0de", "one\n| three\nfour"), ("kd0", "one\n| three\nfour"), ("kd$", "one\ntw|o\nfour"),
    ("k0dft", "one\n|hree\nfour"), ("k0dt ", "one\n| three\nfour"), ("k0dfu", "one\n|two three\nfour"),
    ("k0wdiw", "one\ntwo|\nfour"), ("k0wdaw", "one\ntw|o\nfour"), ("0D", "one\ntwo three\n|"),
    ("kccnew", "one\nnew|\nfour"), ("kSnew", "one\nnew|\nfour"), ("k0cwsix", "one\nsix| three\nfour"),
    ("k0Cnew", "one\nnew|\nfour"), ("k0ct x", "one\nx| three\nfour"), ("k0wciwsix", "one\ntwo six|\nfour"),
    # Letters.
    ("k0x", "one\n|wo three\nfour"), ("k03x", "one\n| three\nfour"), ("k$X", "one\ntwo thr|e\nfour"),
    ("k05x", "one\n|hree\nfour"), ("k020x", "one\n|\nfour"), ("k0rX", "one\n|Xwo three\nfour"),
    ("k02rX", "one\nX|Xo three\nfour"), ("k0Rab", "one\nab|o three\nfour"), ("k0~", "one\nT|wo three\nfour"),
    ("k0sT", "one\nT|wo three\nfour"),
    # Inserting.
    ("k^inew ", "one\nnew |two three\nfour"), ("kInew ", "one\nnew |two three\nfour"),
    ("kA!", "one\ntwo three!|\nfour"), ("k0wa!", "one\ntwo t!|hree\nfour"), ("kox", "one\ntwo three\nx|\nfour"),
    ("kOx", "one\nx|\ntwo three\nfour"), ("kkJ", "one| two three\nfour"), ("kk3J", "one two three| four"),
    # Putting.
    ("kyyp", "one\ntwo three\n|two three\nfour"), ("yyP", "one\ntwo three\n|four\nfour"),
    ("kddp", "one\nfour\n|two three"), ("kkYjp", "one\ntwo three\n|one\nfour"),
    ("kkyy2p", "one\n|one\none\ntwo three\nfour"),
    ("k0xp", "one\nw|to three\nfour"), ("k0yw$p", "one\ntwo three|two\nfour"),
    ("k0wywP", "one\ntwo |threethree\nfour"),
    # Undone and done again.
    ("k0xu", "one\n|two three\nfour"), ("k0xxu", "one\n|wo three\nfour"), ("kkJu", "on|e\ntwo three\nfour"),
    ("u", "one\ntwo three\n|"), ("k0ww.", "one\ntwo three\n|four"), ("k0x.", "one\n|o three\nfour"),
    ("k0xl2.", "one\nw|three\nfour"), ("kk0dwj.", "\n|three\nfour"), ("kkddp.", "two three\none\n|one\nfour"),
    ("kkA!", "one!|\ntwo three\nfour", ESCAPE, "one|!\ntwo three\nfour", "j.", "one!\ntwo three|!\nfour"),
    ("k0cwX", "one\nX| three\nfour", ESCAPE, "one\n|X three\nfour", "w.", "one\nX |X\nfour"),
    ("oab", "one\ntwo three\nfour\nab|", ESCAPE, "one\ntwo three\nfour\na|b", ".", "one\ntwo three\nfour\nab\na|b"),
]


def test_vi_keys_that_do_nothing_take_no_other_along(parley, scripted):
    assert parley.run("/settings", "editing", "vi").status == 0
    shell = parley.on_terminal("-s", scripted.url("ok"))
    shell.wait_for_prompt()
    line = Line(shell)
    # An Esc more, an operator that is given up, and a change whose end is not found: the next key is one of its own.
    for keys in [[ESCAPE, ESCAPE, "x"], [ESCAPE, "d", ESCAPE, "x"], [ESCAPE, "cfz", "x"], [ESCAPE, 'ci"', "x"]]:
        shell.send("hello")
        line.wait_until("hello|", "typed")
        for sent in keys:
            shell.send(sent)
            if sent == ESCAPE:
                # As a person does it: the terminal has taken it for a key of its own by then.
                line.wait_until("hell|o", "Esc")
                shell.read(1)  # timed: what Esc begins is a sequence until nothing has followed for 50 ms
        line.wait_until("hel|l", f"{keys}")
        line.clear()
    # Nor is one that failed done again, for ever.
    for keys, after in [("0cfz$.", "hell|o"), ("0D" + "r.", "|"), ("yy99999pdG", None)]:
        shell.send("hello")
        line.wait_until("hello|", "typed")
        shell.press("escape")
        line.wait_until("hell|o", "Esc")
        shell.send(keys)
        if after:
            line.wait_until(after, keys)
        shell.press("ctrl-c")
        shell.wait_for_prompt()
    assert shell.leave() == 0


def test_vi_keys_keep_to_the_line_of_the_cursor(parley, scripted, term):
    assert parley.run("/settings", "editing", "vi").status == 0
    shell = parley.on_terminal("-s", scripted.url("ok"))
    shell.wait_for_prompt()
    line = Line(shell)
    for story in VI_STORIES:
        shell.send("one\ntwo three\nfour")
        line.wait_until("one\ntwo three\nfour|", "typed")
        shell.press("escape")
        line.wait_until("one\ntwo three\nfou|r", "Esc")
        for keys, after in zip(story[::2], story[1::2]):
            shell.send(keys)
            line.wait_until(after, f"{keys!r} in {story}")
        line.clear()


def test_what_is_suggested_is_not_in_the_scrollback(shell, scripted):
    line = Line(shell)
    for key in ["ctrl-c", "enter", "ctrl-z"]:
        line.put("ship¦ the old build")
        shell.look_from_here()
        typed_at = shell.cursor_line - shell.screen.forgotten
        shell.press(key)
        if key == "ctrl-z":
            shell.wait_until(lambda: shell.typed.endswith("bash$"), "bash's prompt")
        else:
            shell.wait_for_prompt()
        assert (shell.scrolled + shell.lines)[typed_at] == (line.prompt + "ship" + ("^C" if key == "ctrl-c" else "")).rstrip()
    assert scripted.questions[-1]["messages"][-1]["content"] == "ship"


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"ACCESSIBLE": "1"}])
def test_where_it_could_not_be_told_apart_nothing_is_suggested(parley, scripted, env):
    shell = parley.on_terminal("-s", scripted.url("ok"), env=env)
    shell.wait_for_prompt()
    shell.say("ship the old build", "Hello")
    line = Line(shell)
    line.put("ship|")
    shell.press("enter")
    shell.wait_for_prompt()
    assert scripted.questions[-1]["messages"][-1]["content"] == "ship"


def test_a_terminal_that_can_do_nothing_reads_plain_lines(parley, scripted):
    shell = parley.on_terminal("-s", scripted.url("ok"), env={"TERM": "dumb"})
    shell.wait_for_prompt()
    shell.send("helo\x7f\x7fllo")
    shell.wait_until(lambda: shell.typed.endswith("hello"), "the terminal's own echo")
    shell.press("enter")
    shell.wait_for("Hello from the scripted server.")
    shell.wait_for_prompt()
    assert scripted.questions[-1]["messages"][-1]["content"] == "hello"
    shell.send("half a line")
    shell.wait_for("half a line")
    shell.press("ctrl-c")
    shell.wait_for_prompt()
    assert shell.leave() == 0
    assert b"\x1b" not in shell.raw
    assert len(scripted.questions) == 1
