#!/usr/bin/env python3
"""A scripted HTTP server for tests: an OpenAI-compatible API that misbehaves on request.

    python3 scripted_server.py [--port 0] [--log FILE] [--certificate PEM --key PEM]

It prints `ready http://127.0.0.1:PORT` and serves until SIGTERM or, when its standard input is a pipe, until that
pipe closes. The first path segment chooses the scene:

    http://127.0.0.1:PORT/SCENE/v1          an API base: GET {base}/models, POST {base}/chat/completions
    http://127.0.0.1:PORT/SCENE/KEY/v1      the same with a word of the test's own: a counter's name, a number
    GET /_seen/KEY                          answers once a request with that KEY has come
    GET /_nod/KEY                           lets a scene with that KEY go on that waits for a nod
    GET /_gone/KEY                          answers once a client has hung up in the middle of a scene with that KEY

GET models answers with one model, `scripted`, except where the table says "all" (the scene plays for models too).
Any answer-only scene plays for models too when its name has the prefix `models-`, such as `models-silent`.
It is also an HTTP proxy that answers every host itself and refuses CONNECT with 407.
With --log each request is appended as a JSON line: method, path, headers (names in lower case), body (text), and
connection, a number that requests on one connection share.

    scene            plays for  what happens
    ok               answer     "Hello from the scripted server." in words; first chunk null, usage, [DONE]
    echo             answer     the request's messages and parameters as JSON text
    slow             answer     a word each 0.2 s, 50 words
    nod              answer     five words, and 45 more after GET /_nod/KEY
    nod-start        answer     nothing before GET /_nod/KEY, then as ok
    slow-start       answer     1 s of silence, then as ok (KEY: seconds)
    comments         answer     ten comments, one each 0.1 s, then as ok
    close            answer     as ok without length or chunks: the end of the connection ends the body
    reasoning        answer     delta.reasoning_content, then text
    reasoning2       answer     delta.reasoning, then text
    think            answer     <think> tags cut over chunks, then text
    refusal          answer     delta.refusal
    says             answer     KEY, percent-encoded
    markdown         answer     headings, a list, a table and a code block
    mixed            answer     30 kB of Markdown of all kinds, KEY characters (7) in a chunk
    mixed-large      answer     KEY megabytes (1) of such Markdown at full speed, 4,000 characters in a chunk
    mixed-paced      answer     the same in pieces of 7, with a moment after each 100 characters
    mixed-nod        answer     the first half of it, and the other after GET /_nod/KEY
    no-usage         answer     as ok without the usage chunk
    no-done          answer     finish_reason stop, no [DONE]
    length           answer     three words, finish_reason length
    filter           answer     three words, finish_reason content_filter
    drop             answer     three words, then the socket is closed inside the chunked body
    drop-clean       answer     three words, the chunked body ends well, no finish_reason, no [DONE]
    reset            answer     three words, then a TCP reset
    drop-headers     answer     the socket is closed before any byte
    short            answer     Content-Length 100, ten bytes, then the socket is closed
    stall            answer     three words, then silence on an open connection
    silent           answer     the request is read and never answered
    hang-headers     answer     a status line and one header, then silence
    error-in-stream  answer     200, three words, then data: {"error": ...}
    event-error      answer     200, three words, then event: error
    json             answer     one JSON object though a stream was asked for
    no-stream        answer     400 that names stream when stream is true, good otherwise
    no-options       answer     400 that names stream_options when present, good otherwise
    max-tokens       answer     400 that asks for max_completion_tokens when max_tokens is present, good otherwise
    context          answer     400 exceed_context_size_error, n_prompt_tokens 9000, n_ctx 8192
    404-model        answer     404 model_not_found
    429              answer     Retry-After: 2 for the first two requests of a KEY, then as ok
    429-now          answer     the same with Retry-After: 0
    429-forever      answer     Retry-After: 30, always
    503-loading      answer     llama.cpp's "Loading model" for the first two requests of a KEY, then as ok
    500              answer     JSON error
    empty            answer     200, no body
    garbage          answer     unparsable data lines among good ones
    garbage-forever  answer     nothing but unparsable data lines
    long-line        answer     one line of 3 MiB
    hostile          all        escape sequences, C1, bidi and Tags characters in the text and the model's id
    hostile-cases    answer     2,500 texts that want to take over a terminal, of the seed KEY (1)
    hostile-names    all        300 models with such names
    hostile-error    answer     400 whose message is hostile
    bad-utf8         answer     bytes that are not UTF-8 inside a good chunk
    crlf             answer     a BOM, CRLF line ends, comments, event:, id: and retry: fields
    split            answer     every byte its own write, text of several bytes a character
    many             answer     KEY one-word chunks (100000) at full speed, each its own HTTP chunk
    long             answer     KEY megabytes (1) of words at full speed, 10,000 bytes in a chunk
    blob             all        KEY bytes (1 MiB) of application/octet-stream with a Content-Length
    gzip             all        models and a plain answer, compressed
    bad-gzip         all        says gzip and is not
    bomb             all        1 MB of gzip that unpacks to 1 GiB
    informational    all        100 and 103 before the real status
    big-headers      all        300 KiB of headers
    long-header      all        one header of 150 KiB
    not-http         all        a line that is no HTTP
    401, 403         all        JSON error
    repeats          all        the Authorization header in what KEY says: 400, html, text, json, location
    repeats-answer   answer     the same, and in an error or the model's name of a stream: error, model
    needs-key        all        401 unless Authorization: Bearer secret-key
    html             all        200 text/html, a login page with a title
    html-502         all        the same as 502 Bad Gateway
    redirect         all        302 to the scene ok
    redirect-other   all        302 to the scene ok at another host name (localhost)
    tools            answer     calls what the question names, see below, then "The tools said: …"; in OpenAI's way
    tools-text       answer     the same with <tool_call> blocks in the text
    tools-refused    answer     400 that names tools when there are some, then as tools-text
    tools-endless    answer     always the call that the question names
    models-many      models     10,000 models
    models-none      models     no models
    models-ollama    models     Ollama's shape: {"models": [...]}
    models-blind     models     a model that is said to take no images
    models-small     models     a model that reads 100 tokens
    refuses-images   answer     500 that says so when a message has an image, good otherwise

A question such as `add {"a": 2, "b": 3}` is a call; ` and ` joins calls that come together, ` then ` those that each wait
for the result of the one before. A tool is found by its own name, whatever was put before it.
"""

