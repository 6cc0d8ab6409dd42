"""Agents that others made, with a real model behind them: what is agreed on by us alone would hold with our own peer only."""

import json
import os
import re
import subprocess

import pytest

from agents import running
from servers import ToolCallingModel
from terminal import squeezed
from tool_servers import ROOT
from waiting import wait_until

pytestmark = pytest.mark.agents

STORY = "Write a long story about a lighthouse keeper and the sea, with many chapters."

VIBE_SETTINGS = """
active_model = "smollm2"
enable_update_checks = false
enable_telemetry = false

[[providers]]
name = "here"
api_base = "{url}"
api_key_env_var = ""
api_style = "openai"
backend = "generic"

[[models]]
name = "smollm2"
provider = "here"
alias = "smollm2"
max_context_length = 100000
"""


class RealAgent:
    """An agent as its makers ship it."""

    def __init__(self, parley):
        program = subprocess.run([ROOT / "scripts/real-agents", "program", self.name], capture_output=True, text=True)
        self.program = os.environ.get("PARLEY_" + self.name.upper().replace("-", "_")) or program.stdout.strip()
        if not os.access(self.program, os.X_OK):
            pytest.skip(f"the agent is not installed: scripts/real-agents install {self.name}")
        self.parley = parley
        parley.environment["PATH"] = os.path.dirname(self.program) + ":" + parley.environment["PATH"]

    def shell(self, *arguments, **more):
        shell = self.parley.on_terminal(*arguments, columns=160, rows=50, **more)
        shell.wait_for_prompt()
        return shell

    def begin(self, *arguments, **more):
        """A shell with the agent in front, which asks before it changes anything."""
        shell = self.shell(*arguments, **more)
        shell.say(self.command, until="new session")
        for line, answer in self.settings:
            shell.say(line, until=answer)
        return shell

    def write(self, path, what):
        return f"Use {self.writes} with path={path} to write {what}."

    def run(self, command):
        return f"Use {self.runs} with command='{command}'"

    @property
    def turns(self):
        """What is kept of the conversation that went on last."""
        return self.parley.run("/history", "show", "--json").json["turns"]


class FastAgent(RealAgent):
    name = "fast-agent"
    command = "/agent run --env GENERIC_BASE_URL --env GENERIC_API_KEY -- fast-agent-acp --model generic.smollm2 -x"
    settings = []
    writes, runs, refused = "write_text_file", "execute", "declined"

    def __init__(self, parley, url):
        super().__init__(parley)
        parley.environment |= {"GENERIC_BASE_URL": url, "GENERIC_API_KEY": "none"}


class Vibe(RealAgent):
    name = "vibe"
    command = "/agent run vibe-acp"
    settings = [("/agent set mode ask", "mode: ask")]
    writes, runs, refused = "write_file", "bash", "denied"

    def __init__(self, parley, url):
        super().__init__(parley)
        folder = parley.directory.parent / ".vibe"
        folder.mkdir()
        (folder / "config.toml").write_text(VIBE_SETTINGS.format(url=url))


class Passthrough(RealAgent):
    """An agent that says what it is told, and calls what it is told to."""

    name = "fast-agent"
    command = "/agent run fast-agent-acp --model passthrough -x"
    settings = []

    def run(self, command):
        return "***CALL_TOOL execute " + json.dumps({"command": command})


@pytest.fixture(scope="session")
def tool_calling_model(local_model, tmp_path_factory):
    with ToolCallingModel(ROOT, tmp_path_factory.mktemp("calls"), local_model.url) as model:
        yield model


@pytest.fixture
def thinker(tool_calling_model):
    """The real model behind the agent; what it is asked is noted."""
    tool_calling_model.forget()
    return tool_calling_model


@pytest.fixture(params=[FastAgent, Vibe], ids=lambda kind: kind.name)
def agent(request, parley, thinker):
    return request.param(parley, thinker.url)


@pytest.fixture
def passthrough(parley):
    return Passthrough(parley)


def asked(shell, line):
    """Has the agent ask for leave; what is shown of that."""
    shell.type(line)
    shell.wait_for_question("allow?")
    return shell.text


def answered(shell, line):
    """The answer to a message that needs no leave."""
    shell.type(line)
    shell.wait_for_prompt()
    answer = shell.text.rpartition("\n")[0].strip()
    assert answer
    return answer


