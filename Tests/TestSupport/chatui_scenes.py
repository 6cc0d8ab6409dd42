"""What the models of `chatui_server.py` say, and how one answer is made, stored and watched.

The first word of the user's text chooses the scene, the rest is for the scene; `help` lists them, and a text that
begins with no scene's name is echoed. A scene yields
    str     a token
    dict    an update as it is sent
    bytes   bytes on the wire that no server of this kind would send
    Cut     the end of the connection; the answer goes on without its reader
and may yield the `finalAnswer` itself; where it does not, the answer is the sum of its tokens.
"""

import base64
import copy
import re
import threading
import time
import uuid

from chatui_state import compact, cut_units, now, storable, strip_think, units

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")

HOSTILE = ("red \x1b[31mtext\x1b[0m clear \x1b[2J\x1b[H title \x1b]0;owned\x07 clipboard \x1b]52;c;cm0gLXJmIC8=\x07 "
           "link \x1b]8;;http://evil.example/\x1b\\here\x1b]8;;\x1b\\ c1 \x9b31m\x9d0;owned\x9c "
           "bidi \u202egnp.exe\u202c tags \U000e0068\U000e0069 zero\u200bwidth bell\x07 back\x08space cr\rover "
           "del\x7f end")

STOP_DELAY = 0.3            # a stop is noticed by a poll
MATERIALISE = 0.5           # how often a running answer is written into its conversation

SCENES = {}


class Stopped(Exception):
    """The user stopped the answer."""


class Failed(Exception):
    def __init__(self, message, status=None):
        super().__init__(message)
        self.message, self.status = message, status


class Cut:
    def __init__(self, clean):
        self.clean = clean


# Updates

def status(word, **more):
    return {"type": "status", "status": word, **more}


def final(text, interrupted=False):
    return {"type": "finalAnswer", "text": text, "interrupted": interrupted}


def reasoning(token):
    return {"type": "reasoning", "subtype": "stream", "token": token}


def tool(subtype, identifier, **more):
    return {"type": "tool", "subtype": subtype, "uuid": identifier, **more}


def words_of(text):
    return re.findall(r"\s*\S+\s*$|\s*\S+\s+|\s+", text)


# Scenes

def scene(name, needs_tools=False, title="first"):
    def add(play):
        SCENES[name] = play
        play.needs_tools, play.title = needs_tools, title
        return play
    return add


@scene("help")
def play_help(run, rest):
    """the names of all scenes"""
    for name, play in SCENES.items():
        yield f"* {name}: "
        yield f"{play.__doc__}\n"


@scene("echo")
def play_echo(run, rest):
    """TEXT back, a token a word"""
    yield from words_of(rest or "Nothing to echo.")


@scene("slow", title="early")
def play_slow(run, rest):
    """N ticks (50), five a second"""
    for tick in range(1, int(rest or 50) + 1):
        yield f"tick {tick} "
        run.wait(0.2)


@scene("think", title="late")
def play_think(run, rest):
    """think tags in the tokens, split over tokens"""
    yield from ["<th", "ink>", "Let me ", "think a ", "moment.", "</th", "ink>", "\n\nThe ", "answer ", "is 42."]


@scene("reason")
def play_reason(run, rest):
    """reasoning updates, then text"""
    yield {"type": "reasoning", "subtype": "status", "status": "Thinking hard"}
    yield from map(reasoning, ["First ", "this, ", "then that."])
    yield from ["The ", "answer ", "is 42."]


def call_tool(name, parameters, outputs, progress=True):
    identifier = str(uuid.uuid4())
    call = {"name": name, "parameters": parameters}
    yield tool("call", identifier, call=call, originalId="call_1", argumentsRaw=compact(parameters))
    if progress:
        yield tool("eta", identifier, eta=2)
        yield tool("progress", identifier, progress=1, total=2, message="half way")
    yield tool("result", identifier, result={"status": "success", "call": call, "outputs": outputs, "display": True})


@scene("tools", needs_tools=True)
def play_tools(run, rest):
    """two tool calls, one good with every subtype, one that fails twice; text only at the end"""
    yield from call_tool("weather", {"city": "Bern", "days": 2}, [
        {"text": "sunny", "structured": {"sun": True}, "content": [{"type": "text", "text": "sunny"}]}])
    failing = {"name": "lottery", "parameters": {}}
    identifier = str(uuid.uuid4())
    yield tool("call", identifier, call=failing)
    yield tool("error", identifier, message="no luck today")
    identifier = str(uuid.uuid4())
    yield tool("call", identifier, call=failing, reasoning="Once more.", content="Again.")
    yield tool("result", identifier, result={"status": "error", "call": failing, "message": "no luck again"})
    yield from words_of("It is sunny in Bern.")


