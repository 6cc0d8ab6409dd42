"""What a server of `chatui_server.py` keeps and knows: conversations and their trees, models, settings, questions."""

import copy
import datetime
import hashlib
import json
import re
import secrets
import threading
import time
import uuid

def now():
    moment = datetime.datetime.now(datetime.timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def compact(value):
    """As JSON.stringify writes: UTF-8, no spaces, halves of surrogate pairs escaped."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return re.sub("[\ud800-\udfff]", lambda half: f"\\u{ord(half[0]):04x}", text)


def units(text):
    """The length in UTF-16 units."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def cut_units(text, count):
    return text.encode("utf-16-le", "surrogatepass")[:2 * count].decode("utf-16-le", "surrogatepass")


def storable(text):
    """A database keeps no half of a surrogate pair."""
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def strip_think(title):
    return re.sub(r"</?think>", "", title, flags=re.IGNORECASE).strip()


def sha256(data):
    return hashlib.sha256(data if isinstance(data, bytes) else data.encode()).hexdigest()


# JSON

class Undefined:
    """A key that is there and has no value: null and a note in superjson, left out of JSON."""

    def __deepcopy__(self, _):
        return self


UNDEFINED = Undefined()
DATES = {"createdAt", "updatedAt", "welcomeModalSeenAt"}


def superjson(value):
    notes = {}

    def walk(one, path=()):
        if one is UNDEFINED:
            notes[path] = ["undefined"]
            return None
        if isinstance(one, dict):
            return {key: walk(item, (*path, key)) for key, item in one.items()}
        if isinstance(one, list):
            return [walk(item, (*path, str(number))) for number, item in enumerate(one)]
        if path and path[-1] in DATES and isinstance(one, str):
            notes[path] = ["Date"]
        return one

    plain = walk(value)
    if not notes:
        return compact({"json": plain})
    named = {".".join(part.replace("\\", "\\\\").replace(".", "\\.") for part in path): note
             for path, note in notes.items()}
    return compact({"json": plain, "meta": {"values": named, "v": 1}})


def plain_json(value):
    def walk(one):
        if isinstance(one, dict):
            return {key: walk(item) for key, item in one.items() if item is not UNDEFINED}
        return [walk(item) for item in one] if isinstance(one, list) else one
    return compact(walk(value))


# Failures

class Refusal(Exception):
    """A failure that a route means: JSON or a page, as the client likes it."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status, self.body = status, {"message": message}


class Fault(Exception):
    """A failure that no route catches: nothing of it is told."""

    def __init__(self, why, status=500):
        super().__init__(why)
        self.status = status


class Thrown(Exception):
    """A failure inside the /api/v2 of 2025-10."""

    def __init__(self, message, status=500):
        super().__init__(message)
        self.message, self.status = message, status


# What is kept

class Store:
    """Everything that outlives the process, in one JSON file and a directory of files."""

    def __init__(self, directory):
        self.lock = threading.RLock()
        self.path, self.files = directory / "state.json", directory / "files"
        self.files.mkdir(parents=True, exist_ok=True)
        self.data = {"conversations": {}, "shared": {}, "settings": {}, "sessions": {}, "files": {}}
        if self.path.exists():
            self.data.update(json.loads(self.path.read_text("utf-8")))

    def __getattr__(self, name):
        try:
            return self.__dict__["data"][name]
        except KeyError:
            raise AttributeError(name)

    def save(self):
        with self.lock:
            fresh = self.path.with_suffix(".new")
            fresh.write_text(compact(self.data), "utf-8")
            fresh.replace(self.path)

    def of(self, owner):
        """Newest first."""
        with self.lock:
            mine = [one for one in self.conversations.values() if one["owner"] == owner]
            return sorted(mine, key=lambda one: one["updatedAt"], reverse=True)

    def add(self, owner, title, model, preprompt, messages, root, share=None):
        identifier = secrets.token_hex(12)
        with self.lock:
            conversation = {"_id": identifier, "title": strip_think(title), "rootMessageId": root, "messages": messages,
                            "model": model, "preprompt": preprompt, "createdAt": now(), "updatedAt": now(),
                            "owner": owner, **({"meta": {"fromShareId": share}} if share else {})}
            self.conversations[identifier] = conversation
            self.save()
        return conversation

    def change(self, identifier, **values):
        with self.lock:
            if conversation := self.conversations.get(identifier):
                conversation.update(values)
                self.save()

    def put_message(self, identifier, message):
        """Writes a message where it is still there."""
        with self.lock:
            conversation = self.conversations.get(identifier)
            for place, old in enumerate(conversation["messages"] if conversation else []):
                if old["id"] == message["id"]:
                    message["children"] = old["children"]
                    conversation["messages"][place] = message
                    conversation["updatedAt"] = now()
                    self.save()

    def has_file(self, identifier, sha):
        return f"{identifier}-{sha}" in self.data["files"]

    def put_file(self, identifier, data, mime):
        """Its name is the hash of what its bytes are as UTF-8 text, which for most files is not that of its bytes."""
        sha = sha256(data.decode("utf-8", "replace"))
        with self.lock:
            (self.files / sha).write_bytes(data)
            self.data["files"][f"{identifier}-{sha}"] = mime
            self.save()
        return sha

    def copy_files(self, before, after):
        with self.lock:
            for key, mime in list(self.data["files"].items()):
                if key.startswith(before + "-"):
                    self.data["files"][after + key[len(before):]] = mime

    def end_runs(self):
        """A server that comes back calls what was running interrupted."""
        for conversation in self.conversations.values():
            for message in conversation["messages"]:
                if message["from"] == "assistant" and "interrupted" not in message and not any(
                        one["type"] == "status" and one["status"] in ("error", "finished")
                        for one in message.get("updates", [])):
                    message["interrupted"] = True


class Tree:
    """The messages of a conversation; new ones are not stored before `messages` is."""

    def __init__(self, conversation):
        self.messages = copy.deepcopy(conversation["messages"])
        self.root = conversation.get("rootMessageId")

    def find(self, identifier):
        return next((one for one in self.messages if one["id"] == identifier), None)

    def add_child(self, fields, parent):
        if not parent:
            raise Fault("You need to specify a parentId if this is not the first message")
        above = self.find(parent)
        return self.add(fields, [*(above["ancestors"] if above else []), parent])

    def add_sibling(self, fields, sibling):
        if not sibling["ancestors"]:
            raise Fault("The sibling message is the root message")
        return self.add(fields, list(sibling["ancestors"]))

    def add(self, fields, ancestors):
        message = {**fields, "createdAt": now(), "updatedAt": now(), "ancestors": ancestors,
                   "id": str(uuid.uuid4()), "children": []}
        self.messages.append(message)
        if parent := self.find(ancestors[-1]):
            parent["children"].append(message["id"])
        return message

    def path(self, message):
        """From the root to this message."""
        found = [self.find(one) for one in message["ancestors"]]
        if None in found:
            raise Fault("Ancestor not found")
        return [*found, message]


class Models:
    def __init__(self, is_current, controls):
        self.is_current, self.controls = is_current, controls
        self.all = [
            self.model("org/m-1", "M-1", description="Small and quick", promptExamples=[
                {"title": "Greet", "prompt": "Say hello"}], websiteUrl="https://example.org/m-1"),
            self.model("omni", "Omni", description="Routes each question", isRouter=True, multimodal=True,
                       supportsTools=True),
            self.model("org/see-2", "See 2", preprompt="Look closely.", multimodal=True,
                       multimodalAcceptedMimetypes=["image/*"]),
            self.model("org/tools-3", "Tools 3", supportsTools=True, supportsReasoning=True),
            self.model("org/hidden-4", "Hidden 4", unlisted=True)]

    @staticmethod
    def model(identifier, name, **more):
        return {"id": identifier, "name": identifier, "displayName": name, "description": UNDEFINED,
                "websiteUrl": UNDEFINED, "modelUrl": UNDEFINED, "datasetName": UNDEFINED, "datasetUrl": UNDEFINED,
                "logoUrl": UNDEFINED, "promptExamples": UNDEFINED, "preprompt": UNDEFINED, "multimodal": False,
                "multimodalAcceptedMimetypes": UNDEFINED, "supportsTools": False, "supportsReasoning": False,
                "supportsArtifacts": False, "unlisted": False, "hasInferenceAPI": False, "isRouter": False, **more,
                "providers": [{"provider": "groq", "context_length": 8192}],
                "parameters": {"temperature": 0.7, "max_new_tokens": 1024}}

    @property
    def known(self):
        gone = self.controls["model_gone"]
        gone = [gone] if isinstance(gone, str) else gone or []
        return [one for one in self.all if one["id"] not in gone]

    @property
    def listed(self):
        return [] if self.controls["forget_model_list"] else [one for one in self.known if not one["unlisted"]]

    def find(self, identifier):
        return next((one for one in self.known if one["id"] == identifier), None)

    def shown(self, model, detail=False, v1=False):
        hidden = set() if self.is_current else {"supportsTools", "supportsReasoning", "supportsArtifacts"}
        if v1:
            hidden |= {"providers", "parameters", "isRouter", "multimodalAcceptedMimetypes"}
        elif self.is_current and not detail:
            hidden |= {"providers", "parameters"}
        return {key: value for key, value in model.items() if key not in hidden}


class Settings:
    """The keys of a form with their types and defaults. A type is a Python one, (of, …) a map, or a set of words."""

    NO_DEFAULT = object()

    def __init__(self, is_current, default_model):
        bools, texts = (bool,), (str,)
        self.keys = {"activeModel": (str, default_model), "customPrompts": (texts, {}),
                     "multimodalOverrides": (bools, {}), "hidePromptExamples": (bools, {}),
                     "shareConversationsWithModelAuthors": (bool, True),
                     "directPaste": (bool, False), "welcomeModalSeen": (bool, self.NO_DEFAULT)}
        if is_current:
            self.keys |= {"customPromptsEnabled": (bools, {}), "streamingMode": ({"raw", "smooth"}, "smooth"),
                          "toolsOverrides": (bools, {}), "artifactsOverrides": (bools, {}),
                          "reasoningOverrides": (bools, {}), "providerOverrides": (texts, {}),
                          "reasoningEffortOverrides": (({"low", "medium", "high"},), {}),
                          "hapticsEnabled": (bool, True), "billingOrganization": (str, self.NO_DEFAULT)}
        else:
            self.keys |= {"disableStream": (bool, False)}
        self.is_current = is_current

    def fits(self, value, kind):
        if isinstance(kind, tuple):
            return isinstance(value, dict) and all(self.fits(one, kind[0]) for one in value.values())
        return isinstance(value, str) and value in kind if isinstance(kind, set) else type(value) is kind

    def parse(self, body):
        if not isinstance(body, dict):
            raise Fault("settings that are no object")
        kept = {}
        for key, (kind, default) in self.keys.items():
            if key in body:
                if not self.fits(body[key], kind):
                    raise Fault(f"the setting {key} has a wrong type")
                kept[key] = body[key]
            elif default is not self.NO_DEFAULT:
                kept[key] = copy.deepcopy(default)
        return kept

    def shown(self, stored):
        shown = {"welcomeModalSeen": bool(stored.get("welcomeModalSeenAt")),
                 "welcomeModalSeenAt": stored.get("welcomeModalSeenAt")}
        for key, (_, default) in self.keys.items():
            if default is not self.NO_DEFAULT:
                shown[key] = stored.get(key, default)
        if self.is_current:
            shown["billingOrganization"] = stored.get("billingOrganization", UNDEFINED)
        return shown


FIELDS = [{"kind": "string", "name": "mail", "title": "Your mail", "description": "Where to write", "required": True,
           "minLength": 3, "format": "email"},
          {"kind": "number", "name": "guests", "title": "Guests", "required": True, "integer": True, "minimum": 1,
           "maximum": 9, "default": 2},
          {"kind": "boolean", "name": "vegetarian", "required": False, "default": False},
          {"kind": "select", "name": "table", "required": False, "multiple": False,
           "options": [{"value": "in", "label": "Inside"}, {"value": "out", "label": "Outside"}]}]


class Elicitations:
    """The questions of tools."""

    class Asked:
        def __init__(self, conversation, server, mode, tool, parked, seconds):
            self.id, self.conversation, self.mode, self.tool = str(uuid.uuid4()), conversation, mode, tool
            self.parked, self.expires = parked, float("inf") if parked else time.time() + seconds
            self.action = self.content = None
            request = {"elicitationId": self.id, "server": server, "mode": mode, "message": "May I book a table?",
                       **({"url": "https://tools.example/pay?table=1"} if mode == "url" else {"fields": FIELDS})}
            self.update = {"type": "elicitation", "subtype": "request", "request": request, "toolUuid": tool,
                           **({} if parked else {"expiresAt": int(self.expires * 1000)})}

        def settle(self, otherwise):
            resolution = "user" if self.action else otherwise
            self.action = self.action or "cancel"
            return {"type": "elicitation", "subtype": "resolved", "elicitationId": self.id, "action": self.action,
                    "resolution": resolution, **({"content": self.content} if self.content is not None else {})}

    def __init__(self):
        self.all = {}

    def open(self, run, server, mode, tool, parked, seconds):
        asked = self.Asked(run.conversation, server, mode, tool, parked, seconds)
        self.all[asked.id] = asked
        return asked

    def answer(self, conversation, identifier, action, content):
        asked = self.all.get(identifier)
        if not asked or asked.conversation != conversation:
            raise Refusal(404, "Unknown elicitation.")
        if asked.action:
            raise Refusal(409, "Already answered.")
        if asked.expires <= time.time():
            raise Refusal(409, "This request has expired.")
        if action == "accept" and asked.mode == "form":
            asked.content = self.checked(content or {})
        asked.action = action
        return asked.parked

    @staticmethod
    def checked(content):
        kept = {}
        for field in FIELDS:
            name, kind = field["name"], field["kind"]
            if name not in content:
                if field["required"]:
                    raise Refusal(400, f"{name} is required.")
                continue
            value = content[name]
            good = {"string": isinstance(value, str) and len(value) >= field.get("minLength", 0),
                    "boolean": isinstance(value, bool),
                    "number": type(value) is int and field.get("minimum", 0) <= value <= field.get("maximum", 0),
                    "select": any(value == option["value"] for option in field.get("options", []))}[kind]
            if not good or field.get("format") == "email" and "@" not in value:
                raise Refusal(400, f"{name} is not valid.")
            kept[name] = value
        return kept


class Controls(dict):
    """What POST /__test__ changes, and what it is at first."""

    FIRST = {"delay": 0,                  # seconds before every answer
             "hold": False,               # answers wait after their first token
             "hold_lists": False,         # whatever is read waits
             "stall": None,               # `unread`: messages wait to be read; `unanswered`: their answers to be sent
             "drop_next_stream": False,   # the next stream loses its connection after a token
             "model_gone": None,          # the id of a model that is not there any more, or several
             "forget_model_list": False,  # the list of models is empty
             "rate_limit": None,          # messages a minute
             "max_messages": None,        # in a conversation
             "max_conversations": None,
             "message_length": None,      # in UTF-16 units
             "stream_lifetime": 300,      # seconds that a reattached stream lives
             "refuse_with_cookie": False,  # refusals repeat the Cookie header
             "login_lost": False,         # nobody is signed in any more
             "page_not_found": False}     # an unknown route is a page, whatever the client accepts

    def __init__(self):
        super().__init__(self.FIRST)

    def take(self, server, changes):
        if changes.pop("new_client", False):
            server.audit.forget_client()
        if unknown := set(changes) - set(self.FIRST):
            return {"unknown": sorted(unknown)}
        if changes.get("login_lost"):
            with server.store.lock:
                server.store.sessions.clear()
                server.store.save()
        self.update(changes)
        return {**self, "running": sum(run.status == "running" for run in server.runs.values())}