def session_of(shell):
    """The agent's own name of the session."""
    shell.say("/agent info", until=re.compile(r"^session ", re.MULTILINE))
    return re.search(r"^session +(\S+)", shell.text, re.MULTILINE).group(1)


def added(text):
    """What is new in a difference that is shown, without white space: a line that is too long goes on behind a bar."""
    new = re.findall(r"^  \+ (.*(?:\n  \| .*)*)", text, re.MULTILINE)
    return squeezed("".join(new).replace("\n  | ", ""))


def calls(turn):
    return [call for step in turn["steps"] for call in step["toolCalls"]]


def occurrences(words, value):
    return json.dumps(value, ensure_ascii=False).count(words)


# Both agents, with a model


def test_a_conversation_goes_on(agent, thinker):
    shell = agent.begin()
    before = shell.drawings
    assert "Paris" in answered(shell, "What is the capital of France?")
    assert shell.drawings - before > 1
    answered(shell, "And of Italy?")
    # The agent keeps the conversation: what was said before is no second question.
    assert occurrences("What is the capital of France?", thinker.questions[-1]["messages"]) == 1
    assert [turn["question"] for turn in agent.turns] == ["What is the capital of France?", "And of Italy?"]
    assert shell.leave() == 0


def test_a_file_is_written_when_that_is_allowed(agent, parley):
    shell = agent.begin()
    question = asked(shell, agent.write("poem.txt", "a short poem about the sea"))
    assert "poem.txt (new)" in question
    assert not (parley.directory / "poem.txt").exists()
    shell.say("y", until="✓")
    written = (parley.directory / "poem.txt").read_text()
    assert written and squeezed(written) == added(question)
    turn, = agent.turns
    call, = calls(turn)
    assert call["status"] == "done" and turn["status"] == "complete" and turn["text"].strip()


def test_a_file_is_changed_when_that_is_allowed_and_else_stays(agent, parley):
    poem = parley.file("poem.txt", "The sea is green.\n")
    shell = agent.begin()
    change = agent.write("poem.txt", "a short poem about the moon")
    question = asked(shell, change)
    assert "- The sea is green." in question
    shell.say("n", until=agent.refused)
    assert poem.read_text() == "The sea is green.\n"
    question = asked(shell, change)
    shell.say("y", until="✓")
    assert squeezed(poem.read_text()) == added(question)
    assert [call["status"] for turn in agent.turns for call in calls(turn)] == ["failed", "done"]


def test_a_part_of_a_file_is_changed(parley, thinker):
    agent = Vibe(parley, thinker.url)
    poem = parley.file("poem.txt", "The sea is green.\n")
    shell = agent.begin()
    question = asked(shell, "Use edit with file_path=poem.txt old_string=green new_string=blue")
    assert "- " in question and "+ " in question
    shell.say("y", until="✓")
    assert poem.read_text() == "The sea is blue.\n"


def test_a_command_runs_when_that_is_allowed_and_else_does_not(agent, parley):
    shell = agent.begin()
    assert "touch refused.txt" in asked(shell, agent.run("touch refused.txt"))
    shell.say("n", until=agent.refused)
    assert "touch made.txt" in asked(shell, agent.run("touch made.txt"))
    shell.say("y", until="✓")
    assert (parley.directory / "made.txt").exists() and not (parley.directory / "refused.txt").exists()


def test_ctrl_c_stops_the_answer_and_the_agent_goes_on(agent, thinker):
    shell = agent.begin()
    shell.type(STORY)
    shell.wait_until(lambda: len(shell.text.split()) > 8, "the story to begin")
    shell.press("ctrl-c")
    shell.wait_for("interrupted")
    shell.wait_for_prompt()
    # The agent has let go of the model.
    wait_until(lambda: thinker.abandoned == 1, "the model to be stopped")
    answered(shell, "Say hello.")
    assert [turn["status"] for turn in agent.turns] == ["interrupted", "complete"]
    assert shell.leave() == 0


def test_ctrl_c_at_a_question_allows_nothing(agent, parley):
    shell = agent.begin()
    asked(shell, agent.write("poem.txt", "a short poem about the sea"))
    shell.press("ctrl-c")
    shell.wait_for("interrupted")
    shell.wait_for_prompt()
    asked(shell, agent.write("other.txt", "a short poem about the moon"))
    shell.say("y", until="✓")
    assert (parley.directory / "other.txt").exists() and not (parley.directory / "poem.txt").exists()


