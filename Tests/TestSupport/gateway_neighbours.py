"""The forms B and C of the stand-ins for gateways; gateway_server.py says what they are."""

import datetime
import json
import secrets
import time
import uuid

from gateway_parts import (API_ERROR, HAIKU, NOT_LOGGED_IN, ROLES, SONNET, Answer, Gateway, Refusal, bare_time,
                           compact, conversation, either, last_line, last_of, listing, number, one_of, plain, record,
                           text, tokens, transcript, truth, utc)


class FormB(Gateway):
    """Asks the model itself, and hands on what it is sent. Knows no session in a chat, and no keys."""

    routes = """
        GET /health health
        GET / root
        POST /v1/chat/completions chat
        GET /v1/models models
        GET /v1/models/{model_id} model
        POST /v1/projects create_project
        GET /v1/projects list_projects
        GET /v1/projects/{name} project
        PATCH /v1/projects/{name} change_project
        DELETE /v1/projects/{name} delete_project
        POST /v1/sessions create_session
        GET /v1/sessions list_sessions
        GET /v1/sessions/{name} session
        PATCH /v1/sessions/{name} change_session
        DELETE /v1/sessions/{name} delete_session
        GET /v1/sessions/{name}/stats stats
        GET /v1/mcp/servers servers
        GET /v1/mcp/tools tools
    """
    internal_error = {"error": {"message": "An internal server error occurred.", "type": "internal_error",
                                "code": 500}}
    known_models = ("claude-3-opus-20240229", "claude-3-sonnet-20240229", "claude-3-haiku-20240307",
                    "claude-3-5-sonnet-20241022", "claude-2.1", "claude-2.0", "claude-instant-1.2")
    default_model = "claude-3-5-sonnet-20241022"
    chat_fields = {
        "model": text(nullable=False), "messages": conversation(None, text(required=True, nullable=False)),
        "max_tokens": number(whole=True), "temperature": number(0.0, 2.0), "top_p": number(), "n": number(whole=True),
        "stream": truth(), "stop": listing(text()), "presence_penalty": number(), "frequency_penalty": number(),
        "user": text()}
    invented_tools = {
        "filesystem": [{"name": "read_file", "description": "Read contents of a file",
                        "parameters": {"path": {"type": "string", "required": True}}}],
        "github": [{"name": "create_pr", "description": "Create a pull request",
                    "parameters": {"repo": {"type": "string", "required": True}}}]}

    def unknown_route(self, path):
        return Refusal(404, {"error": {"message": f"The requested URL {path} was not found.", "type": "not_found",
                                       "code": 404}})

    def as_frame(self, value):
        return json.dumps(value)

    def health(self, call):
        call.reply(200, {"status": "healthy", "version": "1.0.0", "timestamp": time.time()})

    def root(self, call):
        kinds = ("models", "projects", "sessions", "mcp", "analytics", "debug")
        call.reply(200, {"name": "Claude Code Backend API", "version": "1.0.0", "documentation": "/docs",
                         "openapi": "/openapi.json",
                         "endpoints": {"chat": "/v1/chat/completions"} | {kind: f"/v1/{kind}" for kind in kinds}})

    # Models

    @staticmethod
    def model_object(name):
        now = int(time.time())
        leave = {"id": "modelperm-default", "object": "model_permission", "created": now, "allow_create_engine": False,
                 "allow_sampling": True, "allow_logprobs": True, "allow_search_indices": False, "allow_view": True,
                 "allow_fine_tuning": False, "organization": "*", "group": None, "is_blocking": False}
        return {"id": name, "object": "model", "created": now, "owned_by": "anthropic", "permission": [leave],
                "root": name, "parent": None}

    def models(self, call):
        call.reply(200, {"object": "list", "data": [self.model_object(name) for name in self.known_models]})

    def model(self, call, model_id):
        call.reply(200, self.model_object(model_id))  # whatever the name

    # Projects and sessions

    def listed(self, call, key, items):
        limit, offset = call.whole("limit", 100, high=1000), call.whole("offset", 0)
        call.reply(200, {key: items[offset:][:limit], "total": len(items), "limit": limit, "offset": offset})

    def found(self, call, items, name):
        if name not in items:
            raise self.unknown_route(call.route)
        return items[name]

    def create_project(self, call):
        body = call.wanted({"name": text(required=True, nullable=False), "description": text(), "path": text(),
                            "metadata": record()})
        name = str(uuid.uuid4())
        self.projects[name] = {"id": name, "name": body["name"], "description": body.get("description"),
                               "path": body.get("path"), "is_active": True, "metadata": body.get("metadata") or {},
                               "created_at": bare_time(), "updated_at": bare_time(), "user_id": "default"}
        call.reply(200, self.projects[name])

    def list_projects(self, call):
        self.listed(call, "projects", list(self.projects.values()))

    def project(self, call, name):
        call.reply(200, self.found(call, self.projects, name))

    def change_project(self, call, name):
        body = call.wanted({"name": text(), "description": text(), "path": text(), "metadata": record(),
                            "is_active": truth()})
        known = self.found(call, self.projects, name)
        known |= {key: body[key] for key in ("name", "description", "path", "metadata", "is_active") if key in body}
        call.reply(200, known | {"updated_at": bare_time()})

    def delete_project(self, call, name):
        self.found(call, self.projects, name)
        del self.projects[name]
        call.reply(200, {"message": "Project deleted successfully"})

    def create_session(self, call):
        body = call.wanted({"project_id": text(), "name": text(), "model": text(), "metadata": record()})
        name = str(uuid.uuid4())
        self.sessions[name] = {"id": name, "user_id": "default-user", "project_id": body.get("project_id"),
                               "name": body.get("name") or f"Session {utc():%Y-%m-%d %H:%M}",
                               "model": body.get("model") or self.default_model, "status": "active",
                               "metadata": body.get("metadata") or {}, "created_at": bare_time(),
                               "updated_at": bare_time()}
        call.reply(200, self.sessions[name])

    def list_sessions(self, call):
        project, status = call.query.get("project_id"), call.query.get("status")
        self.listed(call, "sessions", [one for one in self.sessions.values()
                                       if project in (None, one["project_id"]) and status in (None, one["status"])])

    def session(self, call, name):
        call.reply(200, self.found(call, self.sessions, name))

    def change_session(self, call, name):
        states = one_of("active", "idle", "streaming", "archived", "error")
        body = call.wanted({"name": text(), "status": states, "metadata": record()})
        known = self.found(call, self.sessions, name)
        known |= {key: body[key] for key in ("name", "status", "metadata") if key in body}
        call.reply(200, known)

    def delete_session(self, call, name):
        self.found(call, self.sessions, name)
        del self.sessions[name]
        call.reply(200, {"message": "Session deleted successfully"})

    def stats(self, call, name):
        known = self.found(call, self.sessions, name)
        age = (utc() - datetime.datetime.fromisoformat(known["created_at"])).total_seconds()
        call.reply(200, {"session_id": name, "created_at": known["created_at"], "updated_at": known["updated_at"],
                         "status": known["status"], "duration_seconds": age, "message_count": 0,
                         "token_usage": {"prompt_tokens": 0, "completion_tokens": 0, "total_tokens": 0},
                         "model": known["model"], "active_tools": [], "tool_invocations": 0, "error_count": 0,
                         "average_response_time": 0, "memory_usage": {}, "metadata": known["metadata"]})

    # MCP servers, all of them invented

    def servers(self, call):
        call.reply(200, [{"name": "filesystem", "status": "running", "pid": 12345, "started_at": bare_time(),
                          "error": None}]
                   + [{"name": name, "status": "stopped", "pid": None, "started_at": None, "error": "Not configured"}
                      for name in ("github", "slack")])

    def tools(self, call):
        server = call.query.get("server")
        call.reply(200, {"server": server, "tools": self.invented_tools.get(server, [])} if server
                   else {"tools": self.invented_tools})

    # Chat

    def chat(self, call):
        body = call.wanted(self.chat_fields)
        model = body.get("model") or self.default_model
        told = transcript(body["messages"], {"user": "user", "assistant": "assistant"})
        line = last_line(last_of(body["messages"], "user") or "Continue the conversation.")
        run = self.begin(call, line, told, last_of(body["messages"], "system"))
        base = {"id": f"chatcmpl-{secrets.token_hex(4)}", "created": int(time.time()), "model": model}
        work = self.stream if body.get("stream") else self.answer
        self.follow_to_end(call, run, None, lambda: work(call, run, base))

    def stream(self, call, run, base):
        def chunk(delta, reason=None):
            call.frame(base | {"object": "chat.completion.chunk",
                               "choices": [{"index": 0, "delta": delta, "finish_reason": reason}]})

        def fail(message):
            call.frame({"error": {"message": message, "type": "api_error", "code": "internal_error"}})
            call.end_stream()
        call.start_stream()
        if self.unavailable:
            return fail(NOT_LOGGED_IN)
        for step in call.follow(run):
            if step[0] == "cut":
                return call.break_off()
            if step[0] == "error" or step[1:] == (API_ERROR,):
                return fail("Overloaded")
            if step[0] == "text":
                chunk({"content": step[1]})
        chunk({}, "stop")
        call.frame("[DONE]")
        call.end_stream()

    def answer(self, call, run, base):
        got = Answer(call, run)
        if got.end == "cut":
            return call.break_off()
        if self.unavailable or got.end == "error" or API_ERROR in got.texts:
            raise Refusal(502, {"detail": "Anthropic API error: " + (NOT_LOGGED_IN if self.unavailable
                                                                     else "Overloaded")})
        said = "".join(got.texts)
        used = got.usage or (tokens(call.more["prompt"]), tokens(said), 0)
        call.reply(200, {"id": base["id"], "object": "chat.completion", "created": base["created"],
                         "model": base["model"],
                         "choices": [{"index": 0, "message": {"role": "assistant", "content": said, "name": None},
                                      "finish_reason": "stop"}],
                         "usage": {"prompt_tokens": used[0], "completion_tokens": used[1],
                                   "total_tokens": used[0] + used[1]}})


