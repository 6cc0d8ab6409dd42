"""Files that go along with a message: what a server is really sent, and what becomes of one that cannot go."""

import base64
import contextlib
import os
import sqlite3
import struct
import zlib

import pytest

HELLO = "Hello from the scripted server."


def png(width=2, height=3):
    """A whole picture, all of it black."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = zlib.compress((b"\0" + b"\0\0\0" * width) * height)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def url_of(picture):
    return {"type": "image_url", "image_url": {"url": "data:image/png;base64," + base64.b64encode(picture).decode()}}


def bytes_file(parley, name, data):
    path = parley.directory / name
    path.write_bytes(data)
    return path


def asked(scripted):
    """What the last message said, as it was sent."""
    return scripted.questions[-1]["messages"][-1]["content"]


@pytest.fixture
def shell(parley, scripted):
    """At the prompt, with a server that answers at once."""
    terminal = parley.on_terminal("-s", scripted.url("ok"))
    terminal.wait_for_prompt()
    return terminal


def test_a_text_is_sent_byte_for_byte_in_a_fence_that_it_cannot_end(parley, scripted):
    text = "one\r\n\ttwo \x1b[31m\x7f\n```\ncode\n````\n\ufeffé\u202e @other.txt"
    bytes_file(parley, "notes.txt", text.encode())
    bytes_file(parley, "other.txt", b"not asked for")
    result = parley.run("-s", scripted.url("ok"), "Look", "at", "@notes.txt.")
    assert (result.status, result.out) == (0, HELLO + "\n"), result
    assert result.err == f"attached notes.txt (text, 6 lines, {len(text.encode())} bytes)\n"
    label = f"notes.txt ({len(text.encode())} bytes, no newline at its end):"
    assert asked(scripted) == f"Look at @notes.txt.\n\n{label}\n`````\n{text}\n`````"


def test_a_text_that_ends_as_windows_ends_lines_gets_no_other_end(parley, scripted):
    bytes_file(parley, "a.txt", b"one\r\ntwo\r\n")
    parley.run("-s", scripted.url("ok"), "-a", "a.txt", "Look")
    assert asked(scripted) == "Look\n\na.txt (10 bytes):\n```\none\r\ntwo\r\n```"


def test_an_image_is_sent_beside_the_words_whatever_it_is_called(parley, scripted):
    picture = png()
    bytes_file(parley, "pic.txt", picture)
    result = parley.run("-v", "-s", scripted.url("ok"), "-a", "pic.txt", "What is it?")
    assert asked(scripted) == [{"type": "text", "text": "What is it?"}, url_of(picture)]
    assert f"attached pic.txt (image, PNG 2x3, {len(picture)} bytes)" in result.err
    assert f"image pic.txt, {len(picture)} bytes" in result.err and "base64" not in result.err
    assert "iVBOR" not in result.err + result.out


def test_words_come_first_then_standard_input_then_files(parley, scripted):
    picture = png()
    bytes_file(parley, "a.txt", b"A\n")
    bytes_file(parley, "pic.png", picture)
    result = parley.run("--json", "-s", scripted.url("ok"), "-a", "a.txt", "--attach", "pic.png", "See", "@b.txt", "-",
                        input="piped\n")
    assert result.json["text"] == HELLO and result.json["status"] == "complete"
    words = "See @b.txt\n\n```\npiped\n```\n\na.txt (2 bytes):\n```\nA\n```"
    assert asked(scripted) == [{"type": "text", "text": words}, url_of(picture)]
    parley.run("-s", scripted.url("ok"), "-a", "a.txt", input="piped @a.txt\n")
    assert asked(scripted) == "piped @a.txt\n\na.txt (2 bytes):\n```\nA\n```"


def test_what_was_attached_is_asked_again_with_the_session(parley, scripted):
    picture = png()
    path = bytes_file(parley, "pic.png", picture)
    url = scripted.url("ok")
    parley.run("-s", url, "-a", "pic.png", "What is it?")
    first = scripted.questions[-1]["messages"]
    path.unlink()
    parley.run("-s", url, "-C", "And now?")
    assert scripted.questions[-1]["messages"][:2] == first
    assert parley.run("-s", url, "/retry").status == 0
    assert [message["content"] for message in scripted.questions[-1]["messages"] if message["role"] == "user"] == [
        [{"type": "text", "text": "What is it?"}, url_of(picture)], "And now?"]
    session = parley.run("/history", "--json").json[0]["id"]
    turn = parley.run("/history", "show", session, "--json").json["turns"][0]
    assert turn["attachments"] == [{"name": "pic.png", "type": "image/png", "bytes": len(picture)}]
    assert f"attached pic.png (image, PNG 2x3, {len(picture)} bytes)\n" in parley.run("/history", "show", session).out


def test_an_attached_text_is_a_line_of_its_turn_and_can_be_read_there(parley, scripted):
    text = "".join(f"{number} of many\n" for number in range(300))
    bytes_file(parley, "long.txt", text.encode())
    bytes_file(parley, "pic.png", png())
    url = scripted.url("ok")
    parley.run("-s", url, "-a", "pic.png", "Look", "at", "@long.txt")
    first = asked(scripted)
    shown = parley.run("/history", "show").out
    assert "#1 Look at @long.txt\nattached long.txt (text, 300 lines, 3 KB)\n" in shown
    assert "of many" not in shown
    turn = parley.run("/history", "show", "--json").json["turns"][0]
    assert turn["question"] == "Look at @long.txt" and "of many" not in str(turn)
    assert turn["attachments"][0] == {"name": "long.txt", "type": "text/plain", "bytes": len(text)}
    assert parley.run("/history", "show", "#1", "long.txt").out == text
    assert parley.run("/history", "show", "#1", "long.txt", "--json").json["text"] == text
    result = parley.run("/history", "show", "#1", "pic.png")
    assert result.status == 2 and "error: pic.png is not text, and cannot be printed" in result.err
    result = parley.run("/history", "show", "#1", "other.txt")
    assert result.status == 2 and "hint: what did: long.txt, pic.png" in result.err
    os.remove(parley.directory / "long.txt")
    assert parley.run("-s", url, "/retry").status == 0
    assert asked(scripted) == first
    parley.run("-s", url, "-C", "And now?")
    assert scripted.questions[-1]["messages"][1]["content"] == first


def test_what_the_history_has_no_more_is_said_and_never_sent_as_nothing(parley, scripted, shell):
    bytes_file(parley, "notes.txt", b"notes\n")
    shell.say("Look at @notes.txt", HELLO)
    # As when another program has forgotten it meanwhile.
    with contextlib.closing(sqlite3.connect(parley.home / "history.sqlite")) as history, history:
        history.execute("DELETE FROM attached_bytes")
    shell.type("/retry")
    shell.wait_for("error: the history has notes.txt no more")
    shell.wait_for("hint: /attach notes.txt has it go with a new message")
    shell.wait_until(lambda: shell.typed.endswith("> /retry"), "the line to be back")
    shell.press("ctrl-u")
    shell.wait_for_prompt()
    assert shell.leave() == 0
    # Another run knows of it too.
    again = parley.run("-s", scripted.url("ok"), "-C", "-c", "/retry")
    assert again.status == 2 and "error: the history has notes.txt no more" in again.err
    shown = parley.run("/history", "show", "#1", "notes.txt")
    assert (shown.status, shown.err) == (2, "error: the history has notes.txt no more\n")
    assert len(scripted.questions) == 1


def test_a_word_behind_an_at_is_only_missed_where_a_file_seems_to_be_meant(parley, scripted, shell):
    (parley.directory / "src").mkdir()
    bytes_file(parley, "src/notes.adoc", b"notes\n")
    for name in ["app.route", "types/node", "jane.doe", "org/team"]:
        shell.say(f"What is @{name}?", HELLO)
        assert "no file" not in shell.text
    for name in ["src/other", "readme"]:
        shell.say(f"Read @{name}", HELLO)
        assert f"no file '{name}': only its name is sent" in shell.text
    sent = len(scripted.questions)
    for name in ["report.pdf", "./report", "src/note.adoc"]:
        shell.type(f"Read @{name}")
        shell.wait_for(f"error: no file '{name}'")
        shell.wait_until(lambda name=name: shell.typed.endswith(f"> Read @{name}"), "the message to be edited")
        shell.press("ctrl-u")
        shell.wait_for_prompt()
    assert len(scripted.questions) == sent
    shell.say("/settings missing-file send", "")
    shell.say("Read @report.pdf", HELLO)
    assert "no file 'report.pdf': only its name is sent" in shell.text
    assert shell.leave() == 0


def test_nothing_of_a_private_run_is_kept(parley, scripted):
    picture = png()
    bytes_file(parley, "pic.png", picture)
    assert parley.run("--private", "-s", scripted.url("ok"), "-a", "pic.png", "What is it?").status == 0
    assert asked(scripted)[1] == url_of(picture)
    assert not any(picture in path.read_bytes() for path in parley.written_files)


def test_a_model_that_is_said_to_take_no_images_is_not_sent_any(parley, scripted):
    bytes_file(parley, "pic.png", png())
    result = parley.run("-s", scripted.url("models-blind"), "-a", "pic.png", "What is it?")
    assert result.status == 2
    assert "error: model 'scripted' takes no images: pic.png cannot go along" in result.err
    assert scripted.questions == []


def test_an_earlier_image_is_only_named_to_a_model_that_takes_none(parley, scripted):
    picture = png()
    bytes_file(parley, "pic.png", picture)
    parley.run("-s", scripted.url("ok"), "-a", "pic.png", "What is it?")
    result = parley.run("-s", scripted.url("models-blind"), "-C", "And now?")
    assert result.status == 0, result
    assert scripted.questions[-1]["messages"][1]["content"] == f"What is it?\n\n[image pic.png, {len(picture)} bytes]"
    assert "takes no images: of earlier ones the names are sent" in " ".join(result.err.split())


def test_a_refusal_of_an_image_is_explained(parley, scripted):
    bytes_file(parley, "pic.png", png())
    result = parley.run("-s", scripted.url("refuses-images"), "-a", "pic.png", "What is it?")
    assert result.status == 7
    assert "image input is not supported" in result.err and "may take no images" in result.err


def test_a_text_that_may_be_too_long_for_the_model_is_sent_with_yes_alone(parley, scripted):
    bytes_file(parley, "big.txt", b"four" * 101)
    result = parley.run("-s", scripted.url("models-small"), "-a", "big.txt", "Look")
    assert result.status == 2 and scripted.questions == []
    assert "this message alone is about 106 tokens, and 'scripted' reads 100" in result.err and "--yes" in result.err
    result = parley.run("-y", "-s", scripted.url("models-small"), "-a", "big.txt", "Look")
    assert result.status == 0 and len(scripted.questions) == 1
    bytes_file(parley, "half.txt", b"four" * 51)
    result = parley.run("-s", scripted.url("models-small"), "-a", "half.txt", "Look")
    assert result.status == 0
    assert "about 51 tokens of the 100 that 'scripted' reads in all" in result.err


def unsuitable(parley):
    """Names of what cannot go along, and why."""
    (parley.directory / "folder").mkdir()
    os.mkfifo(parley.directory / "fifo")
    os.symlink("fifo", parley.directory / "link-to-fifo")
    with open(parley.directory / "huge", "wb") as file:
        file.truncate(2 << 30)
    bytes_file(parley, "binary", b"\x7fELF\0\0")
    bytes_file(parley, "latin1.txt", b"caf\xe9\n")
    bytes_file(parley, "long.txt", b"a" * 10_000_001)
    bytes_file(parley, "notes.txt", b"notes\n")
    if os.getuid() != 0:
        bytes_file(parley, "secret", b"").chmod(0)
        yield "secret", "cannot read secret (permission denied)"
    yield "folder", "folder is a folder"
    yield "fifo", "fifo is a pipe, and no file"
    yield "link-to-fifo", "link-to-fifo is a pipe, and no file"
    yield "/dev/zero", "/dev/zero is a device, and no file"
    yield "huge", "huge is too large to go along (2.1 GB)"
    yield "binary", "binary is neither text nor an image that models take"
    yield "latin1.txt", "latin1.txt is neither text nor an image that models take"
    yield "long.txt", "long.txt is too large (10 MB): of a text at most 10 MB go along"
    yield "note.txt", "no file 'note.txt'"


def test_what_cannot_go_along_is_refused_before_anything_is_sent(parley, scripted):
    for name, why in unsuitable(parley):
        result = parley.run("-s", scripted.url("ok"), "-a", name, "Look")
        assert result.status == 2 and f"error: {why}\n" in result.err, (name, result)
    assert "hint: did you mean notes.txt?" in result.err
    assert scripted.questions == []


def test_a_text_that_is_too_large_is_refused_when_it_is_attached(parley, shell):
    bytes_file(parley, "long.txt", b"a" * 10_000_001)
    shell.say("/attach long.txt", until="error: long.txt is too large (10 MB): of a text at most 10 MB go along")
    shell.say("/attach", until="nothing goes with the next message")
    assert shell.leave() == 0


def test_a_link_is_followed_and_a_file_of_nothing_goes_along(parley, scripted):
    bytes_file(parley, "notes.txt", b"notes\n")
    os.symlink("notes.txt", parley.directory / "link")
    bytes_file(parley, "empty", b"")
    result = parley.run("-s", scripted.url("ok"), "-a", "link", "-a", "empty", "Look")
    assert result.err == "attached link (text, 1 line, 6 bytes)\nattached empty (text, 0 lines, 0 bytes)\n"
    assert asked(scripted) == "Look\n\nlink (6 bytes):\n```\nnotes\n```\n\nempty (0 bytes):\n```\n\n```"


def test_files_wait_for_the_next_message_and_add_up(parley, scripted, shell):
    bytes_file(parley, "a b.txt", b"A\n")
    bytes_file(parley, "pic.png", png())
    shell.say("/attach 'a b.txt'", "goes with the next message (text, 1 line, 2 bytes)")
    shell.say("/attach nothere.txt", "no file 'nothere.txt'")
    shell.say("/attach pic.png", "goes with the next message (image, PNG 2x3")
    shell.say("/attach", "image/png")
    assert "a b.txt" in shell.text
    shell.say("Look", HELLO)
    assert "attached pic.png" in shell.text
    assert [part["type"] for part in asked(scripted)] == ["text", "image_url"]
    shell.say("again", HELLO)
    assert asked(scripted) == "again"
    assert shell.leave() == 0


def test_what_was_typed_comes_back_when_a_file_cannot_go_along(parley, scripted, shell):
    path = bytes_file(parley, "notes.txt", b"notes\n")
    os.mkfifo(parley.directory / "fifo")
    shell.say("/attach notes.txt", "goes with the next message")
    path.unlink()
    shell.type("Look at this")
    shell.wait_for("/detach notes.txt takes it off")
    shell.wait_until(lambda: shell.typed.endswith("> Look at this"), "the line to be back")
    assert scripted.questions == []
    path.write_bytes(b"newer\n")
    shell.look_from_here()
    shell.press("enter")
    shell.wait_for(HELLO)
    shell.wait_for_prompt()
    assert asked(scripted) == "Look at this\n\nnotes.txt (6 bytes):\n```\nnewer\n```"

    shell.type("Look at @fifo")
    shell.wait_for("fifo is a pipe")
    shell.wait_until(lambda: shell.typed.endswith("> Look at @fifo"), "the line to be back")
    shell.press("ctrl-u")
    shell.wait_for_prompt()
    assert len(scripted.questions) == 1
    assert shell.leave() == 0


def test_a_message_typed_ahead_comes_back_if_its_file_is_gone_by_then(parley, scripted):
    path = bytes_file(parley, "notes.txt", b"notes\n")
    url = scripted.url("nod")
    shell = parley.on_terminal("-s", url)
    shell.wait_for_prompt()
    shell.type("count")
    shell.wait_for("word5")
    shell.send("Look at @notes.txt\r")
    path.unlink()
    scripted.nod(url)
    shell.wait_for("error: no file 'notes.txt'")
    shell.wait_until(lambda: shell.typed.endswith("> Look at @notes.txt"), "the message to be edited")
    assert len(scripted.questions) == 1
    shell.press("ctrl-u")
    shell.wait_for_prompt()
    assert shell.leave() == 0


def test_tab_offers_files_behind_an_at_and_those_that_wait(parley, scripted, shell):
    bytes_file(parley, "my notes.txt", b"notes\n")
    bytes_file(parley, "other.txt", b"other\n")
    shell.send("Look at @my")
    shell.press("tab")
    shell.wait_for("@'my notes.txt'")
    shell.look_from_here()
    shell.press("enter")
    shell.wait_for(HELLO)
    shell.wait_for_prompt()
    assert asked(scripted).endswith("my notes.txt (6 bytes):\n```\nnotes\n```")
    shell.send("/attach oth")
    shell.press("tab")
    shell.wait_for("/attach other.txt")
    shell.press("enter")
    shell.wait_for("goes with the next message")
    shell.wait_for_prompt()
    shell.send("/detach ")
    shell.press("tab")
    shell.wait_for("/detach other.txt")
    shell.look_from_here()
    shell.press("enter")
    shell.wait_for("does not go with the next message")
    shell.wait_for_prompt()
    shell.say("Look", HELLO)
    assert asked(scripted) == "Look"
    assert shell.leave() == 0


def test_several_are_asked_the_same_with_what_goes_along(parley, scripted):
    picture = png()
    bytes_file(parley, "pic.png", picture)
    bytes_file(parley, "a.txt", b"A\n")
    for name, scene in (("one", "ok"), ("two", "echo"), ("blind", "models-blind")):
        parley.run("/connect", scripted.url(scene), name)
    result = parley.run("-a", "pic.png", "/ask", "@one", "@two", "What is it? @a.txt")
    assert result.status == 0, result
    contents = [question["messages"][-1]["content"] for question in scripted.questions]
    assert contents == 2 * [
        [{"type": "text", "text": "What is it? @a.txt\n\na.txt (2 bytes):\n```\nA\n```"}, url_of(picture)]]
    scripted.forget()
    result = parley.run("-a", "pic.png", "/ask", "@one", "@blind", "What is it?")
    assert result.status == 2 and "takes no images: pic.png cannot go along" in result.err
    assert scripted.questions == []


def test_a_shell_can_begin_with_files_that_wait(parley, scripted):
    bytes_file(parley, "a.txt", b"A\n")
    shell = parley.on_terminal("-s", scripted.url("ok"), "--attach", "a.txt")
    shell.wait_for("a.txt goes with the next message (text, 1 line, 2 bytes)")
    shell.wait_for_prompt()
    shell.say("Look", HELLO)
    assert asked(scripted) == "Look\n\na.txt (2 bytes):\n```\nA\n```"
    assert shell.leave() == 0
    shell = parley.on_terminal("-s", scripted.url("ok"), "--attach", "b.txt")
    shell.wait_for("no file 'b.txt'")
    assert shell.wait_for_exit() == 2


def test_a_message_that_replaces_another_keeps_what_was_beside_it(parley, scripted, shell):
    picture = png()
    bytes_file(parley, "pic.png", picture)
    bytes_file(parley, "secret.txt", b"not asked for\n")
    bytes_file(parley, "a.txt", b"@secret.txt\n")
    os.mkfifo(parley.directory / "fifo")
    shell.say("Look @pic.png @a.txt", HELLO)
    first = asked(scripted)
    assert [part["type"] for part in first] == ["text", "image_url"]
    shell.type("/edit")
    shell.wait_for("takes the place of #1")
    shell.wait_until(lambda: shell.typed.endswith("@a.txt"), "the message to be on the line")
    shell.look_from_here()
    shell.send(" @fifo")
    shell.press("enter")
    shell.wait_for("fifo is a pipe")
    shell.wait_until(lambda: shell.typed.endswith("@fifo"), "the line to be back")
    shell.send("\x7f" * len(" @fifo"))
    shell.wait_until(lambda: shell.typed.endswith("@a.txt"), "the name to be gone")
    shell.look_from_here()
    shell.press("enter")
    shell.wait_for(HELLO)
    shell.wait_for_prompt()
    assert asked(scripted) == first and len(scripted.questions[-1]["messages"]) == 2
    assert shell.leave() == 0


def test_a_name_that_is_no_plain_word_steers_neither_terminal_nor_fence(parley, scripted):
    name = "a\x1b[31m\n```\n.txt"
    bytes_file(parley, name, b"A\n")
    result = parley.run("-v", "-s", scripted.url("ok"), "-a", name, "Look")
    assert result.status == 0, result
    assert "\x1b" not in result.err and result.err.count("attached") == 1
    label, fence, *rest = asked(scripted).removeprefix("Look\n\n").split("\n")
    assert label.endswith(".txt (2 bytes):") and "\x1b" not in label
    assert [fence, *rest] == ["```", "A", "```"]
