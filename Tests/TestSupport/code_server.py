"""A stand-in for the terminal server of the editor extension Jbbrack03/Code-Server_Mobile, for tests of a client.

That project describes its server twice and the two differ, so there are two forms:
  --form spec   what its written API says: Bearer tokens, a WebSocket for each terminal
  --form code   what its code does: an API key, one WebSocket for all terminals
Behind each terminal is a real bash on a real pty. Prints "ready PORT" and serves on 127.0.0.1 until it is killed.
"""
import argparse
import asyncio
import base64
import codecs
import collections
import datetime
import http
import json
import os
import pty
import secrets
import signal
import termios
import time
import urllib.parse
import uuid

from websockets.frames import Opcode
from websockets.protocol import State
from websockets.server import ServerProtocol

MAX_BODY, MAX_TERMINALS = 10 * 2**20, 50


def iso(seconds, timespec="seconds"):
    moment = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc)
    return moment.isoformat(timespec=timespec).replace("+00:00", "Z")


def milliseconds():
    return int(time.time() * 1000)


def dump(value):
    return json.dumps(value, ensure_ascii=False)


def parse(text):
    """JSON, or None: null is as useless here as what is not JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return None


class Terminal:
    """A bash on a pty of its own. It is read all the time and lives until it exits, whoever is connected."""

    def __init__(self, server, ident, name, cwd=None, env=None):
        self.server, self.id, self.name = server, ident, name
        self.cwd, self.env = cwd or os.getcwd(), {"PATH": os.environ.get("PATH", os.defpath), **(env or {})}
        self.created = self.activity = time.time()
        self.cols, self.rows, self.sequence, self.last_command = 80, 24, 0, None
        self.chunks, self.lines = collections.deque(maxlen=1000), collections.deque(maxlen=10_000)
        self.line_count, self.unfinished, self.unwritten = 0, "", bytearray()
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.loop = asyncio.get_running_loop()
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            self.become_shell()
        # Python makes this one inheritable; another shell that holds it would keep this one from being hung up.
        os.set_inheritable(self.fd, False)
        os.set_blocking(self.fd, False)
        self.loop.add_reader(self.fd, self.read)

    def become_shell(self):
        try:
            # Python ignores these, and a program started by exec would go on ignoring them.
            for number in (signal.SIGPIPE, signal.SIGXFSZ):
                signal.signal(number, signal.SIG_DFL)
            termios.tcsetwinsize(0, (self.rows, self.cols))
            rcfile = self.server.args.rcfile
            start = ["--rcfile", os.path.abspath(rcfile)] if rcfile else ["--norc"]
            os.chdir(self.cwd)
            # An empty HISTFILE keeps bash from writing a history into the home of whoever runs the tests.
            env = {"HOME": os.environ.get("HOME", "/"), "LANG": "C.UTF-8", "TERM": "xterm-256color", "HISTFILE": ""}
            os.execvpe("bash", ["bash", "--noprofile", *start], {**env, **self.env})
        finally:
            os._exit(127)

    def read(self):
        """Takes what there is; whether there was anything."""
        try:
            data = os.read(self.fd, 65536)
        except BlockingIOError:
            return False
        except OSError:  # EIO: no process has the terminal open any more
            self.loop.remove_reader(self.fd)
            return False
        self.take(self.decoder.decode(data))
        return True

    def take(self, text):
        if not text:
            return
        self.activity = time.time()
        self.chunks.append(text)
        *whole, self.unfinished = (self.unfinished + text).split("\n")
        if len(self.unfinished) > 65536:  # output without line breaks must not grow one line for ever
            whole, self.unfinished = [*whole, self.unfinished], ""
        for line in whole:
            self.line_count += 1
            self.lines.append((self.line_count, line.rstrip("\r"), self.activity))
        self.server.output(self, text)

    def write(self, data):
        self.unwritten += data if isinstance(data, bytes) else data.encode("utf-8", "replace")
        self.flush()

    def flush(self):
        try:
            while self.unwritten:
                del self.unwritten[:os.write(self.fd, self.unwritten)]
        except BlockingIOError:  # the program does not read: wait until it does
            self.loop.add_writer(self.fd, self.flush)
            return
        except OSError:
            self.unwritten.clear()
        self.loop.remove_writer(self.fd)

    def foreground(self):
        try:
            with open(f"/proc/{os.tcgetpgrp(self.fd)}/comm") as file:
                return file.read().strip()
        except OSError:
            return ""

    def finish(self):
        """Takes the last words and closes our side, which sends SIGHUP to whatever still runs there."""
        for _ in range(1000):  # not for ever: a background job may still be writing
            if not self.read():
                break
        self.take(self.decoder.decode(b"", True))
        self.loop.remove_reader(self.fd)
        self.loop.remove_writer(self.fd)
        os.close(self.fd)


class Refusal(Exception):
    """An answer that is not the one asked for: a status and a body."""


class Request:
    def __init__(self, head):
        line, *fields = head.decode("latin-1").rstrip("\r\n").split("\r\n")
        self.head, self.body, self.answer_headers = head, b"", {}
        self.method, self.target, _ = line.split(" ", 2)
        self.headers = {name.strip().lower(): value.strip() for name, _, value in (f.partition(":") for f in fields)}
        self.path, _, query = self.target.partition("?")
        self.query = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
        self.parts = [urllib.parse.unquote(part) for part in self.path.strip("/").split("/")]
        self.upgrade = self.headers.get("upgrade", "").lower() == "websocket"


class Socket:
    """One WebSocket. The framing is the library's; the bytes are moved here."""

    def __init__(self, server, request, reader, writer):
        self.server, self.request, self.reader, self.writer = server, request, reader, writer
        self.protocol = ServerProtocol(select_subprotocol=self.choose, max_size=100 * 2**20)
        self.parts, self.binary, self.heard = [], False, time.time()
        self.terminal, self.subscribed, self.refused = None, False, None

    @staticmethod
    def choose(_, offered):
        """The name in the written API; else the first one, as the code's library does."""
        return "terminal.v1" if "terminal.v1" in offered else next(iter(offered), None)

    @property
    def is_open(self):
        return self.protocol.state is State.OPEN

    def shake_hands(self):
        self.protocol.receive_data(self.request.head)
        for event in self.protocol.events_received():
            self.protocol.send_response(self.protocol.accept(event))
        self.flush()

    def flush(self):
        for data in self.protocol.data_to_send():
            if not self.writer.is_closing():  # an empty one is the library's mark for the end of our side
                self.writer.write(data) if data else self.writer.write_eof()

    def send(self, message):
        if self.is_open:
            text = message if isinstance(message, str) else dump(message)
            self.protocol.send_text(text.encode("utf-8", "replace"))
            self.flush()

    def close(self, code=None, reason=""):
        if self.is_open:
            self.protocol.send_close(code, reason)
            self.flush()
            # A client that never answers the close must not keep the connection.
            asyncio.get_running_loop().call_later(10, self.writer.transport.abort)

    async def run(self):
        while data := await self.reader.read(65536):
            self.protocol.receive_data(data)
            self.flush()
            for frame in self.protocol.events_received():
                self.take(frame)
            self.flush()

    def take(self, frame):
        if frame.opcode is Opcode.PONG:
            self.heard = time.time()
        if frame.opcode in (Opcode.TEXT, Opcode.BINARY):
            self.parts, self.binary = [], frame.opcode is Opcode.BINARY
        elif frame.opcode is not Opcode.CONT:
            return  # the library answers pings and closes
        self.parts.append(frame.data)
        if not frame.fin or not self.is_open:
            return
        data = b"".join(self.parts)
        try:
            text = data.decode("utf-8", "replace" if self.binary else "strict")
        except UnicodeDecodeError:
            self.protocol.fail(1007, "invalid UTF-8")
            return
        self.server.log(event="message", path=self.request.target, message=text)
        self.server.message(self, text, data)


