"""`chatui_server.py selftest`: every form of the server is asked what clients ask, and answers as real ones do."""

import base64
import hashlib
import http.client
import json
import pathlib
import sys
import tempfile
import threading
import time
import urllib.parse
import uuid

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "EndToEnd"))
from chatui import FORMS, ChatUI  # noqa: E402

from chatui_state import units  # noqa: E402

JSON = "application/json, */*;q=0.1"


class Answer:
    def __init__(self, response):
        self.status, self.headers, self.bytes = response.status, response.headers, response.read()

    @property
    def json(self):
        return json.loads(self.bytes)

    @property
    def value(self):
        """Out of its superjson envelope."""
        assert set(self.json) <= {"json", "meta"}, self
        return self.json["json"]

    def __repr__(self):
        return f"<{self.status} {self.bytes[:300]!r}>"


class Client:
    """One that does everything right, unless it is told not to."""

    def __init__(self, server, cookie=None):
        self.server, self.jar = server, {}
        self.prefix = urllib.parse.urlsplit(server.url).path
        if cookie:
            self.jar[server.cookie] = cookie

    def open(self, method, path, body=None, headers=None, whole_path=False):
        sent = {"Accept": JSON, **({"Content-Type": "application/json"} if method != "GET" else {})}
        if self.jar:
            sent["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.jar.items())
        for name, value in (headers or {}).items():
            sent.pop(name, None) if value is None else sent.update({name: value})
        if isinstance(body, (dict, list)):
            body = json.dumps(body).encode()
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=30)
        connection.request(method, path if whole_path else self.prefix + path, body, sent)
        response = connection.getresponse()
        response.connection = connection
        for line in response.headers.get_all("Set-Cookie") or []:
            name, value = line.partition(";")[0].split("=", 1)
            self.jar.pop(name, None) if "Max-Age=0" in line else self.jar.update({name: urllib.parse.unquote(value)})
        return response

    def ask(self, method, path, body=None, headers=None, **rest):
        with self.open(method, path, body, headers, **rest) as response:
            return Answer(response)

    def get(self, path, **headers):
        return self.ask("GET", path, headers=headers)

    def post(self, path, body=None, **headers):
        return self.ask("POST", path, {} if body is None else body, headers)

    def create(self, **more):
        return self.post("/conversation", {"model": "org/m-1", **more}).json["conversationId"]

    def conversation(self, identifier):
        return self.get(f"/api/v2/conversations/{identifier}").value

    def leaf(self, identifier):
        return self.conversation(identifier)["messages"][-1]["id"]

    def form(self, data, files=()):
        parts = [("data", None, None, json.dumps(data).encode())] + [("files", *file) for file in files]
        body = b""
        for name, file_name, kind, value in parts:
            more = f'; filename="{file_name}"\r\nContent-Type: {kind}' if file_name else ""
            body += f'--XyZ\r\nContent-Disposition: form-data; name="{name}"{more}\r\n\r\n'.encode() + value + b"\r\n"
        headers = {"Content-Type": "multipart/form-data; boundary=XyZ", "Origin": self.server.origin}
        return body + b"--XyZ--\r\n", headers

    def send(self, identifier, files=(), headers=None, **data):
        body, own = self.form(data, files)
        return self.open("POST", f"/conversation/{identifier}", body, {**own, **(headers or {})})

    def say(self, identifier, files=(), **data):
        response = self.send(identifier, files, **data)
        return Turn(response.read(), self.server.form) if response.status == 200 else Answer(response)


class Turn:
    """A stream that was read to its end."""

    def __init__(self, data, form):
        self.data, self.updates, self.odd = data, [], []
        for line in data.split(b"\n"):
            if form == "seed" and line.startswith(b"data: "):
                line = line[6:]
            line = line.strip(b" \r\0")
            try:
                update = json.loads(line)
                self.updates.append(update) if isinstance(update, dict) else self.odd.append(line)
            except ValueError:
                self.odd.append(line) if line else None

    def of(self, kind):
        return [update for update in self.updates if update.get("type") == kind]

    @property
    def text(self):
        return "".join(update["token"].replace("\0", "") for update in self.of("stream"))

    @property
    def final(self):
        return self.of("finalAnswer")[0]

    @property
    def statuses(self):
        return [update["status"] for update in self.of("status") if update["status"] != "keepAlive"]


def eventually(condition, seconds=30):
    end = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < end, "it never came"
        time.sleep(0.02)
    return value


