"""The playground: a Kamiwaza installation of one's own, to start, to ask and to upset."""

import http.client
import json
import ssl
import subprocess
import urllib.parse


# The forms that platforms have: today's, that of 0.9, and that of the document which the first client was built from.
FORMS = {"1.2": (), "0.9": ("--release", "0.9"), "first": ("--seed-shape",)}


class Answer:
    def __init__(self, response):
        self.status, self.headers, self.bytes = response.status, response.headers, response.read()

    @property
    def text(self):
        return self.bytes.decode("utf-8")

    @property
    def json(self):
        return json.loads(self.bytes)

    def __repr__(self):
        return f"<{self.status} {self.bytes[:300]!r}>"


class Playground:
    """Lives as long as its standard input is held open; `say` talks to it there."""

    def __init__(self, binary, *options):
        self.process = subprocess.Popen([binary, "--while-stdin-open", *map(str, options)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, bufsize=1)
        line = self.process.stdout.readline()
        if not line.startswith("ready "):
            self.kill()
            raise RuntimeError(f"the playground did not start: {line!r}")
        words = line.split()
        self.address, self.fingerprint = words[1], words[2] if len(words) > 2 else None
        parts = urllib.parse.urlsplit(self.address)
        self.port, self.prefix, self.is_secure = parts.port, parts.path, parts.scheme == "https"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def say(self, line):
        """One line to it, and its answer: `swap-certificate`, `stop NAME`, `expire`, `drop` …"""
        self.process.stdin.write(line + "\n")
        return self.process.stdout.readline().rstrip("\n")

    @property
    def counts(self):
        """How often each route was asked, such as `POST /auth/refresh`."""
        return json.loads(self.say("count"))

    def stop(self):
        if self.process.poll() is None:
            self.process.stdin.close()
            try:
                self.process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                self.kill()
        self.process.stdout.close()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def swap_certificate(self):
        """Shows another certificate from now on; `fingerprint` is the new one's."""
        self.fingerprint = self.say("swap-certificate").split()[1]

    @property
    def given(self):
        """Every token that it ever gave out."""
        return json.loads(self.say("given"))

    # Asking it without parley

    def connection(self, timeout=60):
        if not self.is_secure:
            return http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=timeout, context=context)

    def send(self, method, path, token=None, form=None, body=None, headers=None):
        """Sends a request; the answer may still be coming. `path` begins below the prefix."""
        headers = dict(headers or {})
        if token:
            headers["Authorization"] = f"Bearer {token}"
        data = None
        if form is not None:
            data = urllib.parse.urlencode(form)
            headers.setdefault("Content-Type", "application/x-www-form-urlencoded")
        if body is not None:
            data = json.dumps(body)
            headers.setdefault("Content-Type", "application/json")
        connection = self.connection()
        connection.request(method, self.prefix + path, body=data, headers=headers)
        return connection.getresponse()

    def ask(self, method, path, **rest):
        response = self.send(method, path, **rest)
        try:
            return Answer(response)
        finally:
            response.close()

    def api(self, method, path, **rest):
        return self.ask(method, "/api" + path, **rest)

    def sign_in(self, name="demo", password=None):
        """TokenResponse."""
        answer = self.api("POST", "/auth/token", form={"username": name, "password": password or name})
        assert answer.status == 200, answer
        return answer.json
