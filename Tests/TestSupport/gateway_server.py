#!/usr/bin/env python3
"""Stand-ins for the servers that put a web API before Claude: four forms, one of which only a document knows.

    gateway_server.py --shape A|B|C|S --state DIR [--port 0] [--key KEY ...] [options]
    gateway_server.py selftest

The first line it prints is JSON: {"url": "http://127.0.0.1:PORT", "shape": "A"}. It serves until SIGTERM or, when its
standard input is a pipe, until that pipe closes. Python 3.11, nothing but the standard library.

    A   runs a command-line program for each question; keeps no conversation; tool calls are reports, not requests
    B   asks the model itself; lists with total, limit and offset; numbers for error codes; invented MCP servers
    C   keeps the conversation by a session_id of the client's choosing, and doubles what is sent again
    S   as the document says that the first client was written from

What the model says is chosen by the first word of the last line of the last message from the user: `echo TEXT`,
`recall`, `slow N` and more; gateway_parts.py has the table, and --help prints it.

DIR/requests.jsonl has a line for each request: method, path, headers (names in lower case), body (JSON, or text when
it is none), status (null for a chat that ran); for a chat that ran also prompt and system (what reached the model),
session, and scene. DIR/audit.jsonl has {"ok", "what", ...} for what a client did well or badly.

POST /__test__ with JSON sets what happens next; no key is needed, and nothing of it is logged:

    {"busy": N}              the next N chats of A and S are refused with 409
    {"unavailable": true}    chats cannot be had; the health of A is 503
    {"reject": N}            the next N chats of A have a model that the program refuses
    {"leak": N}              the next N runs of A keep their slot when they end
    {"lose": N}              the next N chats of A and S are of a session that is not there
    {"greeting": STATUS}     what the path / answers; null for what it should
    {"stops": "hang"}        a DELETE of a chat ends nothing and is not answered, or with "fail" is refused
    {"rate": {"burst": N, "per_minute": N, "window": SECONDS}}   limits from now on, counted from zero; null for none
    {"delay": SECONDS}       before the first byte of an answer, in place of --first-byte
    {"hold": true}           runs stop after their first text, until {"hold": false}
"""

import argparse
import functools
import http.server
import json
import os
import re
import secrets
import shutil
import signal
import stat
import sys
import threading
import time
import uuid
from pathlib import Path

import gateway_parts
from gateway_neighbours import FormB, FormC
from gateway_parts import (ALIASES, HAIKU, NOT_LOGGED_IN, OPUS, OPUS_45, ROLES, SONNET, Answer, Gateway, Refusal,
                           anything, bare_time, compact, conversation, either, last_line, last_of, listing, number,
                           one_of, plain, record, text, tokens, transcript, truth, utc)

CALL_FIELDS = {"id": text(required=True, nullable=False), "type": one_of("function", nullable=False),
               "function": record({"name": text(required=True, nullable=False),
                                   "arguments": text(required=True, nullable=False)}, required=True, nullable=False)}
TOOL_FIELDS = {"type": one_of("function", nullable=False),
               "function": record({"name": text(required=True, nullable=False), "description": text(),
                                   "parameters": record(required=True, nullable=False)},
                                  required=True, nullable=False)}


