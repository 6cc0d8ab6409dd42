"""Drives each of the stand-ins for gateways as a client would, and checks that it answers as its form says."""

import contextlib
import http.client
import json
import tempfile
import threading
import time
from pathlib import Path

import gateway_server


class Reply:
    def __init__(self, response):
        self.status, self.bytes = response.status, response.read()
        self.headers = {name.lower(): value for name, value in response.getheaders()}

    @property
    def json(self):
        return json.loads(self.bytes)

    @property
    def frames(self):
        found = []
        for block in self.bytes.decode().split("\n\n"):
            if block.startswith("data: "):
                found.append("[DONE]" if block == "data: [DONE]" else json.loads(block[6:]))
        return found

    @property
    def deltas(self):
        return [one["choices"][0]["delta"] for one in self.frames if one != "[DONE]" and "choices" in one]

    @property
    def said(self):
        return [delta["content"] for delta in self.deltas if delta.get("content")]

    @property
    def code(self):
        return self.json["error"]["code"]


class Client:
    def __init__(self, made):
        self.made, self.gateway = made, made.gateway

    def connect(self, method, path, body=None, headers=()):
        connection = http.client.HTTPConnection("127.0.0.1", self.made.server_port, timeout=20)
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        connection.request(method, path, data, {"Content-Type": "application/json"} | dict(headers))
        return connection

    def ask(self, method, path, body=None, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        connection = self.connect(method, path, body, headers)
        try:
            return Reply(connection.getresponse())
        finally:
            connection.close()

    def get(self, path, **headers):
        return self.ask("GET", path, **headers)

    def chat(self, content, stream=False, before=(), headers=None, **fields):
        body = {"messages": [*before, {"role": "user", "content": content}], "stream": stream} | fields
        return self.ask("POST", "/v1/chat/completions", body, **(headers or {}))

    def test(self, **wishes):
        assert self.ask("POST", "/__test__", wishes).status == 200

    def notes(self, name):
        path = self.gateway.directory / name
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    @property
    def faults(self):
        return [note["what"] for note in self.notes("audit.jsonl") if not note["ok"]]

    @property
    def prompts(self):
        return [note["prompt"] for note in self.notes("requests.jsonl") if "prompt" in note]


@contextlib.contextmanager
def gateway(shape, *options):
    with tempfile.TemporaryDirectory() as directory:
        made = gateway_server.server(gateway_server.arguments(
            ["--shape", shape, "--state", directory, "--first-byte", "0", *options]))
        threading.Thread(target=made.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield Client(made)
        finally:
            made.shutdown()
            made.server_close()
            made.gateway.close()


def same(one, other):
    assert one == other, f"{one!r} is not {other!r}"


def eventually(check):
    deadline = time.monotonic() + 10
    while not check():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def a_routes():
    with gateway("A") as a:
        health = a.get("/health").json
        same(list(health), ["status", "version", "claude_version", "active_sessions"])
        same(a.get("/").json["name"], "Claude Code API Gateway")
        models = a.get("/v1/models").json
        same((models["object"], list(models["data"][0])), ("list", ["id", "object", "created", "owned_by"]))
        same(a.get("/v1/models/" + models["data"][0]["id"]).status, 200)
        same(a.get("/v1/models/opus").code, "model_not_found")
        missing = a.get("/v1/models/capabilities")
        same((missing.status, missing.json["error"]["message"]), (404, "Model capabilities not found"))
        for path in ("/v1/mcp/servers", "/v1/nothing"):
            same((a.get(path).status, a.get(path).json), (404, {"detail": "Not Found"}))
        same(a.ask("POST", "/v1/sessions/x/tools", {}).json, {"detail": "Not Found"})
        refused = a.ask("PUT", "/v1/projects", {})
        same((refused.status, refused.json), (405, {"detail": "Method Not Allowed"}))

        made = a.ask("POST", "/v1/projects", {"name": "one"})
        same(made.status, 200)
        project = made.json
        same(list(project), ["id", "name", "description", "path", "created_at", "updated_at", "is_active"])
        assert project["description"] is None and len(project["created_at"]) == 26 and "Z" not in project["created_at"]
        assert Path(project["path"]).is_dir()
        twice = {"name": "two", "path": "sub/folder"}
        same(a.ask("POST", "/v1/projects", twice).status, 200)
        again = a.ask("POST", "/v1/projects", twice)
        same((again.status, again.json["error"]["type"]), (500, "internal_error"))
        outside = a.ask("POST", "/v1/projects", {"name": "x", "path": "/etc"})
        same((outside.status, outside.json), (400, {"detail": "Invalid path: Path traversal detected"}))
        page = a.get("/v1/projects?page=1&per_page=1").json
        same(page["pagination"], {"page": 1, "per_page": 1, "total_items": 2, "total_pages": 2, "has_next": True,
                                  "has_prev": False})
        same(len(page["data"]), 1)
        same(a.get("/v1/projects?per_page=101").code, "internal_error")
        same(a.get("/v1/projects?per_page=x").status, 422)
        same(a.get("/v1/projects/nothing").code, "project_not_found")
        same(a.ask("DELETE", "/v1/projects/" + project["id"]).json,
             {"project_id": project["id"], "status": "deleted"})
        assert not Path(project["path"]).exists()
        root = a.ask("POST", "/v1/projects", {"name": "all", "path": "."}).json
        a.ask("DELETE", "/v1/projects/" + root["id"])
        assert not a.gateway.root_folder.exists()

        session = a.ask("POST", "/v1/sessions", {"project_id": "p", "title": "Mine"}).json
        same(list(session), ["id", "project_id", "title", "model", "system_prompt", "created_at", "updated_at",
                             "is_active", "total_tokens", "total_cost", "message_count"])
        same((session["title"], session["system_prompt"], session["total_cost"]), ("Mine", None, 0.0))
        same(a.get("/v1/sessions/" + session["id"]).json["title"], "Session " + session["id"][:8])
        same(len(a.get("/v1/sessions?project_id=p").json["data"]), 1)
        same(len(a.get("/v1/sessions?project_id=q").json["data"]), 0)
        same(a.get("/v1/sessions?per_page=0").code, "internal_error")
        same(a.ask("POST", "/v1/sessions", {}).status, 422)
        stats = a.get("/v1/sessions/stats").json
        same(list(stats), ["session_stats", "active_claude_sessions", "claude_sessions"])
        same(list(stats["session_stats"]), ["active_sessions", "total_tokens", "total_cost", "total_messages",
                                            "models_in_use"])
        for _ in range(2):
            gone = a.ask("DELETE", "/v1/sessions/" + session["id"])
            same((gone.status, gone.json), (200, {"session_id": session["id"], "status": "deleted"}))
        same(a.get("/v1/sessions/" + session["id"]).code, "session_not_found")
        same(a.ask("DELETE", "/v1/chat/completions/unknown").json, {"session_id": "unknown", "status": "stopped"})
        same(a.get("/v1/chat/completions/unknown/status").code, "session_not_found")
        assert a.faults.count("per_page out of range") == 3


def a_validation():
    with gateway("A") as a:
        bad = a.ask("POST", "/v1/chat/completions", b"{no")
        same((bad.status, list(bad.json["error"])), (400, ["message", "type", "details"]))
        none = a.ask("POST", "/v1/chat/completions", {"model": "x"})
        same((none.status, none.json["error"]["details"][0]["loc"]), (422, ["body", "messages"]))
        role = a.chat("x", before=[{"role": "developer", "content": "y"}])
        same((role.status, role.json["error"]["details"][0]["type"]), (422, "literal_error"))
        same(list(role.json["error"]["details"][0])[:4], ["type", "loc", "msg", "input"])
        same(a.chat("x", temperature=3).status, 422)
        same(a.chat("x", max_tokens=0).status, 422)
        same(a.ask("POST", "/v1/chat/completions", {"messages": []}).code, "missing_messages")
        same(a.ask("POST", "/v1/chat/completions", {"messages": [{"role": "system", "content": "x"}]}).code,
             "missing_user_message")
        slash = a.chat("x", project_id="a/b")
        same((slash.status, slash.json), (400, {"detail": "Invalid path: Path separators are not allowed"}))
        same(a.chat("x", session_id="unknown").code, "session_not_found")
        same(a.chat("echo hi", mcp={"x": 1}, max_completion_tokens=3).status, 200)
        same(sorted(set(a.faults)), ["slash in project_id", "unknown role"])
        a.chat("x", before=[{"role": "user", "content": "y", "id": "1"}])
        assert "id in a message" in a.faults
        debug = "/v1/chat/completions/debug"
        same(a.ask("POST", debug).json, {"status": "no_body"})
        same(a.ask("POST", debug, b"{").json["status"], "error")
        same(a.ask("POST", debug, {"messages": [{"role": "developer"}]}).json["status"], "validation_error")
        same(a.ask("POST", debug, {"messages": []}).json["parsed_data"],
             {"model": None, "messages_count": 0, "stream": False})


def a_chats():
    with gateway("A", "--heartbeat", "0.1") as a:
        before = [{"role": "system", "content": "be brief"}, {"role": "user", "content": "one"},
                  {"role": "assistant", "content": "two"}]
        whole = a.chat("old\nrecall", before=before, model="gpt-4o", project_id="p").json
        same(whole["choices"][0]["message"], {"role": "assistant", "content": "old\nrecall", "name": None,
                                              "tool_calls": None, "tool_call_id": None})
        same((whole["model"], whole["project_id"], list(whole["usage"])),
             ("claude-sonnet-4-5-20250929", "p", ["prompt_tokens", "completion_tokens", "total_tokens"]))
        same(a.notes("requests.jsonl")[-1]["system"], "be brief")
        same(a.chat([{"type": "text", "text": "a"}, {"type": "text", "text": "echo b"}]).json["choices"][0]["message"]
             ["content"], "b")
        same(a.prompts[-1], "a\necho b")
        same(a.chat("x").json["project_id"], "default-testclient")

        two = a.chat("two", stream=True, stream_options={"include_usage": True})
        assert two.headers["content-type"].startswith("text/event-stream")
        same(two.deltas, [{"role": "assistant", "content": ""}, {"content": "The first message."},
                          {"content": "The second message."}, {}])
        same((two.frames[-1], two.frames[-2]["choices"][0]["finish_reason"]), ("[DONE]", "stop"))
        assert not any("usage" in one for one in two.frames[:-1]) and b"session_id" not in two.bytes
        session = two.headers["x-session-id"]
        same(two.headers["x-project-id"], "default-testclient")
        same(a.chat("x", session_id=session).code, "session_busy")
        time.sleep(0.25)
        same(a.chat("two", session_id=session).json["choices"][0]["message"]["content"],
             "The first message.\nThe second message.")
        same(a.get("/v1/sessions/" + session).json["message_count"], 2)
        own = next(name for name, mine in a.gateway.program_sessions.items() if mine == session)
        same(a.get("/v1/sessions/" + own).json["title"], "Session " + own[:8])

        tool = a.chat("tool", stream=True)
        call = tool.deltas[2]["tool_calls"][0]
        same((call["index"], call["type"], call["function"]),
             (0, "function", {"name": "Bash", "arguments": '{"command":"ls"}'}))
        same(tool.frames[-2]["choices"][0]["finish_reason"], "tool_calls")
        assert a.chat("tool").json["choices"][0]["finish_reason"] == "tool_calls"
        a.chat("x", before=[{"role": "tool", "tool_call_id": call["id"], "content": "y"}])
        assert a.faults == ["tool report answered"]

        empty = a.chat("fail-empty").json["choices"][0]
        same((empty["message"]["content"], empty["finish_reason"]), (None, "stop"))
        same(a.chat("fail-empty", stream=True).deltas, [{"role": "assistant", "content": ""}, {}])
        assert a.chat("api-error", stream=True).said[0].startswith("API Error: 529 ")
        failed = a.chat("stream-error", stream=True)
        same(failed.frames[-1], {"error": {"message": "Stream error", "type": "error", "code": "stream_error"}})
        for stream in (True, False):
            try:
                a.chat("cut", stream=stream)
                raise AssertionError("it was not cut")
            except (http.client.IncompleteRead, ConnectionError):
                pass
        hostile = a.chat("hostile \U0001f600", stream=True)
        assert hostile.bytes.isascii() and "\x1b" in hostile.deltas[2]["tool_calls"][0]["function"]["name"]
        assert rb"\ud83d\ude00" in a.chat("echo \U0001f600", stream=True).bytes
        assert b"\n\n: heartbeat\n\n" in a.chat("slow 3", stream=True).bytes
        assert "recall" in a.chat("help").json["choices"][0]["message"]["content"]
        same(a.chat("cost").json["usage"], {"prompt_tokens": 1340, "completion_tokens": 200, "total_tokens": 1540})
        same(a.get("/v1/sessions/stats").json["session_stats"]["total_cost"], 0)


def a_cancelling():
    with gateway("A", "--patience", "0.5") as a:
        for deletes in (True, False):
            connection = a.connect("POST", "/v1/chat/completions", {"messages": [{"role": "user", "content": "slow"}],
                                                                    "stream": True})
            response = connection.getresponse()
            session = response.getheader("X-Session-ID")
            response.read(200)
            response.close()
            connection.close()
            time.sleep(0.3)
            same(a.get(f"/v1/chat/completions/{session}/status").json["is_running"], True)
            if deletes:
                same(a.ask("DELETE", f"/v1/chat/completions/{session}").json["status"], "stopped")
                same(a.chat("x", session_id=session).code, "session_not_found")
                same(a.get(f"/v1/chat/completions/{session}/status").status, 404)
            time.sleep(0.5)
            same(a.faults, [] if deletes else ["no DELETE after a closed stream"])
        a.test(hold=True)
        got = []
        waiting = threading.Thread(target=lambda: got.append(a.chat("two", stream=True)))
        waiting.start()
        eventually(lambda: len(a.get("/v1/sessions/stats").json["claude_sessions"]) == 2)
        a.ask("DELETE", "/v1/chat/completions/" + a.get("/v1/sessions/stats").json["claude_sessions"][-1])
        waiting.join(5)
        same((got[0].said, got[0].frames[-1]), (["The first message."], "[DONE]"))
    with gateway("A", "--silence", "0.3") as a:
        a.test(hold=True)
        given_up = a.chat("two", stream=True)
        same((given_up.said, given_up.frames[-2]["choices"][0]["finish_reason"]), (["The first message."], "stop"))


def a_refusals():
    with gateway("A", "--slots", "3") as a:
        a.test(busy=1)
        same((a.chat("x").code, a.chat("x").status), ("session_busy", 200))
        a.test(reject=1)
        same(a.chat("x").code, "model_not_supported")
        a.test(unavailable=True)
        same((a.chat("x").status, a.chat("x").code), (503, "claude_unavailable"))
        same((a.get("/health").status, a.get("/health").json["status"]), (503, "unhealthy"))
        a.test(unavailable=False, leak=3)
        time.sleep(0.2)
        kept = [a.chat("x").json["session_id"] for _ in range(3)]
        full = a.chat("x")
        same((full.status, full.code), (503, "claude_unavailable"))
        assert full.json["error"]["message"].endswith("Maximum concurrent sessions (3) reached")
        same(sorted(a.get("/v1/sessions/stats").json["claude_sessions"]), sorted(kept))
        time.sleep(0.2)
        same(a.chat("x", session_id=kept[0]).status, 200)  # and frees its slot
        a.ask("DELETE", "/v1/chat/completions/" + kept[1])
        same(a.chat("x").status, 200)
    with gateway("A", "--key", "good", "--key", "better", "--window", "0.6") as a:
        for path in ("/", "/health"):
            same(a.get(path).status, 200)
        same((a.get("/v1/models").code, a.get("/nothing").status), ("missing_api_key", 401))
        same(a.get("/v1/models", Authorization="Bearer bad").code, "invalid_api_key")
        same(a.get("/v1/models", Authorization="bearer good").code, "missing_api_key")
        same([a.get("/v1/models", Authorization="Bearer good").status, a.get("/v1/models", x_api_key="good").status,
              a.get("/v1/models?api_key=good").status], [200] * 3)
        same([a.get("/v1/models", x_api_key="good").status for _ in range(8)], [200] * 7 + [429])
        limited = a.get("/v1/models", x_api_key="good")
        same((limited.code, "retry-after" in limited.headers, a.faults), ("rate_limit_exceeded", False, []))
        same((a.get("/v1/models", x_api_key="better").status, a.get("/health").status), (200, 200))
        time.sleep(0.2)
        a.get("/v1/models", x_api_key="good")
        same(a.faults, ["asked while rate limited"])
        time.sleep(0.7)
        same(a.get("/v1/models", x_api_key="good").status, 200)


def b_all():
    with gateway("B", "--key", "unused") as b:
        same((b.get("/").json["name"], list(b.get("/health").json)),
             ("Claude Code Backend API", ["status", "version", "timestamp"]))
        same(b.get("/v1/models").json["data"][0]["parent"], None)
        missing = b.get("/v1/projects/none").json["error"]
        same((missing["code"], missing["type"]), (404, "not_found"))
        same(b.get("/v1/sessions/stats").status, 404)
        project = b.ask("POST", "/v1/projects", {"name": "one"}).json
        assert project["description"] is None and project["metadata"] == {} and project["user_id"] == "default"
        same(b.get("/v1/projects?limit=1").json, {"projects": [project], "total": 1, "limit": 1, "offset": 0})
        same(b.get("/v1/projects?limit=1001").json["detail"][0]["loc"], ["query", "limit"])
        session = b.ask("POST", "/v1/sessions", {"project_id": project["id"]}).json
        assert session["name"].startswith("Session ") and session["status"] == "active" and "title" not in session
        same(b.get("/v1/sessions").json["total"], 1)
        same(b.get(f"/v1/sessions/{session['id']}/stats").json["session_id"], session["id"])
        same(b.ask("DELETE", f"/v1/sessions/{session['id']}").json, {"message": "Session deleted successfully"})
        same([one["status"] for one in b.get("/v1/mcp/servers").json], ["running", "stopped", "stopped"])
        same(b.get("/v1/mcp/servers/filesystem/tools").status, 404)
        assert "filesystem" in b.get("/v1/mcp/tools").json["tools"]
        whole = b.chat("recall", before=[{"role": "user", "content": "a"}, {"role": "assistant", "content": "b"}],
                       session_id="s", project_id="p").json
        same(whole["choices"][0]["message"]["content"], "user: a\n\nassistant: b\n\nuser: recall")
        assert "session_id" not in whole and whole["usage"]["total_tokens"]
        stream = b.chat("two", stream=True)
        same((stream.said, stream.frames[-1], "role" in stream.deltas[0]),
             (["The first message.", "The second message."], "[DONE]", False))
        same(b.chat([{"type": "text", "text": "x"}]).json["detail"][0]["type"], "string_type")
        same(b.chat("stream-error", stream=True).frames[-1]["error"]["code"], "internal_error")
        same(b.chat("api-error").status, 502)


def c_all():
    with gateway("C", "--per-minute", "100") as c:
        assert b"<title>" in c.get("/").bytes and c.get("/").headers["content-type"].startswith("text/html")
        same(c.get("/health").json, {"status": "healthy", "service": "claude-code-openai-wrapper"})
        same(c.get("/v1/auth/status").json["server_info"]["api_key_required"], False)
        assert "created" not in c.get("/v1/models").json["data"][0]
        same(c.get("/v1/projects").json, {"detail": "Not Found"})
        same(c.get("/v1/sessions/none").json["error"],
             {"message": "Session not found", "type": "api_error", "code": "404"})
        server = c.get("/v1/mcp/servers").json["servers"][0]
        assert {"name", "command", "args", "enabled", "connected", "tools_count"} <= set(server)
        first = c.chat("echo one", session_id="s", stream=True)
        same((first.said, "usage" in first.frames[-2], first.frames[-2]["usage"]), (["one"], True, None))
        assert "x-session-id" not in first.headers
        same(c.chat("recall", session_id="s").json["choices"][0]["message"]["content"],
             "Human: echo one\n\nAssistant: one\n\nHuman: recall")
        same(c.faults, [])
        c.chat("x", session_id="s", before=[{"role": "user", "content": "echo one"},
                                            {"role": "assistant", "content": "one"}])
        same(c.faults, ["history sent again"])
        same(c.prompts[-1].count("Human: echo one"), 3)  # once in what was recalled
        sessions = c.get("/v1/sessions").json
        same((sessions["total"], list(sessions["sessions"][0])),
             (1, ["session_id", "created_at", "last_accessed", "message_count", "expires_at"]))
        same(c.get("/v1/sessions/stats").json["session_stats"]["total_messages"], 8)
        same(c.ask("DELETE", "/v1/sessions/s").json, {"message": "Session s deleted successfully"})
        same(c.ask("DELETE", "/v1/sessions/s").code, "404")
        counted = c.chat("cost", stream=True, stream_options={"include_usage": True}).frames[-2]
        same((counted["usage"]["total_tokens"], counted["choices"][0]["finish_reason"]), (1540, "stop"))
        wrong = c.chat("x", before=[{"role": "tool", "content": "y"}])
        same((wrong.status, wrong.code, wrong.json["error"]["details"][0]["field"]),
             (422, "invalid_request_error", "body -> messages -> 0 -> role"))
        same(c.chat("tool").json["choices"][0]["message"]["content"], "I have no tools.")
        same(c.chat("tool", stream=True, enable_tools=True).said, ["I will look.", "Two files."])
        same(c.chat("fail-empty", stream=True).said, ["I'm unable to provide a response at the moment."])
        same((c.chat("fail-empty").status, c.chat("fail-empty").code), (500, "500"))
        failed = c.chat("stream-error", stream=True).frames[-1]["error"]
        same(list(failed), ["message", "type"])
        other = c.ask("POST", "/v1/messages", {"model": "m", "max_tokens": 5,
                                               "messages": [{"role": "user", "content": "echo hi"}]}).json
        same((other["content"], other["stop_reason"]), ([{"type": "text", "text": "hi"}], "end_turn"))
        assert c.ask("POST", "/v1/debug/request", {"messages": []}).json["debug_info"]["validation_result"]["valid"]
        c.test(unavailable=True)
        refused = c.chat("x").json["error"]
        same((refused["message"]["method"], refused["code"]), ("claude_cli", "503"))
    with gateway("C", "--key", "good") as c:
        same((c.chat("x").status, c.chat("x").code), (401, "401"))
        same(c.chat("x", headers={"Authorization": "bearer good"}).status, 200)
        same(c.get("/v1/sessions").status, 200)
        for _ in range(7):
            c.chat("x", headers={"Authorization": "Bearer good"})
        limited = c.chat("x", headers={"Authorization": "Bearer good"})
        same((limited.status, limited.json["error"]["retry_after"]), (429, 60))


def s_all():
    with gateway("S", "--key", "good") as s:
        same(list(s.get("/health").json), ["ok", "version", "active_sessions", "uptime_seconds"])
        same(s.get("/v1/models").json, {"error": {"code": "unauthorized", "message": "Missing or invalid key",
                                                  "status": 401}})
        key = {"x-api-key": "good"}

        def ask(method, path, body=None):
            return s.ask(method, path, body, **key)
        same(list(ask("GET", "/v1/models").json), ["data"])
        able = ask("GET", "/v1/models/capabilities").json["data"][0]
        same(list(able), ["id", "name", "description", "max_tokens", "supports_streaming", "supports_tools", "pricing"])
        same(list(able["pricing"]), ["input", "output"])
        project = ask("POST", "/v1/projects", {"name": "one"}).json
        same(list(project), ["id", "name", "description", "path", "created_at", "updated_at"])
        assert project["description"] == "" and project["created_at"].endswith("Z")
        same(ask("GET", "/v1/projects").json, {"projects": [project]})
        session = ask("POST", "/v1/sessions", {"project_id": project["id"], "model": able["id"]}).json
        same(session["isActive"], True)
        same(list(ask("GET", "/v1/sessions/stats").json),
             ["active_sessions", "total_tokens", "total_cost", "total_messages"])
        server = ask("GET", "/v1/mcp/servers?scope=project").json["servers"][0]
        same(list(server), ["id", "name", "scope", "executable", "version", "status"])
        assert "inputSchema" in ask("GET", "/v1/mcp/servers/fs-local/tools").json["tools"][0]
        mcp = {"enabled_servers": ["fs-local"], "enabled_tools": ["fs.read"], "priority": [], "audit_log": True}
        tools = f"/v1/sessions/{session['id']}/tools"
        same(ask("POST", tools, mcp).json, {"ok": True})
        same(ask("POST", tools, {"enabledServers": []}).json["error"]["status"], 400)
        chat = {"model": able["id"], "session_id": session["id"], "stream": True,
                "messages": [{"id": "1", "role": "user", "content": "tool"}]}
        stream = ask("POST", "/v1/chat/completions", chat)
        same([one if one == "[DONE]" else one["object"].replace("chat.completion.", "") for one in stream.frames],
             ["chunk", "tool_use", "tool_result", "chunk", "chunk", "usage", "[DONE]"])
        same((stream.frames[1]["name"], stream.frames[2]["tool_id"]), ("fs.read", stream.frames[1]["id"]))
        same(ask("POST", "/v1/chat/completions", chat).json["error"]["status"], 409)
        time.sleep(0.2)
        whole = ask("POST", "/v1/chat/completions", chat | {"stream": False, "messages": [
            {"role": "user", "content": "cost"}]}).json
        same(whole["usage"], {"input_tokens": 1200, "output_tokens": 340, "total_tokens": 1540, "total_cost": 0.0421})
        assert whole["choices"][0]["message"]["id"] and whole["session_id"] == session["id"]
        status = ask("GET", f"/v1/chat/completions/{session['id']}/status").json
        same((status["message_count"], status["mcp"]), (4, mcp))
        same(ask("DELETE", f"/v1/chat/completions/{session['id']}").json, {"ok": True})
        same(ask("GET", "/v1/sessions/none").json["error"]["code"], "not_found")
        same(ask("POST", "/v1/chat/completions/debug", {"a": 1}).json["echo"], {"a": 1})
        same(s.faults, [])


def main():
    for check in (a_routes, a_validation, a_chats, a_cancelling, a_refusals, b_all, c_all, s_all):
        check()
        print("ok", check.__name__)
