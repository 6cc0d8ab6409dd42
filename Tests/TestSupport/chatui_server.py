#!/usr/bin/env python3
"""A chat-ui server for tests: routes, sessions, message trees and streams as the real ones have them.

    python3 chatui_server.py --state DIR [--port 0] [--form current|2025-10|seed] [options]
    python3 chatui_server.py selftest [--form FORM]

The first line on standard output is `{"url": …}`; it serves on 127.0.0.1 until SIGTERM or, when its standard input is
a pipe, until that pipe closes. Conversations, settings, shares, files and sessions are kept in DIR and are there again
after a restart. `chatui_scenes.py` has what the models say: send `help`.

    form      what it is
    current   hasMore, `status: finished`, reattaching, questions of tools, tool servers, importing shares
    2025-10   nConversations, an /api/v2 that fails with 500 and 422 and wraps its errors, a stream that just ends
    seed      as 2025-10, but the stream is `data: {…}` with plain tokens, and a message may come as JSON {inputs, id}

What was asked goes to DIR/requests.jsonl, what a client did well or badly to DIR/audit.jsonl as {"ok": …, "what": …}.
POST /__test__ (above any base path) takes a JSON object of what shall change, and answers with all that can be; see
`Controls` in `chatui_state.py`. {"new_client": true} lets another session cookie come without a bad note.
"""

import argparse
import base64
import contextlib
import copy
import email.message
import hashlib
import http.server
import json
import os
import re
import secrets
import select
import signal
import socket
import stat
import sys
import tempfile
import threading
import time
import traceback
import urllib.parse
import uuid
from pathlib import Path

from chatui_scenes import Cut, Framing, Run
from chatui_state import (UNDEFINED, Controls, Elicitations, Fault, Models, Refusal, Settings, Store, Thrown, Tree,
                          compact, now, plain_json, sha256, storable, strip_think, superjson)

PAGE = 30
FILE_LIMIT = 10 * 1024 * 1024
HEARTBEAT, LIVE_TICK, KEEP_ALIVE = 0.25, 2.0, 0.1
USER = {"id": "65a0a1a2a3a4a5a6a7a8a9aa", "username": "ada", "email": "ada@example.org",
        "avatarUrl": "https://example.org/ada.png", "isAdmin": False, "isEarlyAccess": False}
TOOL_SERVERS = [{"name": "Weather", "url": "https://tools.example/weather"},
                {"name": "Locked", "url": "https://tools.example/locked"}]
TOOLS = [{"name": "weather", "description": "The weather of a city",
          "inputSchema": {"type": "object", "properties": {"city": {"type": "string"}}}},
         {"name": "book", "description": "Books a table", "inputSchema": {"type": "object"}}]
EXTENSIONS = {"image/png": "png", "image/jpeg": "jpeg", "text/plain": "txt", "application/pdf": "pdf"}


# Answers and failures

class Answer(Exception):
    """What a request is answered with; may be raised."""

    def __init__(self, status=200, body=b"", kind=None, headers=None):
        super().__init__(status)
        self.status, self.body = status, body.encode() if isinstance(body, str) else body
        self.headers = dict(headers or {})
        if kind:
            self.headers["Content-Type"] = kind


class Streamed:
    """An answer in pieces; the writer gets the handler."""

    def __init__(self, kind, write):
        self.kind, self.write = kind, write


def json_answer(value, status=200):
    return Answer(status, plain_json(value), "application/json")


def wrapped(value, headers=None):
    return Answer(200, superjson(value), "application/json", headers)


def redirect(place):
    return Answer(302, b"", None, {"Location": place})


def page(status, text):
    safe = text.replace("&", "&amp;").replace("<", "&lt;")
    return Answer(status, f"<!doctype html>\n<html><head><title>{safe}</title></head><body><h1>{status}</h1>"
                          f"<p>{safe}</p></body></html>\n", "text/html")


def negotiate(accept, kinds):
    """Which of these kinds a header Accept likes best, None when it likes none."""
    parts = []
    for place, text in enumerate(accept.split(",")):
        if match := re.search(r"([^/ \t]+)/([^; \t]+)[ \t]*(?:;[ \t]*q=([0-9.]+))?", text):
            parts.append((match[1], match[2], float(match[3] or 1), place))
    parts.sort(key=lambda part: (-part[2], part[1] == "*", part[0] == "*", part[3]))
    best, found = None, len(parts)
    for kind in kinds:
        family, _, member = kind.partition("/")
        place = next((number for number, part in enumerate(parts)
                      if part[0] in (family, "*") and part[1] in (member, "*")), found)
        if place < found:
            best, found = kind, place
    return best


class Part:
    """One field of a multipart body."""

    def __init__(self, data):
        head, _, self.value = data.partition(b"\r\n\r\n")
        headers = email.message.Message()
        for line in head.decode("utf-8", "replace").split("\r\n"):
            name, _, value = line.partition(":")
            headers[name.strip()] = value.strip()
        disposition = headers.get("Content-Disposition", "")
        self.name, self.file_name = (self.parameter(disposition, key) for key in ("name", "filename"))
        self.kind = headers.get("Content-Type", "application/octet-stream" if self.file_name is not None else None)

    @staticmethod
    def parameter(text, key):
        match = re.search(rf'(?:^|[;\s]){key}=(?:"((?:[^"\\]|\\.)*)"|([^;\s]*))', text)
        if not match:
            return None
        value = match[2] if match[1] is None else re.sub(r"\\(.)", r"\1", match[1])
        return value.replace("%22", '"').replace("%0A", "\n").replace("%0D", "\r")

    @staticmethod
    def all(kind, body):
        boundary = Part.parameter(kind, "boundary")
        if not boundary:
            return []
        pieces = (b"\r\n" + body).split(b"\r\n--" + boundary.encode())
        return [Part(piece[2:]) for piece in pieces[1:] if piece[:2] == b"\r\n"]


class Request:
    def __init__(self, method, target, headers, body):
        self.method, self.target, self.headers, self.body = method, target, headers, body
        split = urllib.parse.urlsplit(target)
        self.path = split.path
        self.query = dict(urllib.parse.parse_qsl(split.query, keep_blank_values=True))
        self.kind = headers.get("content-type", "")
        self.accept = headers.get("accept")
        self.parts = Part.all(self.kind, body) if self.kind.startswith("multipart/form-data") else []
        self.cookies = {}
        for pair in headers.get("cookie", "").split(";"):
            name, equals, value = pair.strip().partition("=")
            if equals:
                self.cookies[name] = urllib.parse.unquote(value)
        self.new_cookies = {}
        self.params = {}
        self.secret = self.session = self.user = None
        self.is_new_session = False

    @property
    def owner(self):
        return f"user:{self.user['id']}" if self.user else f"session:{self.session}"

    def json(self):
        try:
            return json.loads(self.body)
        except ValueError:
            raise Fault("a body that is no JSON")

    def wants_json(self):
        return negotiate(self.accept or "text/html", ["application/json", "text/html"]) == "application/json"

    def wants_endpoint(self):
        """Whether this is for the endpoint of an address that has a page, too."""
        if self.method in ("PUT", "PATCH", "DELETE", "OPTIONS"):
            return True
        return negotiate(self.accept or "*/*", ["*", "text/html"]) != "text/html"

    def note(self):
        """For the log of requests."""
        note = {"time": round(time.time(), 3), "method": self.method, "path": self.path, "query": self.query,
                "headers": self.headers}
        if self.parts:
            note["fields"] = {part.name: self.readable(part) for part in self.parts if part.file_name is None}
            note["files"] = [{"field": part.name, "name": part.file_name, "mime": part.kind, "size": len(part.value),
                              "sha256": sha256(part.value), "text": part.value[:200].decode("utf-8", "replace")}
                             for part in self.parts if part.file_name is not None]
        elif self.body:
            try:
                note["json"] = json.loads(self.body)
            except ValueError:
                note["body"] = self.body[:2000].decode("utf-8", "replace")
        return note

    @staticmethod
    def readable(part):
        text = part.value.decode("utf-8", "replace")
        with contextlib.suppress(ValueError):
            return json.loads(text) if part.name == "data" else text
        return text