@scene("tools-final", needs_tools=True)
def play_tools_final(run, rest):
    """text, a tool, then a final answer that is `new` (default), the `same`, or `begins` with that text"""
    yield from words_of("Let me look.")
    yield from call_tool("weather", {"city": "Bern"}, [{"text": "sunny"}], progress=False)
    yield {"same": final("Let me look."), "begins": final("Let me look. Sunny!")}.get(rest, final("It is sunny."))


@scene("differs")
def play_differs(run, rest):
    """a final answer that is not what was streamed, no tools"""
    yield from words_of("A first draft.")
    yield final("The final text.")


DRAFT = """## Watering tomatos

Tomatoes like it even. Give them about two liters a day, in the evening, and never over the leaves:

1. Put a finger into the soil.
2. Is it dry to the second joint, water them.
3. Is it not, wait a day.

```python
def liters(plants, hot):
    return plants * 2 if hot else plants
```

In pots they need more – a pot dries out within hours. ☀️"""
REVISED = DRAFT.replace("tomatos", "tomatoes").replace("in the evening", "in the morning") \
    .replace("plants * 2 if hot else plants", "plants * (3 if hot else 2)") + "\n\nMulch keeps the soil moist."


@scene("revises")
def play_revises(run, rest):
    """a whole page, and a final answer that has other words in its midst and a line more"""
    yield from words_of(DRAFT)
    yield final(REVISED)


@scene("ask", needs_tools=True)
def play_ask(run, rest):
    """a question in a tool call: a form that waits N seconds (3600), `url`, or `park`, which ends the run"""
    identifier = str(uuid.uuid4())
    call = {"name": "book", "parameters": {}}
    yield tool("call", identifier, call=call)
    asked = run.server.elicitations.open(run, "Weather", "url" if rest == "url" else "form", identifier,
                                         parked=rest == "park", seconds=float(rest) if rest.isdigit() else 3600)
    yield asked.update
    if rest == "park":
        return
    try:
        while asked.action is None and time.time() < asked.expires:
            run.wait(0.05)
    except Stopped:
        run.put(asked.settle("aborted"))
        raise
    yield asked.settle("expired")
    text = f"booked: {compact(asked.content or {})}" if asked.action == "accept" else f"not booked: {asked.action}"
    yield tool("result", identifier, result={"status": "success", "call": call, "outputs": [{"text": text}],
                                             "display": True})
    yield from words_of(f"The tool says {text}")


@scene("resume")
def play_resume(run, rest):
    """(what a parked question's answer goes on with)"""
    asked = run.resumed
    yield asked.settle("user")
    text = f"booked: {compact(asked.content or {})}" if asked.action == "accept" else f"not booked: {asked.action}"
    yield tool("result", asked.tool, result={"status": "success", "call": {"name": "book", "parameters": {}},
                                             "outputs": [{"text": text}], "display": True})
    yield from words_of(f"The tool says {text}")


@scene("image")
def play_image(run, rest):
    """a file update; the file is a PNG of one pixel"""
    yield "Here "
    sha = run.server.store.put_file(run.conversation, PIXEL, "image/png")
    yield {"type": "file", "name": "pixel.png", "sha": sha, "mime": "image/png"}
    yield "it is."


@scene("files")
def play_files(run, rest):
    """what files the user's message has"""
    for file in run.files:
        yield f"{file['name']} {file['mime']} {file['value'][:8]}\n"
    yield f"{len(run.files)} files"


@scene("route")
def play_route(run, rest):
    """router metadata in two pieces"""
    yield {"type": "routerMetadata", "route": "code", "model": "org/real-1", "provider": ""}
    yield "Routed "
    yield {"type": "routerMetadata", "route": "", "model": "", "provider": "groq"}
    yield "well."


@scene("late-title", title="late")
def play_late_title(run, rest):
    """the title, with think tags, after the final answer"""
    run.title_text = "<think>Late</think> but <THINK>here</THINK>"
    yield from words_of("The title is late.")


@scene("early-title", title="early")
def play_early_title(run, rest):
    """the title before everything"""
    yield from words_of("The title was early.")