class FormA(Gateway):
    """Runs a command-line program, which gets the last message of the user and nothing of what went before."""

    routes = """
        GET /health health
        GET / root
        POST /v1/chat/completions chat
        GET /v1/chat/completions/{session_id}/status chat_status
        POST /v1/chat/completions/debug debug
        DELETE /v1/chat/completions/{session_id} stop_chat
        GET /v1/models models
        GET /v1/models/{model_id} model
        GET /v1/projects list_projects
        POST /v1/projects create_project
        GET /v1/projects/{project_id} project
        DELETE /v1/projects/{project_id} delete_project
        GET /v1/sessions list_sessions
        POST /v1/sessions create_session
        GET /v1/sessions/stats stats
        GET /v1/sessions/{session_id} session
        DELETE /v1/sessions/{session_id} delete_session
    """
    internal_error = {"error": {"message": "Internal server error", "type": "internal_error",
                                "code": "internal_error"}}
    is_ended_by_hanging_up = False
    known_models = (OPUS, OPUS_45, SONNET, HAIKU)
    version = "2.1.34 (Claude Code)"
    chat_fields = {
        "model": text(), "messages": conversation(ROLES, anything(), tool_calls=listing(record(CALL_FIELDS)),
                                                  tool_call_id=text()),
        "temperature": number(0.0, 2.0), "top_p": number(0.0, 1.0), "max_tokens": number(1, whole=True),
        "stream": truth(), "stop": either(text(), listing(text())), "frequency_penalty": number(-2.0, 2.0),
        "presence_penalty": number(-2.0, 2.0), "user": text(), "tools": listing(record(TOOL_FIELDS)),
        "tool_choice": either(text(), record({"function": record(required=True, nullable=False)})),
        "project_id": text(), "session_id": text(), "system_prompt": text()}

    def __init__(self, options):
        super().__init__(options)
        self.program_sessions = {}  # the program's own ids
        self.root_folder = (self.directory / "projects").resolve()
        self.root_folder.mkdir(exist_ok=True)
        self.projects_file = self.directory / "projects.json"
        if self.projects_file.exists():
            self.projects = json.loads(self.projects_file.read_text())

    @staticmethod
    def error(status, message, kind, code):
        return Refusal(status, {"error": {"message": message, "type": kind, "code": code}})

    def missing(self, what, name, kind="not_found"):
        return self.error(404, f"{what} {name} not found", kind, f"{what.lower()}_not_found")

    def invalid(self, details):
        is_bad_json = any(one["type"] == "json_invalid" for one in details)
        return Refusal(400 if is_bad_json else 422, {"error": {"message": "Validation error",
                                                               "type": "invalid_request_error", "details": details}})

    def admit(self, call):
        call.client = "testclient"
        super().admit(call)
        if not self.options.key or call.route in ("/", "/health", "/docs", "/redoc", "/openapi.json"):
            return
        bearer = call.headers.get("authorization", "")
        key = (bearer[7:] if bearer.startswith("Bearer ") else "") or call.headers.get("x-api-key") \
            or call.query.get("api_key")
        if not key:
            raise self.error(401, "Missing API key. Provide it via Authorization header (Bearer token) or x-api-key "
                             "header.", "authentication_error", "missing_api_key")
        if key not in self.options.key:
            raise self.error(401, "Invalid API key", "authentication_error", "invalid_api_key")
        if not self.count(call, key, per_minute=100, burst=10):
            raise self.error(429, "Rate limit exceeded", "rate_limit_error", "rate_limit_exceeded")
        call.client = key

    # Health and models

    def health(self, call):
        if self.unavailable:
            return call.reply(503, {"status": "unhealthy", "error": f"Claude version check failed: {NOT_LOGGED_IN}"})
        call.reply(200, {"status": "healthy", "version": "1.0.0", "claude_version": self.version,
                         "active_sessions": len(self.sessions)})

    def root(self, call):
        call.reply(200, {"name": "Claude Code API Gateway", "version": "1.0.0",
                         "description": "OpenAI-compatible API for Claude Code",
                         "endpoints": {"chat": "/v1/chat/completions", "models": "/v1/models",
                                       "projects": "/v1/projects", "sessions": "/v1/sessions"},
                         "docs": "/docs", "health": "/health"})

    def model_object(self, name, index=0):
        owner = "anthropic" if self.unavailable else f"anthropic-claude-{self.version}"
        return {"id": name, "object": "model", "created": 1704067200 + index, "owned_by": owner}

    def models(self, call):
        call.reply(200, {"object": "list", "data": [self.model_object(name, index)
                                                    for index, name in enumerate(self.known_models)]})

    def model(self, call, model_id):
        if model_id not in self.known_models:  # `capabilities` is none either: its own route is never reached
            raise self.missing("Model", model_id)
        call.reply(200, self.model_object(model_id))

    def chosen_model(self, name):
        name = (name or "").strip()
        if name in self.known_models:
            return name
        if name in ALIASES:
            return ALIASES[name]
        return OPUS if re.fullmatch(r"claude-opus-\d+-\d+(-\d+)?", name) else SONNET

    # Projects

    def save_projects(self):
        self.projects_file.write_text(json.dumps(self.projects))

    def page(self, call, items, page, per_page):
        if per_page > 100 or per_page < 1 or page < 1:
            raise Refusal(500, self.internal_error)
        pages = -(-len(items) // per_page)
        call.reply(200, {"data": items[(page - 1) * per_page:page * per_page],
                         "pagination": {"page": page, "per_page": per_page, "total_items": len(items),
                                        "total_pages": pages, "has_next": page < pages, "has_prev": page > 1}})

    def list_projects(self, call):
        page, per_page = call.whole("page", 1), call.whole("per_page", 20)
        self.page(call, list(self.projects.values()), max(1, page), max(1, per_page))

    def folder(self, path, is_leaf=False):
        """A folder under the project root, or a refusal whose detail is a bare string."""
        def refuse(why):
            return Refusal(400, {"detail": f"Invalid path: {why}"})
        if is_leaf:
            if os.path.isabs(path):
                raise refuse("Absolute paths are not allowed")
            if "/" in path:
                raise refuse("Path separators are not allowed")
            path = re.sub(r"[^A-Za-z0-9._-]", "_", path)
            if not path.strip("._-"):
                raise refuse("Path is required")
        if not path.strip():
            raise refuse("Path is required")
        if "\0" in path:
            raise refuse("Null byte detected")
        whole = Path(os.path.realpath(self.root_folder / os.path.normpath(path)))
        if whole != self.root_folder and self.root_folder not in whole.parents:
            raise refuse("Path traversal detected")
        try:
            whole.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise refuse(f"{whole} exists and is not a directory") from None
        return str(whole)

    def create_project(self, call):
        body = call.wanted({"name": text(required=True, nullable=False), "description": text(), "path": text()})
        name = str(uuid.uuid4())
        path = self.folder(body["path"]) if body.get("path") else self.folder(name, is_leaf=True)
        with self.lock:
            if any(one["path"] == path for one in self.projects.values()):
                raise self.error(500, "Failed to create project.", "internal_error", "project_creation_failed")
            self.projects[name] = {"id": name, "name": body["name"], "description": body.get("description"),
                                   "path": path, "created_at": bare_time(), "updated_at": bare_time(),
                                   "is_active": True}
            self.save_projects()
        call.reply(200, self.projects[name])

    def project(self, call, project_id):
        if project_id not in self.projects:
            raise self.missing("Project", project_id)
        call.reply(200, self.projects[project_id])

    def delete_project(self, call, project_id):
        with self.lock:
            if project_id not in self.projects:
                raise self.missing("Project", project_id)
            shutil.rmtree(self.projects.pop(project_id)["path"], ignore_errors=True)
            self.save_projects()
        call.reply(200, {"project_id": project_id, "status": "deleted"})

    # Sessions

    def known_session(self, name):
        return self.sessions.get(name) or self.sessions.get(self.program_sessions.get(name))

    def new_session(self, project, model=None, system=None):
        name = str(uuid.uuid4())
        self.sessions[name] = {"id": name, "project_id": project, "title": f"Session {name[:8]}",
                               "model": model or SONNET, "system_prompt": system, "created_at": bare_time(),
                               "updated_at": bare_time(), "is_active": True, "total_tokens": 0, "total_cost": 0.0,
                               "message_count": 0}
        return self.sessions[name]

    def list_sessions(self, call):
        project = call.query.get("project_id")
        found = [one for one in self.sessions.values() if project is None or one["project_id"] == project]
        self.page(call, found, call.whole("page", 1), call.whole("per_page", 20))

    def create_session(self, call):
        body = call.wanted({"project_id": text(required=True, nullable=False), "title": text(), "model": text(),
                            "system_prompt": text()})
        made = self.new_session(body["project_id"], body.get("model"), body.get("system_prompt"))
        call.reply(200, made | {"title": body.get("title") or made["title"]})

    def session(self, call, session_id):
        if not (found := self.known_session(session_id)):
            raise self.missing("Session", session_id)
        call.reply(200, found | {"title": f"Session {session_id[:8]}"})

    def end_session(self, name):
        name = self.program_sessions.get(name, name)
        self.stop_run(name)
        self.sessions.pop(name, None)

    def delete_session(self, call, session_id):
        self.end_session(session_id)
        call.reply(200, {"session_id": session_id, "status": "deleted"})

    def stats(self, call):
        with self.lock:
            running, known = self.slots_taken(), list(self.sessions.values())
        call.reply(200, {
            "session_stats": {"active_sessions": len(known)}
            | {f"total_{kind}": sum(one[field] for one in known) for kind, field in
               (("tokens", "total_tokens"), ("cost", "total_cost"), ("messages", "message_count"))}
            | {"models_in_use": sorted({one["model"] for one in known})},
            "active_claude_sessions": len(running), "claude_sessions": running})

    # Chat

    def chat_status(self, call, session_id):
        if not (found := self.known_session(session_id)):
            raise self.missing("Session", session_id)
        run = self.processes.get(found["id"])
        call.reply(200, {"session_id": session_id, "project_id": found["project_id"], "model": found["model"],
                         "is_running": run is not None and run.is_running}
                   | {field: found[field] for field in ("created_at", "updated_at", "total_tokens", "total_cost",
                                                        "message_count")})

    def stop_chat(self, call, session_id):
        self.be_stubborn(call, session_id)
        self.end_session(session_id)
        call.reply(200, {"session_id": session_id, "status": "stopped"})

    def debug(self, call):
        if not call.body:
            return call.reply(200, {"status": "no_body"})
        if call.json_fault is not None:
            return call.reply(200, {"status": "error", "message": str(call.json_fault)})
        if not isinstance(call.json, dict):
            return call.reply(200, {"status": "error", "message": "argument after ** must be a mapping"})
        if wrong := list(record(self.chat_fields).check(call.json, [])):
            message = f"{len(wrong)} validation error{'s'[:len(wrong) > 1]} for ChatCompletionRequest"
            return call.reply(200, {"status": "validation_error", "message": message, "errors": wrong,
                                    "raw_data": call.json})
        call.reply(200, {"status": "success", "message": "Request validation passed",
                         "parsed_data": {"model": call.json.get("model"),
                                         "messages_count": len(call.json["messages"]),
                                         "stream": call.json.get("stream", False)}})

    def take_slot(self, call, session, line, prompt, system):
        with self.lock:
            old = self.processes.get(session["id"])
            if self.spend("busy") or (old and old.is_running):
                raise self.error(409, "The session is currently busy with another process.", "invalid_request_error",
                                 "session_busy")
            self.processes.pop(session["id"], None)
            unavailable = functools.partial(self.error, 503, kind="service_unavailable", code="claude_unavailable")
            if len(self.slots_taken()) >= self.options.slots:
                raise unavailable(f"Failed to start Claude Code: Maximum concurrent sessions ({self.options.slots}) "
                                  "reached")
            if self.unavailable:
                raise unavailable(f"Failed to start Claude Code: Claude exited with code 1: {NOT_LOGGED_IN}")
            if self.spend("reject"):
                raise self.error(400, "The requested model is not supported.", "invalid_request_error",
                                 "model_not_supported")
            run = self.begin(call, line, prompt, system, session["id"])
            run.leaked = self.spend("leak")
            self.processes[session["id"]] = run
            self.program_sessions[str(uuid.uuid4())] = session["id"]
            return run

    def chat(self, call):
        body = call.wanted(self.chat_fields)
        model = self.chosen_model(body.get("model"))
        messages = body["messages"]
        if not messages:
            raise self.error(400, "At least one message is required", "invalid_request_error", "missing_messages")
        prompt = last_of(messages, "user")
        if prompt is None:
            raise self.error(400, "At least one user message is required", "invalid_request_error",
                             "missing_user_message")
        system = next((plain(one.get("content")) for one in messages if one["role"] == "system"),
                      body.get("system_prompt"))
        project = body.get("project_id") or f"default-{call.client}"
        self.folder(project, is_leaf=True)
        if self.spend("lose"):
            raise self.missing("Session", body.get("session_id") or "new", "invalid_request_error")
        if body.get("session_id"):
            session = self.known_session(body["session_id"])
            if not session:
                raise self.missing("Session", body["session_id"], "invalid_request_error")
            name = body["session_id"]
        else:
            session = self.new_session(project, model if body.get("model") else None, system)
            name = session["id"]
        run = self.take_slot(call, session, last_line(prompt), prompt, system)
        session["updated_at"] = bare_time()
        session["message_count"] += 1
        session["total_tokens"] += tokens(prompt)
        work = self.stream if body.get("stream") else self.answer
        self.follow_to_end(call, run, session["id"], lambda: work(call, run, session, name, model, project))

    def tool_call(self, step):
        name = f"toolu_{secrets.token_hex(12)}"
        self.reported.add(name)
        return {"id": name, "type": "function", "function": {"name": step[1], "arguments": compact(step[2])}}

    def stream(self, call, run, session, name, model, project):
        base = {"id": f"chatcmpl-{secrets.token_hex(15)[:29]}", "object": "chat.completion.chunk",
                "created": int(time.time()), "model": model}

        def chunk(delta, reason=None):
            call.frame(base | {"choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})
        call.start_stream(cache_control="no-cache", connection="keep-alive", x_accel_buffering="no",
                          x_session_id=name, x_project_id=project)
        chunk({"role": "assistant", "content": ""})
        count = 0
        for step in call.follow(run, self.options.heartbeat):
            if step[0] == "heartbeat":
                call.send_piece(b": heartbeat\n\n")
            elif step[0] == "text" and step[1].strip():
                chunk({"content": step[1].strip()})
            elif step[0] == "tool":
                chunk({"tool_calls": [self.tool_call(step) | {"index": count}]})
                count += 1
            elif step[0] == "cut":
                return call.break_off()
            elif step[0] == "error":
                call.frame({"error": {"message": "Stream error", "type": "error", "code": "stream_error"}})
                return call.end_stream()
        chunk({}, "tool_calls" if count else "stop")
        call.frame("[DONE]")
        call.end_stream()

    def answer(self, call, run, session, name, model, project):
        got = Answer(call, run)
        if got.end == "cut":
            return call.break_off()
        if got.end == "error":
            raise self.error(500, "Internal server error", "internal_error", "unexpected_error")
        said = "\n".join(one.strip() for one in got.texts if one.strip())
        used = got.usage or (tokens(call.more["prompt"]), tokens(said), 0)
        total = used[0] + used[1]
        session["total_tokens"] += total  # but the cost is never found
        asked = max(0, total - 100 * (1 + len(got.texts)))
        message = {"role": "assistant", "content": said or None, "name": None,
                   "tool_calls": [self.tool_call(step) for step in got.tools] or None, "tool_call_id": None}
        call.reply(200, {"id": f"chatcmpl-{secrets.token_hex(15)[:29]}", "object": "chat.completion",
                         "created": int(time.time()), "model": model,
                         "choices": [{"index": 0, "message": message,
                                      "finish_reason": "tool_calls" if got.tools else "stop"}],
                         "usage": {"prompt_tokens": asked, "completion_tokens": total - asked, "total_tokens": total},
                         "session_id": name, "project_id": project})


class FormS(Gateway):
    """What the document asks for. Where it says nothing, the simplest thing."""

    routes = """
        GET /health health
        POST /v1/chat/completions chat
        GET /v1/chat/completions/{name}/status chat_status
        DELETE /v1/chat/completions/{name} stop_chat
        POST /v1/chat/completions/debug debug
        GET /v1/models models
        GET /v1/models/capabilities capabilities
        GET /v1/models/{name} model
        GET /v1/projects list_projects
        POST /v1/projects create_project
        GET /v1/projects/{name} project
        DELETE /v1/projects/{name} delete_project
        GET /v1/sessions list_sessions
        POST /v1/sessions create_session
        GET /v1/sessions/stats stats
        GET /v1/sessions/{name} session
        DELETE /v1/sessions/{name} delete_session
        POST /v1/sessions/{name}/tools set_tools
        GET /v1/mcp/servers servers
        GET /v1/mcp/servers/{name}/tools tools
    """
    internal_error = {"error": {"code": "internal", "message": "Internal error", "status": 500}}
    is_ended_by_hanging_up = tells_session = False
    ids_are_good = True
    known_models = {
        "claude-3-haiku": ("Claude 3 Haiku", "Fast model for coding", 200000, {"input": 0.0008, "output": 0.0016}),
        "claude-3-5-haiku-20241022": ("Claude 3.5 Haiku", "Quick answers", 200000, {"input": 0.001, "output": 0.005})}
    mcp_servers = (
        {"id": "fs-local", "name": "Local Filesystem", "scope": "project", "executable": "/usr/local/bin/mcp-fs",
         "version": "1.3.0", "status": "available"},
        {"id": "bash", "name": "Bash", "scope": "user", "executable": "/usr/local/bin/mcp-bash", "version": "0.9.2",
         "status": "error"},
        {"id": "web", "name": "Web", "scope": "user", "executable": None, "version": None, "status": "missing"})
    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    mcp_tools = {  # the first server's names are those of the Swift models, the second's those of the document on MCP
        "fs-local": [{"name": "fs.read", "title": "Read File", "description": "Read a file from workspace",
                      "inputSchema": schema, "supportsStream": False, "dangerous": False},
                     {"name": "fs.write", "title": None, "description": None, "inputSchema": None,
                      "supportsStream": None, "dangerous": True}],
        "bash": [{"name": "bash.run", "title": "Run", "description": "Run a command", "input_schema": schema,
                  "supports_stream": True, "dangerous": True}],
        "web": []}
    mcp_fields = {"enabled_servers": listing(text(nullable=False), required=True, nullable=False),
                  "enabled_tools": listing(text(nullable=False), required=True, nullable=False),
                  "priority": listing(text(nullable=False), required=True, nullable=False),
                  "audit_log": truth(required=True, nullable=False)}
    chat_fields = {
        "model": text(required=True, nullable=False), "stream": truth(), "project_id": text(), "session_id": text(),
        "messages": conversation(ROLES[:3], either(text(), listing(record({
            "type": text(required=True, nullable=False), "text": text()})), required=True, nullable=False)),
        "system_prompt": text(), "mcp": record(mcp_fields)}

    @staticmethod
    def error(status, code, message):
        return Refusal(status, {"error": {"code": code, "message": message, "status": status}})

    def unknown_route(self, path):
        return self.error(404, "not_found", f"No route {path}")

    def invalid(self, details):
        where = ".".join(str(part) for part in details[0]["loc"])
        return self.error(400, "bad_request", f"{where}: {details[0]['msg']}")

    def as_frame(self, value):
        return json.dumps(value, ensure_ascii=False)

    @staticmethod
    def now():
        return f"{utc():%Y-%m-%dT%H:%M:%SZ}"

    def admit(self, call):
        self.look_at(call, ROLES[:3])
        if call.route == "/health":
            return
        bearer = call.headers.get("authorization", "")
        key = (bearer[7:] if bearer.startswith("Bearer ") else "") or call.headers.get("x-api-key", "")
        if self.options.key and key not in self.options.key:
            raise self.error(401, "unauthorized", "Missing or invalid key")
        is_limited = self.rate and (self.rate["burst"] or self.rate["per_minute"])
        if is_limited and not self.count(call, key, per_minute=100):
            raise self.error(429, "rate_limited", "Too many requests")

    def found(self, items, name, what):
        if name not in items:
            raise self.error(404, "not_found", f"{what} not found")
        return items[name]

    def health(self, call):
        call.reply(200, {"ok": not self.unavailable, "version": "1.2.3", "active_sessions": len(self.sessions),
                         "uptime_seconds": int(time.monotonic() - self.started)})

    # Models

    @staticmethod
    def model_object(name):
        return {"id": name, "object": "model", "created": 1724100000, "owned_by": "anthropic"}

    def models(self, call):
        call.reply(200, {"data": [self.model_object(name) for name in self.known_models]})

    def model(self, call, name):
        self.found(self.known_models, name, "Model")
        call.reply(200, self.model_object(name))

    def capabilities(self, call):
        call.reply(200, {"data": [
            {"id": key, "name": name, "description": what, "max_tokens": most, "supports_streaming": True,
             "supports_tools": True, "pricing": price}
            for key, (name, what, most, price) in self.known_models.items()]})

    # Projects and sessions

    def listed(self, call, key, items):
        limit, start = call.whole("limit", len(items) or 1, low=1), call.whole("cursor", 0, low=0)
        more = {"next_cursor": str(start + limit)} if start + limit < len(items) else {}
        call.reply(200, {key: items[start:start + limit]} | more)

    def list_projects(self, call):
        self.listed(call, "projects", list(self.projects.values()))

    def create_project(self, call):
        body = call.wanted({"name": text(required=True, nullable=False), "description": text(), "path": text()})
        name = f"project-{secrets.token_hex(4)}"
        self.projects[name] = {"id": name, "name": body["name"], "description": body.get("description") or "",
                               "path": body.get("path"), "created_at": self.now(), "updated_at": self.now()}
        call.reply(201, self.projects[name])

    def project(self, call, name):
        call.reply(200, self.found(self.projects, name, "Project"))

    def delete_project(self, call, name):
        self.found(self.projects, name, "Project")
        del self.projects[name]
        call.reply(200, {"project_id": name, "status": "deleted"})

    def new_session(self, project, model, title=None, system=None):
        name = f"sess_{secrets.token_hex(6)}"
        self.sessions[name] = {"id": name, "project_id": project, "title": title, "model": model,
                               "system_prompt": system, "created_at": self.now(), "updated_at": self.now(),
                               "isActive": True, "total_tokens": 0, "total_cost": 0.0, "message_count": 0}
        return self.sessions[name]

    def list_sessions(self, call):
        project = call.query.get("project_id")
        self.listed(call, "sessions", [one for one in self.sessions.values() if project in (None, one["project_id"])])

    def create_session(self, call):
        body = call.wanted({"project_id": text(required=True, nullable=False),
                            "model": text(required=True, nullable=False), "title": text(), "system_prompt": text()})
        call.reply(201, self.new_session(body["project_id"], body["model"], body.get("title"),
                                         body.get("system_prompt")))

    def session(self, call, name):
        call.reply(200, self.found(self.sessions, name, "Session"))

    def delete_session(self, call, name):
        self.found(self.sessions, name, "Session")
        self.stop_run(name)
        del self.sessions[name]
        call.reply(200, {"ok": True})

    def stats(self, call):
        known = list(self.sessions.values())
        call.reply(200, {"active_sessions": len(known), "total_tokens": sum(one["total_tokens"] for one in known),
                         "total_cost": round(sum(one["total_cost"] for one in known), 6),
                         "total_messages": sum(one["message_count"] for one in known)})

    # MCP

    def servers(self, call):
        scope = call.query.get("scope")
        call.reply(200, {"servers": [one for one in self.mcp_servers if scope in (None, one["scope"])]})

    def tools(self, call, name):
        call.reply(200, {"server_id": name, "tools": self.found(self.mcp_tools, name, "Server")})

    def set_tools(self, call, name):
        self.found(self.sessions, name, "Session")
        body = call.wanted(self.mcp_fields)
        self.sessions[name]["mcp"] = {field: body[field] for field in self.mcp_fields}
        call.reply(200, {"ok": True})

    # Chat

    def chat_status(self, call, name):
        known = self.found(self.sessions, name, "Session")
        run = self.processes.get(name)
        shown = {field: known[field] for field in ("project_id", "model", "created_at", "updated_at", "total_tokens",
                                                   "total_cost", "message_count", "mcp") if field in known}
        call.reply(200, {"session_id": name, "is_running": run is not None and run.is_running} | shown)

    def stop_chat(self, call, name):
        self.found(self.sessions, name, "Session")
        self.be_stubborn(call, name)
        self.stop_run(name)
        call.reply(200, {"ok": True})

    def debug(self, call):
        call.reply(200, {"ok": True, "echo": call.json})

    def chat(self, call):
        body = call.wanted(self.chat_fields)
        self.found(self.known_models, body["model"], "Model")
        if (line := last_of(body["messages"], "user")) is None:
            raise self.error(400, "bad_request", "No message of the user")
        if self.unavailable:
            raise self.error(503, "unavailable", "The model cannot be reached")
        if self.spend("lose"):
            raise self.error(404, "not_found", "Session not found")
        session = (self.found(self.sessions, body["session_id"], "Session") if body.get("session_id")
                   else self.new_session(body.get("project_id") or "default", body["model"]))
        name, mcp = session["id"], body.get("mcp") or session.get("mcp") or {}
        with self.lock:
            old = self.processes.get(name)
            if self.spend("busy") or (old and old.is_running):
                raise self.error(409, "conflict", "Already running")
            told = transcript(body["messages"], {"user": "user", "assistant": "assistant"})
            system = body.get("system_prompt") or last_of(body["messages"], "system") or session["system_prompt"]
            tool = next(iter([*mcp.get("priority", ()), *mcp.get("enabled_tools", ())]), "bash.run")
            run = self.processes[name] = self.begin(call, last_line(line), told, system, name, tool)
        base = {"id": f"cmpl_{secrets.token_hex(6)}", "created": int(time.time()), "model": body["model"]}
        work = self.stream if body.get("stream") else self.answer
        self.follow_to_end(call, run, name, lambda: work(call, run, base, session))

    def count_up(self, call, session, said, usage):
        used = usage or (tokens(call.more["prompt"]), tokens(said), None)
        total = used[0] + used[1]
        cost = used[2] if used[2] is not None else round(total * 5e-06, 6)
        session |= {"total_tokens": session["total_tokens"] + total, "updated_at": self.now(),
                    "total_cost": round(session["total_cost"] + cost, 6), "message_count": session["message_count"] + 2}
        return {"input_tokens": used[0], "output_tokens": used[1], "total_tokens": total, "total_cost": cost}

    def stream(self, call, run, base, session):
        def chunk(delta, **more):
            call.frame(base | {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta} | more]})
        call.start_stream(cache_control="no-cache")
        said, usage, role = [], None, {"role": "assistant"}
        for step in call.follow(run):
            if step[0] == "cut":
                return call.break_off()
            if step[0] == "error":
                call.frame({"error": {"code": "internal", "message": "Stream error", "status": 500}})
                return call.end_stream()
            if step[0] == "text":
                said.append(step[1])
                chunk(role | {"content": step[1]})
                role = {}
            elif step[0] == "usage":
                usage = step[1:]
            elif step[0] == "tool":
                name = f"tu_{secrets.token_hex(6)}"
                self.reported.add(name)
                call.frame({"object": "tool_use", "id": name, "name": step[1], "input": step[2], "ts": self.now()})
                call.frame({"object": "tool_result", "tool_id": name, "name": step[1], "is_error": False,
                            "duration_ms": 212, "content": step[3]})
        chunk(role, finish_reason="stop")
        call.frame({"object": "usage"} | self.count_up(call, session, "".join(said), usage))
        call.frame("[DONE]")
        call.end_stream()

    def answer(self, call, run, base, session):
        got = Answer(call, run)
        if got.end == "cut":
            return call.break_off()
        if got.end == "error":
            raise Refusal(500, self.internal_error)
        said = "".join(got.texts)
        message = {"id": str(uuid.uuid4()).upper(), "role": "assistant", "content": said}
        call.reply(200, base | {"object": "chat.completion",
                                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                                "usage": self.count_up(call, session, said, got.usage), "session_id": session["id"],
                                "project_id": session["project_id"]})


FORMS = {"A": FormA, "B": FormB, "C": FormC, "S": FormS}


def arguments(words):
    parser = argparse.ArgumentParser(description=__doc__ + "\n" + gateway_parts.__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", choices=FORMS, required=True)
    parser.add_argument("--state", required=True, help="where the logs are, and the projects of A")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--key", action="append", default=[], help="a key that is good; without any, none is needed")
    parser.add_argument("--first-byte", type=float, default=0.05, help="seconds before an answer begins")
    parser.add_argument("--linger", type=float, default=0.15, help="seconds that a session stays busy after an answer")
    parser.add_argument("--heartbeat", type=float, default=30, help="seconds between the comments in A's streams")
    parser.add_argument("--silence", type=float, default=300, help="seconds without output that end an answer, as if "
                        "all were well")
    parser.add_argument("--slots", type=int, default=10, help="how many runs A has room for")
    parser.add_argument("--patience", type=float, default=2, help="seconds in which a DELETE must follow a hang-up")
    parser.add_argument("--burst", type=int, help="of requests: 10 in A, by key")
    parser.add_argument("--per-minute", type=int, help="requests in a window: 100 in A, by key; in C, 10 chats")
    parser.add_argument("--window", type=float, help="seconds that a limit counts: 60")
    return parser.parse_args(words)


def server(options):
    """A server that is ready to serve; its address is `gateway.url`."""
    class Server(http.server.ThreadingHTTPServer):
        daemon_threads = True
        request_queue_size = 128
    made = Server(("127.0.0.1", options.port), gateway_parts.Call)
    made.gateway = FORMS[options.shape](options)
    made.gateway.url = f"http://127.0.0.1:{made.server_port}"
    return made


def stop_with_standard_input(stop):
    if not stat.S_ISFIFO(os.fstat(0).st_mode):
        return

    def watch():
        while os.read(0, 4096):
            pass
        stop()
    threading.Thread(target=watch, daemon=True).start()


def main():
    if sys.argv[1:] == ["selftest"]:
        import gateway_selftest
        return gateway_selftest.main()
    options = arguments(sys.argv[1:])
    made = server(options)

    def stop(*_):
        threading.Thread(target=made.shutdown, daemon=True).start()
    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    print(json.dumps({"url": made.gateway.url, "shape": options.shape}), flush=True)
    stop_with_standard_input(stop)
    made.serve_forever(poll_interval=0.05)
    made.gateway.close()


if __name__ == "__main__":
    main()