class Audit:
    """What the client did well and badly."""

    def __init__(self, directory):
        self.path, self.lock = directory / "audit.jsonl", threading.Lock()
        self.path.touch()
        self.forget_client()

    def __call__(self, ok, what, **more):
        with self.lock, open(self.path, "a", encoding="utf-8") as file:
            file.write(json.dumps({"ok": ok, "what": what, **more}) + "\n")

    def forget_client(self):
        self.cookie, self.given, self.promised = None, set(), set()
        # Who connected before a cookie was seen: one look of theirs may come late that was made without it.
        self.early = set()
        self.missed = False

    def look(self, request, server, peer):
        """What every request shows."""
        where = f"{request.method} {request.path}"
        path = request.path[len(server.base):]
        is_page = path in ("", "/") or path.startswith(("/login", "/r/", "/healthcheck", "/models", "/settings")) \
            and request.method == "GET"
        is_other = path.endswith("/stream") or path.endswith("/generations/live") or "/output/" in path
        if not is_page and not is_other and not request.wants_json():
            self(False, "Accept without application/json", where=where, accept=request.accept)
        if "expect" in request.headers:
            self(False, "Expect header", where=where)
        if request.path.endswith("/") and path not in ("", "/"):
            self(False, "trailing slash", where=where)
        if request.method == "POST":
            self.look_at_post(request, where)
        if request.method == "GET" and re.fullmatch(r"/conversation/[^/]+", path) and request.wants_endpoint():
            self(False, "GET /conversation/:id read as JSON", where=where)
        self.look_at_cookie(request, server.options.cookie, where, peer)

    def look_at_post(self, request, where):
        kind = request.kind.partition(";")[0]
        if kind == "application/x-www-form-urlencoded":
            self(False, "urlencoded content type", where=where)
        elif not kind:
            self(False, "POST without content type", where=where)
        elif kind == "multipart/form-data" and "origin" not in request.headers:
            self(False, "multipart without Origin", where=where)

    def connected(self, peer):
        with self.lock:
            if self.cookie is None:
                self.early.add(peer)

    def look_at_cookie(self, request, name, where, peer):
        value = request.cookies.get(name)
        with self.lock:
            before, given = self.cookie, self.given
            if value is not None:
                self.cookie = value
            is_late = value is None and before is not None and request.method == "GET" and peer in self.early
            if is_late:
                self.early.remove(peer)
            is_lost = value is None and (before is not None or given) and not is_late
            # A look may have been made before the cookie was, and come late: lost it is if no later request has it.
            may_come = is_lost and (before is None or request.method == "GET")
            is_kept = value is not None and self.missed and before in (None, value)
            self.missed = (self.missed or may_come) and not is_kept
        if is_late:
            self(True, "a look without the cookie that was made before it")
        elif may_come:
            self(False, "session cookie lost", where=where, unless="session cookie kept")
        elif is_lost:
            self(False, "session cookie lost", where=where)
        elif is_kept:
            self(True, "session cookie kept")
        elif value is not None and before not in (None, value) and value not in given:
            self(False, "session cookie changed", where=where)

    def gave_cookie(self, value):
        with self.lock:
            self.given.add(value)


# Routes

ROUTES = []
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"]


def route(method, path, current_only=False):
    """An endpoint; `:name` is one part of the path."""
    def add(action):
        pattern = re.compile(re.sub(r":(\w+)", r"(?P<\1>[^/]+)", path))
        ROUTES.append((method, pattern, current_only, action))
        return action
    return add


PAGES = re.compile(r"/?|/conversation/[^/]+|/r/[^/]+|/models(/.+)?|/settings(/.+)?|/privacy")