@scene("no-final")
def play_no_final(run, rest):
    """the stream ends early and well; the answer goes on and is stored"""
    yield from words_of("This goes ")
    yield Cut(clean=True)
    run.wait(0.5)
    yield from words_of("on without you.")


@scene("cut")
def play_cut(run, rest):
    """the connection is dropped; the answer goes on for N seconds (1) and is stored"""
    yield from words_of("This goes ")
    yield Cut(clean=False)
    run.wait(float(rest or 1))
    yield from words_of("on without you.")


ERRORS = {"402": "You have exceeded your monthly included credits. Please upgrade.",
          "401": "The OAuth token has been revoked, please log in again.",
          "429": "Too many requests. Please slow down.", "500": "The endpoint is on fire."}


@scene("error", title="late")
def play_error(run, rest):
    """an error STATUS (none, 402, 401, 429 …), before any text, or after some with `late`"""
    number, _, when = rest.partition(" ")
    if when == "late" or number == "late":
        yield from words_of("It began well ")
    raise Failed(ERRORS.get(number, "Something is wrong."), int(number) if number.isdigit() else None)


@scene("cookie", title="late")
def play_cookie(run, rest):
    """the session cookie of who asks; `cookie error` in an error"""
    words = f"Your cookie is {run.options['cookie']} and you keep it."
    if rest == "error":
        raise Failed(words, 500)
    yield from words_of(words)


@scene("empty", title="late")
def play_empty(run, rest):
    """no output at all"""
    yield from ()


@scene("length")
def play_length(run, rest):
    """an answer that is `interrupted` without anybody having stopped it"""
    yield from words_of("Too long to")
    yield final("Too long to", interrupted=True)


@scene("odd")
def play_odd(run, rest):
    """unknown types and subtypes, blank lines, comments, CRLF, garbage"""
    yield b"\n\n"
    yield b": a comment\n"
    yield "Odd "
    yield {"type": "hologram", "depth": 3}
    yield {"type": "tool", "subtype": "unheard", "uuid": "u", "wish": [1, None]}
    yield {"type": "status", "status": "pondering"}
    yield {"type": "webSearch", "subtype": "update", "message": "Searching", "args": ["a"]}
    yield b"event: update\nid: 7\nretry: 100\n"
    yield b"this is no JSON\n"
    yield b'{"type":"stream","token":"\\u0000\\u0000"}\n'
    yield b'["an","array"]\n'
    yield b'{"type":7}\r\n'
    yield b'  \x00 {"type":"status","status":"keepAlive"} \r\n'
    yield "but "
    yield "fine."


@scene("unicode")
def play_unicode(run, rest):
    """tokens of many bytes, and tokens longer than their padding"""
    yield from ["Zürich ", "日本語 ", "👩‍👩‍👧 ", "🇨🇭", "e\u0301 ", "abcdefghijklmnopqrstuvwxyz ", "🎉🎉🎉🎉🎉🎉🎉🎉🎉"]


@scene("big")
def play_big(run, rest):
    """N KB of text (100), a KB a token"""
    run.pace = 0
    line = "0123456789abcdef" * 63 + "0123456789abcde\n"
    for _ in range(int(rest or 100)):
        yield line


@scene("hostile", title="late")
def play_hostile(run, rest):
    """escape sequences in text, title, names of tools and files, and routes; `hostile error` in an error"""
    run.title_text = HOSTILE
    if rest == "error":
        raise Failed(HOSTILE, 500)
    yield from words_of(HOSTILE)
    yield {"type": "routerMetadata", "route": HOSTILE, "model": HOSTILE, "provider": HOSTILE}
    yield {"type": "reasoning", "subtype": "status", "status": HOSTILE}
    yield reasoning(HOSTILE)
    if run.server.is_current:
        yield from call_tool(HOSTILE, {"city": HOSTILE}, [{"text": HOSTILE}])
    sha = run.server.store.put_file(run.conversation, PIXEL, "image/png")
    yield {"type": "file", "name": "../" + HOSTILE + ".png", "sha": sha, "mime": "image/png"}