class Server:
    """What both forms share: HTTP, the terminals, the log."""

    def __init__(self, args):
        self.args, self.started, self.active = args, time.time(), None
        self.terminals, self.processes, self.sockets = {}, {}, set()
        self.secrets = {args.password, args.key}
        self.log_file = open(args.log, "a", buffering=1, errors="replace") if args.log else None
        asyncio.get_running_loop().add_signal_handler(signal.SIGCHLD, self.reap)
        for name in filter(None, args.terminals.split(",")):
            self.create(name)
        self.active = next(iter(self.terminals), None)

    def log(self, **entry):
        line = dump(entry)
        for secret in self.secrets:
            if len(secret) >= 8:  # a short one is part of many honest words
                line = line.replace(dump(secret)[1:-1], "***")
        if self.log_file:
            self.log_file.write(line + "\n")

    def log_request(self, request, status):
        body = parse(request.body) or request.body.decode("utf-8", "replace")
        if isinstance(body, dict):
            body = {k: "***" if k in ("password", "token", "refreshToken") else v for k, v in body.items()}
        auth = [name for name in ("authorization", "x-api-key") if name in request.headers]
        self.log(event="upgrade" if request.upgrade else "request", method=request.method, path=request.target,
                 auth=auth, body=body, status=status)

    def create(self, name, cwd=None, env=None):
        terminal = Terminal(self, self.new_id(), name, cwd, env)
        self.terminals[terminal.id] = self.processes[terminal.pid] = terminal
        return terminal

    def end(self, terminal, code):
        if terminal.id in self.terminals:  # else it was deleted before its shell was gone
            terminal.finish()
            del self.terminals[terminal.id]
            self.ended(terminal, code)

    def reap(self):
        for pid in list(self.processes):
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                code = os.waitstatus_to_exitcode(status)
                self.end(self.processes.pop(pid), code if code >= 0 else 128 - code)

    async def serve(self, reader, writer):
        try:
            while await self.exchange(reader, writer):
                pass
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError, ValueError):
            pass  # the client went away or does not speak HTTP
        finally:
            writer.close()

    async def exchange(self, reader, writer):
        """One request; whether another may follow on this connection."""
        request = Request(await reader.readuntil(b"\r\n\r\n"))
        length = int(request.headers.get("content-length", 0))
        # A body that is too long, or in chunks, is not taken in: then nothing can follow it.
        readable = length <= MAX_BODY and "transfer-encoding" not in request.headers
        keep = readable and not request.upgrade and request.headers.get("connection", "").lower() != "close"
        if readable and request.headers.get("expect", "").lower() == "100-continue":
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        try:
            if request.upgrade:
                socket = Socket(self, request, reader, writer)
                self.admit(request, socket)
                await self.hold(socket)
                return False
            request.body = await reader.readexactly(length) if readable else b"not JSON"
            status, body = self.route(request)
        except Refusal as refusal:
            status, body = refusal.args
        self.log_request(request, status)
        plain = isinstance(body, str)
        data = b"" if body is None else (body if plain else dump(body)).encode("utf-8", "replace")
        fields = {**self.headers, **request.answer_headers, "Content-Length": len(data),
                  "Content-Type": "text/html" if plain else "application/json; charset=utf-8",
                  "Connection": "keep-alive" if keep else "close"}
        head = [f"HTTP/1.1 {status} {http.HTTPStatus(status).phrase}", *(f"{k}: {v}" for k, v in fields.items())]
        writer.write("\r\n".join([*head, "", ""]).encode("latin-1") + data)
        await writer.drain()
        return keep

    async def hold(self, socket):
        try:
            socket.shake_hands()
            self.log_request(socket.request, 101 if socket.is_open else 400)
            if socket.is_open:
                self.opened(socket)
                await socket.run()
        finally:
            self.sockets.discard(socket)
            closed = socket.protocol.close_rcvd
            self.log(event="close", path=socket.request.target, code=closed.code if closed else 1006)


