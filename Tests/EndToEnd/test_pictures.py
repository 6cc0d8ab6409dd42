"""The pictures in docs/pictures, and what a hostile screen can do in one."""

import pathlib
import sys
import xml.etree.ElementTree as ElementTree

import pyte
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "scripts"))
import pictures

NAMES = {"svg", "title", "desc", "rect", "g", "path", "text"}


def parts(svg):
    """The elements of a picture, by their names without the namespace."""
    return [(element.tag.removeprefix("{http://www.w3.org/2000/svg}"), element)
            for element in ElementTree.fromstring(svg).iter()]


def drawn(text, columns=80, rows=4):
    screen = pictures.Drawing(columns, rows)
    pyte.ByteStream(screen).feed(text.encode())
    return pictures.picture(screen, "A screen", "With <b>words</b> & more")


@pytest.mark.parametrize("text", [
    "<script>alert(1)</script>", "]]></text></g></svg><image href='http://evil.example/x'/>", "&lt;b&gt; &amp; \"quotes'",
    "\"/><a onload=x()>"])
def test_text_on_the_screen_is_text_in_the_picture(text):
    elements = parts(drawn(text))
    assert {name for name, _ in elements} <= NAMES
    assert " ".join(element.text for name, element in elements if name == "text") == text
    assert not any(key.startswith("on") or "href" in key for _, element in elements for key in element.attrib)


def test_a_character_that_no_picture_may_have_is_replaced():
    assert "<text" in drawn("a\ufffeb\u009cc \x7f")
    parts(drawn("a\ufffeb\u009cc \x7f"))


def test_colours_and_columns_keep_their_places():
    elements = parts(drawn("\x1b[31mred\x1b[0m  \x1b[2m字x\x1b[0m\r\n─┼─"))
    texts = [element for name, element in elements if name == "text"]
    assert [text.text for text in texts] == ["red", "字x"]
    assert [text.get("textLength") for text in texts] == ["25.2", "25.2"]
    assert [text.get("fill") for text in texts] == [pictures.COLOURS["red"], pictures.COLOURS["dim"]]
    # The lines are one stroke along and one across: they join in any font.
    assert [element.get("d") for name, element in elements if name == "path"] == ["M16 43H41.2M28.6 34V52"]


def test_the_kept_pictures_are_small_and_whole():
    files = sorted((ROOT / "docs/pictures").glob("*.svg"))
    assert [file.stem for file in files] == sorted(pictures.PICTURES)
    for file in files:
        names = [name for name, _ in parts(file.read_text(encoding="utf-8"))]
        assert set(names) <= NAMES and {"title", "desc", "text"} <= set(names)
        assert file.stat().st_size < 60_000