class API:
    """The routes. Each takes the request and gives an answer."""

    def __init__(self, server):
        self.server, self.store, self.models = server, server.store, server.models
        self.is_current, self.options = server.is_current, server.options

    # Failing as the form does

    def fail(self, status, message):
        """In /api/v2."""
        return Refusal(status, message) if self.is_current else Thrown(message)

    def invalid(self, status, message, on="body"):
        if self.is_current:
            return Refusal(status, message)
        return Thrown(compact({"type": "validation", "on": on, "summary": message}), 422)

    @staticmethod
    def object_id(text):
        if not re.fullmatch("[0-9a-fA-F]{24}", text):
            raise Fault("no ObjectId")
        return text.lower()

    def mine(self, request):
        """The client's conversation of the address, outside /api/v2."""
        found = self.store.conversations.get(self.object_id(request.params["id"]))
        if not found or found["owner"] != request.owner:
            raise Refusal(404, "Conversation not found")
        return found

    def resolved(self, request):
        """The conversation or share of the address, in /api/v2, and whether it is shared."""
        identifier = request.params["id"]
        if len(identifier) == 7:
            if identifier not in self.store.shared:
                raise self.fail(404, "Conversation not found")
            return self.store.shared[identifier], True
        if not re.fullmatch("[0-9a-fA-F]{24}", identifier):
            raise self.fail(400, "Invalid conversation ID format")
        found = self.store.conversations.get(identifier.lower())
        if not found:
            raise self.fail(404, "Conversation not found.")
        if found["owner"] != request.owner:
            raise self.fail(403, "You don't have access to this conversation. If someone gave you this link, ask them "
                                 "to use the 'share' feature instead.")
        share = request.query.get("fromShare") if self.is_current else None
        return found, bool(share) and found.get("meta", {}).get("fromShareId") == share

    def shown(self, conversation, shared):
        return {"messages": copy.deepcopy(conversation["messages"]), "title": conversation["title"],
                "model": conversation["model"], "preprompt": conversation["preprompt"],
                "rootMessageId": conversation["rootMessageId"], "id": conversation["_id"],
                "updatedAt": conversation["updatedAt"], "modelId": conversation["model"], "shared": shared,
                **({"deployedSpaces": UNDEFINED} if self.is_current else {})}

    @staticmethod
    def listed(conversation):
        identifier, model = conversation["_id"], conversation["model"]
        return {"_id": identifier, "id": identifier, "title": conversation["title"],
                "updatedAt": conversation["updatedAt"], "model": model, "modelId": model}

    # /api/v2

    @route("GET", "/api/v2/conversations")
    def list_conversations(self, request):
        text = request.query.get("p", "0")
        if not re.fullmatch(r"\d+", text):
            if not self.is_current:
                raise self.invalid(422, "Expected number", on="query")
            text = (re.match(r"\s*\d+", text) or ["0"])[0]
        found, begin = self.store.of(request.owner), int(text) * PAGE
        shown = [self.listed(one) for one in found[begin:begin + PAGE]]
        more = {"hasMore": len(found) > begin + PAGE} if self.is_current else {"nConversations": len(found)}
        return wrapped({"conversations": shown, **more})

    @route("DELETE", "/api/v2/conversations")
    def delete_all(self, request):
        with self.store.lock:
            found = self.store.of(request.owner)
            for one in found:
                del self.store.conversations[one["_id"]]
            self.store.save()
        return wrapped(len(found))

    @route("POST", "/api/v2/conversations/import-share", current_only=True)
    def import_share(self, request):
        body = request.json()
        share = body.get("shareId") if isinstance(body, dict) else None
        if not share or not isinstance(share, str):
            raise Refusal(400, "shareId is required")
        return wrapped({"conversationId": self.imported(request, share)["_id"]})

    def imported(self, request, share):
        with self.store.lock:
            for one in self.store.of(request.owner):
                if one.get("meta", {}).get("fromShareId") == share:
                    return one
            return self.copy_of_share(request, share)

    def copy_of_share(self, request, share):
        found = self.store.shared.get(share)
        if not found:
            raise Refusal(404, "Conversation not found")
        copied = self.store.add(request.owner, found["title"], found["model"], found["preprompt"],
                                copy.deepcopy(found["messages"]), found["rootMessageId"], share)
        self.store.copy_files(share, copied["_id"])
        return copied

    @route("GET", "/api/v2/conversations/:id")
    def get_conversation(self, request):
        with self.store.lock:
            return wrapped(self.shown(*self.resolved(request)))

    @route("PATCH", "/api/v2/conversations/:id")
    def patch_conversation(self, request):
        body = request.json()
        title, model = body.get("title", UNDEFINED), body.get("model", UNDEFINED)
        if title is not UNDEFINED and not (isinstance(title, str) and 1 <= len(title) <= 100):
            raise self.invalid(400, "Title must be a string between 1 and 100 characters")
        if model is not UNDEFINED and not (isinstance(model, str) and self.models.find(model)):
            raise self.fail(400, "Invalid model ID")
        identifier = request.params["id"]
        if not re.fullmatch("[0-9a-fA-F]{24}", identifier):
            raise self.fail(400, "Invalid conversation ID")
        found = self.store.conversations.get(identifier.lower())
        if not found or found["owner"] != request.owner:
            raise self.fail(404, "Conversation not found")
        self.apply(found, title, model)
        return wrapped({"success": True})

    def apply(self, conversation, title, model):
        with self.store.lock:
            if title is not UNDEFINED:
                conversation["title"] = strip_think(title)
            if model is not UNDEFINED:
                if self.is_current and model != conversation["model"]:
                    self.stamp(conversation)
                conversation["model"] = model
            self.store.save()

    @staticmethod
    def stamp(conversation):
        """Answers are told apart by model before another takes over."""
        for message in conversation["messages"]:
            routed = message.get("routerMetadata", {})
            if message["from"] == "assistant" and not routed.get("model"):
                message["routerMetadata"] = {"route": "", **routed, "model": conversation["model"]}

    @route("DELETE", "/api/v2/conversations/:id")
    def delete_conversation(self, request):
        identifier = request.params["id"]
        if not self.is_current:
            self.resolved(request)
        elif not re.fullmatch("[0-9a-fA-F]{24}", identifier):
            raise Refusal(400, "Invalid conversation ID")
        found = self.store.conversations.get(identifier.lower())
        if not found or found["owner"] != request.owner:
            raise self.fail(404, "Conversation not found")
        self.remove(found)
        return wrapped({"success": True})

    def remove(self, conversation):
        with self.store.lock:
            self.store.conversations.pop(conversation["_id"], None)
            self.store.save()

    @route("DELETE", "/api/v2/conversations/:id/message/:mid")
    def delete_message(self, request):
        with self.store.lock:
            found, shared = self.resolved(request)
            gone = request.params["mid"]
            if not any(one["id"] == gone for one in found["messages"]):
                raise self.fail(404, "Message not found")
            if shared:
                raise self.fail(500, "Deleting message failed")
            found["messages"] = [one for one in found["messages"] if one["id"] != gone and gone not in one["ancestors"]]
            for one in found["messages"]:
                one["children"] = [child for child in one["children"] if child != gone]
            self.store.save()
        return wrapped({"success": True})

    @route("GET", "/api/v2/models")
    def list_models(self, request):
        return wrapped([self.models.shown(one) for one in self.models.listed], {"Cache-Control": "private, max-age=60"})

    def model_of(self, request):
        identifier = "/".join(filter(None, [request.params["ns"], request.params.get("name")]))
        found = self.models.find(identifier)
        if not found or found["unlisted"]:
            raise Refusal(404, "Model not found") if self.is_current else Thrown("Model not found", 404)
        return found

    @route("POST", "/api/v2/models/:ns/subscribe")
    @route("POST", "/api/v2/models/:ns/:name/subscribe")
    def subscribe(self, request):
        model = self.model_of(request)
        with self.store.lock:
            self.store.settings.setdefault(request.owner, {})["activeModel"] = model["id"]
            self.store.save()
        return self.nothing()

    @route("GET", "/api/v2/models/:ns")
    @route("GET", "/api/v2/models/:ns/:name")
    def get_model(self, request):
        if request.params == {"ns": "old"}:
            return wrapped([])
        return wrapped(self.models.shown(self.model_of(request), detail=True))

    def nothing(self):
        """An empty answer of /api/v2: that of 2025-10 wraps it like any other."""
        return Answer() if self.is_current else Answer(200, '{"json":{}}', "application/json")

    @route("GET", "/api/v2/user")
    def get_user(self, request):
        return wrapped(request.user)

    @route("GET", "/api/v2/user/settings")
    def get_settings(self, request):
        with self.store.lock:
            stored = self.store.settings.get(request.owner, {})
            model = self.models.find(stored.get("activeModel", ""))
            if "activeModel" in stored and (not model or model["unlisted"]):
                stored["activeModel"] = self.server.settings.keys["activeModel"][1]
                self.store.save()
            shown = self.server.settings.shown(stored)
        return wrapped(shown)

    @route("POST", "/api/v2/user/settings")
    def post_settings(self, request):
        self.keep_settings(request)
        return self.nothing()

    @route("POST", "/settings")
    def post_settings_v1(self, request):
        self.keep_settings(request)
        return Answer()

    def keep_settings(self, request):
        body = request.json()
        shown = self.server.settings.shown({})
        missing = [key for key, value in shown.items()
                   if value is not UNDEFINED and key != "welcomeModalSeenAt" and key not in (body or {})]
        self.server.audit(not missing, "settings posted whole" if not missing else "settings posted without keys",
                          **({"missing": missing} if missing else {}))
        kept = self.server.settings.parse(body)
        with self.store.lock:
            before = self.store.settings.setdefault(request.owner, {})
            if kept.pop("welcomeModalSeen", False):
                before["welcomeModalSeenAt"] = now()
            before.update(kept)
            self.store.save()

    @route("GET", "/api/v2/public-config")
    def public_config(self, request):
        options = self.options
        return wrapped({"PUBLIC_APP_NAME": "Stand-in", "PUBLIC_APP_ASSETS": "chatui", "PUBLIC_APP_DESCRIPTION": "",
                        "PUBLIC_ORIGIN": options.public_origin or "", "PUBLIC_SHARE_PREFIX": options.share_prefix or "",
                        "PUBLIC_VERSION": "0.20.0" if self.is_current else "0.9.5", "PUBLIC_COMMIT_SHA": "",
                        "PUBLIC_LLM_ROUTER_ALIAS_ID": "omni", "PUBLIC_LLM_ROUTER_DISPLAY_NAME": "Omni"})

    @route("GET", "/api/v2/feature-flags")
    def feature_flags(self, request):
        flags = {"enableAssistants": False, "loginEnabled": self.options.login, "isAdmin": False}
        if self.is_current:
            return wrapped({**flags, "transcriptionEnabled": False})
        return wrapped({**flags, "loginRequired": self.options.login and not request.user, "guestMode": False})

    @route("GET", "/api/v2/generations/live", current_only=True)
    def live(self, request):
        def write(handler):
            before, idle, end = {}, 0, time.monotonic() + self.server.controls["stream_lifetime"]
            while time.monotonic() < end:
                running = {run.id: run for run in list(self.server.runs.values())
                           if run.owner == request.owner and run.status == "running"}
                ended = [run for identifier, run in before.items() if identifier not in running]
                handler.event("sync", {"running": [self.running(run) for run in running.values()],
                                       "ended": [{**self.running(run), "status": run.status} for run in ended]})
                before, idle = running, 0 if running else idle + 1
                if idle == 2:
                    handler.event("idle", {})
                    return
                handler.pause(LIVE_TICK)
        return Streamed("text/event-stream", write)

    def running(self, run):
        conversation = self.store.conversations.get(run.conversation, {})
        return {"conversationId": run.conversation, "title": conversation.get("title", "")}

    # Without superjson

    @route("POST", "/conversation")
    def create(self, request):
        body = request.json()
        if not isinstance(body, dict) or any(key in body and not isinstance(body[key], str)
                                             for key in ("preprompt", "fromShare")):
            raise Refusal(400, "Invalid request")
        model = self.models.find(body["model"]) if isinstance(body.get("model"), str) else None
        if not model:
            raise Refusal(400, "Invalid request")
        limit = self.server.controls["max_conversations"]
        if limit is not None and len(self.store.of(request.owner)) > limit:
            raise Refusal(429, "You have reached the maximum number of conversations. Delete some to continue.")
        if body.get("fromShare") and body["fromShare"] not in self.store.shared:
            raise Refusal(404, "Conversation not found")
        if model["unlisted"]:
            raise Refusal(400, "Can't start a conversation with an unlisted model")
        if body.get("fromShare"):
            made = self.copy_of_share(request, body["fromShare"])
        else:
            default = "" if model["preprompt"] is UNDEFINED else model["preprompt"]
            preprompt, root = body.get("preprompt", default), str(uuid.uuid4())
            message = {"id": root, "from": "system", "content": preprompt, "createdAt": now(), "updatedAt": now(),
                       "children": [], "ancestors": []}
            made = self.store.add(request.owner, "New Chat", model["id"], preprompt, [message], root)
        more = {"conversation": superjson(self.shown(made, False))} if self.is_current else {}
        return json_answer({"conversationId": made["_id"], **more})

    @route("GET", "/conversation")
    def conversation_home(self, request):
        return redirect(self.server.base + "/")

    @route("POST", "/conversation/:id")
    def send(self, request):
        return Sending(self, request, self.mine(request)).answer()

    @route("PATCH", "/conversation/:id")
    def patch_v1(self, request):
        body = request.json()
        title, model = body.get("title", UNDEFINED), body.get("model", UNDEFINED)
        title = title.strip() if isinstance(title, str) else title
        if title is not UNDEFINED and not (isinstance(title, str) and 1 <= len(title) <= 100) or \
                model is not UNDEFINED and not (isinstance(model, str) and self.models.find(model)):
            raise Fault("a wrong title or model")
        self.apply(self.mine(request), title, model)
        return Answer()

    @route("DELETE", "/conversation/:id")
    def delete_v1(self, request):
        self.remove(self.mine(request))
        return Answer()

    @route("POST", "/conversation/:id/stop-generating")
    def stop(self, request):
        conversation = self.mine(request)
        generation = seen = None
        with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError):
            body = json.loads(request.body)
            generation, seen = str(uuid.UUID(body["generationId"])), body["seenContentLength"]
            if type(seen) is not int or seen < 0:
                generation = seen = None
        running = self.server.running_in(conversation["_id"])
        if self.is_current:
            self.server.audit(generation is not None, "stop with generation and length"
                              if generation is not None else "stop without generation or length")
        if not running:
            self.server.audit(True, "stop with nothing running")
            self.server.stray_stops[conversation["_id"]] = time.monotonic()
        for run in running:
            run.stop(generation, seen) if self.is_current else run.stop()
        return Answer()

    @route("POST", "/conversation/:id/share")
    def share(self, request):
        with self.store.lock:
            conversation = self.mine(request)
            fixed = [{key: message[key] for key in ("from", "id", "content")} for message in conversation["messages"]]
            digest = sha256(compact(fixed).encode("utf-8", "replace"))
            share = next((key for key, one in self.store.shared.items() if one["hash"] == digest), None)
            if not share:
                share = "".join(secrets.choice("abcdefghijkmnpqrstuvwxyzABCDEFGHJK23456789_-") for _ in range(7))
                kept = {key: copy.deepcopy(conversation[key])
                        for key in ("title", "rootMessageId", "messages", "model", "preprompt")}
                self.store.shared[share] = {"_id": share, "hash": digest, "createdAt": now(), "updatedAt": now(),
                                            **kept}
                self.store.copy_files(conversation["_id"], share)
                self.store.save()
        return json_answer({"shareId": share})

    def readable(self, request):
        """A conversation of the client's or a share."""
        if len(request.params["id"]) == 7:
            if request.params["id"] not in self.store.shared:
                raise Refusal(404, "Conversation not found")
            return self.store.shared[request.params["id"]]
        return self.mine(request)

    @route("GET", "/conversation/:id/output/:sha")
    def output(self, request):
        conversation, sha = self.readable(request), request.params["sha"]
        if not self.store.has_file(conversation["_id"], sha):
            raise Refusal(404, "File not found")
        mime = self.store.data["files"][f"{conversation['_id']}-{sha}"]
        name = f"{sha[:8]}.{EXTENSIONS.get(mime, 'bin')}"
        return Answer(200, (self.store.files / sha).read_bytes(), mime or "application/octet-stream",
                      {"Content-Disposition": f'attachment; filename="{name}"', "Accept-Range": "bytes",
                       "Content-Security-Policy": "default-src 'none'; script-src 'none'; style-src 'none'; sandbox;"})

    @route("GET", "/conversation/:id/message/:mid/prompt")
    def prompt(self, request):
        conversation = self.readable(request)
        tree = Tree(conversation)
        message = tree.find(request.params["mid"])
        if not message:
            raise Refusal(404, "Message not found")
        model = self.models.find(conversation["model"])
        if not model:
            raise Refusal(404, "Conversation model not found")
        shown = [{"role": one["from"], "content": one["content"], "createdAt": one.get("createdAt"),
                  "updatedAt": one.get("updatedAt"), "files": one.get("files", UNDEFINED),
                  "updates": [update for update in one["updates"] if update["type"] == "title"]
                  if "updates" in one else UNDEFINED} for one in tree.path(message)]
        return json_answer({"prompt": "".join(f"<|{one['role']}|>\n{one['content']}\n" for one in shown),
                            "model": model["name"], "messages": shown,
                            "parameters": {**model["parameters"], "return_full_text": False}})

    @route("GET", "/conversation/:id/stream", current_only=True)
    def reattach(self, request):
        conversation = self.mine(request)
        text = request.headers.get("last-event-id", request.query.get("fromSeq", "0"))
        begin = int(re.match(r"\d+", text)[0]) if re.match(r"\d+", text) else 0
        run = self.server.run_of(conversation["_id"], request.query.get("generationId"))
        self.server.audit(True, "reattached", fromSeq=begin, byHeader="last-event-id" in request.headers)

        def write(handler):
            if not run:
                return handler.event("end", {"status": "gone"})
            sent, end = begin, time.monotonic() + self.server.controls["stream_lifetime"]
            while time.monotonic() < end:
                is_over = run.is_over
                last = run.flush()
                with run.changed:
                    events = list(enumerate(run.log[sent:last], start=sent + 1))
                for number, update in events:
                    handler.event("update", update, number)
                    sent = number
                if is_over:
                    return handler.event("end", {"status": run.status})
                if not events:
                    handler.chunk(b": heartbeat\n\n")
                handler.pause(HEARTBEAT)
        return Streamed("text/event-stream", write)

    @route("POST", "/conversation/:id/elicitation", current_only=True)
    def elicitation(self, request):
        if not re.fullmatch("[0-9a-fA-F]{24}", request.params["id"]):
            raise Refusal(404, "Conversation not found")
        conversation = self.mine(request)
        try:
            body = json.loads(request.body)
            identifier, action, content = str(uuid.UUID(body["elicitationId"])), body["action"], body.get("content", {})
            if action not in ("accept", "decline", "cancel") or not isinstance(content, dict):
                raise ValueError
        except (ValueError, KeyError, TypeError, AttributeError):
            raise Refusal(400, "Invalid elicitation response")
        resume = self.server.elicitations.answer(conversation["_id"], identifier, action, content)
        self.server.audit(True, f"elicitation answered: {action}")
        return json_answer({"ok": True, "resume": resume})

    @route("GET", "/api/conversations")
    def list_v1(self, request):
        text = request.query.get("p", "0")
        begin = int(text) * PAGE if text.isdigit() else 0
        return json_answer([self.listed(one) for one in self.store.of(request.owner)[begin:begin + PAGE]])

    @route("GET", "/api/conversation/:id")
    def get_v1(self, request):
        with self.store.lock:
            found = self.store.conversations.get(self.object_id(request.params["id"]))
            if not found or found["owner"] != request.owner:
                return json_answer({"message": "Conversation not found"}, 404)
            messages = [{key: one.get(key, UNDEFINED) for key in ("content", "from", "id", "createdAt", "updatedAt",
                                                                  "files", "updates")} for one in found["messages"]]
            return json_answer({"id": found["_id"], "title": found["title"], "updatedAt": found["updatedAt"],
                                "modelId": found["model"], "messages": messages})

    @route("GET", "/api/models")
    def models_v1(self, request):
        plain = {"websiteUrl": "https://huggingface.co", "modelUrl": "https://huggingface.co", "description": "",
                 "promptExamples": [], "preprompt": ""}
        shown = [self.models.shown(one, v1=True) for one in self.models.listed]
        return json_answer([{key: plain.get(key, value) if value is UNDEFINED else value for key, value in one.items()}
                            for one in shown])

    @route("GET", "/api/user")
    def user_v1(self, request):
        if not request.user:
            return json_answer({"message": "Must be signed in"}, 401)
        shown = {key: request.user[key] for key in ("id", "username", "email", "avatarUrl")}
        return json_answer({**shown, "name": "Ada", "hfUserId": "hf-ada"})

    @route("GET", "/api/mcp/servers", current_only=True)
    def tool_servers(self, request):
        return json_answer([{"id": f"base-{one['name']}", **one, "type": "base", "isLocked": False}
                            for one in TOOL_SERVERS])

    @route("POST", "/api/mcp/health", current_only=True)
    def tool_health(self, request):
        try:
            place = json.loads(request.body).get("url")
        except (ValueError, AttributeError) as error:
            return json_answer({"ready": False, "error": str(error)}, 503)
        if not place:
            return json_answer({"ready": False, "error": "URL is required"}, 400)
        if not re.match("https?://", place):
            return json_answer({"ready": False, "error": "Invalid or unsafe URL (only HTTPS is supported)"}, 400)
        if "locked" in place:
            return json_answer({"ready": False, "authRequired": True, "error": "Authentication required. Provide "
                                "appropriate Authorization headers in the server configuration."}, 503)
        if any(one["url"] == place for one in TOOL_SERVERS):
            return json_answer({"ready": True, "tools": TOOLS, "authRequired": False})
        return json_answer({"ready": False, "authRequired": False, "error":
                            f"Cannot connect to {place}. Please verify the server is running and accessible."}, 503)

    @route("POST", "/api/transcribe", current_only=True)
    def transcribe(self, request):
        raise Refusal(503, "Transcription is not configured")

    @route("GET", "/healthcheck")
    def healthcheck(self, request):
        return Answer(200, "OK", "text/plain;charset=UTF-8")

    # Signing in

    @route("GET", "/login")
    def login(self, request):
        return self.server.login.start(request)

    @route("GET", "/login/callback")
    def login_callback(self, request):
        return self.server.login.finish(request)

    @route("POST", "/logout")
    def logout(self, request):
        with self.store.lock:
            self.store.sessions.pop(request.session, None)
            self.store.save()
        request.new_cookies[self.options.cookie] = None
        return redirect(self.server.base + "/")


UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


class Sending:
    """One POST /conversation/:id: reads it, grows the tree, starts the answer."""

    def __init__(self, api, request, conversation):
        self.api, self.server, self.request, self.conversation = api, api.server, request, conversation
        self.is_current, self.audit = api.is_current, api.server.audit

    def answer(self):
        self.check_limits()
        if not self.server.models.find(self.conversation["model"]):
            raise Refusal(410, "Model not available anymore")
        data, files = self.read()
        limit = self.server.controls["message_length"]
        if limit is not None and len(data.get("inputs", "")) > limit:
            raise Refusal(400, "Message too long.")
        options = {key: data[key] for key in ("generationId", "selectedMcpServerNames", "selectedMcpServers")
                   if key in data} if self.is_current else {}
        options["cookie"] = self.request.secret
        self.server.wait_while("stall", "unread")
        with self.server.store.lock:
            message, text, options["files"] = self.grow(data, files, options)
            run = self.server.start(self.conversation, message, text, options)
        self.server.wait_while("stall", "unanswered")
        return Streamed(self.server.framing().content_type, lambda handler: handler.follow(run))

    def check_limits(self):
        controls, moment = self.server.controls, time.monotonic()
        sent = self.server.messages
        sent[:] = [(owner, then) for owner, then in sent if moment - then < 60] + [(self.request.owner, moment)]
        limit = controls["rate_limit"]
        if limit is not None and len(sent) > limit:
            raise Refusal(429, "You are sending too many messages. Try again later.")
        limit = controls["max_messages"]
        if limit is not None and len(self.conversation["messages"]) > limit:
            raise Refusal(429, f"This conversation has more than {limit} messages. Start a new one to continue")

    def read(self):
        kind = self.request.kind.partition(";")[0]
        if self.server.form == "seed" and kind == "application/json":
            data = self.request.json()
            if isinstance(data, dict) and "id" not in data:
                data["id"] = self.conversation["messages"][-1]["id"]
            return self.checked(data), []
        if kind not in ("multipart/form-data", "application/x-www-form-urlencoded"):
            raise Fault("a body that is no form")
        field = next((part for part in self.request.parts if part.name == "data"), None)
        if not field or field.file_name is not None or not field.value:
            raise Refusal(400, "Invalid request")
        try:
            data = json.loads(field.value)
        except ValueError:
            raise Fault("data that is no JSON")
        return self.checked(data), self.read_files()

    def read_files(self):
        files = []
        for part in self.request.parts:
            if part.name != "files" or part.file_name is None or not part.value:
                continue
            how, _, name = part.file_name.partition(";")
            if how not in ("base64", "hash"):
                self.audit(False, "a file that is neither base64 nor hash", name=part.file_name)
                raise Fault("a file of no known kind")
            files.append({"how": how, "name": name, "mime": part.kind or "",
                          "text": part.value.decode("utf-8", "replace")})
        for file in files:
            if file["how"] == "hash" and not self.server.store.has_file(self.conversation["_id"], file["text"]):
                self.audit(False, "the hash of a file that the conversation has not", name=file["name"])
            if file["how"] == "base64":
                file["data"] = base64.b64decode(re.sub(r"[^A-Za-z0-9+/]", "", file["text"]) + "==")
                if len(file["data"]) > FILE_LIMIT:
                    raise Refusal(413, "File too large, should be <10MB")
                if base64.b64encode(file["data"]).decode() != file["text"].replace("\n", ""):
                    self.audit(False, "a file that is not clean base64", name=file["name"])
        return files

    def checked(self, data):
        """As the schema has it: anything of a wrong type is a fault."""
        def is_uuid(one):
            return isinstance(one, str) and bool(UUID.fullmatch(one))

        def is_servers(one):
            return isinstance(one, list) and all(
                isinstance(server, dict) and isinstance(server.get("name"), str) and isinstance(server.get("url"), str)
                and all(isinstance(header, dict) and {"key", "value"} <= set(header)
                        for header in server.get("headers", [])) for server in one)

        rules = {"id": is_uuid, "inputs": lambda one: isinstance(one, str) and one != "",
                 "is_retry": lambda one: isinstance(one, bool)}
        if self.is_current:
            rules |= {"generationId": is_uuid, "resumeElicitationId": is_uuid, "selectedMcpServers": is_servers,
                      "timezone": lambda one: isinstance(one, str),
                      "selectedMcpServerNames": lambda one: isinstance(one, list)
                      and all(isinstance(name, str) for name in one)}
        if not isinstance(data, dict):
            raise Fault("data that is no object")
        kept = {key: data[key] for key in rules if key in data}
        for key, value in kept.items():
            if not rules[key](value):
                self.audit(False, f"a bad {key}", value=value)
                raise Fault(f"a bad {key}")
        if "inputs" in kept:
            kept["inputs"] = kept["inputs"].replace("\r\n", "\n")
        return kept

    def uploaded(self, files):
        kept = []
        for file in files:
            sha = file["text"] if file["how"] == "hash" else \
                self.server.store.put_file(self.conversation["_id"], file["data"], file["mime"])
            kept.append({"type": "hash", "value": sha, "mime": file["mime"], "name": file["name"]})
        return kept

    def grow(self, data, files, options):
        """The message to write to, the text it answers, and that text's files."""
        tree, target, text = Tree(self.conversation), data.get("id"), data.get("inputs")
        user = {"from": "user", "content": storable(text or ""), "files": self.uploaded(files)}
        blank = {"from": "assistant", "content": ""}
        question = None
        if data.get("resumeElicitationId") and target:
            message = tree.find(target)
            if not message or message["from"] != "assistant":
                raise Refusal(404, "No parked message to resume")
            asked = self.server.elicitations.all.get(data["resumeElicitationId"])
            if asked and asked.parked and asked.action and asked.conversation == self.conversation["_id"]:
                options["resumed"] = asked
                self.audit(True, "resumed a parked question")
            question = tree.path(message)[-2]
        elif data.get("is_retry") and target:
            message, question = self.retry(tree, target, text, user, blank)
        else:
            self.audit(bool(target), "message with parent id" if target else "message without parent id")
            question = tree.add_child(user, target)
            message = tree.add_child(blank, question["id"])
        tree.path(message)
        self.server.store.change(self.conversation["_id"], messages=tree.messages, updatedAt=now())
        return message, question["content"], question.get("files", [])

    def retry(self, tree, target, text, user, blank):
        old = tree.find(target)
        if not old:
            raise Refusal(404, "Message not found")
        if old["from"] == "user" and text:
            self.audit(True, "edit")
            question = tree.add_sibling(user, old)
            return tree.add_child(blank, question["id"]), question
        if old["from"] == "assistant":
            self.audit(not text, "retry with text on an assistant's message" if text else "retry without text")
            return tree.add_sibling(blank, old), tree.path(old)[-2]
        self.audit(False, "retry of a user's message without text")
        raise Refusal(500, "Failed to create message")