class SpecServer(Server):
    """The written API."""

    headers = {"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "X-XSS-Protection": "1; mode=block",
               "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
               "Content-Security-Policy": "default-src 'none'"}

    def __init__(self, args):
        super().__init__(args)
        self.tokens, self.refresh_tokens = {}, {}

    def new_id(self):
        return "term_" + secrets.token_hex(4)

    def error(self, status, code, message, **details):
        return Refusal(status, {"error": {"code": code, "message": message, "details": details,
                                          "timestamp": iso(time.time()), "requestId": "req_" + secrets.token_hex(6)}})

    def wrong(self, parameter, why):
        return self.error(400, "INVALID_PARAMETER", f"Invalid parameter: {parameter}", **{parameter: why})

    def issue(self, login):
        """An access token that looks like a JSON Web Token; it is known by being kept here, not by its signature."""
        expiry = time.time() + self.args.lifetime
        parts = dump({"alg": "HS256", "typ": "JWT"}), dump({"sub": self.args.user, "exp": int(expiry)})
        token = ".".join([*(base64.urlsafe_b64encode(part.encode()).decode().rstrip("=") for part in parts),
                          secrets.token_urlsafe(32)])
        self.tokens[token] = login, expiry
        self.secrets.add(token)
        return {"token": token, "expiresIn": self.args.lifetime}

    def login_of(self, request):
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        login, expiry = self.tokens.get(token.strip() if scheme.lower() == "bearer" else None, (None, 0))
        if not login:
            raise self.error(401, "INVALID_CREDENTIALS", "Missing or invalid token")
        if expiry <= time.time():
            raise self.error(401, "TOKEN_EXPIRED", "JWT token has expired")
        return login

    def body(self, request, **kinds):
        """The values asked for; one whose kinds include NoneType may be left out."""
        body = parse(request.body)
        if not isinstance(body, dict):
            raise self.wrong("body", "not a JSON object")
        for name, kind in kinds.items():
            if not isinstance(body.get(name), kind):
                raise self.wrong(name, "missing or of another type")
        return [body.get(name) for name in kinds]

    def number(self, request, name, default, least, most):
        text = request.query.get(name, str(default))
        if not (text.isascii() and text.isdigit() and least <= int(text) <= most):
            raise self.wrong(name, f"not a number from {least} to {most}")
        return int(text)

    def find(self, ident):
        if ident not in self.terminals:
            raise self.error(404, "TERMINAL_NOT_FOUND", f"Terminal {ident} not found")
        return self.terminals[ident]

    def route(self, request):
        match (request.method, *request.parts):
            case "GET", "api", "health":
                return 200, {"status": "healthy", "version": "1.0.0", "uptime": int(time.time() - self.started),
                             "terminals": {"active": len(self.terminals), "max": MAX_TERMINALS}}
            case "POST", "api", "auth", "login":
                return self.log_in(*self.body(request, username=str, password=str))
        login = self.login_of(request)
        match (request.method, *request.parts):
            case "POST", "api", "auth", "refresh":
                if self.refresh_tokens.get(*self.body(request, refreshToken=str)) != login:
                    raise self.error(401, "INVALID_CREDENTIALS", "Invalid refresh token")
                return 200, self.issue(login)
            case "POST", "api", "auth", "logout":
                self.tokens = {token: kept for token, kept in self.tokens.items() if kept[0] != login}
                return 200, {"success": True, "message": "Logged out successfully"}
            case "GET", "api", "terminals":
                found = [self.summary(terminal) for terminal in self.terminals.values()]
                if request.query.get("claude") == "true":
                    found = [entry for entry in found if entry["isClaudeActive"]]
                request.answer_headers = {"X-Total-Count": len(found)}
                return 200, found if self.args.bare_list else {"terminals": found, "count": len(found)}
            case "POST", "api", "terminals":
                return self.new(*self.body(request, name=str, cwd=str | None, env=dict | None))
            case "GET", "api", "terminals", ident:
                return 200, self.details(self.find(ident))
            case "DELETE", "api", "terminals", ident:
                self.end(self.find(ident), None)
                return 200, {"success": True, "message": "Terminal closed successfully"}
            case "POST", "api", "terminals", ident, "command":
                return self.command(self.find(ident), *self.body(request, command=str, addNewline=bool | None))
            case "GET", "api", "terminals", ident, "history":
                return self.history(self.find(ident), self.number(request, "lines", 1000, 1, 10_000),
                                    self.number(request, "offset", 0, 0, 10**9))
        raise self.error(404, "NOT_FOUND", "Resource not found")

    def log_in(self, user, password):
        if (user, password) != (self.args.user, self.args.password):
            # The one error that the specification shows without the envelope.
            raise Refusal(401, {"error": "INVALID_CREDENTIALS", "message": "Invalid username or password"})
        login, refresh = secrets.token_hex(8), "refresh_" + secrets.token_urlsafe(24)
        self.refresh_tokens[refresh] = login
        self.secrets.add(refresh)
        return 200, {**self.issue(login), "refreshToken": refresh, "user": {"id": "user_1", "username": user}}

    def summary(self, terminal):
        try:
            cwd = os.readlink(f"/proc/{terminal.pid}/cwd")
        except OSError:
            cwd = terminal.cwd
        return {"id": terminal.id, "name": terminal.name, "pid": terminal.pid, "cwd": cwd,
                "isClaudeActive": terminal.foreground() == "claude", "createdAt": iso(terminal.created),
                "lastActivity": iso(terminal.activity), "status": "active"}

    def details(self, terminal):
        return {**self.summary(terminal), "env": terminal.env, "processName": terminal.foreground(),
                "dimensions": {"cols": terminal.cols, "rows": terminal.rows},
                "history": {"available": bool(terminal.lines), "lines": len(terminal.lines)}}

    def new(self, name, cwd, env):
        if cwd is not None and not os.path.isdir(cwd):
            raise self.wrong("cwd", "not a directory")
        if not all(isinstance(value, str) for value in (env or {}).values()):
            raise self.wrong("env", "not an object of strings")
        if len(self.terminals) >= MAX_TERMINALS:
            raise self.error(429, "RATE_LIMIT_EXCEEDED", "Too many terminals")
        terminal = self.create(name, cwd, env)
        return 201, {"id": terminal.id, "name": name, "pid": terminal.pid, "cwd": terminal.cwd,
                     "createdAt": iso(terminal.created)}

    def command(self, terminal, command, newline):
        terminal.write(command + ("" if newline is False else "\r"))
        terminal.last_command = command
        self.tell_status(terminal, True, None)
        return 200, {"success": True, "commandId": "cmd_" + secrets.token_hex(4), "timestamp": iso(time.time())}

    def history(self, terminal, count, offset):
        lines = list(terminal.lines)
        if terminal.unfinished:  # a prompt, mostly
            lines.append((terminal.line_count + 1, terminal.unfinished, terminal.activity))
        end = max(len(lines) - offset, 0)
        start = max(end - count, 0)
        shown = [{"line": number, "content": text, "timestamp": iso(when)} for number, text, when in lines[start:end]]
        return 200, {"terminalId": terminal.id, "lines": shown, "totalLines": len(lines), "hasMore": start > 0}

    def admit(self, request, socket):
        self.login_of(request)
        match request.parts:
            case ["api", "terminals", ident, "stream"]:
                socket.terminal = self.find(ident)
            case _:
                raise self.error(404, "NOT_FOUND", "Resource not found")
        offered = [name.strip() for name in request.headers.get("sec-websocket-protocol", "").split(",")]
        if not self.args.raw_frames and "terminal.v1" not in offered:
            raise self.error(400, "WEBSOCKET_ERROR", "Sec-WebSocket-Protocol: terminal.v1 is missing")
        if len(self.sockets) >= (self.args.max_clients or 10):
            raise self.error(429, "RATE_LIMIT_EXCEEDED", "Too many WebSocket connections")

    def opened(self, socket):
        self.sockets.add(socket)
        socket.subscribed = self.args.raw_frames or not self.args.subscribe_first
        if not self.args.raw_frames:
            socket.send({"type": "connected", "terminalId": socket.terminal.id,
                         "sessionId": "ws_" + secrets.token_hex(6)})

    def message(self, socket, text, data):
        terminal, fault = socket.terminal, None
        if self.args.raw_frames:
            terminal.write(data)
            return
        match parse(text):
            # Output messages do not name their terminal, so that of another one could not be told apart here.
            case {"type": "subscribe" | "unsubscribe" as kind, "terminalId": terminal.id}:
                socket.subscribed = kind == "subscribe"
            case {"type": "subscribe" | "unsubscribe", "terminalId": other}:
                fault = "TERMINAL_NOT_FOUND", f"Terminal {other} not found"
            case {"type": "input", "data": str(typed)}:
                terminal.write(typed)
            case {"type": "resize", "cols": int(cols), "rows": int(rows)} if 0 < cols <= 1000 and 0 < rows <= 1000:
                terminal.cols, terminal.rows = cols, rows
                termios.tcsetwinsize(terminal.fd, (rows, cols))
            case {"type": "ping", **rest}:
                socket.send({"type": "pong", "timestamp": rest.get("timestamp", milliseconds())})
            case dict():
                fault = "INVALID_PARAMETER", "Unknown type, or a field is missing or wrong"
            case _:
                fault = "WEBSOCKET_ERROR", "Not a JSON object"
        if fault:
            socket.send({"type": "error", "code": fault[0], "message": fault[1]})

    def output(self, terminal, text):
        for socket in self.sockets:
            if socket.terminal is terminal and socket.subscribed:
                raw = self.args.raw_frames
                socket.send(text if raw else {"type": "output", "data": text, "timestamp": milliseconds()})

    def tell_status(self, terminal, active, code):
        claude = active and terminal.foreground() == "claude"
        for socket in self.sockets:
            if socket.terminal is terminal and not self.args.raw_frames:
                socket.send({"type": "status", "status": {"active": active, "claudeActive": claude,
                                                          "lastCommand": terminal.last_command, "exitCode": code}})

    def ended(self, terminal, code):
        self.tell_status(terminal, False, code)
        for socket in self.sockets:
            if socket.terminal is terminal:
                socket.close(1000, "terminal closed")