class Run:
    """One answer in the making: it goes on whether or not anybody reads it."""

    def __init__(self, server, conversation, message, text, options):
        self.server, self.store = server, server.store
        self.conversation = conversation["_id"]
        self.owner = conversation["owner"]
        self.message = copy.deepcopy(message)
        self.message["updates"] = self.message.get("updates", [])
        self.begin = self.message["content"]
        self.model = server.models.find(conversation["model"])
        self.files = options.get("files", [])
        self.text, self.options, self.resumed = text, options, options.get("resumed")
        self.client_id = options.get("generationId")
        self.id = self.client_id or str(uuid.uuid4())
        if server.is_current:
            self.message["generationId"] = self.id
        self.status, self.pace = "running", server.pace
        self.wire, self.log, self.sealed = [], [], 0
        self.changed = threading.Condition()
        self.is_generating, self.is_over, self.is_detached = True, False, False
        self.stop_time = self.seen = None
        self.tokens = 0
        self.got_final = self.asked = False
        self.materialised = time.monotonic()
        self.title_text = " ".join(re.split(r"\s+", self.first_text(conversation))[:5]) or "New Chat"
        self.wants_title = conversation["title"] == "New Chat"
        self.persist()
        threading.Thread(target=self.play, daemon=True).start()

    @staticmethod
    def first_text(conversation):
        return next((m["content"] for m in conversation["messages"] if m["from"] == "user"), "")

    # What others ask of it

    def stop(self, generation=None, seen=None):
        with self.changed:
            self.stop_time = self.stop_time or time.monotonic() + STOP_DELAY
            if generation is not None:
                self.seen = (generation, seen)
            self.changed.notify_all()

    def detach(self):
        with self.store.lock:
            self.is_detached = True
            self.persist()

    def flush(self):
        """Closes the last event to further tokens; returns the number of the last one."""
        with self.changed:
            self.sealed = len(self.log)
            return self.sealed

    # For scenes

    def wait(self, seconds):
        end = time.monotonic() + seconds
        while True:
            moment = time.monotonic()
            if self.stop_time and moment >= self.stop_time:
                raise Stopped
            if moment >= end:
                return
            if self.server.is_current and moment - self.materialised >= MATERIALISE:
                self.persist()
            with self.changed:
                self.changed.wait(min(end - moment, 0.05))

    # The course of an answer

    def play(self):
        failed = stopped = False
        try:
            name, play, rest = self.choose()
            if self.wants_title and play.title == "early":
                self.put_title()
            self.put(status("started"))
            if self.model["isRouter"] and name != "route":
                self.put({"type": "routerMetadata", "route": "casual", "model": "org/m-1", "provider": "together"})
            for item in play(self, rest):
                self.take(item)
                if self.wants_title and play.title == "first" and self.tokens:
                    self.put_title()
            if not self.got_final and not self.asked and self.message["content"] != self.begin:
                self.put(final(self.message["content"][len(self.begin):]))
            if self.wants_title:
                self.put_title()
        except Stopped:
            stopped = True
            self.interrupt()
        except Failed as error:
            failed = True
            self.put(status("error", message=error.message, **({"statusCode": error.status} if error.status else {})))
        except Exception as error:  # a fault of a scene is the test's to see
            failed = True
            self.put(status("error", message=f"The scene failed: {error!r}"))
        if not failed and not stopped and not self.asked and self.message["content"] == self.begin:
            failed = True
            self.put(status("error", message="No output was generated. Something went wrong."))
        with self.changed:
            self.is_generating = False
        if not failed and self.server.is_current:
            self.put(status("finished"))
        self.status = "error" if failed else "interrupted" if stopped else "completed"
        self.persist()
        with self.changed:
            self.is_over = True
            self.changed.notify_all()

    def choose(self):
        if self.resumed:
            return "resume", SCENES["resume"], ""
        name, _, rest = self.text.partition(" ")
        play = SCENES.get(name)
        if play is None or name == "resume":
            return "echo", SCENES["echo"], self.text
        if play.needs_tools and not self.server.is_current:
            return "echo", SCENES["echo"], "This server has no tools."
        if play.needs_tools and self.options.get("selectedMcpServerNames") == [] \
                and not self.options.get("selectedMcpServers"):
            return "echo", SCENES["echo"], "No tools were selected."
        return name, play, rest.strip()

    def take(self, item):
        if isinstance(item, str):
            while self.server.controls["hold"] and self.tokens:
                self.wait(0.05)
            self.wait(self.pace)
            self.put({"type": "stream", "token": item})
            self.tokens += 1
            if self.server.controls["drop_next_stream"]:
                self.server.controls["drop_next_stream"] = False
                self.send(Cut(clean=False))
        elif isinstance(item, dict):
            self.wait(0)
            self.put(item)
        else:
            self.send(item)

    def interrupt(self):
        if self.got_final:
            return
        text = self.message["content"]
        if self.server.is_current and self.seen and self.client_id and self.seen[0] == self.client_id:
            text = cut_units(text, max(units(self.begin), min(units(text), self.seen[1])))
        self.message["content"] = text
        self.put(final(text[len(self.begin):], interrupted=True))

    def put_title(self):
        self.wants_title = False
        self.put({"type": "title", "title": self.title_text})

    def put(self, update):
        kind, message = update["type"], self.message
        with self.store.lock:
            if kind == "stream":
                message["content"] += update["token"]
            elif kind == "reasoning" and update["subtype"] == "stream" and self.server.is_current:
                message["reasoning"] = message.get("reasoning", "") + update["token"]
            elif kind == "title":
                self.store.change(self.conversation, title=strip_think(update["title"]), updatedAt=now())
            elif kind == "finalAnswer":
                self.finish(update)
            elif kind == "file":
                message.setdefault("files", []).append(
                    {"type": "hash", "name": update["name"], "value": update["sha"], "mime": update["mime"]})
            elif kind == "routerMetadata":
                self.route(update)
            elif kind == "elicitation" and update["subtype"] == "request":
                self.asked = update.get("expiresAt") is None
            message["updates"].append(update)
            message["updatedAt"] = now()
        with self.changed:
            self.record(update)
        self.send(update)
        if not self.server.is_current and self.is_detached:
            self.persist()

    def finish(self, update):
        self.got_final = True
        message, text = self.message, update["text"]
        message["interrupted"] = update["interrupted"]
        streamed = message["content"][len(self.begin):]
        if streamed and self.server.is_current and any(one["type"] == "tool" for one in message["updates"]):
            if text and streamed.endswith(text):
                text = streamed
            elif not (text and text.startswith(streamed)):
                gap = "" if streamed.endswith("\n\n") or text.startswith("\n") else "\n\n"
                text = streamed + gap + text
        message["content"] = self.begin + text

    def route(self, update):
        before = self.message.get("routerMetadata", {})
        if self.model["isRouter"]:
            named = {key: update.get(key) or before.get(key) or "" for key in ("route", "model")}
        elif update.get("provider"):
            named = {key: before.get(key) or "" for key in ("route", "model")}
        else:
            return
        provider = update.get("provider") or before.get("provider")
        self.message["routerMetadata"] = {**named, **({"provider": provider} if provider else {})}

    def record(self, update):
        """The numbered events for those who come back; tokens in a row are one event until it is sealed."""
        last = self.log[-1] if len(self.log) > self.sealed else None
        if last and "token" in update and "token" in last and last["type"] == update["type"]:
            self.log[-1] = {**last, "token": last["token"] + update["token"]}
        else:
            self.log.append(update)

    def send(self, item):
        with self.changed:
            self.wire.append(item)
            self.changed.notify_all()

    def persist(self):
        with self.store.lock:
            if self.server.is_current:
                self.message["materializedSeq"] = self.flush()
            self.materialised = time.monotonic()
            stored = copy.deepcopy(self.message)
            stored["content"] = storable(stored["content"])
            stored["updates"] = [self.stored_update(update) for update in stored["updates"]
                                 if update["type"] != "stream" or self.server.is_current]
            self.store.put_message(self.conversation, stored)

    @staticmethod
    def stored_update(update):
        return {"type": "stream", "token": "", "len": units(update["token"])} if update["type"] == "stream" else update


class Framing:
    """How updates look on the wire of a message."""

    def __init__(self, form):
        self.is_seed = form == "seed"
        self.content_type = "text/event-stream" if self.is_seed else "application/jsonl"
        self.lines = 0

    def writes(self, item):
        """The pieces of bytes of an item, each its own write."""
        if isinstance(item, bytes):
            return [item]
        if self.is_seed:
            return self.pieces(f"data: {compact(item)}\n\n".encode())
        if item["type"] == "stream":
            item = {**item, "token": item["token"] + "\0" * (16 - units(item["token"]))}
        pieces = self.pieces(compact(item).encode() + b"\n")
        return pieces + [b" " * 4096] if item["type"] == "finalAnswer" else pieces

    def pieces(self, line):
        """Whole, or cut in the middle: of a character where there is one of several bytes."""
        self.lines += 1
        wide = next((place for place, byte in enumerate(line) if byte >= 0xC0), None)
        if wide is not None:
            return [line[:wide + 1], line[wide + 1:]]
        if self.lines % 3 == 0 and len(line) < 4096:
            return [line[:len(line) // 2], line[len(line) // 2:]]
        return [line]