class Login:
    """Signing in with a provider of our own that asks nobody anything."""

    def __init__(self, server):
        self.server, self.codes, self.automatic = server, {}, set()

    def start(self, request, automatic=False):
        server = self.server
        if not server.options.login:
            raise Fault("no provider")
        target = f"{server.origin(request)}{server.base}/login/callback"
        wanted = request.query.get("callback")
        if wanted and self.allows(wanted):
            target = wanted
        path = request.query.get("next", "")
        if not path.startswith("/") or path.startswith("//"):
            path = f"{server.base}/" if not automatic else request.target
        data = {"expiration": int(time.time() * 1000) + 3600_000, "redirectUrl": target, "next": path}
        signature = sha256(compact(data) + "##" + request.session)
        state = base64.b64encode(compact({"data": data, "signature": signature}).encode()).decode()
        query = {"client_id": "stand-in", "scope": "openid profile", "response_type": "code", "redirect_uri": target,
                 "state": state}
        if server.is_current:
            verifier = secrets.token_urlsafe(32)
            request.new_cookies["hfChat-codeVerifier"] = verifier
            digest = hashlib.sha256(verifier.encode()).digest()
            query |= {"code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
                      "code_challenge_method": "S256"}
        if automatic:
            self.automatic.add(state)
        raise redirect(f"http://{request.headers.get('host')}/__provider__?{urllib.parse.urlencode(query)}")

    def allows(self, callback):
        allowed = self.server.options.redirect_url
        is_loopback = re.match(r"http://(127\.0\.0\.1|localhost|\[::1\])(:\d+)?/", callback)
        return callback in allowed or "any-loopback" in allowed and bool(is_loopback)

    def provide(self, request):
        """The provider: back it sends them, with a code."""
        query = request.query
        if query.get("state") in self.automatic:
            self.server.audit(False, "redirect to the provider followed on an API call")
        code = secrets.token_hex(8)
        self.codes[code] = (query.get("redirect_uri"), query.get("code_challenge"))
        back = urllib.parse.urlencode({"code": code, "state": query.get("state", ""), "iss": "https://id.example"})
        return redirect(f"{query.get('redirect_uri')}?{back}")

    def finish(self, request):
        server, query = self.server, request.query
        if "error" in query:
            more = f": {query['error_description']}" if "error_description" in query else ""
            raise Refusal(400, query["error"] + more)
        if "code" not in query or "state" not in query:
            raise Fault("no code or no state")
        data = self.valid(query["state"], request.session)
        verifier = request.cookies.get("hfChat-codeVerifier")
        if not data or server.is_current and not verifier:
            server.audit(False, "login callback without the cookies that it began with")
            if server.is_current and request.cookies.get("hfChat-loginRetry") != "1":
                request.new_cookies["hfChat-loginRetry"] = "1"
                raise redirect(f"{server.base}/login")
            raise Refusal(403, "Code verifier cookie not found" if data else "Invalid or expired CSRF token")
        target, challenge = self.codes.pop(query["code"], (None, None))
        digest = base64.urlsafe_b64encode(hashlib.sha256((verifier or "").encode()).digest()).decode().rstrip("=")
        if target != data["redirectUrl"] or server.is_current and challenge != digest:
            raise Fault("the provider refuses the code")
        server.audit(True, "signed in")
        self.sign_in(request)
        raise redirect(data.get("next") or server.base + "/")

    @staticmethod
    def valid(state, session):
        try:
            whole = json.loads(base64.b64decode(state))
            data = whole["data"]
            good = data["expiration"] > time.time() * 1000 and \
                whole["signature"] == sha256(compact(data) + "##" + session)
            return data if good else None
        except (ValueError, KeyError, TypeError):
            return None

    def sign_in(self, request):
        store, secret = self.server.store, str(uuid.uuid4())
        before, after = f"session:{request.session}", f"user:{USER['id']}"
        with store.lock:
            store.sessions.pop(request.session, None)
            store.sessions[sha256(secret)] = USER["id"]
            for conversation in store.conversations.values():
                if conversation["owner"] == before:
                    conversation["owner"] = after
            if before in store.settings:
                store.settings.setdefault(after, store.settings.pop(before))
            store.save()
        request.new_cookies[self.server.options.cookie] = secret


