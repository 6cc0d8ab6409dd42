"""`make chat`: model, tools and playground are started, the shell is signed in to them, and nothing is left running."""

import os
import pathlib
import signal

import pytest

from conftest import ROOT
from terminal import Terminal
from tool_servers import interpreter
from waiting import wait_until


def server_processes(directory):
    """The models, tool servers and playgrounds of the `make chat` that keeps its things in this folder: other tests run
    others at the same time."""
    of_this = b"PLAYGROUND_DIR=" + bytes(directory)
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words, variables = ((process / name).read_bytes().split(b"\0") for name in ("cmdline", "environ"))
        except OSError:
            continue
        programs = (b"local_model.py", b"playground_tools.py", b"/playground")
        # The shell that starts one looks like itself until it has become it.
        if of_this in variables and any(word.endswith(programs) for word in words[:2]):
            found.append(int(process.name))
    return found


@pytest.fixture
def directory(tmp_path):
    return tmp_path / "kept"


@pytest.fixture
def chat(parley, local_model, playground_binary, directory):
    env = parley.environment | {"PARLEY": str(parley.binary), "PATH": os.environ["PATH"],
                                "PLAYGROUND": str(playground_binary), "PLAYGROUND_DIR": str(directory)}

    def start(*arguments, **variables):
        terminal = Terminal([str(ROOT / "scripts/chat"), *arguments], env=env | variables, cwd=parley.directory)
        parley.started.append(terminal.process)
        return terminal

    yield start
    # The last of them may be on its way out.
    wait_until(lambda: not server_processes(directory), "all to go")


def test_the_shell_opens_connected_and_leaves_nothing_behind(chat):
    shell = chat("-t", "0")
    shell.wait_for_prompt()
    shell.type("What is the capital of France?")
    shell.wait_for_prompt()
    assert "Paris" in shell.text
    assert shell.leave() == 0


def test_ctrl_c_in_the_shell_stops_the_answer_and_not_the_model(chat):
    # At another temperature so small a model may go on for minutes.
    shell = chat("-t", "0")
    shell.wait_for_prompt()
    shell.type("Write a long story about a lighthouse keeper and the sea.")
    shell.wait_until(lambda: len(shell.text.split()) > 10, "the story to begin")
    shell.press("ctrl-c")
    shell.wait_for_prompt()
    # With so long a beginning it may go on for minutes again.
    shell.type("/settings max-tokens 20")
    shell.wait_for_prompt()
    shell.type("Say hello.")
    shell.wait_for_prompt()
    # It may end at that limit, and in no other way.
    assert "error" not in shell.text.replace("error: the answer ended at the length limit", "")
    assert shell.leave() == 0


def test_a_tool_is_seen_at_work(chat):
    interpreter("mcp2")
    shell = chat("-t", "0")
    shell.wait_for_prompt()
    shell.type("/tools on calculator")
    shell.wait_for_prompt()
    shell.type("/model tool-demo")
    shell.wait_for_prompt()
    shell.type("What is 12 * 7?")
    shell.wait_for_question("allow calculate?")
    shell.send("y\r")
    shell.wait_for("The tool says: 84")
    shell.wait_for_prompt()
    assert shell.leave() == 0


def test_an_announcement_that_comes_in_pieces_is_read_whole(chat, playground_binary, tmp_path):
    # As it does on a machine that is busy at the wrong moment.
    slow = tmp_path / "slow" / "playground"
    slow.parent.mkdir()
    slow.write_text(f"""#!/bin/sh
'{playground_binary}' "$@" | {{ read -r line; printf 'ready '; sleep 1; echo "${{line#ready }}"; cat; }}
""")  # timed: longer than the script looks at once
    slow.chmod(0o755)
    shell = chat("/about", PLAYGROUND=str(slow))
    assert shell.wait_for_exit() == 0, shell.text


def test_the_exit_status_is_handed_on(chat):
    shell = chat("/nonsense")
    assert shell.wait_for_exit() == 2


def test_all_servers_go_when_the_script_is_killed(chat, directory):
    before = set(server_processes(directory))
    shell = chat("-t", "0")
    shell.wait_for_prompt()
    has_tools = (ROOT / ".venv-tools/mcp2/mcp2.installed").exists()
    assert len(set(server_processes(directory)) - before) == (3 if has_tools else 2)
    shell.signal(signal.SIGKILL)
    shell.wait_until(lambda: set(server_processes(directory)) <= before, "all to go")
