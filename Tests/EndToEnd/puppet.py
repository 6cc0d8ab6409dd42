"""An agent that does what a table says, however wrong."""

import json
import shlex
import sys

from tool_servers import SUPPORT


class Puppet:
    """The agent `puppet` of the program, in front; `more` is what it adds to its answers, by method."""

    def __init__(self, parley, directory, scenes, **more):
        self.answers_file = directory / "puppet.answers"
        script = directory / "puppet.json"
        script.write_text(json.dumps({"scenes": scenes, **more}))
        command = [sys.executable, str(SUPPORT / "acp_puppet.py"), str(script), str(self.answers_file)]
        parley.home.mkdir(parents=True, exist_ok=True)
        url = "acp:" + " ".join(map(shlex.quote, command))
        (parley.home / "servers.json").write_text(json.dumps({
            "version": 1, "current": "puppet",
            "servers": [{"name": "puppet", "kind": "acp", "url": url, "models": []}]}))

    def answers(self, scene):
        """What the program answered to what the scene asked."""
        if not self.answers_file.exists():
            return []
        lines = map(json.loads, self.answers_file.read_text().splitlines())
        return [answer for name, answer in lines if name == scene]


def update(name, **more):
    return {"update": {"sessionUpdate": name, **more}}


def text(words):
    return {"type": "text", "text": words}


def request(method, **params):
    return {"request": method, "params": params}


def read(path, **more):
    return request("fs/read_text_file", path=str(path), **more)


def write(path, content="written"):
    return request("fs/write_text_file", path=str(path), content=content)


def run(command, *arguments, **more):
    return request("terminal/create", command=str(command), args=[str(word) for word in arguments], **more)


OPTIONS = [{"optionId": "yes", "name": "Allow once", "kind": "allow_once"},
           {"optionId": "no", "name": "Reject", "kind": "reject_once"}]


def permission(options=OPTIONS, **call):
    return request("session/request_permission", toolCall={"toolCallId": "call", **call}, options=options)


def diff(path, new, **more):
    return {"type": "diff", "path": str(path), "newText": new, **more}
