"""What was last seen of terminals elsewhere, when their server does not answer: a real Jupyter Server behind a road that
can be cut."""

import time

import pytest

from jupyter import TOKEN


@pytest.fixture
def far(parley, road, work):
    """The same terminal by a road."""
    assert parley.run("/connect", f"{road.url}?token={TOKEN}", "far").status == 0
    # `lab` is the same server.
    assert parley.run("-y", "/server", "remove", "lab").status == 0
    return "far/work"


def test_the_list_is_shown_as_it_was(parley, road, far):
    row, = parley.run("/terminals", "--json").json
    assert (row["id"], row["seenAt"]) == (far, None)
    before = time.time_ns() // 1_000_000
    road.cut()
    result = parley.run("/terminals", "--json")
    assert result.status == 0 and "far is shown as it was a moment ago" in result.err, result
    old, = result.json
    assert old["seenAt"] <= before and {**old, "seenAt": None} == row
    with parley.on_terminal("/terminals", columns=120) as terminal:
        assert terminal.wait_for_exit() == 0
        assert any(far in line and "as it was a moment ago" in line for line in terminal.lines)


def test_its_last_lines_are_shown_as_they_were(parley, road, far):
    assert parley.run("/terminal", "run", far, "seq 1 300").status == 0
    assert parley.run("/terminal", "show", far, "5").status == 0
    road.cut()
    result = parley.run("/terminal", "show", far)
    assert result.status != 0 and "far/work as it was a moment ago:" in result.err, result
    assert "300" in result.out.splitlines()[-2:] and "\n261\n" not in result.out and "\n270\n" in result.out
    # More than were asked for then.
    assert "\n150\n" in parley.run("/terminal", "show", "far", "1000").out
    result = parley.run("/terminal", "show", far, "--json")
    assert result.json["seenAt"] and "300" in result.json["text"]
    road.mend()
    result = parley.run("/terminal", "show", far, "--json")
    assert (result.status, result.json["seenAt"]) == (0, None)


def test_what_was_seen_while_attached_is_kept(parley, road, far, scripted):
    with parley.on_terminal("-s", scripted.url("ok")) as shell:
        shell.wait_for_prompt()
        shell.type(f"/terminal attach {far}")
        shell.wait_until(lambda: shell.typed.endswith("$"), "the prompt of the terminal")
        shell.send("echo quin''ces")
        shell.wait_for("echo quin''ces")
        shell.send("\r")
        shell.wait_for("quinces")
        shell.wait_until(lambda: shell.typed.endswith("$"), "the prompt again")
        road.cut()
        shell.wait_for("the connection to far/work is lost")
        shell.send("~.")
        shell.wait_for("detached from far/work")
        shell.wait_for_prompt()
        shell.look_from_here()
        shell.type("/terminal show far/work")
        shell.wait_for("as it was a moment ago")
        shell.wait_until(lambda: "quinces" in shell.text.splitlines(), "what was said last")


def test_tab_knows_what_was_seen_before(parley, road, far, scripted):
    road.cut()
    with parley.on_terminal("-s", scripted.url("ok")) as shell:
        shell.wait_for_prompt()
        shell.send("/terminal show fa\t")
        shell.wait_until(lambda: shell.typed.endswith("far/work"), "the name")


def test_who_signs_out_or_forgets_the_server_leaves_nothing_behind(parley, road, far):
    assert parley.run("/terminal", "run", far, "echo quin''ces").status == 0
    for command in (["-s", "far", "/logout"], ["-y", "/server", "remove", "far"]):
        assert "quinces" in parley.run("/terminal", "show", far).out
        assert kept(parley, b"quinces")
        assert parley.run(*command).status == 0
        assert not kept(parley, b"quinces") and not kept(parley, b"work")
        if command[0] == "-s":
            assert parley.run("-s", "far", "/login", "--token-stdin", input=TOKEN).status == 0


def test_a_shell_that_still_knows_a_server_keeps_nothing_of_it_for_others(parley, road, far, scripted):
    with parley.on_terminal("-s", scripted.url("ok")) as shell:
        shell.wait_for_prompt()
        shell.say("/terminals", until="far/work")
        assert parley.run("/terminal", "run", far, "echo quin''ces").status == 0
        assert parley.run("-y", "/server", "remove", "far").status == 0
        shell.type("/terminal show far/work")
        shell.wait_until(lambda: "quinces" in shell.text.splitlines(), "what it says")
        shell.wait_for_prompt()
        assert not kept(parley, b"quinces") and not kept(parley, b"work")


def test_a_private_run_keeps_nothing_of_it(parley, road, far):
    assert parley.run("/terminal", "run", far, "echo quin''ces").status == 0
    assert "quinces" in parley.run("--private", "/terminal", "show", far).out
    assert not kept(parley, b"quinces")


def kept(parley, words):
    """Whether a file of the cache has these in it; all of them are the person's alone."""
    files = [path for path in parley.written_files if "terminals" in path.name]
    assert all(path.stat().st_mode & 0o077 == 0 for path in files)
    return any(words in path.read_bytes() for path in files)
