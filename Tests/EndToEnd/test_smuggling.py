"""Ways onto the terminal that an agent might try: each number is a place where it hides what moves a cursor.

Those out of its folder come before, in test_escapes.py.
"""

import pytest

from puppet import OPTIONS, Puppet, diff, permission, read, request, run, text, update, write
from test_hostile import controls

EVIL = ("\x1b]0;owned\x07\x1b]52;c;ZXZpbA==\x07\x1b]8;;http://evil.example\x1b\\\x1b[2J\x1b[6n\x1b[?1049h\x1b[31m"
        "\x9b31m\x90q\x9c\x1bc\x08\x08\r\x0b\x0c\x0e\x7f\u202e\U000e0041")


def smuggled(number):
    """What is hidden where the number says; the words show where it came out."""
    return f"A{number}{EVIL}Z{number}"


def call(number, **more):
    return update("tool_call", toolCallId=f"call-{number}", **{"title": "A call", "status": "completed", **more})


def bytes_scenes(folder):
    """By number: what is sent, and whether it is to be seen on the terminal."""
    n = smuggled
    split = list(f"A38{EVIL}Z38")
    return {
        38: [update("agent_message_chunk", content=text(piece)) for piece in split],
        39: [update("agent_thought_chunk", content=text(n(39)))],
        40: [call(40, title=n(40))],
        41: [call(41, kind=n(41), status=n(41), locations=[{"path": n(41)}])],
        42: [call(42, content=[diff(f"{folder}/{n(42)}", n(42), oldText="old" + EVIL)], kind="edit")],
        43: [call(43, content=[{"type": "content", "content": text(n(43))}], rawInput={n(43): n(43)},
                  rawOutput=n(43))],
        44: [run("printf", "%s", n(44).replace("\\", "\\\\")), request("terminal/wait_for_exit", terminalId="$TERMINAL"),
             call(44, content=[{"type": "terminal", "terminalId": "$TERMINAL"}])],
        45: [update("plan", entries=[{"content": n(45), "priority": n(45), "status": n(45)}])],
        46: [update("session_info_update", title=n(46))],
        47: [update("available_commands_update", availableCommands=[{"name": n(47), "description": n(47)}])],
        48: [update("agent_message_chunk", content={"type": "resource_link", "name": n(48), "uri": "file:///" + n(48)})],
        49: [update("agent_message_chunk", content={"type": "image", "mimeType": n(49), "data": "AAAA"})],
        50: [permission([{**option, "name": n(50)} for option in OPTIONS], title=n(50), kind=n(50),
                        rawInput={n(50): n(50)}, locations=[{"path": n(50)}])],
        51: [run(n(51), n(51), env=[{"name": n(51), "value": n(51)}]), write(f"{folder}/{n(51)}", n(51)),
             read(f"/nowhere/{n(51)}")],
        52: [request("elicitation/create", mode="form", message=n(52), requestedSchema={
            "type": "object", "properties": {n(52): {"type": "string", "title": n(52), "description": n(52)}}})],
        53: [request("elicitation/create", mode="url", elicitationId="e", message=n(53),
                     url="https://evil.example/" + n(53))],
        54: [update(n(54), x=n(54)), {"notify": n(54), "params": {"x": n(54)}}, {"line": n(54)},
             request(n(54)), {"stderr": n(54)}],
        55: [{"notify": "_session/retrying", "params": {"sessionId": "$SESSION", "category": n(55), "detail": n(55)}}],
        56: [update("config_option_update", configOptions=[config(56)]),
             update("current_mode_update", currentModeId=n(56))],
        57: [{"error": {"code": -32603, "message": n(57), "data": {"details": n(57)}}}],
        58: [{"result": {"stopReason": n(58)}}],
    }


def config(number):
    n = smuggled(number)
    return {"id": n, "name": n, "description": n, "type": "select", "currentValue": n,
            "options": [{"value": n, "name": n, "description": n}]}


