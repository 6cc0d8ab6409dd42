"""What a person sets up once and relies on afterwards."""

import json
import os
import re

import pytest

from waiting import wait_until

HELLO = "Hello from the scripted server.\n"


def preferences(parley):
    path, = parley.home.rglob("preferences.json")
    return path


def test_a_server_that_was_connected_is_there_next_time(parley, scripted):
    assert parley.run("/connect", scripted.url("ok"), "mine").status == 0
    assert parley.run("hello").out == HELLO
    listed = parley.run("--json", "/server").json
    assert [server["name"] for server in listed] == ["mine"]
    assert parley.run("-s", "mine", "hello").out == HELLO


def test_the_environment_names_a_server_and_a_model(parley, scripted):
    env = {"PARLEY_SERVER": scripted.url("ok"), "PARLEY_MODEL": "script"}
    assert parley.run("hello", env=env).out == HELLO
    assert scripted.questions[-1]["model"] == "scripted"


def test_a_setting_is_kept_and_reset(parley, scripted):
    url = scripted.url("ok")
    assert parley.run("/settings", "max-tokens", "30").status == 0
    parley.run("-s", url, "hello")
    assert scripted.questions[-1].get("max_tokens", scripted.questions[-1].get("max_completion_tokens")) == 30
    assert parley.run("/settings", "reset", "max-tokens").status == 0
    parley.run("-s", url, "hello")
    assert not {"max_tokens", "max_completion_tokens"} & set(scripted.questions[-1])


def test_a_setting_for_one_run_is_not_kept(parley, scripted):
    parley.run("-s", scripted.url("ok"), "--set", "seed=5", "hello")
    parley.run("-s", scripted.url("ok"), "hello")
    assert "seed" not in scripted.questions[-1]


def test_a_key_of_another_version_survives_a_change(parley):
    parley.run("/settings", "temperature", "1")
    path = preferences(parley)
    path.write_text(json.dumps(json.loads(path.read_text()) | {"from-the-future": [1, {"deep": True}]}))
    parley.run("/settings", "temperature", "0.5")
    kept = json.loads(path.read_text())
    assert (kept["temperature"], kept["from-the-future"]) == (0.5, [1, {"deep": True}])


def test_a_broken_file_is_set_aside_and_named(parley, scripted):
    parley.run("/settings", "temperature", "1")
    path = preferences(parley)
    path.write_text("{ broken")
    result = parley.run("-s", scripted.url("ok"), "hello")
    assert (result.status, result.out) == (0, HELLO)
    assert path.name in result.err
    assert [file for file in path.parent.iterdir() if file.read_bytes() == b"{ broken"]


def test_a_wrong_value_names_what_is_accepted(parley):
    result = parley.run("/settings", "temperature", "hot")
    assert result.status == 2
    assert "0" in result.err and "2" in result.err
    result = parley.run("/settings", "temprature", "1")
    assert result.status == 2
    assert "temperature" in result.err


def test_verbose_says_what_is_sent_and_quiet_says_nothing(parley, scripted):
    result = parley.run("-v", "-s", scripted.url("ok"), "hello")
    assert result.out == HELLO
    assert "scripted" in result.err or "temperature" in result.err
    assert parley.run("-q", "-s", scripted.url("ok"), "hello").err == ""


def test_help_fits_eighty_columns(parley):
    for topic in [[], ["settings"], ["keys"], ["exit-codes"], ["environment"], ["files"], ["history"]]:
        result = parley.run("/help", *topic)
        assert result.status == 0
        assert [line for line in result.out.splitlines() if len(line) > 80] == [], topic


def test_start_up_commands_run_at_each_start(parley, scripted):
    parley.run("/settings", "temperature", "1")
    (preferences(parley).parent / "parleyrc").write_text(f"/connect {scripted.url('ok')} fromrc\n")
    shell = parley.on_terminal()
    shell.wait_for_prompt()
    shell.type("hello")
    shell.wait_for(HELLO.strip())
    shell.wait_for_prompt()
    assert shell.leave() == 0


def test_a_run_for_one_command_asks_on_its_terminal(parley, scripted):
    parley.run("/connect", scripted.url("ok"), "mine")
    for command in (["/server", "remove", "mine"], ["-c", "/server remove mine"]):
        refused = parley.on_terminal(*command)
        refused.wait_for_question("[y/N]")
        refused.press("ctrl-c")
        assert refused.wait_for_exit() == 0
        refused.assert_restored()
        assert [server["name"] for server in parley.run("--json", "/server").json] == ["mine"]
    terminal = parley.on_terminal("/server", "remove", "mine")
    terminal.wait_for_question("[y/N]")
    terminal.type("yes")
    assert terminal.wait_for_exit() == 0
    terminal.assert_restored()
    assert parley.run("--json", "/server").json == []


