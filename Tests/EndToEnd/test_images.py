"""Images in answers: drawn by a terminal that can, and a line of words everywhere."""

import base64
import re
import struct
import urllib.parse
import zlib

import pytest

KITTY = {"TERM": "xterm-kitty"}
ITERM = {"LC_TERMINAL": "iTerm2"}
DRAWN = {"kitty": (KITTY, re.compile(rb"\x1b_G([^;]*);([^\x1b]*)\x1b\\")),
         "iTerm2": (ITERM, re.compile(rb"\x1b\]1337;File=([^:]*):([^\x07]*)\x07"))}


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(width, height, besides=b"", level=9):
    rows = b"".join(b"\0" + bytes((x * 7 + y * 3) & 255 for x in range(3 * min(width, 900)))
                    for y in range(min(height, 300)))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + besides
            + chunk(b"IDAT", zlib.compress(rows, level)) + chunk(b"IEND", b""))


def markdown(data, kind="image/png", words="a cat"):
    return f"![{words}](data:{kind};base64,{base64.b64encode(data).decode()})"


@pytest.fixture
def saying(scripted):
    """The address of a model that says this."""
    return lambda text: scripted.url("says", urllib.parse.quote(text, safe=""))


def answer(parley, url, env, columns=80, rows=24):
    terminal = parley.on_terminal("-s", url, "go", env=env, columns=columns, rows=rows)
    assert terminal.wait_for_exit() == 0
    terminal.assert_restored()
    return terminal


@pytest.mark.parametrize("name", DRAWN)
def test_a_terminal_that_can_draws_it_below_its_caption(parley, saying, name):
    env, pattern = DRAWN[name]
    picture = png(100, 60, level=0)
    secret = chunk(b"tEXt", b"Comment\0who made it")
    terminal = answer(parley, saying(f"Look:\n\n{markdown(png(100, 60, secret, level=0))}\n\nThat was *all*."), env)
    pieces = pattern.findall(bytes(terminal.raw))
    # What is written is ours: the same picture, without what is not needed to see it.
    assert base64.b64decode(b"".join(data for _, data in pieces)) == picture
    assert all(b"q=2" in head for head, _ in pieces) if name == "kitty" else len(pieces) == 1
    assert len(pieces) > 1 or name == "iTerm2"
    # Ten columns of cells whose size the terminal does not tell, three rows: they are left free.
    head = pieces[0][0]
    assert b"c=10,r=3" in head if name == "kitty" else b"width=10;height=3" in head
    size = f"PNG 100x60, {len(picture) // 1000} KB"
    assert terminal.lines == ["Look:", "", f"[image: a cat, {size}]", "", "", "", "", "That was all."]


@pytest.mark.parametrize("env", [
    {}, KITTY | {"TMUX": "/tmp/none,1,0"}, KITTY | {"ACCESSIBLE": "1"}, ITERM | {"TERM": "dumb"}])
def test_elsewhere_words_say_what_it_is(parley, saying, env):
    terminal = answer(parley, saying(f"{markdown(png(100, 60))}\n"), env)
    assert b"\x1b_G" not in terminal.raw and b"\x1b]1337" not in terminal.raw
    if env.get("TERM") != "dumb":
        assert re.fullmatch(r"\[image: a cat, PNG 100x60, 602 bytes\]", terminal.text)


def test_nobody_has_to_see_them(parley, saying):
    assert parley.run("/settings", "images", "never").status == 0
    terminal = answer(parley, saying(markdown(png(100, 60))), KITTY)
    assert b"\x1b_G" not in terminal.raw and "PNG 100x60" in terminal.text


def test_in_a_pipe_is_what_the_model_wrote(parley, saying):
    text = f"Look:\n\n{markdown(png(10, 6))}"
    result = parley.run("-s", saying(text), "go", env=KITTY)
    assert result.out == text + "\n"


@pytest.mark.parametrize("text, words", [
    ("![x](data:image/png;base64,iVBORw0KGgo!!!)", "its data is broken"),
    ("![x](data:image/png;base64,G10yOw==)", "no PNG, JPEG or GIF"),
    (markdown(b"<svg xmlns='http://www.w3.org/2000/svg' onload='x()'/>", "image/svg+xml", "x"), "no PNG, JPEG or GIF"),
    (markdown(b"<script>x()</script>", "text/html", "x"), "no PNG, JPEG or GIF"),
    (markdown(png(60_000, 60_000), words="x"), "too large to draw"),
    (markdown(png(100, 60)[:-20], words="x"), "cut off"),
])
def test_what_is_no_image_is_never_drawn(parley, saying, text, words):
    for env in (KITTY, ITERM):
        terminal = answer(parley, saying(text), env)
        assert terminal.lines == [f"[image: x, {words}]"]
        assert b"\x1b_G" not in terminal.raw and b"\x1b]1337" not in terminal.raw


def test_data_without_an_end_is_neither_drawn_nor_spelled_out(parley, saying):
    terminal = answer(parley, saying(markdown(png(100, 60), words="x")[:-100]), KITTY)
    assert terminal.lines == ["![x](data:image/png;base64,…"]
    assert b"\x1b_G" not in terminal.raw


def test_in_code_it_is_what_was_written(parley, saying):
    image = markdown(png(10, 6), words="x")
    terminal = answer(parley, saying(f"``\n{image}\n``\n\n<pre>\n{image}\n</pre>\n"), KITTY, columns=400)
    assert terminal.text.count(image) == 2 and b"\x1b_G" not in terminal.raw


def test_one_from_elsewhere_is_never_fetched(parley, saying, scripted):
    url = saying(f"![a cat]({scripted.address}/blob/cat/v1)")
    terminal = answer(parley, url, KITTY)
    assert f"[image: a cat] ({scripted.address}/blob/cat/v1)" in terminal.text.replace("\n", "")
    assert not any(request["path"].startswith("/blob") for request in scripted.requests)


def test_a_large_one_has_the_width_of_the_screen_and_the_prompt_is_below(parley, saying):
    shell = parley.on_terminal("-s", saying(markdown(png(900, 300))), columns=40, rows=12, env=KITTY)
    shell.wait_for_prompt()
    shell.type("go")
    shell.wait_for_prompt()
    head = DRAWN["kitty"][1].search(bytes(shell.raw))[1]
    assert b"c=39,r=7" in head
    # The caption, seven rows, the prompt.
    rows = (shell.scrolled + shell.lines)[shell.seen_from:]
    assert rows[0].startswith("[image: a cat, PNG 900x300") and rows[-8:-1] == [""] * 7 and rows[-1].endswith(">")
    assert parley.run("/history", "show", "--json").status == 0
    assert shell.leave() == 0