def test_a_session_goes_on_in_a_later_run(agent, parley, thinker):
    shell = agent.begin()
    answered(shell, "What is the capital of France?")
    asked(shell, agent.write("poem.txt", "a short poem about the sea"))
    shell.say("y", until="✓")
    before = agent.turns
    assert shell.leave() == 0
    shell = agent.shell("-C")
    answered(shell, "And of Italy?")
    assert occurrences("What is the capital of France?", thinker.questions[-1]["messages"]) == 1
    assert shell.leave() == 0
    assert agent.turns[:2] == before
    assert [turn["question"] for turn in agent.turns[2:]] == ["And of Italy?"]
    assert len(parley.run("/history", "--json").json) == 1


def test_a_session_is_opened_again_after_another(agent, parley, thinker):
    shell = agent.begin()
    answered(shell, "What is the capital of France?")
    session = session_of(shell)
    shell.say("/new", until="new session")
    answered(shell, "Say hello.")
    assert session_of(shell) != session
    shell.say(f"/agent open {session}", until="session resumed")
    answered(shell, "And of Italy?")
    told = thinker.questions[-1]["messages"]
    assert occurrences("What is the capital of France?", told) == 1 and occurrences("Say hello.", told) == 0
    assert shell.leave() == 0
    kept = [parley.run("/history", "show", row["id"], "--json").json for row in parley.run("/history", "--json").json]
    asked_once = [turn["question"] for session in kept for turn in session["turns"]]
    assert sorted(asked_once) == ["And of Italy?", "Say hello.", "What is the capital of France?"]


def test_a_session_that_is_not_in_the_history_is_gone_on_with(agent, parley, thinker):
    shell = agent.begin()
    answered(shell, "What is the capital of France?")
    session = session_of(shell)
    assert shell.leave() == 0
    elsewhere = {"PARLEY_HOME": str(parley.home) + "-elsewhere"}
    shell = agent.begin(env=elsewhere)
    shell.say(f"/agent open {session}", until="session resumed")
    answered(shell, "And of Italy?")
    assert shell.leave() == 0
    assert occurrences("What is the capital of France?", thinker.questions[-1]["messages"]) == 1
    kept = parley.run("/history", "show", "--json", env=elsewhere).json["turns"]
    assert occurrences("And of Italy?", kept) == 1


def test_nothing_is_allowed_where_nobody_can_be_asked(agent, parley):
    def run(*options):
        lines = [line for line, _ in agent.settings] + [agent.write("poem.txt", "a short poem about the sea")]
        return parley.run(*options, *(word for line in lines for word in ("-c", line)))

    assert parley.run(*agent.command.split()).status == 0
    result = run()
    assert result.status != 0 and not (parley.directory / "poem.txt").exists(), result
    result = run("--set", "tools.approval=always")
    assert result.status == 0 and (parley.directory / "poem.txt").read_text(), result


# An agent without a model


def test_what_is_said_to_an_agent_without_a_model_comes_back_and_is_kept_once(passthrough, parley):
    shell = passthrough.begin()
    assert answered(shell, "hello there") == "hello there"
    assert shell.leave() == 0
    shell = passthrough.shell("-C")
    assert answered(shell, "still there?").endswith("still there?")
    assert shell.leave() == 0
    assert [turn["question"] for turn in passthrough.turns] == ["hello there", "still there?"]
    assert [turn["text"] for turn in passthrough.turns] == ["hello there", "still there?"]
    assert parley.run("a message", "in a pipe").out == "a message in a pipe\n"


def test_a_command_of_the_agents_says_what_it_says(passthrough):
    shell = passthrough.begin()
    asked(shell, passthrough.run("echo from outside"))
    shell.say("y", until="Exit code: 0")
    call, = calls(passthrough.turns[-1])
    assert "from outside" in json.dumps(call)


def test_ctrl_c_ends_the_command_that_runs_for_the_agent(passthrough):
    shell = passthrough.begin()
    asked(shell, passthrough.run("sleep 87654"))
    shell.type("y")
    wait_until(lambda: running("sleep 87654"), "the command to run")
    shell.press("ctrl-c")
    shell.wait_for("interrupted")
    shell.wait_for_prompt()
    wait_until(lambda: not running("sleep 87654"), "the command to end")
    # First of all it says that itself.
    assert "interrupted" in answered(shell, "still there?")
    assert answered(shell, "and now?") == "and now?"
    assert shell.leave() == 0
