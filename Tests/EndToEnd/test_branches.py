"""Going back in a conversation, and forgetting, with a server that is really asked and files that are really there."""

import pathlib

HELLO = "Hello from the scripted server."


def asked(scripted):
    return [message["content"] for message in scripted.questions[-1]["messages"] if message["role"] == "user"]


def everything_in(home):
    return b"".join(path.read_bytes() for path in pathlib.Path(home).rglob("*") if path.is_file())


def test_another_line_of_a_conversation_is_what_the_server_is_sent(parley, scripted):
    shell = parley.on_terminal("-s", scripted.url("ok"))
    shell.wait_for_prompt()
    for question in ("one", "two", "three"):
        shell.say(question, HELLO)
    shell.say("/undo", "#3 is set aside; /branch #3 goes back to it")
    shell.say("instead of three", HELLO)
    assert asked(scripted) == ["one", "two", "instead of three"]
    # Tab knows the turns of other branches too.
    shell.send("/branch #3\t")
    shell.wait_until(lambda: shell.typed.endswith("/branch #3"), "the turn to be known")
    shell.press("ctrl-u")
    shell.wait_for_prompt()
    shell.send("/branch \t")
    shell.wait_until(lambda: any(row.startswith("#3 ") and "three" in row for row in shell.lines), "all turns below")
    shell.press("ctrl-c")
    shell.wait_for_prompt()
    # An earlier message comes on the line to be changed.
    shell.type("/edit #2")
    shell.wait_until(lambda: shell.typed.endswith("> two"), "the message on the line")
    shell.press("ctrl-u", "enter")
    shell.wait_for_prompt()
    shell.say("/branch #3", "on the branch of #3 now (3 turns)")
    shell.say("/branches", "instead of three")
    assert "*  #3" in shell.text
    shell.say("after three", HELLO)
    assert asked(scripted) == ["one", "two", "three", "after three"]
    shell.say("/fork #2", "begins with 2 turns")
    shell.say("in the copy", HELLO)
    assert asked(scripted) == ["one", "two", "in the copy"]
    assert shell.leave() == 0
    # Where it stood is where the next run goes on.
    assert parley.run("-s", scripted.url("ok"), "-C", "later").status == 0
    assert asked(scripted) == ["one", "two", "in the copy", "later"]


def test_a_conversation_that_goes_on_elsewhere_says_so(parley, scripted):
    assert parley.run("/connect", scripted.url("ok"), "kept").status == 0
    other = scripted.url("ok", "other")
    assert parley.run("-s", other, "for you alone").status == 0
    again = parley.run("-C", "and on")
    assert f"it was with {other.removesuffix('/v1')}" in again.err and "'kept'" in again.err
    assert "it was with" not in parley.run("-C", "and on").err


def test_what_is_forgotten_is_in_no_file_of_the_home(parley, scripted):
    (parley.directory / "notes.txt").write_text("canary in a file\n")
    shell = parley.on_terminal("-s", scripted.url("ok"))
    shell.wait_for_prompt()
    shell.say("first canary", HELLO)
    shell.say("keepsake", HELLO)
    shell.say("canary with @notes.txt", HELLO)
    assert b"canary" in everything_in(parley.home)
    for handle in ("#1", "#3"):
        shell.type(f"/forget {handle}")
        shell.wait_for_question("for good? [y/N]")
        shell.send("y\r")
        shell.wait_for(f"{handle} is forgotten")
        shell.wait_for_prompt()
    shell.say("/history search canary", "nothing found for 'canary'")
    # Nor is it offered again.
    shell.press("up", "up", "up", "up", "up", "up", "up", "up", "up")
    shell.wait_until(lambda: shell.typed.endswith("> keepsake"), "the line typed first of those left")
    shell.press("ctrl-u")
    shell.wait_for_prompt()
    assert shell.leave() == 0
    rest = everything_in(parley.home)
    assert b"keepsake" in rest
    assert rest.count(b"canary") == rest.count(b"/history search canary") == 1


def test_nothing_is_forgotten_without_a_yes(parley, scripted):
    assert parley.run("-s", scripted.url("ok"), "one").status == 0
    refused = parley.run("/forget", "all")
    assert (refused.status, refused.err.splitlines()[-1]) == (2, "hint: add --yes")
    assert len(parley.run("/history", "--json").json) == 1
    assert parley.run("/forget", "all", "--yes").status == 0
    assert parley.run("/history", "--json").json == []