class CodeServer(Server):
    """What the extension's code does, with the editor's events connected to it."""

    headers = {"Access-Control-Allow-Origin": "*", "Access-Control-Allow-Methods": "GET, POST, PUT, DELETE, OPTIONS",
               "Access-Control-Allow-Headers":
                   "Origin, X-Requested-With, Content-Type, Accept, Authorization, X-API-Key"}

    def __init__(self, args):
        super().__init__(args)
        self.pinging = asyncio.get_running_loop().create_task(self.ping())

    def new_id(self):
        return str(uuid.uuid4())

    def problem(self, request, status, detail):
        return Refusal(status, {"type": f"https://httpstatuses.com/{status}", "title": http.HTTPStatus(status).phrase,
                                "status": status, "detail": detail, "instance": request.target,
                                "timestamp": iso(time.time(), "milliseconds"), "requestId": str(uuid.uuid4())})

    def key_fault(self, request):
        key = request.headers.get("x-api-key")
        return "Missing API key" if not key else None if key == self.args.key else "Invalid API key"

    def body(self, request):
        """Only what is declared as JSON is read; what is not JSON then is an unexpected error, not a bad request."""
        if not request.body or not request.headers.get("content-type", "").startswith("application/json"):
            return {}
        body = parse(request.body)
        if not isinstance(body, (dict, list)):
            raise self.problem(request, 500, "An unexpected error occurred")
        return body

    def route(self, request):
        body = self.body(request)  # before the key is looked at
        if request.method == "OPTIONS":
            return 204, None
        if request.method == "GET" and request.parts == ["api", "health"]:
            return 200, {"status": "healthy", "version": "1.0.0", "uptime": int(time.time() - self.started),
                         "terminals": len(self.terminals)}
        if request.parts[0] == "api" and (fault := self.key_fault(request)):
            raise self.problem(request, 401, fault)
        match (request.method, *request.parts):
            case "GET", "api", "terminals":
                return 200, self.listing()
            case "GET", "api", "terminals", ident if ident in self.terminals:
                terminal = self.terminals[ident]
                return 200, {"terminal": self.entry(terminal), "buffer": list(terminal.chunks)}
            case "GET", "api", "terminals", _:
                raise self.problem(request, 404, "Terminal not found")
            case "POST", "api", "terminals", ident, "select" | "input" | "resize" as verb:
                return self.act(request, ident, verb, body)
        raise self.problem(request, 404, "Resource not found")

    def act(self, request, ident, verb, body):
        match verb, body:
            case "select", _:
                done, what = self.select(ident), "selection"
                more = {"activeTerminalId": self.active}
            case "input", {"data": str(data)} if data:
                done, what, more = self.send_text(ident, data), "input", {"sequence": milliseconds()}
            case "resize", {"cols": int(cols), "rows": int(rows)} if cols > 0 and rows > 0:
                done, what, more = self.note_size(ident, cols, rows), "resize", {}
            case _:
                raise self.problem(request, 400, {"input": "Missing input data", "resize": "Invalid dimensions"}[verb])
        if not done:
            raise self.problem(request, 404, f"Terminal not found or {what} failed")
        return 200, {"success": True, **more}

    def entry(self, terminal):
        return {"id": terminal.id, "name": terminal.name, "pid": terminal.pid, "cwd": terminal.cwd,
                "shellType": "bash", "isActive": terminal.id == self.active,
                "isClaudeCode": "claude code" in terminal.name.lower(),
                "createdAt": iso(terminal.created, "milliseconds"),
                "lastActivity": iso(terminal.activity, "milliseconds"),
                "dimensions": {"cols": terminal.cols, "rows": terminal.rows}, "status": "active"}

    def listing(self):
        return {"terminals": [self.entry(terminal) for terminal in self.terminals.values()],
                "activeTerminalId": self.active}

    def select(self, ident):
        if ident in self.terminals:
            self.active, self.terminals[ident].activity = ident, time.time()
        return ident in self.terminals

    def send_text(self, ident, text):
        """The editor's send-text call: line breaks become Enter, and one is added where none is at the end."""
        if ident in self.terminals:
            text = text.replace("\r\n", "\r").replace("\n", "\r")
            self.terminals[ident].write(text if text.endswith("\r") else text + "\r")
        return ident in self.terminals

    def note_size(self, ident, cols, rows):
        if ident in self.terminals:  # the numbers are kept and told; the terminal itself stays as it is
            self.terminals[ident].cols, self.terminals[ident].rows = cols, rows
        return ident in self.terminals

    def admit(self, request, socket):
        if request.path != "/api/terminal/stream":
            raise Refusal(400, "Bad Request")
        if len(self.sockets) >= (self.args.max_clients or 50):
            socket.refused = 1013, "Too many connections"
        elif fault := self.key_fault(request):
            socket.refused = 1008, fault

    def opened(self, socket):
        if socket.refused:
            socket.close(*socket.refused)
        else:
            self.sockets.add(socket)  # nothing is sent to it: no list, no history

    def envelope(self, kind, payload):
        return {"id": str(uuid.uuid4()), "type": kind, "timestamp": milliseconds(), "payload": payload}

    def broadcast(self, kind, payload):
        text = dump(self.envelope(kind, payload))
        for socket in self.sockets:
            socket.send(text)

    def message(self, socket, text, data):
        match parse(text):
            case {"type": "terminal.input", "payload": {"terminalId": str(ident), "data": str(typed)}} if typed:
                self.send_text(ident, typed)
            case {"type": "terminal.select", "payload": {"terminalId": str(ident)}} if ident:
                self.select(ident)
                self.broadcast("terminal.list", self.listing())
            case {"type": "terminal.resize", "payload": {"terminalId": str(ident), "cols": cols, "rows": rows}}:
                if cols and rows:
                    self.note_size(ident, cols, rows)
            case {"type": "terminal.input" | "terminal.select" | "terminal.resize"}:
                pass  # what lacks a field, or names no terminal, is passed over in silence
            case {"type": "connection.ping"}:
                socket.heard = time.time()
                socket.send(self.envelope("connection.pong", {}))
            case message:
                fault = "Invalid JSON message" if message is None else "Unknown message type"
                socket.send(self.envelope("error", {"code": "WS_MESSAGE_INVALID", "message": fault, "details": None}))

    async def ping(self):
        while True:
            await asyncio.sleep(self.args.ping_interval)
            for socket in list(self.sockets):
                if time.time() - socket.heard > 2 * self.args.ping_interval:
                    self.sockets.discard(socket)
                    socket.close()
                elif socket.is_open:
                    socket.protocol.send_ping(b"")
                    socket.flush()

    def output(self, terminal, text):
        # The code finds the terminal of an output by its name: with two of one name, the first gets both.
        named = next(known for known in self.terminals.values() if known.name == terminal.name)
        named.sequence += 1
        self.broadcast("terminal.output", {"terminalId": named.id, "data": text, "sequence": named.sequence})

    def ended(self, terminal, code):
        """Nobody is told: the terminal is not in the list any more, and no other one becomes the active one."""
        if self.active == terminal.id:
            self.active = None


