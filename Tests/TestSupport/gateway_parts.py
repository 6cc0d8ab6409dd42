"""What the stand-ins for gateways have in common: HTTP, notes, validation, limits, and what the model says.

What the model says is chosen by the first word of the last line of the last message from the user:

    echo TEXT      the text (as anything that is no word of this table is)
    recall         all of the conversation that reached the model, word for word
    slow N         N words (20), one each 0.2 s, each a chunk of its own
    two            two chunks with no white space between
    tool           a text, a report of a tool that was run, a text
    cost           an answer with usage and, in S, its cost
    fail-empty     no text at all, and yet a good end
    fail-partial   half a sentence, and yet a good end
    api-error      the text of an error of the API, as an answer
    cut            two words, then the connection breaks
    stream-error   two words, then an error frame
    hostile        escape sequences and the like in the text and in the name and arguments of a tool
    help           this list
"""

import datetime
import functools
import http.server
import json
import queue
import re
import select
import socket
import threading
import time
import urllib.parse
from pathlib import Path

ESCAPES = ("red \x1b[31mtext\x1b[0m clear \x1b[2J\x1b[H title \x1b]0;owned\x07 clipboard \x1b]52;c;cm0gLXJmIC8=\x07 "
           "c1 \x9b31m\x9d0;owned\x9c bidi \u202egnp.exe\u202c tags \U000e0068\U000e0069 zero\u200bwidth bell\x07 "
           "back\x08space cr\rover del\x7f end")
API_ERROR = 'API Error: 529 {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'
NOT_LOGGED_IN = "Invalid API key \u00b7 Please run /login"
ROLES = ("system", "user", "assistant", "tool")

OPUS, OPUS_45 = "claude-opus-4-6-20260205", "claude-opus-4-5-20251101"
SONNET, HAIKU = "claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001"
ALIASES = {"opus": OPUS, "sonnet": SONNET, "haiku": HAIKU, "claude-opus-latest": OPUS, "claude-opus-4-6": OPUS,
           "claude-opus-4-5": OPUS_45, "claude-opus-4-5-latest": OPUS_45}


def compact(value, ascii_only=False):
    return json.dumps(value, ensure_ascii=ascii_only, separators=(",", ":"))


def utc():
    return datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)


def bare_time(when=None):
    """Without a zone, with microseconds."""
    return (when or utc()).isoformat(timespec="microseconds")