GREETING = {
    "initialize": {"agentInfo": {"name": smuggled(59), "title": smuggled(59), "version": smuggled(59)},
                   "agentCapabilities": {"sessionCapabilities": {"list": {}}, smuggled(59): {}},
                   "authMethods": [{"id": smuggled(59), "name": smuggled(59), "description": smuggled(59)}]},
    "session/new": {"configOptions": [config(60)], "modes": {
        "currentModeId": "m", "availableModes": [{"id": "m", "name": smuggled(60), "description": smuggled(60)}]}},
    "session/list": {"sessions": [{"sessionId": smuggled(61), "cwd": smuggled(61), "title": smuggled(61),
                                   "updatedAt": smuggled(61)}]},
}

# What is not said in its turn, and where it is found by somebody who looks for it.
ELSEWHERE = {46: "/history", 47: "/agent info", 54: "/agent log", 56: "/agent set", 59: "/agent info", 60: "/agent set",
             61: "/agent sessions"}
LOOKS = ["/agent", "/agent info", "/agent set", "/agent sessions", "/agent log", "/model", "/models", "/permissions",
         "/history", "/history show"]


@pytest.fixture
def smuggler(parley, tmp_path):
    scenes = {str(number): steps for number, steps in bytes_scenes(parley.directory).items()}
    return Puppet(parley, tmp_path, scenes, **GREETING)


@pytest.mark.parametrize("options", [[], ["-v"], ["--jsonl"]], ids=["plain", "verbose", "jsonl"])
def test_38_to_61_no_control_character_comes_through_to_a_pipe(parley, smuggler, options):
    lines = ["/agent set", *map(str, bytes_scenes(parley.directory)), *LOOKS]
    together = [word for line in lines for word in ("-c", line)]
    for words in [[line] for line in lines] if "--jsonl" in options else [together]:
        result = parley.run("--set", "tools.approval=always", *options, *words)
        assert result.out or result.err, words
        assert controls(result.out_bytes + result.err_bytes) == [], words


def test_38_to_61_the_terminal_keeps_its_title_its_modes_and_its_words(parley, smuggler):
    numbers = [*bytes_scenes(parley.directory), 59, 60, 61]
    shell = parley.on_terminal(columns=160, rows=50)
    shell.wait_for_prompt()
    modes, seen = set(shell.screen.mode), {}
    for line in ["38", "/agent set", *map(str, numbers[1:-3]), *LOOKS]:
        answer_all(shell, line)
        assert "owned" not in shell.screen.title, line
        assert (set(shell.screen.mode), shell.screen.answers) == (modes, []), line
        seen[line] = seen.get(line, "") + shell.text
    # It came to where people look, and as words.
    assert [number for number in numbers if f"A{number}" not in seen[ELSEWHERE.get(number, str(number))]] == []
    for sequence in (b"\x1b]0;owned", b"\x1b]52", b"\x1b]8;;http://evil", b"\x1b[6n", b"\x1b[?1049h", b"\x1bc", b"\x0e",
                     b"\xc2\x9b", b"\xc2\x90", b"\xe2\x80\xae", b"\xf3\xa0\x81\x81"):
        assert sequence not in shell.raw, sequence
    assert shell.leave() == 0


def answer_all(shell, line):
    """Types a line; what is asked about the command of 44 is allowed, everything else gets Enter."""
    shell.type(line)
    while True:
        shell.wait_until(lambda: shell.cursor_line >= shell.seen_from and (shell.at_prompt or asks(shell)),
                         "a question or the prompt")
        if shell.at_prompt:
            return
        place = shell.cursor_line
        shell.send("y" if line == "44" else "")
        shell.press("enter")
        shell.wait_until(lambda: shell.cursor_line > place, "the answer to be taken")


def asks(shell):
    return shell.typed.endswith(("[N]o", ":", "[y/N]"))