class FormC(Gateway):
    """Keeps the conversation of each session_id, and adds to it whatever is sent."""

    routes = """
        GET /health health
        GET /version version
        GET / page
        POST /v1/chat/completions chat
        POST /v1/messages messages
        GET /v1/models models
        POST /v1/debug/request debug
        GET /v1/auth/status auth_status
        GET /v1/sessions list_sessions
        GET /v1/sessions/stats stats
        GET /v1/sessions/{name} session
        DELETE /v1/sessions/{name} delete_session
        GET /v1/mcp/servers servers
    """
    known_models = ("claude-opus-4-5-20250929", SONNET, HAIKU, "claude-opus-4-1-20250805", "claude-opus-4-20250514",
                    "claude-sonnet-4-20250514")
    content = either(text(), listing(record({"type": one_of("text", required=True, nullable=False),
                                             "text": text(required=True, nullable=False)})), required=True,
                     nullable=False)
    chat_fields = {
        "model": text(nullable=False), "messages": conversation(ROLES[:3], content), "temperature": number(0.0, 2.0),
        "top_p": number(0.0, 1.0), "n": number(1, 1, whole=True), "stream": truth(),
        "stop": either(text(), listing(text())), "max_tokens": number(whole=True),
        "max_completion_tokens": number(whole=True), "presence_penalty": number(-2.0, 2.0),
        "frequency_penalty": number(-2.0, 2.0), "logit_bias": record(), "user": text(), "session_id": text(),
        "enable_tools": truth(), "stream_options": record({"include_usage": truth(nullable=False)})}

    @staticmethod
    def error(status, message, **headers):
        return Refusal(status, {"error": {"message": message, "type": "api_error", "code": str(status)}}, **headers)

    def invalid(self, details):
        return Refusal(422, {"error": {
            "message": "Request validation failed - the request body doesn't match the expected format",
            "type": "validation_error", "code": "invalid_request_error",
            "details": [{"field": " -> ".join(str(part) for part in one["loc"]), "message": one["msg"],
                         "type": one["type"], "input": one["input"]} for one in details],
            "help": {"common_issues": ["Missing required fields (model, messages)",
                                       "Invalid role values (must be 'system', 'user', or 'assistant')"],
                     "debug_tip": "Set DEBUG_MODE=true or VERBOSE=true environment variable for more detailed "
                                  "logging"}}})

    def admit(self, call):
        self.look_at(call, ROLES[:3])

    def limit(self, call, kind, per_minute):
        if self.count(call, kind, per_minute):
            return
        wait = -(-self.rate["window"] // 1) if self.rate["window"] else 60
        raise Refusal(429, {"error": {"message": f"Rate limit exceeded. Try again in {int(wait)} seconds.",
                                      "type": "rate_limit_exceeded", "code": "too_many_requests",
                                      "retry_after": int(wait)}}, retry_after=int(wait))

    def demand_key(self, call):
        if not self.options.key:
            return
        scheme, _, key = call.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not key:
            raise self.error(401, "Missing API key", www_authenticate="Bearer")
        if key not in self.options.key:
            raise self.error(401, "Invalid API key", www_authenticate="Bearer")

    def health(self, call):
        self.limit(call, "health", 30)
        call.reply(200, {"status": "healthy", "service": "claude-code-openai-wrapper"})

    def version(self, call):
        self.limit(call, "health", 30)
        call.reply(200, {"version": "2.2.0", "service": "claude-code-openai-wrapper", "api_version": "v1"})

    def page(self, call):
        call.reply(200, "<!DOCTYPE html>\n<html lang=\"en\"><head><title>Claude Code OpenAI Wrapper</title></head>"
                        "<body><h1>Claude Code OpenAI Wrapper</h1><p>Connected</p></body></html>\n")

    def models(self, call):
        self.demand_key(call)
        call.reply(200, {"object": "list", "data": [{"id": name, "object": "model", "owned_by": "anthropic"}
                                                    for name in self.known_models]})

    def login(self):
        return {"method": "claude_cli", "status": {"method": "claude_cli", "valid": not self.unavailable,
                                                   "errors": [NOT_LOGGED_IN] if self.unavailable else [],
                                                   "config": {}},
                "environment_variables": []}

    def auth_status(self, call):
        self.limit(call, "auth", 10)
        call.reply(200, {"claude_code_auth": self.login(),
                         "server_info": {"api_key_required": bool(self.options.key),
                                         "api_key_source": "environment" if self.options.key else "none",
                                         "version": "1.0.0"}})

    def debug(self, call):
        self.limit(call, "debug", 2)
        known = call.json if isinstance(call.json, dict) else {}
        wrong = list(record(self.chat_fields).check(known, []))
        result = {"valid": False, "errors": [
            {"field": " -> ".join(str(part) for part in one["loc"]), "message": one["msg"], "type": one["type"],
             "input": one["input"]} for one in wrong] if known else []}
        if known and not wrong:
            result = {"valid": True, "validated_data": known}
        call.reply(200, {"debug_info": {
            "headers": {name.lower(): value for name, value in call.headers.items()}, "method": "POST",
            "url": self.url + call.path, "raw_body": call.body.decode("utf-8", "replace"),
            "json_parse_error": str(call.json_fault) if call.json_fault else None,
            "parsed_body": None if call.json_fault else (call.json or {}), "validation_result": result,
            "debug_mode_enabled": False}})

    # Sessions

    def fresh(self, name):
        """The session, if it has not run out; each look makes it last an hour more."""
        with self.lock:
            known = self.sessions.get(name)
            if known and utc() > known["expires"]:
                del self.sessions[name]
                return None
            if known:
                known["seen"], known["expires"] = utc(), utc() + datetime.timedelta(hours=1)
            return known

    @staticmethod
    def shown(name, known):
        return {"session_id": name, "created_at": bare_time(known["made"]), "last_accessed": bare_time(known["seen"]),
                "message_count": len(known["messages"]), "expires_at": bare_time(known["expires"])}

    def list_sessions(self, call):
        shown = [self.shown(name, known) for name, known in self.sessions.items()]
        call.reply(200, {"sessions": shown, "total": len(shown)})

    def session(self, call, name):
        if not (known := self.fresh(name)):
            raise self.error(404, "Session not found")
        call.reply(200, self.shown(name, known))

    def delete_session(self, call, name):
        if self.sessions.pop(name, None) is None:
            raise self.error(404, "Session not found")
        call.reply(200, {"message": f"Session {name} deleted successfully"})

    def stats(self, call):
        call.reply(200, {"session_stats": {"active_sessions": len(self.sessions), "expired_sessions": 0,
                                           "total_messages": sum(len(known["messages"])
                                                                 for known in self.sessions.values())},
                         "cleanup_interval_minutes": 5, "default_ttl_hours": 1})

    def servers(self, call):
        self.limit(call, "general", 30)
        self.demand_key(call)
        call.reply(200, {"servers": [
            {"name": "files", "command": "npx", "args": ["-y", "server-files", "/tmp"], "description": "Files",
             "enabled": True, "connected": True, "tools_count": 3, "resources_count": 0, "prompts_count": 0},
            {"name": "notes", "command": "notes-server", "args": [], "description": "", "enabled": False,
             "connected": False, "tools_count": 0, "resources_count": 0, "prompts_count": 0}], "total": 2})

    # Chat

    def gate(self, call):
        self.limit(call, "chat", 10)
        self.demand_key(call)
        if self.unavailable:
            raise self.error(503, {"message": "Claude Code authentication failed", "errors": [NOT_LOGGED_IN],
                                   "method": "claude_cli",
                                   "help": "Check /v1/auth/status for detailed authentication information"})

    def remember(self, name, messages):
        """The whole conversation of the session, with these messages added, whether or not it has them already."""
        with self.lock:
            known = self.fresh(name)
            if not known:
                now = utc()
                known = self.sessions[name] = {"messages": [], "made": now, "seen": now,
                                               "expires": now + datetime.timedelta(hours=1)}
            again = [one for one in messages[:-1] if one["role"] != "system" and one in known["messages"]]
            if again:
                self.note(False, "history sent again", session=name, messages=len(again))
            known["messages"] += messages
            return list(known["messages"])

    def chat(self, call):
        body = call.wanted(self.chat_fields)
        self.gate(call)
        name = body.get("session_id")
        messages = [{"role": one["role"], "content": plain(one["content"])} for one in body["messages"]]
        line = last_line(last_of(messages, "user") or "Please continue.")
        if name is not None:
            messages = self.remember(name, messages)
        told = transcript(messages, {"user": "Human", "assistant": "Assistant"})
        if messages and messages[-1]["role"] != "user":
            told += "\n\nHuman: Please continue."
        if line.strip() == "tool" and not body.get("enable_tools"):
            line = "echo I have no tools."
        run = self.begin(call, line, told, last_of(messages, "system"), name)
        base = {"id": f"chatcmpl-{secrets.token_hex(8)}", "created": int(time.time()),
                "model": body.get("model") or SONNET}
        work = self.stream if body.get("stream") else self.answer
        self.follow_to_end(call, run, name, lambda: work(call, run, base, body))

    def usage(self, call, said, usage=None):
        used = usage or (tokens(call.more["prompt"]), tokens(said), 0)
        return {"prompt_tokens": used[0], "completion_tokens": used[1], "total_tokens": used[0] + used[1]}

    def keep(self, name, said):
        if name is not None and said and (known := self.fresh(name)):
            known["messages"].append({"role": "assistant", "content": said})

    def as_frame(self, value):
        return compact(value)

    def stream(self, call, run, base, body):
        def chunk(delta, reason=None, usage=None):
            call.frame({"id": base["id"], "object": "chat.completion.chunk", "created": base["created"],
                        "model": base["model"], "choices": [{"index": 0, "delta": delta, "finish_reason": reason}],
                        "usage": usage, "system_fingerprint": None})
        call.start_stream(cache_control="no-cache", connection="keep-alive")
        chunk({"role": "assistant", "content": ""})
        said, usage = [], None
        for step in call.follow(run):
            if step[0] == "cut":
                return call.break_off()
            if step[0] == "error":
                call.frame(json.dumps({"error": {"message": "Claude Code process failed", "type": "streaming_error"}}))
                return call.end_stream()
            if step[0] == "text" and step[1].strip():
                said.append(step[1])
                chunk({"content": step[1]})
            elif step[0] == "usage":
                usage = step[1:]
        if not said:
            chunk({"content": "I'm unable to provide a response at the moment."})
        whole = "\n".join(said)
        self.keep(body.get("session_id"), whole)
        is_asked = (body.get("stream_options") or {}).get("include_usage")
        chunk({}, "stop", self.usage(call, whole, usage) if is_asked else None)
        call.frame("[DONE]")
        call.end_stream()

    def in_one_piece(self, call, run):
        """What was said, and the usage; nothing when the connection was broken off."""
        got = Answer(call, run)
        if got.end == "cut":
            call.break_off()
            return None
        if got.end == "error":
            raise self.error(500, "Claude Code process failed")
        if not (said := "\n".join(got.texts)):
            raise self.error(500, "No response from Claude Code")
        return said, self.usage(call, said, got.usage)

    def answer(self, call, run, base, body):
        if not (got := self.in_one_piece(call, run)):
            return
        self.keep(body.get("session_id"), got[0])
        call.reply(200, {"id": base["id"], "object": "chat.completion", "created": base["created"],
                         "model": base["model"],
                         "choices": [{"index": 0, "message": {"role": "assistant", "content": got[0], "name": None},
                                      "finish_reason": "stop"}],
                         "usage": got[1], "system_fingerprint": None})

    def messages(self, call):
        """The other maker's shape of a chat, in one piece only, without a session."""
        body = call.wanted({"model": text(required=True, nullable=False), "system": text(),
                            "messages": conversation(("user", "assistant"), self.content),
                            "max_tokens": number(whole=True)})
        self.gate(call)
        told = "\n\n".join(("Assistant: " if one["role"] == "assistant" else "") + plain(one["content"])
                           for one in body["messages"])
        run = self.begin(call, last_line(last_of(body["messages"], "user") or ""), told, body.get("system"))

        def work():
            if got := self.in_one_piece(call, run):
                call.reply(200, {"id": f"msg_{secrets.token_hex(12)}", "type": "message", "role": "assistant",
                                 "content": [{"type": "text", "text": got[0]}], "model": body["model"],
                                 "stop_reason": "end_turn", "stop_sequence": None,
                                 "usage": {"input_tokens": got[1]["prompt_tokens"],
                                           "output_tokens": got[1]["completion_tokens"]}})
        self.follow_to_end(call, run, None, work)