def test_a_setting_that_is_none_is_refused_with_what_to_type(parley):
    result = parley.run("--set", "foo=1", "hello")
    assert result.status == 2
    assert result.err == "error: no setting 'foo'\nhint: parley /settings lists them\n"


def test_the_command_that_tells_of_an_answer_has_nothing_of_the_terminal_and_is_not_waited_for(parley, scripted):
    gate, told = parley.directory / "gate", parley.directory / "told"
    os.mkfifo(gate)
    shell = parley.on_terminal("-s", scripted.url("ok"), columns=200)
    shell.wait_for_prompt()
    shell.say("/settings notify-after 0", "notify-after: 0")
    shell.say("/settings notify bel", "did you mean bell?")
    shell.say('/settings notify echo noise; cat; tty; read line < gate; (echo "$PARLEY_SESSION, $PARLEY_STATUS";'
              ' tty) > told; exit 3', "notify: echo noise")
    shell.say("is anybody there?", "Hello from the scripted server.")
    shell.say("/settings notify off", "notify: off")
    assert "noise" not in shell.text and not told.exists()
    gate.write_text("go\n")
    wait_until(lambda: told.exists() and "tty" in told.read_text(), "the command to end")
    assert told.read_text() == "is anybody there?, complete\nnot a tty\n"
    shell.send("typed")
    shell.wait_until(lambda: shell.typed.endswith("> typed"), "the line to be typed")
    shell.press("ctrl-c")
    shell.wait_for_prompt()
    assert shell.leave() == 0


def test_how_things_look_changes_from_the_next_line_on(parley, scripted):
    shell = parley.on_terminal("-s", scripted.url("ok"), env={"TERM": "xterm-256color"})
    shell.wait_for_prompt()
    shell.say("hello there", HELLO.strip())

    def codes_of(line):
        """How what is shown from now on is coloured."""
        start = len(shell.raw)
        shell.type(line)
        shell.wait_for_prompt()
        return set(re.findall(rb"\x1b\[[0-9;]*m", bytes(shell.raw[start:])))

    assert b"\x1b[36m" in codes_of("/history show")
    codes_of("/settings theme light")
    codes = codes_of("/history show")
    assert b"\x1b[34m" in codes and b"\x1b[36m" not in codes
    codes_of("/settings theme none")
    assert codes_of("/history show") <= {b"\x1b[0m", b"\x1b[1m", b"\x1b[2m"}
    codes_of("/settings color never")
    assert codes_of("/history show") <= {b"\x1b[0m"}
    codes_of("/settings reset color")
    assert b"\x1b[2m" in codes_of("/history show")
    # What is shown in grey for others is not drawn for who cannot see it, and End does not take it.
    codes_of("/settings accessible on")
    shell.send("hel")
    shell.wait_until(lambda: shell.typed.endswith("> hel"), "the line to be typed")
    shell.look_from_here()
    shell.send("\x05\r")
    shell.wait_for(HELLO.strip())
    shell.wait_for_prompt()
    assert scripted.questions[-1]["messages"][-1]["content"] == "hel"
    assert shell.leave() == 0


@pytest.mark.parametrize("columns", [40, 80])
def test_lists_are_whole_on_a_narrow_screen(parley, columns):
    assert parley.run("/snippets", "add", "a-name-of-twenty-cells", "Review this").status == 0
    assert parley.run("/settings", "notify", "bell").status == 0
    shell = parley.on_terminal(columns=columns, rows=200)
    shell.wait_for_prompt()
    shell.type("/settings")
    shell.wait_for_prompt()
    seen = " ".join(" ".join(shell.lines).split())
    assert "program for long messages, when $VISUAL and $EDITOR are unset" in seen
    assert "silence after which a command in a terminal is left" in seen
    shell.type("/snippets")
    shell.wait_for_prompt()
    assert any("a-name-of-twenty-cells" in row for row in shell.lines)
    assert "Review this" in shell.text
    assert max(len(row) for row in shell.lines) <= columns


@pytest.mark.parametrize("variable, key, value", [("ACCESSIBLE", "accessible", "0"), ("NO_COLOR", "color", "1")])
def test_a_variable_that_counts_more_than_a_setting_is_said(parley, variable, key, value):
    word = {"accessible": "on", "color": "never"}[key]
    said = f"in this run {variable}={value} counts"
    assert said in parley.run("/settings", key, word, env={variable: value}).err
    assert "in this run" not in parley.run("/settings", key, word, env={variable: ""}).err
    assert "in this run" not in parley.run("/settings", "reset", key).err