import argparse
import contextlib
import itertools
import json
import os
import select
import signal
import socket
import ssl
import stat
import struct
import sys
import threading
import time
import urllib.parse
import zlib

import hostile_texts
import mixed_markdown

REASONS = {200: "OK", 302: "Found", 400: "Bad Request", 401: "Unauthorized", 403: "Forbidden", 404: "Not Found",
           407: "Proxy Authentication Required",
           429: "Too Many Requests", 500: "Internal Server Error", 502: "Bad Gateway", 503: "Service Unavailable",
           504: "Gateway Timeout"}

HELLO = ["Hello ", "from ", "the ", "scripted ", "server."]

HOSTILE = ("red \x1b[31mtext\x1b[0m clear \x1b[2J\x1b[H title \x1b]0;owned\x07 clipboard \x1b]52;c;cm0gLXJmIC8=\x07 "
           "link \x1b]8;;http://evil.example/\x1b\\here\x1b]8;;\x1b\\ c1 \x9b31m\x9d0;owned\x9c "
           "bidi \u202egnp.exe\u202c tags \U000e0068\U000e0069 zero\u200bwidth bell\x07 back\x08space cr\rover del\x7f end")

LOGIN_PAGE = (b"<!DOCTYPE html><html><head><title>Sign in</title></head>"
              b"<body><form action=/login><input name=user></form></body></html>")

MARKDOWN = ("# A heading\n\nSome *emphasis*, **strength** and `code`.\n\n* one\n* two\n\n"
            "| name | value |\n|---|---|\n| a | 1 |\n\n```swift\nlet x = 1\n```\n\nThe end.")


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Gone(Exception):
    """The client hung up."""


class Shared:
    """What connections have in common, behind one condition."""

    def __init__(self, log):
        self.changed = threading.Condition()
        self.log_file = open(log, "a", encoding="utf-8") if log else None
        self.counts = {}
        self.seen = set()
        self.gone = set()
        self.nods = set()
        self.bomb = None

    def log(self, request, connection):
        line = json.dumps({"method": request.method, "path": request.path, "headers": request.headers,
                           "body": request.body.decode("utf-8", "replace"), "connection": connection})
        with self.changed:
            if self.log_file is not None:
                self.log_file.write(line + "\n")
                self.log_file.flush()
            if not request.scene.startswith("_"):
                self.seen.add(request.key)
                self.changed.notify_all()

    def count(self, name):
        """How often this was called with the name before."""
        with self.changed:
            seen = self.counts.get(name, 0)
            self.counts[name] = seen + 1
            return seen

    def note_gone(self, key):
        with self.changed:
            self.gone.add(key)
            self.changed.notify_all()

    def nod(self, key):
        with self.changed:
            self.nods.add(key)

    def wait_for(self, keys, key):
        with self.changed:
            return self.changed.wait_for(lambda: key in keys, 60)

    def gzip_bomb(self):
        """1 MB that unpacks to 1 GiB: one flushed deflate block, repeated."""
        with self.changed:
            if self.bomb is None:
                def block(data):
                    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
                    return packer.compress(data) + packer.flush(zlib.Z_FULL_FLUSH)
                head, filler, tail = b'{"object":"list","data":[],"padding":"', b"0" * (1 << 20), b'"}'
                check = zlib.crc32(head)
                for _ in range(1024):
                    check = zlib.crc32(filler, check)
                check = zlib.crc32(tail, check)
                size = len(head) + 1024 * len(filler) + len(tail)
                self.bomb = (b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff" + block(head) + block(filler) * 1024
                             + block(tail) + b"\x03\x00" + struct.pack("<II", check, size & 0xffffffff))
            return self.bomb


class Request:
    def __init__(self, method, path, headers, body):
        self.method, self.path, self.headers, self.body = method, path, headers, body
        if "://" in path:  # as a proxy is asked
            path = "/" + path.split("://", 1)[1].partition("/")[2]
        parts = [part for part in path.split("?")[0].split("/") if part]
        self.scene = parts[0] if parts else ""
        split = parts.index("v1") if "v1" in parts[1:] else len(parts)
        self.key = "/".join(parts[1:split])
        self.resource = "/".join(parts[split + 1:])
        try:
            self.json = json.loads(body) if body else {}
        except ValueError:
            self.json = None

    @property
    def streams(self):
        return isinstance(self.json, dict) and self.json.get("stream") is True

    @property
    def model(self):
        return (isinstance(self.json, dict) and self.json.get("model")) or "scripted"