async def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    option = parser.add_argument
    option("--form", choices=("spec", "code"), required=True)
    option("--port", type=int, default=0, help="0: any free one")
    option("--rcfile", help="what each bash reads first")
    option("--terminals", default="", metavar="NAME,NAME", help="terminals that exist from the beginning")
    option("--log", metavar="FILE", help="gets one JSON object a line for all that came")
    option("--max-clients", type=int, help="WebSockets at a time (spec 10, code 50)")
    option("--user", default="anna", help="spec")
    option("--password", default="pw", help="spec")
    option("--lifetime", type=int, default=86400, metavar="SECONDS", help="spec: of an access token")
    option("--bare-list", action="store_true", help="spec: the list is an array and nothing around it")
    option("--raw-frames", action="store_true", help="spec: frames are the text itself, both ways")
    option("--subscribe-first", action="store_true", help="spec: no output before a subscribe message")
    option("--key", default="key", help="code: the API key; empty: there is none, and every key is wrong")
    option("--ping-interval", type=float, default=30, metavar="SECONDS", help="code")
    args = parser.parse_args()
    server = (SpecServer if args.form == "spec" else CodeServer)(args)
    listener = await asyncio.start_server(server.serve, "127.0.0.1", args.port)
    print("ready", listener.sockets[0].getsockname()[1], flush=True)
    await listener.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