def events(data):
    found = []
    for block in data.decode().split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line and not line.startswith(":"))
        if "event" in fields:
            found.append((fields["event"], json.loads(fields["data"]), fields.get("id")))
    return found


class Selftest:
    def __init__(self, form, directory):
        self.form, self.is_current, self.directory = form, form == "current", pathlib.Path(directory)

    def start(self, *options):
        return ChatUI(self.form, tempfile.mkdtemp(dir=self.directory), "--pace", "0.002", *options)

    def run(self):
        for name in [name for name in dir(self) if name.startswith("test_")]:
            began = time.monotonic()
            getattr(self, name)()
            print(f"ok   {self.form:8} {name[5:]:24} {time.monotonic() - began:.1f} s", flush=True)

    def in_api(self, answer, status, old=500):
        """A failure of /api/v2."""
        assert answer.status == (status if self.is_current else old), answer
        assert ("message" in answer.json) == self.is_current, answer

    def test_story(self):
        with self.start() as server:
            self.story(server, Client(server))
            assert server.faults == [], server.faults

    def story(self, server, client):
        assert client.get("/api/v2/public-config").value["PUBLIC_APP_NAME"] == "Stand-in"
        flags = client.get("/api/v2/feature-flags").value
        assert flags["loginEnabled"] is False and ("guestMode" in flags) != self.is_current, flags
        assert client.get("/api/v2/user").json == {"json": None}
        made = client.post("/conversation", {"model": "org/m-1", "preprompt": "Be short."})
        assert ("conversation" in made.json) == self.is_current and server.cookie in client.jar
        identifier = made.json["conversationId"]
        whole = client.conversation(identifier)
        root = whole["messages"][0]
        assert (root["from"], root["content"], root["id"]) == ("system", "Be short.", whole["rootMessageId"])
        assert whole["title"] == "New Chat" and whole["model"] == whole["modelId"] == "org/m-1" and not whole["shared"]
        if self.is_current:
            assert json.loads(made.json["conversation"])["json"] == whole
        said = "Grüße aus der Küche, alle zusammen 🎉 hier"
        turn = client.say(identifier, inputs=f"echo {said}", id=root["id"])
        assert turn.text == turn.final["text"] == said and not turn.final["interrupted"]
        assert turn.of("title") == [{"type": "title", "title": "echo Grüße aus der Küche,"}]
        assert turn.statuses == ["started", "finished"][:2 if self.is_current else 1]
        self.check_framing(turn)
        messages = client.conversation(identifier)["messages"]
        user, answer = messages[1:]
        assert user["ancestors"] == [root["id"]] and user["children"] == [answer["id"]]
        assert answer["ancestors"] == [root["id"], user["id"]] and answer["children"] == [], answer
        assert messages[0]["children"] == [user["id"]] and answer["content"] == turn.text
        self.tree(client, identifier, answer)
        self.files(client, identifier)
        self.stop(client, identifier)
        self.finish_story(server, client, identifier)

    def check_framing(self, turn):
        if self.form == "seed":
            assert all(line.startswith(b"data: ") for line in turn.data.split(b"\n") if line)
            assert b"\\u0000" not in turn.data
            return
        assert all(units(update["token"]) == 16 for update in turn.of("stream"))
        after = turn.data.partition(b'"finalAnswer"')[2].partition(b"\n")[2]
        assert after.startswith(b" " * 4096) and after[4096:4097] == (b"{" if self.is_current else b"")

    def tree(self, client, identifier, answer):
        client.say(identifier, inputs="echo two", id=answer["id"])
        messages = client.conversation(identifier)["messages"]
        question, second = messages[3:]
        assert question["ancestors"][-1] == answer["id"] and second["content"] == "two"
        turn = client.say(identifier, id=second["id"], is_retry=True)
        messages = client.conversation(identifier)["messages"]
        assert turn.text == "two" and messages[5]["from"] == "assistant"
        assert messages[5]["ancestors"] == second["ancestors"]
        assert messages[3]["children"] == [second["id"], messages[5]["id"]]
        client.say(identifier, inputs="echo edited", id=question["id"], is_retry=True)
        messages = client.conversation(identifier)["messages"]
        assert [one["content"] for one in messages[6:]] == ["echo edited", "edited"]
        assert messages[6]["ancestors"] == question["ancestors"]
        client.say(identifier, inputs="echo branch", id=messages[1]["id"])
        assert len(client.conversation(identifier)["messages"]) == 10
        prompt = client.get(f"/conversation/{identifier}/message/{messages[6]['id']}/prompt").json
        assert [one["role"] for one in prompt["messages"]] == ["system", "user", "assistant", "user"]
        assert "echo edited" in prompt["prompt"] and prompt["model"] == "org/m-1" and prompt["parameters"]
        path = f"/api/v2/conversations/{identifier}/message/"
        assert client.ask("DELETE", path + question["id"]).value == {"success": True}
        left = client.conversation(identifier)["messages"]
        assert len(left) == 7 and question["id"] not in left[2]["children"]
        self.in_api(client.ask("DELETE", path + question["id"]), 404)

    def files(self, client, identifier):
        data = bytes(range(256)) * 4
        text, sha = base64.b64encode(data), hashlib.sha256(data.decode("utf-8", "replace").encode()).hexdigest()
        leaf = client.leaf(identifier)
        turn = client.say(identifier, [("base64;a b;c.png", "image/png", text)], inputs="files", id=leaf)
        assert turn.text == f"a b;c.png image/png {sha[:8]}\n1 files"
        user = client.conversation(identifier)["messages"][-2]
        assert user["files"] == [{"type": "hash", "value": sha, "mime": "image/png", "name": "a b;c.png"}]
        output = client.get(f"/conversation/{identifier}/output/{sha}")
        assert output.bytes == data and output.headers["Content-Disposition"] == f'attachment; filename="{sha[:8]}.png"'
        turn = client.say(identifier, [("hash;again.png", "image/png", sha.encode())], inputs="files", id=user["id"],
                          is_retry=True)
        assert turn.text.startswith(f"again.png image/png {sha[:8]}")
        turn = client.say(identifier, inputs="image", id=client.leaf(identifier))
        file = turn.of("file")[0]
        assert client.get(f"/conversation/{identifier}/output/{file['sha']}").bytes.startswith(b"\x89PNG")
        big = base64.b64encode(bytes(10 * 1024 * 1024 + 1))
        assert client.say(identifier, [("base64;big", "text/plain", big)], inputs="x", id=leaf).status == 413

    def stop(self, client, identifier):
        generation = str(uuid.uuid4())
        response = client.send(identifier, inputs="slow 100", id=client.leaf(identifier), generationId=generation)
        data = b""
        while data.count(b"tick") < 3:
            data += response.read1()
        answer = client.post(f"/conversation/{identifier}/stop-generating",
                             {"generationId": generation, "seenContentLength": 9})
        assert (answer.status, answer.bytes) == (200, b"")
        turn = Turn(data + response.read(), self.form)
        assert turn.final["interrupted"] and turn.final["text"] == ("tick 1 ti" if self.is_current else turn.text)
        assert turn.statuses == ["started", "finished"][:2 if self.is_current else 1]
        last = client.conversation(identifier)["messages"][-1]
        assert last["interrupted"] and last["content"] == turn.final["text"]
        assert last["updates"][-2 if self.is_current else -1]["type"] == "finalAnswer"
        assert any(one["type"] == "stream" for one in last["updates"]) == self.is_current
        self.reattach(client, identifier)

    def reattach(self, client, identifier):
        response = client.send(identifier, inputs="slow 15", id=client.leaf(identifier))
        response.read1()
        time.sleep(0.9)
        response.connection.sock.close() if response.connection.sock else None
        response.close()
        middle = eventually(lambda: (last := client.conversation(identifier)["messages"][-1])["content"] and last)
        assert "interrupted" not in middle and middle["content"] != "".join(f"tick {n} " for n in range(1, 16))
        if self.is_current:
            live = client.open("GET", "/api/v2/generations/live")
            query = f"generationId={middle['generationId']}&fromSeq={middle['materializedSeq']}"
            stream = client.get(f"/conversation/{identifier}/stream?{query}")
            found = events(stream.bytes)
            assert found[-1][:2] == ("end", {"status": "completed"})
            text = "".join(update["token"] for _, update, _ in found if update.get("type") == "stream")
            assert middle["content"] + text == "".join(f"tick {n} " for n in range(1, 16)), text
            assert [int(number) for _, _, number in found[:-1]][0] == middle["materializedSeq"] + 1
            again = events(client.get(f"/conversation/{identifier}/stream", **{"Last-Event-ID": found[-2][2]}).bytes)
            assert [name for name, _, _ in again] == ["end"]
            gone = events(client.get(f"/conversation/{identifier}/stream?generationId={uuid.uuid4()}").bytes)
            assert gone == [("end", {"status": "gone"}, None)]
            feed = events(live.read())
            assert feed[-1][0] == "idle" and feed[0][1]["running"][0]["conversationId"] == identifier
            assert any(sync.get("ended", [{}])[:1] and sync["ended"][0]["status"] == "completed" for _, sync, _ in feed)
        else:
            assert client.get(f"/conversation/{identifier}/stream").status == 404
            assert client.get("/api/v2/generations/live").status == 404
        done = eventually(lambda: (last := client.conversation(identifier)["messages"][-1]).get("interrupted") is False
                          and last)
        assert done["content"].endswith("tick 15 ")

    def finish_story(self, server, client, identifier):
        share = client.post(f"/conversation/{identifier}/share").json["shareId"]
        assert len(share) == 7 and client.post(f"/conversation/{identifier}/share").json["shareId"] == share
        other = Client(server, "another-client")
        seen = other.conversation(share)
        assert seen["shared"] and seen["title"] == client.conversation(identifier)["title"]
        assert other.get(f"/r/{share}", Accept="text/html").status == 200
        self.in_api(other.get(f"/api/v2/conversations/{identifier}"), 403)
        assert other.post(f"/conversation/{identifier}/stop-generating").status == 404
        imported = other.post("/api/v2/conversations/import-share", {"shareId": share})
        if self.is_current:
            copied = imported.value["conversationId"]
            again = other.post("/api/v2/conversations/import-share", {"shareId": share}).value["conversationId"]
            assert again == copied and other.get(f"/api/v2/conversations/{copied}?fromShare={share}").value["shared"]
            assert other.post("/api/v2/conversations/import-share", {"shareId": "aaaaaaa"}).status == 404
        else:
            assert imported.status == 404
            copied = other.post("/conversation", {"model": "org/m-1", "fromShare": share}).json["conversationId"]
        file = next(one["files"][0]["value"] for one in seen["messages"] if one.get("files"))
        assert other.get(f"/conversation/{copied}/output/{file}").status == 200
        server.forget()
        path = f"/api/v2/conversations/{identifier}"
        assert client.ask("PATCH", path, {"title": "Renamed"}).value == {"success": True}
        assert client.ask("PATCH", f"/conversation/{identifier}", {"model": "org/see-2"}).bytes == b""
        whole = client.conversation(identifier)
        assert (whole["title"], whole["model"]) == ("Renamed", "org/see-2")
        answers = [one for one in whole["messages"] if one["from"] == "assistant"]
        assert all("routerMetadata" in one for one in answers) == self.is_current
        self.in_api(client.ask("PATCH", path, {"title": ""}), 400, 422)
        self.in_api(client.ask("PATCH", path, {"model": "no"}), 400)
        listed = client.get("/api/v2/conversations?p=0").value
        assert listed["conversations"][0]["title"] == "Renamed" and listed["conversations"][0]["_id"] == identifier
        assert listed.get("hasMore") is (False if self.is_current else None)
        assert listed.get("nConversations") == (None if self.is_current else 1)
        server.restart()
        assert client.conversation(identifier) == whole
        assert client.ask("DELETE", path).value == {"success": True}
        self.in_api(client.get(path), 404)
        for _ in range(31):
            client.create()
        pages = [client.get(f"/api/v2/conversations?p={page}").value for page in (0, 1)]
        assert [len(page["conversations"]) for page in pages] == [30, 1]
        assert pages[0].get("hasMore", pages[0].get("nConversations")) in (True, 31)
        assert len(client.get("/api/conversations?p=1").json) == 1
        assert client.ask("DELETE", "/api/v2/conversations").value == 31
        self.settings(client)

    def settings(self, client):
        got = client.get("/api/v2/user/settings")
        settings = {key: value for key, value in got.value.items() if key != "billingOrganization"}
        assert settings["activeModel"] == "org/m-1" and ("disableStream" in settings) != self.is_current
        settings["customPrompts"] = {"org/m-1": "Rhyme."}
        answer = client.post("/api/v2/user/settings", {**settings, "welcomeModalSeen": True, "unknown": 1})
        assert (answer.status, answer.bytes) == (200, b"" if self.is_current else b'{"json":{}}')
        again = client.get("/api/v2/user/settings").json
        assert again["json"]["customPrompts"] == {"org/m-1": "Rhyme."} and again["json"]["welcomeModalSeen"]
        assert again["meta"]["values"]["welcomeModalSeenAt"] == ["Date"] and "unknown" not in again["json"]
        assert client.post("/api/v2/user/settings", {**settings, "directPaste": "yes"}).status == 500
        assert client.ask("PATCH", "/api/v2/user/settings", {}).status == (405 if self.is_current else 404)
        client.post("/api/v2/models/org/see-2/subscribe")
        kept = client.get("/api/v2/user/settings").value
        assert kept["activeModel"] == "org/see-2" and kept["customPrompts"] == {"org/m-1": "Rhyme."}

    def test_settings_wiped(self):
        with self.start() as server:
            client = Client(server)
            client.post("/api/v2/user/settings", {"customPrompts": {"a": "b"}})
            client.post("/settings", {"directPaste": True})
            assert client.get("/api/v2/user/settings").value["customPrompts"] == {}
            assert "customPrompts" in server.faults[-1]["missing"], server.faults
            if self.is_current:
                whole = client.get("/api/v2/user/settings")
                assert whole.json["meta"]["values"]["billingOrganization"] == ["undefined"]
                assert client.post("/api/v2/user/settings", whole.value).status == 500

    def test_models(self):
        with self.start() as server:
            client = Client(server, "me")
            models = client.get("/api/v2/models").value
            assert [one["id"] for one in models] == ["org/m-1", "omni", "org/see-2", "org/tools-3"]
            assert ("supportsTools" in models[0]) == self.is_current == ("providers" not in models[0])
            assert models[1]["isRouter"] and models[2]["multimodal"]
            one = client.get("/api/v2/models/org/see-2").value
            assert one["preprompt"] == "Look closely." and one["providers"] and one["parameters"]
            assert client.get("/api/v2/models/omni").value["id"] == "omni"
            assert client.get("/api/v2/models/org/hidden-4").status == 404
            old = client.get("/api/models").json
            assert old[0]["displayName"] == "M-1" and "datasetName" not in old[0] and old[1]["preprompt"] == ""
            assert client.get("/api/user").status == 401 and client.get("/healthcheck").bytes == b"OK"
            servers = client.get("/api/mcp/servers")
            if self.is_current:
                assert servers.json[0]["name"] == "Weather"
                assert client.post("/api/mcp/health", {"url": servers.json[0]["url"]}).json["ready"]
                assert client.post("/api/mcp/health", {"url": servers.json[1]["url"]}).json["authRequired"]
                assert client.post("/api/transcribe").status == 503
            else:
                assert servers.status == 404
            server.test(forget_model_list=True)
            assert client.get("/api/v2/models").value == []
            assert client.post("/conversation", {"model": "org/hidden-4"}).status == 400
            assert client.post("/conversation", {"model": "none"}).json == {"message": "Invalid request"}

    def test_rules(self):
        options = ["--base", "/chat", "--body-limit", "3000000", "--public-origin", "https://chat.example"]
        with self.start(*options) as server:
            client = Client(server)
            identifier = client.create()
            root = client.conversation(identifier)["rootMessageId"]
            moved = client.get("/api/v2/models/")
            assert (moved.status, moved.headers["Location"]) == (308, "/chat/api/v2/models")
            body, headers = client.form({"inputs": "hi", "id": root})
            path = f"/conversation/{identifier}"
            refused = client.ask("POST", path, body, {**headers, "Origin": None})
            assert refused.status == 403 and refused.json == {"error": "Non-JSON form requests need to have an origin"}
            evil = {**headers, "Origin": "http://evil.example", "Accept": "text/html"}
            refused = client.ask("POST", path, body, evil)
            assert refused.status == 403 and refused.bytes == b"Invalid referer for POST request", refused
            assert client.ask("POST", path, body, {**headers, "Origin": "https://chat.example"}).status == 200
            refused = client.ask("PATCH", "/api/v2/conversations/" + identifier, b"{")
            assert refused.status == 500 and ("errorId" in refused.json) == self.is_current, refused
            page = client.ask("POST", path, body, {**headers, "Accept": "text/html"})
            assert page.status == 405 and page.headers["Content-Type"] == "text/html"
            for accept in ("text/event-stream", None):
                wrong = client.ask("POST", path, *client.form({"inputs": "hi"})[:1], {**headers, "Accept": accept})
                assert wrong.status == 500 and wrong.headers["Content-Type"] == "text/html", wrong
            stop = f"{path}/stop-generating"
            assert client.post(stop, b"", **{"Content-Type": "application/x-www-form-urlencoded"}).status == 403
            assert client.post(path, {"inputs": "hi", "id": root}).status == (200 if self.form == "seed" else 500)
            assert client.post("/conversation/zzz/share").json["message"] == "An error occurred"
            assert client.post(f"/conversation/{'0' * 24}/share").json == {"message": "Conversation not found"}
            self.in_api(client.get("/api/v2/conversations/zzz"), 400)
            assert client.get("/api/v2/conversations?p=x").status == (200 if self.is_current else 422)
            wrong = client.get(path)
            assert wrong.status == 405 and wrong.headers["Allow"] == "POST, PATCH, DELETE", wrong.headers
            assert client.get(path, Accept="text/html").status == 200
            assert client.get("/nowhere").json == {"message": "Page /chat/nowhere not found"}
            assert client.ask("GET", "/api/models", whole_path=True).status == 404
            assert client.post("/conversation", b"{").json.keys() == {"message", "errorId"}
            assert client.ask("POST", path, b"x" * 3000001, headers).status == 413
            self.mixes(client, identifier, root)
            server.test(model_gone="org/m-1")
            assert client.say(identifier, inputs="hi", id=root).status == 410
            server.test(model_gone=None, rate_limit=0)
            assert client.say(identifier, inputs="hi", id=root).status == 429
            server.test(rate_limit=None, max_messages=1)
            assert client.say(identifier, inputs="hi", id=root).status == 429
            server.test(max_messages=None, max_conversations=0, message_length=3)
            assert client.post("/conversation", {"model": "omni"}).status == 429
            assert client.say(identifier, inputs="long", id=root).json == {"message": "Message too long."}
            faults = {fault["what"] for fault in server.faults}
            assert {"multipart without Origin", "Accept without application/json", "trailing slash",
                    "urlencoded content type", "message without parent id", "an Origin of another host",
                    "GET /conversation/:id read as JSON", "retry with text on an assistant's message"} <= faults, faults

    @staticmethod
    def mixes(client, identifier, root):
        user, answer = (one["id"] for one in client.conversation(identifier)["messages"][1:3])
        count = len(client.conversation(identifier)["messages"])
        for status, data in [(500, {"inputs": "hi"}), (500, {"inputs": "hi", "id": str(uuid.uuid4())}),
                             (404, {"inputs": "hi", "id": str(uuid.uuid4()), "is_retry": True}),
                             (500, {"id": user, "is_retry": True}), (500, {"inputs": "", "id": root}),
                             (500, {"inputs": "hi", "id": "1"}), (500, {"inputs": None, "id": root})]:
            assert client.say(identifier, **data).status == status, data
        assert len(client.conversation(identifier)["messages"]) == count
        client.say(identifier, id=answer, is_retry=True, inputs="ignored")
        assert client.conversation(identifier)["messages"][-1]["content"] == "hi"

    def test_cookies(self):
        with self.start("--cookie", "my-chat") as server:
            client = Client(server)
            assert client.get("/api/v2/conversations").headers["Set-Cookie"] is None
            made = client.post("/conversation", {"model": "omni"})
            given = made.headers["Set-Cookie"]
            assert given.startswith("my-chat=") and ("Secure" in given) == self.is_current and "HttpOnly" in given
            assert len(client.get("/api/v2/conversations").value["conversations"]) == 1 and server.faults == []
            assert Client(server).get("/api/v2/conversations").value["conversations"] == []
            assert Client(server, "other").get("/api/v2/conversations").value["conversations"] == []
            assert [fault["what"] for fault in server.faults] == ["session cookie lost", "session cookie changed"]
        with self.start("--cookie", "my-chat") as server:
            client = Client(server)
            cookieless = Client(server)
            client.post("/conversation", {"model": "omni"})
            cookieless.get("/api/v2/conversations")
            assert [fault["what"] for fault in server.faults] == ["session cookie lost"]
            # One that was on its way with the cookie has lost none.
            client.get("/api/v2/conversations")
            assert server.faults == []

    def test_login(self):
        options = ["--login", "--user-cookie", "pasted", "--bearer", "hf_good", "--redirect-url", "any-loopback"]
        with self.start(*options) as server:
            client = Client(server, "guest")
            assert client.get("/api/v2/feature-flags").value["loginEnabled"]
            assert client.get("/api/v2/conversations").value["conversations"] == []
            refused = client.post("/conversation", {"model": "omni"})
            if self.is_current:
                assert refused.status == 302 and "/__provider__?" in refused.headers["Location"]
                client.ask("GET", refused.headers["Location"][len(server.origin):], whole_path=True)
                assert server.faults[-1]["what"] == "redirect to the provider followed on an API call"
            else:
                assert refused.status == 401 and refused.json == {"error": "You have to be logged in."}
            assert client.ask("DELETE", "/api/v2/conversations").status == 401
            callback = "http://127.0.0.1:9/cb"
            begun = client.get(f"/login?callback={callback}&next=/there")
            assert begun.status == 302 and ("hfChat-codeVerifier" in client.jar) == self.is_current
            back = Client(server).ask("GET", begun.headers["Location"][len(server.origin):], whole_path=True)
            place = back.headers["Location"]
            assert place.startswith(callback + "?code=")
            stranger = Client(server, "stranger").get("/login/callback?" + place.partition("?")[2])
            assert stranger.status == (302 if self.is_current else 403)
            done = client.get("/login/callback?" + place.partition("?")[2])
            assert (done.status, done.headers["Location"]) == (302, "/there") and client.jar[server.cookie] != "guest"
            assert client.get("/api/v2/user").value["username"] == "ada"
            assert client.get("/api/user").json["name"] == "Ada"
            identifier = client.create()
            assert Client(server, "pasted").conversation(identifier)["id"] == identifier
            assert Client(server).get("/api/user", Authorization="Bearer hf_good").status == 200
            assert Client(server).get("/api/v2/user", Authorization="Bearer hf_bad").status == 500
            server.restart()
            assert client.get("/api/v2/user").value["username"] == "ada"
            out = client.post("/logout")
            assert out.status == 302 and server.cookie not in client.jar
            server.test(login_lost=True)
            assert Client(server, "pasted").get("/api/v2/user").value is None

    def scene(self, client, text, identifier=None, **more):
        identifier = identifier or client.create()
        turn = client.say(identifier, inputs=text, id=client.leaf(identifier), **more)
        return turn, client.conversation(identifier)

    def test_scenes(self):
        with self.start() as server:
            client = Client(server, "me")
            turn, _ = self.scene(client, "help")
            assert "* late-title:" in turn.text
            assert self.scene(client, "whatever else")[0].text == "whatever else"
            turn, _ = self.scene(client, "think")
            assert turn.text.startswith("<think>Let me") and "<think>" not in "|".join(
                one["token"] for one in turn.of("stream"))
            turn, whole = self.scene(client, "reason")
            last = whole["messages"][-1]
            assert len(turn.of("reasoning")) == 4 and last.get("reasoning") == (
                "First this, then that." if self.is_current else None)
            turn, whole = self.scene(client, "late-title")
            kinds = [one["type"] for one in turn.updates]
            assert kinds.index("title") > kinds.index("finalAnswer") and whole["title"] == "Late but here"
            turn, _ = self.scene(client, "early-title")
            assert turn.updates[0]["type"] == "title" or turn.updates[1]["type"] == "title"
            turn, whole = self.scene(client, "route")
            assert whole["messages"][-1]["routerMetadata"] == {"route": "", "model": "", "provider": "groq"}
            turn, whole = self.scene(client, "route", client.create(model="omni"))
            routed = {"route": "code", "model": "org/real-1", "provider": "groq"}
            assert whole["messages"][-1]["routerMetadata"] == routed
            turn, whole = self.scene(client, "differs")
            assert (turn.text, whole["messages"][-1]["content"]) == ("A first draft.", "The final text.")
            turn, whole = self.scene(client, "length")
            assert turn.final["interrupted"] and whole["messages"][-1]["interrupted"]
            self.failures(client)
            turn, _ = self.scene(client, "odd")
            assert turn.text == "Odd but fine." and turn.of("hologram")
            assert self.form == "seed" or b"this is no JSON" in turn.odd
            assert len(self.scene(client, "big 300")[0].final["text"]) == 300 * 1024
            turn, whole = self.scene(client, "hostile")
            assert "\x1b]52" in turn.text and "\x1b" in whole["title"]
            turn, _ = self.scene(client, "unicode")
            assert turn.text == turn.final["text"] and "👩‍👩‍👧" in turn.text

    def failures(self, client):
        for number in (401, 402, 429):
            turn, whole = self.scene(client, f"error {number}")
            failed = turn.of("status")[-1]
            assert failed["status"] == "error" and failed["statusCode"] == number and turn.of("finalAnswer") == []
            assert whole["messages"][-1]["updates"][-1] == failed
        turn, whole = self.scene(client, "error 500 late")
        assert whole["messages"][-1]["content"] == "It began well "
        turn, _ = self.scene(client, "empty")
        assert turn.of("status")[-1]["message"] == "No output was generated. Something went wrong."

    def test_broken_streams(self):
        with self.start() as server:
            client = Client(server, "me")
            turn, whole = self.scene(client, "no-final")
            assert turn.of("finalAnswer") == [] and turn.text == "This goes "
            identifier = whole["id"]
            self.becomes(client, identifier, "This goes on without you.")
            for text, drop in (("cut", False), ("echo a b c", True)):
                server.test(drop_next_stream=drop)
                try:
                    client.send(identifier, inputs=text, id=client.leaf(identifier)).read()
                    raise AssertionError("it ended well")
                except (http.client.IncompleteRead, ConnectionError):
                    pass
            self.becomes(client, identifier, "a b c")
            eventually(lambda: server.test()["running"] == 0)
            server.test(hold=True)
            response = client.send(identifier, inputs="echo held back", id=client.leaf(identifier))
            done = []
            threading.Thread(target=lambda: done.append(Turn(response.read(), self.form))).start()
            time.sleep(0.7)
            assert not done and server.test()["running"] == 1
            self.becomes(client, identifier, "held " if self.is_current else "")
            assert "interrupted" not in client.conversation(identifier)["messages"][-1]
            if self.is_current:
                server.test(stream_lifetime=0.6)
                watched = client.get(f"/conversation/{identifier}/stream").bytes
                assert b": heartbeat" in watched and b"event: end" not in watched
            server.test(hold=False)
            assert eventually(lambda: done)[0].text == "held back"
            response = client.send(identifier, inputs="slow 100", id=client.leaf(identifier))
            time.sleep(0.8)
            server.restart()
            last = client.conversation(identifier)["messages"][-1]
            assert last.get("interrupted") is (True if self.is_current else None)

    @staticmethod
    def becomes(client, identifier, text):
        eventually(lambda: client.conversation(identifier)["messages"][-1]["content"] == text)

    def test_tools(self):
        with self.start() as server:
            client = Client(server, "me")
            turn, whole = self.scene(client, "tools")
            if not self.is_current:
                assert turn.text == "This server has no tools." and turn.of("tool") == []
                return
            assert [one["subtype"] for one in turn.of("tool")] == [
                "call", "eta", "progress", "result", "call", "error", "call", "result"]
            for how, text in [("new", "Let me look.\n\nIt is sunny."), ("same", "Let me look."),
                              ("begins", "Let me look. Sunny!")]:
                _, whole = self.scene(client, f"tools-final {how}")
                assert whole["messages"][-1]["content"] == text, how
            assert self.scene(client, "tools", selectedMcpServerNames=[])[0].text == "No tools were selected."
            self.questions(client)

    def questions(self, client):
        good = {"mail": "a@b.example", "guests": 3, "table": "out"}
        for action, content, said in [("accept", good, "booked: "), ("decline", None, "not booked: decline")]:
            identifier = client.create()
            done = []
            threading.Thread(target=lambda: done.append(
                client.say(identifier, inputs="ask", id=client.leaf(identifier)))).start()
            asked = eventually(lambda: next((update for update in client.conversation(identifier)["messages"][-1].get(
                "updates", []) if update["type"] == "elicitation"), None))
            path, body = f"/conversation/{identifier}/elicitation", {"elicitationId": asked["request"]["elicitationId"]}
            assert client.post(path, {**body, "action": "accept", "content": {"mail": "x"}}).status == 400
            assert client.post(path, {**body, "action": "maybe"}).json == {"message": "Invalid elicitation response"}
            more = {"content": content} if content else {}
            assert client.post(path, {**body, "action": action, **more}).json == {"ok": True, "resume": False}
            assert client.post(path, {**body, "action": "decline"}).status in (404, 409)
            turn = eventually(lambda: done)[0]
            assert said in turn.text and turn.of("elicitation")[1]["action"] == action
        turn, _ = self.scene(client, "ask 1")
        assert turn.of("elicitation")[1]["resolution"] == "expired" and "cancel" in turn.text
        turn, whole = self.scene(client, "ask park")
        assert turn.of("finalAnswer") == [] and turn.statuses == ["started", "finished"]
        identifier, request = whole["id"], turn.of("elicitation")[0]["request"]
        answer = client.post(f"/conversation/{identifier}/elicitation",
                             {"elicitationId": request["elicitationId"], "action": "accept", "content": good})
        assert answer.json == {"ok": True, "resume": True}
        count = len(whole["messages"])
        turn = client.say(identifier, id=client.leaf(identifier), resumeElicitationId=request["elicitationId"])
        assert "booked" in turn.text and len(client.conversation(identifier)["messages"]) == count


def main(form):
    with tempfile.TemporaryDirectory() as directory:
        for one in [form] if form else FORMS:
            Selftest(one, directory).run()
    print("the selftest passed")
    return 0
