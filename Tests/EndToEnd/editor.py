"""The editor that the stories use: the client side of the protocol's own library."""

import asyncio
import contextlib

import acp
from acp import schema


class Editor(acp.Client):
    """What an editor knows of the sessions that it has with the program."""

    def __init__(self, answers=(), files=None):
        self.answers = list(answers)
        self.files = files or {}
        self.updates = []
        self.questions = []
        self.asked = asyncio.Event()
        self.came = asyncio.Event()

    def on_connect(self, _):
        pass

    async def session_update(self, session_id, update, **_):
        self.updates.append((session_id, update))
        self.came.set()

    async def request_permission(self, options, session_id, tool_call, **_):
        """Answers with the next of the answers: a kind, the name of an option, or None, which waits for ever."""
        self.questions.append((tool_call, options))
        self.asked.set()
        answer = self.answers.pop(0)
        if answer is None:
            await asyncio.Event().wait()
        chosen = next(option for option in options if answer in (option.kind, option.name))
        return schema.RequestPermissionResponse(
            outcome=schema.AllowedOutcome(outcome="selected", option_id=chosen.option_id))

    async def read_text_file(self, path, session_id, limit=None, line=None, **_):
        return schema.ReadTextFileResponse(content=self.files[path])

    # What came

    def of(self, kind, session=None):
        return [update for id, update in self.updates
                if update.session_update == kind and session in (None, id)]

    def said(self, kind="agent_message_chunk", session=None):
        return "".join(update.content.text for update in self.of(kind, session))

    def calls(self):
        """The calls by their ids: the title, and the states in order."""
        calls = {}
        for _, update in self.updates:
            if update.session_update in ("tool_call", "tool_call_update"):
                call = calls.setdefault(update.tool_call_id, {"title": None, "states": [], "content": []})
                call["title"] = update.title or call["title"]
                if update.status:
                    call["states"].append(update.status)
                call["content"] = update.content if update.content is not None else call["content"]
        return calls

    async def wait_for(self, text):
        """Waits until the agent has said that."""
        while text not in self.said():
            self.came.clear()
            await asyncio.wait_for(self.came.wait(), 60)


class Connection:
    """An editor, its connection and the program."""

    def __init__(self, editor, agent, process, folder):
        self.editor, self.agent, self.process, self.folder = editor, agent, process, folder

    async def begin(self, servers=()):
        """A new session; its id."""
        session = await self.agent.new_session(cwd=str(self.folder), mcp_servers=list(servers))
        return session.session_id

    async def ask(self, session, *blocks):
        blocks = [acp.text_block(block) if isinstance(block, str) else block for block in blocks]
        return await self.agent.prompt(session_id=session, prompt=blocks)


@contextlib.asynccontextmanager
async def editing(parley, *options, answers=(), files=None):
    """The program as an editor starts it, greeted."""
    editor = Editor(answers, files)
    async with acp.spawn_agent_process(
            editor, str(parley.binary), "--acp", *map(str, options), env=parley.environment, cwd=parley.directory,
            use_unstable_protocol=True) as (agent, process):
        await agent.initialize(
            protocol_version=1,
            client_capabilities=schema.ClientCapabilities(
                fs=schema.FileSystemCapabilities(read_text_file=files is not None)),
            client_info=schema.Implementation(name="stories", version="1"))
        yield Connection(editor, agent, process, parley.directory)


def program(name, *command):
    """A tool server that the editor hands on."""
    return schema.McpServerStdio(name=name, command=command[0], args=list(command[1:]), env=[])