class Handler(http.server.BaseHTTPRequestHandler):
    """HTTP, and the rules that hold for every request."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_):
        pass

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except (ConnectionError, TimeoutError):
            self.close_connection = True

    def __getattr__(self, name):
        if name.startswith("do_"):
            return self.serve
        raise AttributeError(name)

    def serve(self):
        server = self.server
        body = self.read_body()
        headers = {}
        for name, value in self.headers.items():
            name = name.lower()
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
        request = Request(self.command, self.path, headers, body)
        if request.path == "/__test__":
            changes = json.loads(body or "{}")
            answer = server.controls.take(server, changes)
            return self.reply(request, json_answer(answer, 400 if "unknown" in answer else 200))
        server.log(request)
        if server.controls["delay"]:
            time.sleep(server.controls["delay"])
        while server.controls["hold_lists"] and request.method == "GET":
            time.sleep(0.02)
        try:
            answer = self.answer(request)
        except Answer as raised:
            answer = raised
        except Refusal as refusal:
            more = f" You are {request.headers.get('cookie')}." if server.controls["refuse_with_cookie"] else ""
            answer = self.failure(request, refusal.status, {"message": refusal.body["message"] + more})
        except Thrown as thrown:
            answer = server.thrown(thrown)
        except Exception as error:
            if not isinstance(error, Fault):
                traceback.print_exc()
            answer = self.uncaught(request, error)
        self.reply(request, answer)

    def uncaught(self, request, error):
        server, status = self.server, getattr(error, "status", 500)
        if not server.is_current and request.path.startswith(server.base + "/api/v2/"):
            return server.thrown(Thrown(str(error), status))
        return self.failure(request, status, {"message": "An error occurred", "errorId": str(uuid.uuid4())})

    def read_body(self):
        if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
            body = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            while self.rfile.readline().strip():
                pass
            return body
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    @staticmethod
    def failure(request, status, body):
        if request.wants_json():
            return json_answer(body, status)
        return page(status, body["message"])

    def answer(self, request):
        server, base = self.server, self.server.base
        if request.path == "/__provider__" and server.options.login:
            return server.login.provide(request)
        if request.path != base and not request.path.startswith(base + "/"):
            return Answer(404, "Not found", "text/plain")
        server.audit.look(request, server, self.client_address)
        path = request.path[len(base):]
        if path not in ("", "/") and path.endswith("/") and server.matching(path.rstrip("/")):
            return Answer(308, b"", None, {"Location": base + path.rstrip("/") + request.target[len(request.path):],
                                           "x-sveltekit-normalize": "1"})
        server.authenticate(request, path)
        self.hook(request, path)
        if len(request.body) > server.options.body_limit:
            raise Fault("a body over the limit", 413)
        return self.dispatch(request, path)

    def hook(self, request, path):
        """What stands before all routes."""
        server = self.server
        is_open = path.startswith(("/login", "/healthcheck")) or not server.options.automatic_login and (
            path in ("", "/") or path.startswith(("/r/", "/conversation/", "/models/", "/api")))
        if server.options.login and server.is_current and not request.user and not is_open:
            request.new_cookies[server.options.cookie] = request.secret
            server.login.start(request, automatic=True)
        if request.method == "POST" and request.kind.partition(";")[0] in (
                "multipart/form-data", "application/x-www-form-urlencoded", "text/plain"):
            origin = request.headers.get("origin")
            if not origin:
                raise self.hook_error(request, 403, "Non-JSON form requests need to have an origin")
            known = [server.origin(request), server.options.public_origin]
            if urllib.parse.urlsplit(origin).netloc not in [urllib.parse.urlsplit(one).netloc for one in known if one]:
                server.audit(False, "an Origin of another host", origin=origin)
                raise self.hook_error(request, 403, "Invalid referer for POST request")
        if request.method == "POST" or path.startswith("/login"):
            request.new_cookies[server.options.cookie] = request.secret
        if server.options.login and not request.user and not path.startswith(("/login", "/admin", "/settings")) and \
                request.method not in ("GET", "OPTIONS", "HEAD"):
            raise self.hook_error(request, 401, "You have to be logged in.")

    @staticmethod
    def hook_error(request, status, message):
        if "application/json" in (request.accept or "") or "application/json" in request.kind:
            return json_answer({"error": message}, status)
        return Answer(status, message, "text/plain")

    def dispatch(self, request, path):
        server = self.server
        found, is_page = server.matching(path), bool(PAGES.fullmatch(path))
        method = "GET" if request.method == "HEAD" and "HEAD" not in found else request.method
        if is_page and not (found and request.wants_endpoint()):
            if request.method in ("GET", "HEAD"):
                return self.page(path)
            raise Answer(405, page(405, "POST method not allowed. No form actions exist for this page").body,
                         "text/html", {"Allow": "GET"})
        if not server.is_current and not server.options.v1 and path.startswith("/api/v2/") and method not in found:
            raise Thrown("NOT_FOUND", 404)
        if not found:
            body = {"message": f"Page {request.path} not found"}
            return page(404, body["message"]) if server.controls["page_not_found"] else self.failure(request, 404, body)
        if method not in found:
            allowed = [one for one in METHODS if one in found or one == "HEAD" and "GET" in found]
            return Answer(405, f"{request.method} method not allowed", "text/plain", {"Allow": ", ".join(allowed)})
        request.params, action = found[method]
        return action(server.api, request)

    def page(self, path):
        share = path.partition("/r/")[2]
        if share and share not in self.server.store.shared:
            return redirect(self.server.base + "/")
        title = self.server.store.shared[share]["title"] if share else "Stand-in"
        return page(200, title)

    # Writing

    def reply(self, request, answer):
        is_streamed = isinstance(answer, Streamed)
        self.send_response(200 if is_streamed else answer.status)
        headers = {"Content-Type": answer.kind, "Transfer-Encoding": "chunked"} if is_streamed else \
            {**answer.headers, "Content-Length": str(len(answer.body))}
        if is_streamed and answer.kind == "text/event-stream":
            headers["Cache-Control"] = "no-cache, no-transform"
        for name, value in headers.items():
            self.send_header(name, value)
        for name, value in request.new_cookies.items():
            self.send_header("Set-Cookie", self.server.cookie(name, value))
        self.end_headers()
        if not is_streamed:
            if request.method != "HEAD":
                self.wfile.write(answer.body)
            return
        try:
            if answer.write(self) is not Cut:
                self.wfile.write(b"0\r\n\r\n")
        except ConnectionError:
            self.close_connection = True

    def chunk(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def event(self, name, value, number=None):
        numbered = f"id: {number}\n" if number is not None else ""
        self.chunk(f"{numbered}event: {name}\ndata: {compact(value)}\n\n".encode())

    def is_left(self):
        """Whether the client hung up."""
        ready, _, _ = select.select([self.connection], [], [], 0)
        try:
            return bool(ready) and self.connection.recv(1, socket.MSG_PEEK) == b""
        except OSError:
            return True

    def pause(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.is_left():
                raise ConnectionAbortedError
            time.sleep(min(0.05, max(0, end - time.monotonic())))

    def follow(self, run):
        """The stream of an answer, to its end or the client's."""
        framing, place, beat = self.server.framing(), 0, 0.0
        try:
            while True:
                with run.changed:
                    if place == len(run.wire) and not run.is_over:
                        run.changed.wait(KEEP_ALIVE / 2)
                    items, is_over = run.wire[place:], run.is_over
                place += len(items)
                for item in items:
                    if isinstance(item, Cut):
                        return self.cut(run, item)
                    for piece in framing.writes(item):
                        self.chunk(piece)
                if run.is_generating and time.monotonic() >= beat:
                    beat = time.monotonic() + KEEP_ALIVE
                    for piece in framing.writes({"type": "status", "status": "keepAlive"}):
                        self.chunk(piece)
                if is_over and place == len(run.wire):
                    return None
                if self.is_left():
                    raise ConnectionAbortedError
        except ConnectionError:
            run.detach()
            raise

    def cut(self, run, item):
        run.detach()
        if item.clean:
            return None
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)
        return Cut