def tokens(text):
    return max(1, len(text) // 4)


class Refusal(Exception):
    """An answer other than the wished-for one."""

    def __init__(self, status, body, **headers):
        super().__init__(status)
        self.status, self.body = status, body
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class Gone(Exception):
    """The client hung up."""


# What a body must look like. Details are worded as pydantic words them.

class Rule:
    def __init__(self, check, required=False, nullable=True):
        self.check, self.required, self.nullable = check, required, nullable


def detail(kind, loc, message, value, **context):
    return {"type": kind, "loc": loc, "msg": message, "input": value} | ({"ctx": context} if context else {})


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def text(**rest):
    def check(value, loc):
        if not isinstance(value, str):
            yield detail("string_type", loc, "Input should be a valid string", value)
    return Rule(check, **rest)


def truth(**rest):
    def check(value, loc):
        if not isinstance(value, bool):
            yield detail("bool_type", loc, "Input should be a valid boolean", value)
    return Rule(check, **rest)


def number(low=None, high=None, whole=False, **rest):
    def check(value, loc):
        if not is_number(value):
            kind, name = ("int_type", "integer") if whole else ("float_type", "number")
            yield detail(kind, loc, f"Input should be a valid {name}", value)
        elif whole and value != int(value):
            yield detail("int_from_float", loc,
                         "Input should be a valid integer, got a number with a fractional part", value)
        elif low is not None and value < low:
            yield detail("greater_than_equal", loc, f"Input should be greater than or equal to {low}", value, ge=low)
        elif high is not None and value > high:
            yield detail("less_than_equal", loc, f"Input should be less than or equal to {high}", value, le=high)
    return Rule(check, **rest)


def one_of(*choices, **rest):
    quoted = [f"'{choice}'" for choice in choices]
    wanted = " or ".join([", ".join(quoted[:-1]), quoted[-1]] if len(quoted) > 1 else quoted)

    def check(value, loc):
        if value not in choices:
            yield detail("literal_error", loc, f"Input should be {wanted}", value, expected=wanted)
    return Rule(check, **rest)


def listing(item, **rest):
    def check(value, loc):
        if not isinstance(value, list):
            yield detail("list_type", loc, "Input should be a valid list", value)
            return
        for index, one in enumerate(value):
            yield from item.check(one, [*loc, index])
    return Rule(check, **rest)


def record(fields=None, **rest):
    def check(value, loc):
        if not isinstance(value, dict):
            yield detail("dict_type", loc, "Input should be a valid dictionary", value)
            return
        for name, rule in (fields or {}).items():
            if name not in value:
                if rule.required:
                    yield detail("missing", [*loc, name], "Field required", value)
            elif value[name] is not None or not rule.nullable:
                yield from rule.check(value[name], [*loc, name])
    return Rule(check, **rest)


def either(first, second, **rest):
    def check(value, loc):
        wrong = list(first.check(value, loc))
        if wrong and list(second.check(value, loc)):
            yield from wrong
    return Rule(check, **rest)


def anything(**rest):
    return Rule(lambda value, loc: (), **rest)


def conversation(roles, content, **more):
    """The field `messages`."""
    role = one_of(*roles, required=True, nullable=False) if roles else text(required=True, nullable=False)
    fields = {"role": role, "content": content, "name": text()} | more
    return listing(record(fields), required=True, nullable=False)


def plain(content):
    """The text of a message: a string, or the texts of its blocks joined by line breaks."""
    if isinstance(content, list):
        return "\n".join(str(part.get("text", part.get("content", ""))) if isinstance(part, dict) else str(part)
                         for part in content)
    return "" if content is None else str(content)


def last_of(messages, role):
    return next((plain(one.get("content")) for one in reversed(messages) if one.get("role") == role), None)


def transcript(messages, names):
    """A conversation as one prompt, for the forms that hand on all of it."""
    return "\n\n".join(f"{names[one['role']]}: {plain(one.get('content'))}"
                       for one in messages if one.get("role") in names)


# What the model says

def scene(line, told, tool="Bash"):
    """The steps of an answer: ("text", TEXT), ("tool", NAME, INPUT, OUTPUT), ("wait", SECONDS), ("cut",), ("error",),
    ("usage", INPUT, OUTPUT, COST)."""
    word, _, rest = line.strip().partition(" ")
    if word == "echo":
        return [("text", rest)]
    if word == "recall":
        return [("text", told)]
    if word == "slow":
        count = int(rest) if rest.isdigit() else 20
        return [step for n in range(count) for step in (("text", f"word{n + 1} "), ("wait", 0.2))]
    if word == "two":
        return [("text", "The first message."), ("text", "The second message.")]
    if word == "tool":
        return [("text", "I will look."), ("tool", tool, {"command": "ls"}, "one.txt\ntwo.txt"), ("text", "Two files.")]
    if word == "cost":
        return [("text", "This was dear."), ("usage", 1200, 340, 0.0421)]
    if word == "fail-empty":
        return []
    if word == "fail-partial":
        return [("text", "The answer begins and")]
    if word == "api-error":
        return [("text", API_ERROR)]
    if word in ("cut", "stream-error"):
        return [("text", "Two "), ("text", "words "), ("cut" if word == "cut" else "error",)]
    if word == "hostile":
        return [("text", ESCAPES), ("tool", ESCAPES, {"command": ESCAPES}, ESCAPES), ("text", "done " + ESCAPES)]
    if word == "help":
        return [("text", "\n".join(each[4:] for each in __doc__.splitlines() if each.startswith("    ")
                                   and each[4:].split(" ")[0] in WORDS))]
    return [("text", line.strip() or "(nothing)")]


WORDS = ("echo", "recall", "slow", "two", "tool", "cost", "fail-empty", "fail-partial", "api-error", "cut",
         "stream-error", "hostile", "help")


class Run:
    """A model at work; goes on to its end whether or not anybody listens, unless it is stopped."""

    def __init__(self, steps, held):
        self.steps, self.held = steps, held
        self.queue = queue.Queue()
        self.stopped = threading.Event()
        self.ended = self.leaked = False
        self.served = True  # a request is still waiting for it
        self.busy_until = 0
        threading.Thread(target=self.play, daemon=True).start()

    def play(self):
        for step in self.steps:
            if self.stopped.is_set():
                break
            if step[0] == "wait":
                self.stopped.wait(step[1])
                continue
            self.queue.put(step)
            while self.held() and not self.stopped.wait(0.02):
                pass
        self.ended = True
        self.queue.put(None)

    def stop(self):
        self.stopped.set()

    @property
    def is_running(self):
        return not self.ended or self.served or time.monotonic() < self.busy_until

    @property
    def has_slot(self):
        return self.leaked or not self.ended or self.served

    def leave(self, linger=0):
        """Nobody waits for it any more; it counts as running for a moment yet."""
        self.busy_until = time.monotonic() + linger
        self.served = False


class Answer:
    """What came of a run, for a body in one piece."""

    def __init__(self, call, run):
        self.texts, self.tools, self.usage, self.end = [], [], None, "stop"
        for step in call.follow(run):
            if step[0] == "text":
                self.texts.append(step[1])
            elif step[0] == "tool":
                self.tools.append(step)
            elif step[0] == "usage":
                self.usage = step[1:]
            else:
                self.end = step[0]


# HTTP

class Call(http.server.BaseHTTPRequestHandler):
    """One request and its answer."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server_version, sys_version = "uvicorn", ""

    def serve(self):
        self.gateway = self.server.gateway
        self.started = self.logged = False
        self.more = {}
        parts = urllib.parse.urlsplit(self.path)
        self.route = urllib.parse.unquote(parts.path)
        self.query = {name: values[-1] for name, values in
                      urllib.parse.parse_qs(parts.query, keep_blank_values=True).items()}
        try:
            self.read()
            if self.route == "/__test__":
                self.logged = True
                return self.reply(*self.gateway.control(self.json))
            self.gateway.admit(self)
            self.gateway.find(self.command, self.route)(self)
        except Refusal as refusal:
            self.reply(refusal.status, refusal.body, refusal.headers)
        except (Gone, ConnectionError):
            self.close_connection = True
        except Exception:
            if not self.started:
                self.reply(500, self.gateway.internal_error)
            self.close_connection = True
            raise
        finally:
            self.log(None)

    do_GET = do_POST = do_DELETE = do_PUT = do_PATCH = do_HEAD = do_OPTIONS = serve

    def read(self):
        if self.headers.get("transfer-encoding", "").lower() == "chunked":
            self.body = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                self.body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            self.body = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.json, self.json_fault = None, None
        try:
            self.json = json.loads(self.body) if self.body else None
        except ValueError as fault:
            self.json_fault = fault

    def log(self, status, **more):
        if self.logged:
            return
        self.logged = True
        body = self.json if self.json_fault is None else self.body.decode("utf-8", "replace")
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.gateway.write("requests.jsonl", {"method": self.command, "path": self.path, "headers": headers,
                                              "body": body, "status": status} | self.more | more)

    def log_message(self, *_):
        pass

    # Reading

    def wanted(self, fields):
        """The body, if it is what the fields say."""
        kind = self.headers.get("content-type", "application/json").lower()
        if self.json_fault is not None:
            fault = self.json_fault
            raise self.gateway.invalid([detail("json_invalid", ["body", getattr(fault, "pos", 0)], "JSON decode error",
                                               {}, error=getattr(fault, "msg", "not text"))])
        if not self.body:
            raise self.gateway.invalid([detail("missing", ["body"], "Field required", None)])
        if "json" not in kind or not isinstance(self.json, dict):
            given = self.json if "json" in kind else self.body.decode("utf-8", "replace")
            raise self.gateway.invalid([detail("model_attributes_type", ["body"], "Input should be a valid dictionary "
                                               "or object to extract fields from", given)])
        if wrong := list(record(fields).check(self.json, ["body"])):
            raise self.gateway.invalid(wrong)
        return self.json

    def whole(self, name, default, low=None, high=None):
        """A number in the query."""
        given = self.query.get(name)
        if given is None:
            return default
        if not re.fullmatch(r"[+-]?\d+", given):
            raise self.gateway.invalid([detail("int_parsing", ["query", name], "Input should be a valid integer, "
                                               "unable to parse string as an integer", given)])
        if wrong := list(number(low, high, whole=True).check(int(given), ["query", name])):
            raise self.gateway.invalid(wrong)
        return int(given)

    # Writing

    def head(self, status, headers):
        self.started = True
        self.log(status)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, str(value))
        self.end_headers()

    def reply(self, status, body, headers=None):
        kind = "text/html; charset=utf-8" if isinstance(body, str) else "application/json"
        data = (body if isinstance(body, str) else compact(body)).encode()
        self.head(status, {"content-type": kind, "content-length": len(data)} | (headers or {}))
        if self.command != "HEAD":
            self.wfile.write(data)

    def start_stream(self, **headers):
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self.head(200, {"content-type": "text/event-stream; charset=utf-8", "transfer-encoding": "chunked"} | named)

    def send_piece(self, data):
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

    def frame(self, value):
        written = value if isinstance(value, str) else self.gateway.as_frame(value)
        self.send_piece(f"data: {written}\n\n".encode())

    def end_stream(self):
        self.wfile.write(b"0\r\n\r\n")

    def break_off(self):
        """Leaves an answer unfinished."""
        if not self.started:
            self.head(200, {"content-type": "application/json", "content-length": 1000})
            self.wfile.write(b'{"id":"chatcmpl-')
        self.connection.shutdown(socket.SHUT_RDWR)
        self.close_connection = True

    # Waiting

    def hung_up(self):
        readable, _, _ = select.select([self.connection], [], [], 0)
        return bool(readable) and self.connection.recv(1, socket.MSG_PEEK) == b""

    def pause(self, seconds):
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            time.sleep(min(left, 0.05))
            if self.hung_up():
                raise Gone

    def follow(self, run, heartbeat=None):
        """What the run says, as it says it; ("heartbeat",) now and then."""
        beat = heard = time.monotonic()
        while True:
            try:
                step = run.queue.get(timeout=0.05)
            except queue.Empty:
                if self.hung_up():
                    raise Gone
                step = ()
            if step is None:
                return
            if step:
                heard = time.monotonic()
                yield step
            elif time.monotonic() - heard > self.gateway.options.silence:
                return
            if heartbeat and time.monotonic() - beat >= heartbeat:
                beat = time.monotonic()
                yield ("heartbeat",)


class Limit:
    """So many requests in a window. `burst` is A's: once used up, it comes back after a window without any."""

    def __init__(self, per_minute, burst=None, window=60):
        self.per_minute, self.burst, self.window = per_minute, burst, window
        self.times, self.used, self.refused_at = [], 0, None

    def allows(self):
        now = time.monotonic()
        self.times = [each for each in self.times if now - each < self.window]
        if self.burst is not None and self.used >= self.burst and not self.times:
            self.used = 0
        if len(self.times) >= self.per_minute or (self.burst is not None and self.used >= self.burst):
            return False
        self.times.append(now)
        self.used += 1
        self.refused_at = None
        return True


class Gateway:
    """What the four have in common."""

    routes = ""
    internal_error = {"detail": "Internal Server Error"}
    is_ended_by_hanging_up = True  # else a run goes on, and has to be ended with DELETE
    tells_session = True  # while it answers
    ids_are_good = False

    def __init__(self, options):
        self.options = options
        self.directory = Path(options.state)
        self.directory.mkdir(parents=True, exist_ok=True)
        self.lock = threading.RLock()
        self.sessions, self.projects, self.processes, self.limits = {}, {}, {}, {}
        self.abandoned = {}  # session: timer
        self.reported = set()  # tool calls
        self.started = time.monotonic()
        self.told = set()  # sessions that a DELETE came for, whatever became of it
        self.busy = self.reject = self.leak = self.lose = 0
        self.unavailable = self.hold = False
        self.greeting = self.stops = None
        self.delay = options.first_byte
        self.rate = {"burst": options.burst, "per_minute": options.per_minute, "window": options.window}
        self.compiled = []
        for line in self.routes.splitlines():
            if line.strip():
                verb, pattern, name = line.split()
                self.compiled.append((verb, re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", pattern)), name))

    # Notes

    def write(self, name, entry):
        with self.lock, open(self.directory / name, "a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")

    def note(self, ok, what, **more):
        self.write("audit.jsonl", {"ok": ok, "what": what} | more)

    def look_at(self, call, roles=ROLES):
        """Notes what no client should send, before anything is answered."""
        body = call.json if isinstance(call.json, dict) else {}
        messages = body.get("messages") if isinstance(body.get("messages"), list) else []
        messages = [one for one in messages if isinstance(one, dict)]
        if "id" in {key for one in messages for key in one} and not self.ids_are_good:
            self.note(False, "id in a message", path=call.path)
        for role in {str(one.get("role")) for one in messages} - set(roles):
            self.note(False, "unknown role", role=role, path=call.path)
        for one in messages:
            if one.get("role") == "tool":
                call_id = str(one.get("tool_call_id"))
                self.note(False, "tool report answered", tool_call_id=call_id, known=call_id in self.reported)
        if "/" in str(body.get("project_id", "")):
            self.note(False, "slash in project_id", project_id=body["project_id"])
        per_page = call.query.get("per_page")
        if per_page is not None and not (per_page.isdigit() and 1 <= int(per_page) <= 100):
            self.note(False, "per_page out of range", per_page=per_page)

    def expect_delete(self, session):
        """A client hung up on an answer: the run goes on until it is deleted."""
        def missed():
            with self.lock:
                if self.abandoned.pop(session, None):
                    self.note(False, "no DELETE after a closed stream", session=session)
        with self.lock:
            if session in self.told:
                return
            timer = self.abandoned[session] = threading.Timer(self.options.patience, missed)
            timer.daemon = True
            timer.missed = missed
            timer.start()

    def deleted(self, session):
        with self.lock:
            if timer := self.abandoned.pop(session, None):
                timer.cancel()
                self.note(True, "DELETE after a closed stream", session=session)

    def close(self):
        with self.lock:
            for timer in list(self.abandoned.values()):
                timer.cancel()
                timer.missed()

    # Tests

    def control(self, wishes):
        known = {"busy", "unavailable", "reject", "leak", "lose", "rate", "delay", "hold", "greeting", "stops"}
        if not isinstance(wishes, dict) or not set(wishes) <= known:
            return 400, {"error": f"known: {sorted(known)}"}
        with self.lock:
            for name, value in wishes.items():
                if name == "rate":
                    self.rate = value and {"burst": None, "per_minute": None, "window": None} | value
                    self.limits.clear()
                else:
                    setattr(self, name, value)
            return 200, {"ok": True, "running": [name for name, run in self.processes.items() if run.is_running]}

    def spend(self, name):
        """Whether one of the refusals that a test asked for is due."""
        with self.lock:
            left = getattr(self, name)
            setattr(self, name, max(0, left - 1))
            return left > 0

    # Requests

    def admit(self, call):
        self.look_at(call)

    def find(self, method, path):
        if path == "/" and self.greeting:
            raise Refusal(self.greeting, {"error": {"message": "Come back later.", "type": "busy", "code": "busy"}})
        allowed = []
        for verb, pattern, name in self.compiled:
            if match := pattern.fullmatch(path):
                if verb == method:
                    return functools.partial(getattr(self, name), **match.groupdict())
                allowed.append(verb)
        if allowed:
            raise Refusal(405, {"detail": "Method Not Allowed"}, allow=allowed[0])
        raise self.unknown_route(path)

    def unknown_route(self, path):
        return Refusal(404, {"detail": "Not Found"})

    def invalid(self, details):
        return Refusal(422, {"detail": details})

    def as_frame(self, value):
        return compact(value, ascii_only=True)

    def count(self, call, kind, per_minute, burst=None):
        """Whether a limit allows the request; notes who asks on after a refusal."""
        with self.lock:
            if self.rate is None:
                return True
            if kind not in self.limits:
                if burst is None:  # there is but one limit
                    per_minute = self.rate["burst"] or per_minute
                else:
                    burst = self.rate["burst"] or burst
                self.limits[kind] = Limit(self.rate["per_minute"] or per_minute, burst, self.rate["window"] or 60)
            limit = self.limits[kind]
            if limit.allows():
                return True
            now = time.monotonic()
            if limit.refused_at is not None and now - limit.refused_at > 0.1:  # what was sent together is one
                self.note(False, "asked while rate limited", method=call.command, path=call.path)
            limit.refused_at = limit.refused_at or now
            return False

    # Runs

    def slots_taken(self):
        """The sessions that have a slot."""
        for session, run in list(self.processes.items()):
            if not run.is_running and not run.leaked:
                del self.processes[session]
        return [session for session, run in self.processes.items() if run.has_slot]

    def begin(self, call, line, prompt, system, session=None, tool="Bash"):
        call.more = {"prompt": prompt, "system": system, "session": session, "scene": line.strip().split(" ")[0]}
        run = Run(scene(line, prompt, tool), lambda: self.hold)
        call.log(None)
        return run

    def follow_to_end(self, call, run, session, work):
        """Does the work; knows what a client that hangs up leaves behind."""
        try:
            call.pause(self.delay)
            work()
        except (Gone, ConnectionError):
            if self.is_ended_by_hanging_up:
                run.stop()
            elif session in self.processes and not run.ended and not run.stopped.is_set():
                if (call.started and self.tells_session) or call.json.get("session_id"):
                    self.expect_delete(session)
            run.leave()
            raise Gone from None
        finally:
            if run.served:
                run.leave(self.options.linger)

    def be_stubborn(self, call, session):
        """Answers a DELETE as a test asked for, if it did."""
        if self.stops is None:
            return
        with self.lock:
            self.told.add(session)
            self.deleted(session)
        call.log(None)
        looks = 0
        try:
            while self.stops == "hang":
                call.pause(0.05)
                looks += 1
        except Gone:
            self.note(True, "DELETE given up", session=session, looks=looks)
            raise
        if self.stops == "fail":
            raise Refusal(500, self.internal_error)

    def stop_run(self, session):
        with self.lock:
            if run := self.processes.pop(session, None):
                run.stop()
        self.deleted(session)


def last_line(message):
    return message.rstrip().split("\n")[-1]
