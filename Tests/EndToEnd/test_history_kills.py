"""Kills at random moments of an answer: what was asked is there, and what was printed but for its last second.

Each word of an answer says when it was sent, in milliseconds, so that what is missing says how much older it is.
"""

import http.server
import json
import os
import random
import re
import selectors
import threading
import time

import pytest

import histories

ROUNDS = int(os.environ.get("PARLEY_ROUNDS") or 1000)
# What a failure names plays the same rounds again.
SEED = int(os.environ.get("PARLEY_SEED") or random.randrange(1 << 32))
AT_ONCE = 6

# What may be missing: what was sent in so many milliseconds, and so many characters. Where much else runs, a disk may take
# longer than that for one save: only the long form, which runs alone, wants the second itself.
SECOND, GRAIN = 1000, 4096


class StampingServer:
    """Answers a question `#NUMBER …` with words such as `41-n7-182736ms`, as long as anybody listens."""

    def __init__(self, pause):
        self.sent = {}
        self.asked = {}
        stamping = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.whole(json.dumps({"object": "list", "data": [{"id": "stamping", "object": "model"}]}).encode())

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                try:
                    stamping.answer(int(body["messages"][-1]["content"].split()[0][1:]), self)
                except OSError:
                    pass  # it was killed

            def whole(self, body):
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.pause = pause
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def expect(self, number, words):
        """Notes how long an answer is, and gives what is set when its question came; of no words it never begins."""
        self.sent[number] = []
        self.asked[number] = (threading.Event(), words)
        return self.asked[number][0]

    def answer(self, number, handler):
        came, words = self.asked[number]
        came.set()
        if not words:
            handler.rfile.read(1)  # until it hangs up
            return
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.end_headers()
        for index in range(words):
            word = f"{number}-n{index}-{time.monotonic_ns() // 1_000_000}ms "
            self.sent[number].append(word)
            self.say(handler, {"delta": {"content": word}})
            time.sleep(self.pause)  # timed: as a model that is neither fast nor slow
        self.say(handler, {"delta": {}, "finish_reason": "stop"})
        handler.wfile.write(b"data: [DONE]\n\n")

    def say(self, handler, choice):
        chunk = {"object": "chat.completion.chunk", "model": "stamping", "choices": [{"index": 0} | choice]}
        handler.wfile.write(b"data: " + json.dumps(chunk).encode() + b"\n\n")

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def stamping():
    server = StampingServer(pause=0.005)
    yield server
    server.stop()


class Round:
    """One question, and the moment at which its process is killed: after so many words were seen."""

    def __init__(self, number, chance):
        self.number = number
        self.words = chance.choice([0, 40, 200, 400, 800])
        # Now and then with the first word, or as the answer ends.
        self.until = min(self.words, chance.choice([1, self.words, *[chance.randint(1, self.words or 1)] * 6]))
        self.seen = ""

    def start(self, parley, server):
        self.came = server.expect(self.number, self.words)
        self.process = parley.start("-s", server.url, f"#{self.number} count")

    def read(self):
        data = os.read(self.process.stdout.fileno(), 65536)
        self.seen += data.decode("ascii")
        return not data or self.seen.count(" ") >= self.until

    def kill(self):
        """What was on its way to the reader was printed as well."""
        self.process.kill()
        self.seen += self.process.communicate(timeout=60)[0].decode("ascii")
        self.seen = self.seen.rstrip("\n")


def stamps(text):
    return [int(stamp) for stamp in re.findall(r"-(\d+)ms", text)]


def play(parley, server, rounds):
    """Plays the rounds, a few at a time; each begins when another was killed."""
    waiting, playing = iter(rounds), selectors.DefaultSelector()

    def begin():
        for round in waiting:
            round.start(parley, server)
            if round.words:
                playing.register(round.process.stdout, selectors.EVENT_READ, round)
                return
            assert round.came.wait(60), f"round {round.number} asked nothing"
            round.kill()

    for _ in range(AT_ONCE):
        begin()
    while playing.get_map():
        ready = playing.select(60)
        assert ready, "nothing comes any more"
        for key, _ in ready:
            if key.data.read():
                playing.unregister(key.fileobj)
                key.data.kill()
                begin()


def missing(round, sent, answer):
    """How much older, in milliseconds, what was seen last is than what is kept, not counting the last few kilobytes."""
    due = stamps(round.seen[:max(0, len(round.seen) - GRAIN)])
    if not due:
        return 0
    return due[-1] - (stamps(answer)[-1] if answer else stamps(sent)[0])


def judge(round, sent, kept, within):
    """What of the round was lost, in words; nothing when all is well."""
    question = f"#{round.number} count"
    if question not in kept:
        return "the question is not there"
    answer, status = kept[question]
    if not sent.startswith(answer or ""):
        return f"the answer is not what was sent: …{answer[-80:]!r}"
    if not sent.startswith(round.seen):
        return f"what was printed is not what was sent: …{round.seen[-80:]!r}"
    if status not in ("interrupted", "complete"):
        return f"it is {status!r}"
    if status == "complete" and answer != sent:
        return "it is called complete and is not"
    if missing(round, sent, answer) > within:
        return f"{len(round.seen) - len(answer)} characters, {missing(round, sent, answer)} ms of them, are missing"
    return None


def kill_while_answers_come(parley, server, count, within):
    print(f"PARLEY_SEED={SEED}")
    chance = random.Random(SEED)
    rounds = [Round(number, chance) for number in range(count)]
    play(parley, server, rounds)
    assert parley.run("/history", "--json").status == 0
    database = parley.home / "history.sqlite"
    histories.check(database)
    kept = histories.kept(database)
    told = [(round.number, judge(round, "".join(server.sent[round.number]), kept, within)) for round in rounds]
    losses = [f"round {number}: {loss}" for number, loss in told if loss]
    assert not losses, "\n".join([f"{len(losses)} of {count} rounds, PARLEY_SEED={SEED}", *losses[:20]])
    assert len(kept) == count, "there are questions that nobody asked"
    assert not list(parley.home.glob("*corrupt*")), "it was taken for damaged"
    return [(answer.split()[-1], status) for answer, status in kept.values() if answer]


def find(parley, word):
    return parley.run("/history", "search", word).out.replace("*", "")


def test_kills_while_answers_come_lose_no_question_and_no_text_but_the_last_second(parley, stamping):
    last_words = kill_while_answers_come(parley, stamping, 50, within=10 * SECOND)
    # Rounds of all kinds were played, and what is kept of an answer that was cut off is found.
    cut_off = [word for word, status in last_words if status == "interrupted"]
    assert len(cut_off) > 10
    assert cut_off[-1] in find(parley, cut_off[-1])


@pytest.mark.long
@pytest.mark.timeout(3600)
def test_a_thousand_kills_lose_no_question_and_no_text_but_the_last_second(parley, stamping):
    last_words = kill_while_answers_come(parley, stamping, ROUNDS, within=SECOND)
    assert all(word in find(parley, word) for word, _ in random.sample(last_words, 10))