class ChatUIServer(http.server.ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True
    request_queue_size = 64

    def __init__(self, options):
        super().__init__(("127.0.0.1", options.port), Handler)
        self.options, self.form, self.base = options, options.form, options.base.rstrip("/")
        self.is_current, self.pace = options.form == "current", options.pace
        self.directory = Path(options.state)
        self.store, self.audit, self.controls = Store(self.directory), Audit(self.directory), Controls()
        if self.is_current:
            self.store.end_runs()
        self.models = Models(self.is_current, self.controls)
        self.settings = Settings(self.is_current, self.models.all[0]["id"])
        self.elicitations, self.login, self.api = Elicitations(), Login(self), API(self)
        self.runs, self.messages, self.stray_stops = {}, [], {}
        self.log_lock = threading.Lock()
        (self.directory / "requests.jsonl").touch()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}{self.base}"

    def process_request(self, request, client_address):
        self.audit.connected(client_address)
        super().process_request(request, client_address)

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)

    def log(self, request):
        with self.log_lock, open(self.directory / "requests.jsonl", "a", encoding="utf-8") as file:
            file.write(json.dumps(request.note()) + "\n")

    def matching(self, path):
        """Method to the parts of the path and the action, for every route of this path."""
        found = {}
        for method, pattern, current_only, action in ROUTES:
            if self.options.v1 and pattern.pattern.startswith("/api/v2/"):
                continue
            if (self.is_current or not current_only) and (match := pattern.fullmatch(path)):
                parts = {key: urllib.parse.unquote(value) for key, value in match.groupdict().items()}
                found.setdefault(method, (parts, action))
        return found

    def framing(self):
        return Framing(self.form)

    def thrown(self, thrown):
        if self.options.elysia == "text":
            return Answer(thrown.status, thrown.message, "text/plain")
        return Answer(thrown.status, superjson(thrown.message), "application/json")

    def wait_while(self, control, value):
        while self.controls[control] == value:
            time.sleep(0.02)

    # Who asks

    def origin(self, request):
        return self.options.origin or f"http://{request.headers.get('host')}"

    def cookie(self, name, value):
        how = "Secure; SameSite=None" if self.options.secure_cookie else "SameSite=Lax"
        if value is None:
            return f"{name}=; Max-Age=0; Path=/; HttpOnly; {how}"
        if name == self.options.cookie:
            self.audit.gave_cookie(value)
        seconds = 14 * 86400 if name == self.options.cookie else 3600
        until = time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime(time.time() + seconds))
        return f"{name}={urllib.parse.quote(value, safe='')}; Path=/; Expires={until}; HttpOnly; {how}"

    def authenticate(self, request, path):
        request.secret = request.cookies.get(self.options.cookie)
        bearer = request.headers.get("authorization", "")
        if not request.secret and path.startswith("/api/") and bearer.startswith("Bearer "):
            if bearer[7:] != self.options.bearer:
                raise Fault("Unauthorized")
            request.secret, request.user = sha256(bearer[7:]), USER
        request.is_new_session = not request.secret
        request.secret = request.secret or str(uuid.uuid4())
        request.session = sha256(request.secret)
        is_user_cookie = self.options.user_cookie is not None and request.secret == self.options.user_cookie
        if request.session in self.store.sessions or is_user_cookie and not self.controls["login_lost"]:
            request.user = USER

    # Answers in the making

    def start(self, conversation, message, text, options):
        run = Run(self, conversation, message, text, options)
        self.runs[run.id] = run
        stray = self.stray_stops.pop(conversation["_id"], None)
        if stray is not None and time.monotonic() - stray < 5 and self.is_current:
            run.stop()
        return run

    def running_in(self, conversation):
        return [run for run in list(self.runs.values()) if run.conversation == conversation and run.status == "running"]

    def run_of(self, conversation, generation):
        """The named one, else the newest."""
        found = [run for run in list(self.runs.values()) if run.conversation == conversation
                 and generation in (None, run.id)]
        return found[-1] if found else None


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", nargs="?", choices=["serve", "selftest"], default="serve")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--state", help="the directory of what is kept")
    parser.add_argument("--form", choices=["current", "2025-10", "seed"])
    parser.add_argument("--base", default="", help="a path before all routes, such as /chat")
    parser.add_argument("--v1", action="store_true", help="there is no /api/v2, as before June 2025")
    parser.add_argument("--cookie", help="the session cookie's name (hf-chat; vibecaas-chat in the form seed)")
    parser.add_argument("--secure-cookie", action=argparse.BooleanOptionalAction,
                        help="cookies are Secure; SameSite=None (so in the form current, else not)")
    parser.add_argument("--login", action="store_true", help="there is a provider to sign in with")
    parser.add_argument("--automatic-login", action="store_true", help="nothing but signing in is open to guests")
    parser.add_argument("--user-cookie", help="this session is the user's who is signed in")
    parser.add_argument("--bearer", help="this token is the user's under /api/")
    parser.add_argument("--redirect-url", action="append", default=[],
                        help="a callback that /login allows; any-loopback allows all of this machine")
    parser.add_argument("--origin", help="the origin that the server believes to have, instead of the Host header's")
    parser.add_argument("--public-origin", help="PUBLIC_ORIGIN")
    parser.add_argument("--share-prefix", help="PUBLIC_SHARE_PREFIX")
    parser.add_argument("--body-limit", type=int, default=15 * 1024 * 1024)
    parser.add_argument("--pace", type=float, default=0.01, help="seconds between tokens")
    parser.add_argument("--elysia", choices=["wrapped", "text"], default="wrapped",
                        help="how /api/v2 of 2025-10 tells its errors")
    options = parser.parse_args(arguments)
    options.login = options.login or options.automatic_login
    if options.command == "serve":
        options.form = options.form or "current"
        options.state = options.state or tempfile.mkdtemp(prefix="chatui-")
        options.cookie = options.cookie or ("vibecaas-chat" if options.form == "seed" else "hf-chat")
        if options.secure_cookie is None:
            options.secure_cookie = options.form == "current"
    return options


def serve(options):
    server = ChatUIServer(options)
    stop = threading.Event()
    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, lambda *_: stop.set())

    def until_closed():
        while os.read(0, 4096):
            pass
        stop.set()

    if stat.S_ISFIFO(os.fstat(0).st_mode):
        threading.Thread(target=until_closed, daemon=True).start()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(json.dumps({"url": server.url, "form": options.form, "cookie": options.cookie, "state": str(options.state)}),
          flush=True)
    while not stop.wait(0.5):
        pass
    with server.store.lock:
        server.store.save()
        os._exit(0)


if __name__ == "__main__":
    chosen = parse_arguments(sys.argv[1:])
    if chosen.command == "selftest":
        import chatui_selftest
        sys.exit(chatui_selftest.main(chosen.form))
    serve(chosen)