class Connection:
    def __init__(self, sock, shared, port, number):
        self.sock, self.shared, self.port, self.number = sock, shared, port, number
        self.buffer = b""
        self.keep = True

    # Reading

    def more(self):
        data = self.sock.recv(65536)
        if not data:
            raise Gone
        self.buffer += data

    def line(self):
        while b"\n" not in self.buffer:
            if len(self.buffer) > 1 << 20:
                raise Gone
            self.more()
        line, self.buffer = self.buffer.split(b"\n", 1)
        return line.rstrip(b"\r")

    def exactly(self, count):
        while len(self.buffer) < count:
            self.more()
        data, self.buffer = self.buffer[:count], self.buffer[count:]
        return data

    def request(self):
        if not self.buffer:
            self.more()
        if self.buffer[0] == 0x16:  # a TLS handshake: answered as most servers do
            self.keep = False
            self.reply(400, b"this port speaks http", kind="text/plain")
            raise Gone
        words = self.line().decode("latin-1").split(" ")
        if len(words) != 3:
            raise Gone
        headers = {}
        while True:
            line = self.line().decode("utf-8", "replace")
            if not line:
                break
            name, _, value = line.partition(":")
            headers[name.strip().lower()] = value.strip()
        if headers.get("expect", "").lower() == "100-continue":
            self.send(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = b""
        if headers.get("transfer-encoding", "").lower() == "chunked":
            while True:
                size = int(self.line().split(b";")[0], 16)
                body += self.exactly(size)
                self.line()
                if size == 0:
                    break
        elif "content-length" in headers:
            body = self.exactly(int(headers["content-length"]))
        if headers.get("connection", "").lower() == "close":
            self.keep = False
        return Request(words[0], words[1], headers, body)

    # Writing

    def send(self, data):
        try:
            self.sock.sendall(data)
        except OSError:
            raise Gone

    def head(self, status, headers):
        lines = ["HTTP/1.1 %d %s" % (status, REASONS.get(status, "Unknown"))]
        lines += ["%s: %s" % pair for pair in headers]
        self.send(("\r\n".join(lines) + "\r\n\r\n").encode("utf-8"))

    def reply(self, status, body, kind="application/json", extra=()):
        if not isinstance(body, bytes):
            body = compact(body).encode("utf-8")
        self.head(status, [("Content-Type", kind), ("Content-Length", len(body))] + list(extra))
        self.send(body)

    def error(self, status, message, extra=(), **fields):
        self.reply(status, {"error": dict({"message": message, "type": "invalid_request_error", "param": None,
                                           "code": None}, **fields)}, extra=extra)

    def start_stream(self):
        self.head(200, [("Content-Type", "text/event-stream"), ("Cache-Control", "no-cache"),
                        ("Transfer-Encoding", "chunked")])

    def chunk(self, data):
        self.send(b"%x\r\n%s\r\n" % (len(data), data))

    def end_stream(self):
        self.send(b"0\r\n\r\n")

    def event(self, value):
        data = value if isinstance(value, str) else compact(value)
        self.chunk(("data: %s\n\n" % data).encode("utf-8", "surrogateescape"))

    # Waiting

    def pause(self, seconds):
        """Waits; Gone as soon as the client hangs up."""
        deadline = time.monotonic() + seconds
        while True:
            left = deadline - time.monotonic()
            if left <= 0:
                return
            if self.buffer:  # a pipelined request: nothing can be learnt from the socket
                time.sleep(min(left, 0.05))
                continue
            if select.select([self.sock], [], [], left)[0]:
                self.more()

    def wait_for_hangup(self):
        self.pause(3600)
        raise Gone

    def reset(self):
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        raise Gone

    def serve(self):
        request = None
        try:
            while self.keep:
                request = None
                request = self.request()
                self.shared.log(request, self.number)
                route(self, request)
        except (Gone, OSError, ValueError):
            if request is not None and request.key:
                self.shared.note_gone(request.key)
        finally:
            self.sock.close()


def delta(request, content=None, finish=None, **fields):
    part = dict(fields)
    if content is not None:
        part["content"] = content
    return {"id": "chatcmpl-scripted", "object": "chat.completion.chunk", "created": 1700000000,
            "model": request.model, "choices": [{"index": 0, "delta": part, "finish_reason": finish}]}


def usage(words):
    return {"prompt_tokens": 7, "completion_tokens": words, "total_tokens": 7 + words}


def usage_chunk(request, words):
    return {"id": "chatcmpl-scripted", "object": "chat.completion.chunk", "created": 1700000000,
            "model": request.model, "choices": [], "usage": usage(words)}


def completion(request, text, finish="stop", **fields):
    return {"id": "chatcmpl-scripted", "object": "chat.completion", "created": 1700000000, "model": request.model,
            "choices": [{"index": 0, "message": dict({"role": "assistant", "content": text}, **fields),
                         "finish_reason": finish}],
            "usage": usage(len(text.split()))}


def begin(connection, request):
    connection.start_stream()
    connection.event({"id": "chatcmpl-scripted", "object": "chat.completion.chunk", "created": 1700000000,
                      "model": request.model,
                      "choices": [{"index": 0, "delta": {"role": "assistant", "content": None},
                                   "finish_reason": None}]})


def answer(connection, request, pieces, finish="stop", counts=True, done=True, between=0.0):
    """A good answer, streamed or whole as the request asks. A piece is text or the fields of a delta."""
    if not request.streams:
        text = "".join(piece for piece in pieces if isinstance(piece, str))
        fields = {}
        for piece in pieces:
            for name, value in (piece.items() if isinstance(piece, dict) else ()):
                fields[name] = fields.get(name, "") + value
        connection.reply(200, completion(request, text, finish, **fields))
        return
    begin(connection, request)
    for index, piece in enumerate(pieces):
        if between and index:
            connection.pause(between)
        connection.event(delta(request, piece) if isinstance(piece, str) else delta(request, **piece))
    connection.event(delta(request, finish=finish))
    if counts:
        connection.event(usage_chunk(request, len(pieces)))
    if done:
        connection.event("[DONE]")
    connection.end_stream()


def three_words(connection, request):
    begin(connection, request)
    for piece in ["One ", "two ", "three"]:
        connection.event(delta(request, piece))


# Scenes of an answer

SCENES = {}


def scene(*names):
    def register(function):
        for name in names:
            SCENES[name] = function
        return function
    return register


@scene("ok")
def ok(connection, request):
    answer(connection, request, HELLO)


@scene("echo")
def echo(connection, request):
    body = request.json if isinstance(request.json, dict) else {}
    names = ["messages", "model", "temperature", "top_p", "max_tokens", "max_completion_tokens", "seed", "stop",
             "stream", "stream_options"]
    text = json.dumps({name: body[name] for name in names if name in body}, ensure_ascii=False)
    answer(connection, request, [text[at:at + 16] for at in range(0, len(text), 16)])


@scene("repeat")
def repeat(connection, request):
    """The last message, word by word as it was."""
    text = request.json["messages"][-1]["content"]
    if isinstance(text, list):
        text = "".join(part.get("text", "") for part in text)
    answer(connection, request, [text[at:at + 16] for at in range(0, len(text), 16)])


@scene("slow")
def slow(connection, request):
    answer(connection, request, ["word%d " % index for index in range(1, 51)], between=0.2)


@scene("nod")
def nod(connection, request):
    begin(connection, request)
    for index in range(1, 51):
        if index == 6:
            while request.key not in connection.shared.nods:
                connection.pause(0.05)
        connection.event(delta(request, "word%d " % index))
    connection.event(delta(request, finish="stop"))
    connection.event("[DONE]")
    connection.end_stream()


@scene("nod-start")
def nod_start(connection, request):
    while request.key not in connection.shared.nods:
        connection.pause(0.05)
    ok(connection, request)


@scene("slow-start")
def slow_start(connection, request):
    connection.pause(float(request.key or 1))
    ok(connection, request)


@scene("comments")
def comments(connection, request):
    connection.start_stream()
    for _ in range(10):
        connection.chunk(b": keep-alive\n\n")
        connection.pause(0.1)
    for piece in HELLO:
        connection.event(delta(request, piece))
    connection.event(delta(request, finish="stop"))
    connection.event("[DONE]")
    connection.end_stream()


@scene("close")
def close(connection, request):
    connection.keep = False
    connection.head(200, [("Content-Type", "text/event-stream"), ("Connection", "close")])
    values = [compact(delta(request, piece)) for piece in HELLO]
    for value in values + [compact(delta(request, finish="stop")), "[DONE]"]:
        connection.send(("data: %s\n\n" % value).encode("utf-8"))


@scene("reasoning", "reasoning2")
def reasoning(connection, request):
    field = "reasoning_content" if "reasoning2" not in request.scene else "reasoning"
    answer(connection, request, [{field: "Let me "}, {field: "think."}] + HELLO)


@scene("think")
def think(connection, request):
    answer(connection, request, ["<th", "ink>", "Let me ", "think.</thi", "nk>\n\n"] + HELLO)


@scene("refusal")
def refusal(connection, request):
    answer(connection, request, [{"refusal": "I cannot "}, {"refusal": "help with that."}])


@scene("says")
def says(connection, request):
    answer(connection, request, [urllib.parse.unquote(request.key)])


@scene("markdown")
def markdown(connection, request):
    answer(connection, request, [MARKDOWN[at:at + 7] for at in range(0, len(MARKDOWN), 7)])


@scene("cut")
def cut(connection, request):
    """An answer that ends within code; asked to go on, it does."""
    goes_on = request.json["messages"][-1]["role"] == "assistant"
    answer(connection, request, ["rn *1*\n```\n\nSo *be* it."] if goes_on else ["So:\n\n```python\ndef f():\n    retu"],
           finish="stop" if goes_on else "length")


@scene("mixed")
def mixed(connection, request):
    text, size = mixed_markdown.mixed(30_000), int(request.key or 7)
    answer(connection, request, [text[at:at + size] for at in range(0, len(text), size)])


@scene("mixed-large")
def mixed_large(connection, request):
    text = mixed_markdown.mixed(1_000_000)
    begin(connection, request)
    for _ in range(int(request.key or 1)):
        for at in range(0, len(text), 4000):
            connection.event(delta(request, text[at:at + 4000]))
    connection.event(delta(request, finish="stop"))
    connection.event("[DONE]")
    connection.end_stream()


@scene("mixed-paced")
def mixed_paced(connection, request):
    text = mixed_markdown.mixed(30_000)
    begin(connection, request)
    for at in range(0, len(text), 7):
        connection.event(delta(request, text[at:at + 7]))
        if at % 98 == 0:
            connection.pause(0.004)
    connection.event(delta(request, finish="stop"))
    connection.event("[DONE]")
    connection.end_stream()


@scene("mixed-nod")
def mixed_nod(connection, request):
    text = mixed_markdown.mixed(30_000)
    begin(connection, request)
    for at in range(0, len(text), 7):
        while at > len(text) // 2 and request.key not in connection.shared.nods:
            connection.pause(0.05)
        connection.event(delta(request, text[at:at + 7]))
    connection.event(delta(request, finish="stop"))
    connection.event("[DONE]")
    connection.end_stream()


@scene("no-usage")
def no_usage(connection, request):
    answer(connection, request, HELLO, counts=False)


@scene("no-done")
def no_done(connection, request):
    answer(connection, request, HELLO, done=False)


@scene("length")
def length(connection, request):
    answer(connection, request, ["One ", "two ", "three"], finish="length")


@scene("filter")
def content_filter(connection, request):
    answer(connection, request, ["One ", "two ", "three"], finish="content_filter")


@scene("drop")
def drop(connection, request):
    three_words(connection, request)
    connection.keep = False


@scene("drop-clean")
def drop_clean(connection, request):
    three_words(connection, request)
    connection.end_stream()


@scene("reset")
def reset(connection, request):
    three_words(connection, request)
    connection.pause(0.2)  # a reset overtakes bytes that the client has not read
    connection.reset()


@scene("drop-headers")
def drop_headers(connection, request):
    connection.keep = False


@scene("short")
def short(connection, request):
    connection.keep = False
    connection.head(200, [("Content-Type", "text/plain"), ("Content-Length", 100)])
    connection.send(b"0123456789")


@scene("stall")
def stall(connection, request):
    three_words(connection, request)
    connection.wait_for_hangup()


@scene("silent")
def silent(connection, request):
    connection.wait_for_hangup()


@scene("hang-headers")
def hang_headers(connection, request):
    connection.send(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n")
    connection.wait_for_hangup()


@scene("error-in-stream")
def error_in_stream(connection, request):
    three_words(connection, request)
    connection.event({"error": {"message": "the model ran out of memory", "type": "server_error", "code": 500}})
    connection.end_stream()


@scene("event-error")
def event_error(connection, request):
    three_words(connection, request)
    connection.chunk(b'event: error\ndata: {"message": "the model ran out of memory"}\n\n')
    connection.end_stream()


@scene("json")
def plain_json(connection, request):
    connection.reply(200, completion(request, "".join(HELLO)))


@scene("no-stream")
def no_stream(connection, request):
    if request.streams:
        connection.error(400, "'stream' is not supported by this server", param="stream")
    else:
        ok(connection, request)


@scene("no-options")
def no_options(connection, request):
    if isinstance(request.json, dict) and "stream_options" in request.json:
        connection.error(400, "Unrecognized request argument supplied: stream_options", param="stream_options")
    else:
        answer(connection, request, HELLO, counts=False)


@scene("max-tokens")
def max_tokens(connection, request):
    if isinstance(request.json, dict) and "max_tokens" in request.json:
        connection.error(400, "Unsupported parameter: 'max_tokens' is not supported with this model. "
                              "Use 'max_completion_tokens' instead.",
                         param="max_tokens", code="unsupported_parameter")
    else:
        ok(connection, request)


@scene("context")
def context(connection, request):
    connection.reply(400, {"error": {
        "code": 400, "message": "the request exceeds the available context size, try increasing it",
        "type": "exceed_context_size_error", "n_prompt_tokens": 9000, "n_ctx": 8192}})


@scene("404-model")
def no_model(connection, request):
    connection.error(404, "The model `%s` does not exist" % request.model, code="model_not_found")


@scene("429", "429-now")
def rate_limited(connection, request):
    if connection.shared.count("429/" + request.key) < 2:
        seconds = 0 if request.scene.endswith("-now") else 2
        connection.error(429, "Rate limit reached", extra=[("Retry-After", seconds)], type="rate_limit_error",
                         code="rate_limit_exceeded")
    else:
        ok(connection, request)


@scene("429-forever")
def rate_limited_forever(connection, request):
    connection.error(429, "Rate limit reached", extra=[("Retry-After", 30)], type="rate_limit_error",
                     code="rate_limit_exceeded")


@scene("503-loading")
def loading(connection, request):
    if connection.shared.count("503/" + request.key) < 2:
        connection.reply(503, {"error": {"message": "Loading model", "type": "unavailable_error", "code": 503}})
    else:
        ok(connection, request)


@scene("500")
def server_error(connection, request):
    connection.error(500, "the scripted server failed", type="server_error", code=500)


@scene("empty")
def empty(connection, request):
    connection.head(200, [("Content-Type", "text/event-stream"), ("Content-Length", 0)])


@scene("garbage")
def garbage(connection, request):
    begin(connection, request)
    for piece in HELLO:
        connection.event("{not json")
        connection.event(delta(request, piece))
    connection.event('{"choices": 5}')
    connection.event(delta(request, finish="stop"))
    connection.event("[DONE]")
    connection.end_stream()


@scene("garbage-forever")
def garbage_forever(connection, request):
    connection.start_stream()
    while True:
        connection.event("{not json")
        connection.pause(0.01)


@scene("long-line")
def long_line(connection, request):
    answer(connection, request, ["x" * (3 << 20)])


@scene("hostile-cases")
def hostile_cases(connection, request):
    texts = hostile_texts.cases(2500, int(request.key or 1))
    answer(connection, request, [f"case {number}: {text}\n\n" for number, text in enumerate(texts)] + ["unharmed"])


@scene("hostile-names")
def hostile_names(connection, request):
    if request.method == "GET":
        models(connection, [f"m{number} {text}" for number, text in enumerate(hostile_texts.cases(300))])
    else:
        answer(connection, request, HELLO)


@scene("hostile-error")
def hostile_error(connection, request):
    connection.error(400, HOSTILE)


@scene("bad-utf8")
def bad_utf8(connection, request):
    answer(connection, request, ["Hello \udc9b\udcff from ", "here."] if request.streams else HELLO)


@scene("crlf")
def crlf(connection, request):
    connection.start_stream()
    connection.chunk(b"\xef\xbb\xbf: welcome\r\n\r\nretry: 3000\r\n\r\n")
    values = [compact(delta(request, piece)) for piece in HELLO]
    values += [compact(delta(request, finish="stop")), compact(usage_chunk(request, 5)), "[DONE]"]
    for index, value in enumerate(values):
        text = ": comment\r\nevent: message\r\nid: %d\r\ndata: %s\r\n\r\n" % (index, value)
        data = text.encode("utf-8")
        connection.chunk(data[:-3])  # the cut falls between CR and LF
        connection.chunk(data[-3:])
    connection.end_stream()


@scene("split")
def split(connection, request):
    connection.start_stream()
    pieces = ["Grüße ", "— 你好 ", "👋🏽 ", "fin."]
    values = [delta(request, piece) for piece in pieces] + [delta(request, finish="stop")]
    lines = [compact(value) for value in values] + ["[DONE]"]
    for byte in "".join("data: %s\n\n" % line for line in lines).encode("utf-8"):
        connection.chunk(bytes([byte]))
    connection.end_stream()


@scene("many")
def many(connection, request):
    count = int(request.key or 100000)
    begin(connection, request)
    words = []
    for index in range(100):
        data = ("data: %s\n\n" % compact(delta(request, "word%d " % index))).encode("utf-8")
        words.append(b"%x\r\n%s\r\n" % (len(data), data))
    batches = [b"".join(words[at:at + 25]) for at in range(0, 100, 25)]
    for index in range(count // 25):
        connection.send(batches[index % 4])
    connection.send(b"".join(words[:count % 25]))
    connection.event(delta(request, finish="stop"))
    connection.event(usage_chunk(request, count))
    connection.event("[DONE]")
    connection.end_stream()


@scene("long")
def long(connection, request):
    begin(connection, request)
    for thousand in range(100 * int(request.key or 1)):
        words = "".join("word-%04d " % (7919 * (1000 * thousand + word) % 5000) for word in range(1000))
        connection.event(delta(request, words))
    connection.event(delta(request, finish="stop"))
    connection.event("[DONE]")
    connection.end_stream()


# Scenes with tools

def content_of(message):
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content if isinstance(part, dict))
    return content or ""


def blocks(tag, text):
    """What is between <tag> and </tag>."""
    return [part.split("</%s>" % tag)[0].strip() for part in text.split("<%s>" % tag)[1:]]


def offered(request):
    """The names of the tools that the request offers, in either way."""
    names = [tool["function"]["name"] for tool in request.json.get("tools", [])]
    for message in request.json["messages"]:
        if message["role"] == "system":
            for block in blocks("tool", content_of(message)):
                try:
                    names.append(json.loads(block)["name"])
                except (ValueError, KeyError):
                    pass
    return names


def rounds(request):
    """The calls that the question asks for, round by round, and what the rounds so far have brought."""
    messages = request.json["messages"]
    asked = max(index for index, message in enumerate(messages)
                if message["role"] == "user" and "<tool_result>" not in content_of(message))
    results, brought = 0, []
    for message in messages[asked + 1:]:
        results += message["role"] == "assistant"
        if message["role"] == "tool":
            brought.append(content_of(message))
        elif message["role"] == "user":
            brought += blocks("tool_result", content_of(message))
    wanted = []
    for part in content_of(messages[asked]).split(" then "):
        calls = []
        for call in part.split(" and "):
            name, _, arguments = call.strip().partition(" ")
            full = [one for one in offered(request) if one == name or one.endswith(("_" + name, "-" + name, "." + name))]
            calls.append((full[0] if full else name, arguments.strip() or "{}"))
        wanted.append(calls)
    return wanted, results, brought


def say_calls(connection, request, calls, turn, native):
    if not native:
        text = "".join('<tool_call>\n{"name": "%s", "arguments": %s}\n</tool_call>\n' % call for call in calls)
        answer(connection, request, [text[at:at + 7] for at in range(0, len(text), 7)])
        return
    whole = [{"index": index, "id": "call_%d_%d" % (turn, index), "type": "function",
              "function": {"name": name, "arguments": arguments}} for index, (name, arguments) in enumerate(calls)]
    if not request.streams:
        connection.reply(200, completion(request, "", "tool_calls", tool_calls=whole))
        return
    pieces = []
    for call in whole:
        arguments = call["function"]["arguments"]
        pieces.append({"tool_calls": [{**call, "function": {"name": call["function"]["name"], "arguments": ""}}]})
        pieces += [{"tool_calls": [{"index": call["index"], "function": {"arguments": arguments[at:at + 4]}}]}
                   for at in range(0, len(arguments), 4)]
    answer(connection, request, pieces, finish="tool_calls")


@scene("tools", "tools-text", "tools-refused", "tools-endless")
def tools(connection, request):
    native = request.scene in ("tools", "tools-endless")
    if request.scene == "tools-refused" and "tools" in request.json:
        connection.error(400, "tools is not supported by this model", param="tools")
        return
    wanted, done, brought = rounds(request)
    if not offered(request):
        answer(connection, request, ["No tools ", "were offered."])
    elif request.scene == "tools-endless":
        say_calls(connection, request, wanted[0], done, native)
    elif done < len(wanted):
        say_calls(connection, request, wanted[done], done, native)
    else:
        said = " | ".join(brought)
        said = said if len(said) <= 600 else "%s … (%d characters)" % (said[:300], len(said))
        answer(connection, request, ["The tools said: ", said])


# Scenes of any request

@scene("hostile")
def hostile(connection, request):
    if request.resource == "models":
        models(connection, ["scripted-" + HOSTILE])
    else:
        answer(connection, request, [HOSTILE[at:at + 5] for at in range(0, len(HOSTILE), 5)])


@scene("blob")
def blob(connection, request):
    size = int(request.key or 1 << 20)
    connection.head(200, [("Content-Type", "application/octet-stream"), ("Content-Length", size)])
    pattern = bytes(range(256)) * 256
    for at in range(0, size, len(pattern)):
        connection.send(pattern[:size - at])


def gzipped(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return packer.compress(data) + packer.flush()


@scene("gzip")
def compressed(connection, request):
    value = model_list(["scripted"]) if request.resource == "models" else completion(request, "".join(HELLO))
    connection.reply(200, gzipped(compact(value).encode("utf-8")), extra=[("Content-Encoding", "gzip")])


@scene("bad-gzip")
def bad_gzip(connection, request):
    connection.reply(200, b"this is not gzip", extra=[("Content-Encoding", "gzip")])


@scene("bomb")
def bomb(connection, request):
    connection.reply(200, connection.shared.gzip_bomb(), extra=[("Content-Encoding", "gzip")])


@scene("informational")
def informational(connection, request):
    connection.send(b"HTTP/1.1 100 Continue\r\n\r\n")
    connection.send(b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n")
    respond(connection, request)


@scene("big-headers")
def big_headers(connection, request):
    connection.keep = False
    connection.head(200, [("X-Filler-%d" % index, "x" * 1000) for index in range(300)] + [("Content-Length", 0)])


@scene("long-header")
def long_header(connection, request):
    connection.keep = False
    connection.head(200, [("X-Filler", "x" * (150 << 10)), ("Content-Length", 0)])


@scene("not-http")
def not_http(connection, request):
    connection.keep = False
    connection.send(b"SSH-2.0-OpenSSH_9.2\r\n")


@scene("401")
def unauthorized(connection, request):
    connection.error(401, "Invalid API key", type="authentication_error", code="invalid_api_key")


@scene("403")
def forbidden(connection, request):
    connection.error(403, "You may not use this model", type="permission_error", code="forbidden")


@scene("needs-key")
def needs_key(connection, request):
    if request.headers.get("authorization") == "Bearer secret-key":
        respond(connection, request)
    else:
        unauthorized(connection, request)


@scene("repeats", "repeats-answer")
def repeats(connection, request):
    said = "you sent " + request.headers.get("authorization", "nothing")
    if request.key in ("error", "model"):
        connection.start_stream()
        if request.key == "error":
            connection.event({"error": {"message": said}})
        else:
            connection.event(dict(delta(request, "Hello", finish="stop"), model=said))
            connection.event("[DONE]")
        connection.end_stream()
    elif request.key == "400":
        connection.error(400, said)
    elif request.key == "html":
        connection.reply(200, ("<html><head><title>%s</title></head></html>" % said).encode(), kind="text/html")
    elif request.key == "text":
        connection.reply(200, said.encode(), kind="text/plain")
    elif request.key == "json":
        connection.reply(200, {"message": said})
    else:
        connection.reply(302, b"", kind="text/plain", extra=[("Location", "/?" + said.replace(" ", "%20"))])


@scene("html")
def html(connection, request):
    connection.reply(200, LOGIN_PAGE, kind="text/html; charset=utf-8")


@scene("html-502")
def html_502(connection, request):
    connection.reply(502, LOGIN_PAGE.replace(b"Sign in", b"502 Bad Gateway"), kind="text/html")


@scene("redirect", "redirect-other")
def redirect(connection, request):
    host = "http://localhost:%d" % connection.port if request.scene == "redirect-other" else ""
    connection.reply(302, b"", kind="text/plain", extra=[("Location", "%s/ok/v1/%s" % (host, request.resource))])


@scene("models-many")
def models_many(connection, request):
    if request.resource == "models":
        models(connection, ["model-%05d" % index for index in range(10000)])
    else:
        ok(connection, request)


@scene("models-none")
def models_none(connection, request):
    if request.resource == "models":
        models(connection, [])
    else:
        ok(connection, request)


@scene("models-ollama")
def models_ollama(connection, request):
    if request.resource == "models":
        connection.reply(200, {"models": [{"name": "scripted:latest", "model": "scripted:latest", "size": 1}]})
    else:
        ok(connection, request)


@scene("models-blind")
def models_blind(connection, request):
    if request.resource == "models":
        connection.reply(200, {"data": [dict(model_list(["scripted"])["data"][0],
                                             architecture={"input_modalities": ["text"]})]})
    else:
        ok(connection, request)


@scene("models-small")
def models_small(connection, request):
    if request.resource == "models":
        connection.reply(200, {"data": [dict(model_list(["scripted"])["data"][0], max_model_len=100)]})
    else:
        ok(connection, request)


@scene("refuses-images")
def refuses_images(connection, request):
    if any(isinstance(message["content"], list) for message in request.json["messages"]):
        connection.reply(500, {"error": {"code": 500, "message": "image input is not supported", "type": "server_error"}})
    else:
        ok(connection, request)


# Routing

FOR_ALL = {"hostile", "hostile-names", "blob", "gzip", "bad-gzip", "bomb", "informational", "big-headers", "long-header",
           "not-http", "401", "403", "needs-key", "repeats", "html", "html-502", "redirect", "redirect-other", "models-many", "models-none",
           "models-ollama", "models-blind", "models-small"}


def model_list(ids):
    return {"object": "list", "data": [{"id": name, "object": "model", "created": 1700000000,
                                        "owned_by": "scripted"} for name in ids]}


def models(connection, ids):
    connection.reply(200, model_list(ids))


def respond(connection, request):
    """The good answer to an API request."""
    if (request.method, request.resource) == ("GET", "models"):
        models(connection, ["scripted"])
    elif (request.method, request.resource) == ("POST", "chat/completions"):
        ok(connection, request)
    else:
        connection.error(404, "File Not Found", type="not_found_error", code=404)


def route(connection, request):
    if request.method == "CONNECT":
        connection.reply(407, b"", kind="text/plain", extra=[("Proxy-Authenticate", "Basic")])
        return
    if request.scene == "_nod":
        connection.shared.nod(request.key)
        connection.reply(200, {"happened": True})
        return
    if request.scene in ("_seen", "_gone"):
        shared = connection.shared
        happened = shared.wait_for(shared.seen if request.scene == "_seen" else shared.gone, request.key)
        connection.reply(200 if happened else 504, {"happened": happened})
        return
    name = request.scene
    everywhere = name in FOR_ALL
    if name not in SCENES and name.startswith("models-"):
        name, everywhere = name[len("models-"):], True
    is_api = request.resource in ("models", "chat/completions")
    if name in SCENES and (is_api or name in ("html", "html-502", "blob")) and (
            everywhere or request.method == "POST"):
        SCENES[name](connection, request)
    elif name in SCENES:
        respond(connection, request)
    else:
        connection.error(404, "File Not Found", type="not_found_error", code=404)


def leave_with_parent(log):
    """A killed test leaves no server and no log behind: its end of our standard input closes with it."""
    try:
        mode = os.fstat(0).st_mode
    except OSError:
        return
    if not (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode)):
        return

    def watch():
        while os.read(0, 4096):
            pass
        if log:
            with contextlib.suppress(OSError):
                os.unlink(log)
        os._exit(0)
    threading.Thread(target=watch, daemon=True).start()


def main():
    parser = argparse.ArgumentParser(description="A scripted HTTP server for tests.")
    parser.add_argument("--port", type=int, default=0, help="0 lets the system pick")
    parser.add_argument("--log", help="append each request to this file as a JSON line")
    parser.add_argument("--certificate", help="PEM file: serve https")
    parser.add_argument("--key", help="PEM file of the certificate's key")
    options = parser.parse_args()

    tls = None
    if options.certificate:
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(options.certificate, options.key)
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", options.port))
    listener.listen(128)
    port = listener.getsockname()[1]
    shared = Shared(options.log)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    signal.signal(signal.SIGINT, lambda *_: os._exit(0))
    leave_with_parent(options.log)
    print("ready %s://127.0.0.1:%d" % ("https" if tls else "http", port), flush=True)

    def serve(sock, number):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            if tls:
                sock = tls.wrap_socket(sock, server_side=True)
        except OSError:
            sock.close()
            return
        Connection(sock, shared, port, number).serve()

    for number in itertools.count():
        sock, _ = listener.accept()
        threading.Thread(target=serve, args=(sock, number), daemon=True).start()


if __name__ == "__main__":
    main()
