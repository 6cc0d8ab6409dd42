"""Lets a model call tools that knows of none: an OpenAI chat server that stands before the server of such a model.

Where the last message of the user names a tool of the request, the model is asked for the tool's arguments, held to the
tool's own schema, and what it makes goes back as a call of the tool. What the message says of an argument is fixed, as in
"use write_file with path=poem.txt to write a poem" or "use bash with command='ls -l'"; of the others, those that the tool
requires are the model's own. Anything else, and what is said once the tool has answered, is the model's text as it comes.

A small model reads little, and slowly: of a system prompt it gets the first line, of the conversation the end. It also
finds no end: it is held to one line, but where the message asks for something long.

When it is ready, one line on standard output says so: `ready URL`. It ends when its standard input does. With --log each
request is noted there, and each answer that the client did not wait for.
"""

import argparse
import http.client
import http.server
import itertools
import json
import os
import re
import sys
import threading
import urllib.parse

NEWEST_MESSAGES, MESSAGE_CHARACTERS, TEXT_CHARACTERS = 6, 1000, 120
# The same answer each time.
STEADY = {"temperature": 0, "seed": 1}
LINE = r"root ::= [^\n]{1,300}"


def text_of(message):
    content = message.get("content") or ""
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content if isinstance(part, dict))


def simple(message):
    """A message in the words of a model that knows neither tools nor parts."""
    role, text = message["role"], text_of(message)
    if role in ("system", "developer"):
        return {"role": "system", "content": next(iter(text.strip().splitlines()), "")[:MESSAGE_CHARACTERS]}
    if role == "tool":
        return {"role": "user", "content": f"The tool answered: {text[:MESSAGE_CHARACTERS]}\nSay what was done."}
    for call in message.get("tool_calls") or []:
        text += f"{call['function']['name']} {call['function']['arguments']}"
    return {"role": role, "content": text[-MESSAGE_CHARACTERS:]}


def conversation(messages):
    system = [message for message in messages if message["role"] in ("system", "developer")][:1]
    rest = [message for message in messages if message["role"] not in ("system", "developer")]
    return [simple(message) for message in system + rest[-NEWEST_MESSAGES:]]


def asked_for(request):
    """The tool that the last message of the user names, and that message; None when it is none of the tools."""
    last = request["messages"][-1]
    if last["role"] != "user":
        return None
    text = text_of(last)
    for tool in request.get("tools") or []:
        if re.search(rf"(?<![\w./-]){re.escape(tool['function']['name'])}(?![\w./-])", text):
            return tool["function"], text
    return None


def said_of(name, text):
    """The value of an argument that the message fixes."""
    found = re.search(rf"(?<!\w){re.escape(name)}=(?:'([^']*)'|\"([^\"]*)\"|(\S+))", text)
    return next((value for value in found.groups() if value is not None), None) if found else None


def schema_of(tool, text):
    """The tool's own schema as far as the message wants it, of a form that any grammar takes."""
    parameters = tool.get("parameters") or {}
    required = parameters.get("required") or []
    properties = {}
    for name, form in (parameters.get("properties") or {}).items():
        value = said_of(name, text)
        if value is not None:
            properties[name] = {"const": value}
        elif name in required:
            simpler = {key: form[key] for key in ("type", "enum", "items", "properties", "required") if key in form}
            if simpler.get("type") == "string" and "enum" not in simpler:
                simpler |= {"minLength": 1, "maxLength": TEXT_CHARACTERS}
            properties[name] = simpler
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    calls = itertools.count(1)
    lock = threading.Lock()

    def log_message(self, *_):
        pass

    def note(self, **what):
        if self.server.log:
            with self.lock, open(self.server.log, "a", encoding="utf-8") as log:
                log.write(json.dumps(what) + "\n")

    def model(self, method, path, body=None):
        """The model's own answer, to be read as it comes."""
        to = self.server.upstream
        self.connection_to_model = http.client.HTTPConnection(to.hostname, to.port, timeout=600)
        self.connection_to_model.request(method, to.path + path, body and json.dumps(body),
                                         {"Content-Type": "application/json"})
        return self.connection_to_model.getresponse()

    def do_GET(self):
        self.hand_on(self.model("GET", self.path.removeprefix("/v1")))

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)))
        asked = asked_for(request)
        self.note(messages=request["messages"], tools=[tool["function"]["name"] for tool in request.get("tools") or []],
                  calls=asked[0]["name"] if asked else None)
        body = {"model": request.get("model"), "messages": conversation(request["messages"]), **STEADY}
        try:
            if asked:
                self.call(request, body, *asked)
            else:
                self.talk(request, body)
        except ConnectionError:
            self.note(abandoned=True)
        finally:
            self.connection_to_model.close()
            self.close_connection = True

    def talk(self, request, body):
        if not request.get("tools") or not re.search(r"\blong\b", text_of(request["messages"][-1])):
            body["grammar"] = LINE
        for name in ("stream", "stream_options"):
            if name in request:
                body[name] = request[name]
        self.hand_on(self.model("POST", "/chat/completions", body))

    def call(self, request, body, tool, text):
        body["response_format"] = {"type": "json_schema",
                                   "json_schema": {"name": "arguments", "schema": schema_of(tool, text)}}
        response = self.model("POST", "/chat/completions", body)
        if response.status != 200:
            return self.hand_on(response)
        arguments = json.loads(response.read())["choices"][0]["message"]["content"]
        number = next(self.calls)
        call = {"index": 0, "id": f"call_{os.getpid()}_{number}", "type": "function",
                "function": {"name": tool["name"], "arguments": arguments}}
        message = {"role": "assistant", "content": None, "tool_calls": [call]}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        whole = {"id": f"c{number}", "created": 1, "model": request.get("model")}
        if not request.get("stream"):
            choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
            return self.answer("application/json", [json.dumps(
                whole | {"object": "chat.completion", "choices": [choice], "usage": usage}).encode()])
        whole["object"] = "chat.completion.chunk"
        parts = [{"index": 0, "delta": message, "finish_reason": None},
                 {"index": 0, "delta": {}, "finish_reason": "tool_calls"}]
        chunks = [whole | {"choices": [part]} for part in parts] + [whole | {"choices": [], "usage": usage}]
        self.answer("text/event-stream", [b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks]
                    + [b"data: [DONE]\n\n"])

    def hand_on(self, response):
        pieces = iter(lambda: response.read1(65536), b"")
        self.answer(response.headers["Content-Type"], pieces, response.status)

    def answer(self, kind, pieces, status=200):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Connection", "close")
        self.end_headers()
        for piece in pieces:
            self.wfile.write(piece)
            self.wfile.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("url", help="where the model is, as http://HOST:PORT/v1")
    parser.add_argument("--log", help="a file for what is asked")
    options = parser.parse_args()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.upstream = urllib.parse.urlsplit(options.url)
    server.log = options.log
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    print(f"ready http://127.0.0.1:{server.server_port}/v1", flush=True)
    while sys.stdin.buffer.read1(4096):
        pass


if __name__ == "__main__":
    main()
