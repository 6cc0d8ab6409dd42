#!/usr/bin/env python3
"""A WebSocket server for tests (RFC 6455) that misbehaves on request: every frame is written by hand.

    python3 websocket_server.py --log FILE [--certificate PEM --key PEM]

It prints `ready PORT` and serves until its standard input closes. The path chooses what happens: /SCENE/KEY or
/SCENE/KIND/KEY, with a KEY of the test's own. To `CONNECT` it plays the proxy in front of every server, and then that
server. Every line of the log is a JSON object with an "event", a "key" and a "text":

    accept      a client has connected; the text is its port (no key)
    bytes       the first byte of a connection has come, decrypted (no key)
    tunnel      a CONNECT, as it came (no key)
    request     the head of a request, as it came
    text, ping, pong, close    a frame of that kind has come: its text (the first 100 bytes), for close its code
    unmasked    a frame came without a mask, which no client may send
    sent, blocked              in the scene flood: so many messages have gone; nothing went for a second
    gone        the connection has ended

    echo            each message comes back
    fragments       "one message" in three frames with a ping between them, one of one byte and one empty; then as echo
    many            1000 messages, the numbers from 0; then as echo
    pings           three pings, the last with 125 bytes; when the pongs are in "answered"; then as echo
    mute            nothing at all is said, also not to pings
    alive           only pings are answered, and the third with "still here" too; then as echo
    binary          a binary message, one in fragments, and "text"; then as echo
    early           frames in the same write as the head: "first", "second" and half of "third"; then as echo
    bytewise        the head and "slow" byte by byte; then as echo
    protocol        the answer takes the first protocol that was asked for; then as echo
    goodbye         "last", then a close frame with 1001 whose answer is waited for
    leave           "last", then a close frame, and the connection is closed at once
    stay            no close frame is answered, and the connection stays
    flood           200 messages of 1 MiB each, the number and a filling
    cut/frame       "before", then the connection ends within a frame
    cut/between     "before", then it ends between two frames, without a goodbye
    cut/reset       "before", then it is reset
    broken/KIND     "before", then what no server may send, see BROKEN; then a close frame is waited for
    refuse/KIND     no WebSocket, see refuse()
"""
import argparse
import base64
import contextlib
import hashlib
import itertools
import json
import os
import socket
import ssl
import struct
import threading

options = None
lock = threading.Lock()

TEXT, BINARY, CLOSE, PING, PONG = 1, 2, 8, 9, 10
NAMES = {TEXT: "text", BINARY: "binary", CLOSE: "close", PING: "ping", PONG: "pong"}


def log(event, key="", text=""):
    line = json.dumps({"event": event, "key": key, "text": text}) + "\n"
    # The test may be over, and its folder gone, before the last connection has ended.
    with lock, contextlib.suppress(FileNotFoundError), open(options.log, "a") as file:
        file.write(line)


def frame(kind, payload=b"", fin=True, reserved=0, mask=None, length=None):
    length = len(payload) if length is None else length
    bits = 128 if mask else 0
    if length < 126:
        head = bytes([bits | length])
    elif length < 1 << 16:
        head = bytes([bits | 126]) + length.to_bytes(2, "big")
    else:
        head = bytes([bits | 127]) + length.to_bytes(8, "big")
    if mask:
        head += mask
        payload = bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))
    return bytes([(128 if fin else 0) | reserved << 4 | kind]) + head + payload


BROKEN = {
    "utf8": frame(TEXT, b"bad \xff bytes"),
    "utf8-cut": frame(TEXT, b"cut \xe2\x82"),
    "utf8-surrogate": frame(TEXT, b"\xed\xa0\x80"),
    "masked": frame(TEXT, b"masked", mask=b"abcd"),
    "unknown": frame(3, b"?"),
    "unknown-control": frame(11, b"?"),
    "reserved": frame(TEXT, b"compressed", reserved=4),
    "split-ping": frame(PING, b"half", fin=False),
    "long-ping": frame(PING, bytes(126)),
    "continuation": frame(0, b"of nothing"),
    "nested": frame(TEXT, b"one", fin=False) + frame(TEXT, b"two"),
    "oversize": frame(TEXT, b"x", length=(64 << 20) + 1),
    "oversize-fragments": frame(TEXT, b"x", fin=False) + frame(0, b"x", length=64 << 20),
    "endless": frame(TEXT, b"x", length=(1 << 63) - 1),
    "close-code": frame(CLOSE, (1005).to_bytes(2, "big")),
}


class Peer:
    def __init__(self, sock):
        self.sock, self.held, self.key, self.is_first = sock, b"", "", True

    def more(self):
        data = self.sock.recv(1 << 20)
        if not data:
            raise EOFError
        if self.is_first:
            self.is_first = False
            log("bytes")
        self.held += data

    def exactly(self, count):
        parts, missing = [], count
        while missing:
            if not self.held:
                self.more()
            parts.append(self.held[:missing])
            self.held = self.held[missing:]
            missing -= len(parts[-1])
        return b"".join(parts)

    def head(self):
        while b"\r\n\r\n" not in self.held:
            self.more()
        head, _, self.held = self.held.partition(b"\r\n\r\n")
        return head.decode("latin-1")

    def send(self, data):
        self.sock.sendall(data)

    def say(self, text):
        self.send(frame(TEXT, text.encode()))

    def read(self):
        """The next frame; it is logged."""
        first, second = self.exactly(2)
        length = second & 127
        if length > 125:
            length = int.from_bytes(self.exactly(2 if length == 126 else 8), "big")
        kind = first & 15
        if not second & 128:
            log("unmasked", self.key)
        mask = self.exactly(4) if second & 128 else bytes(4)
        data = self.exactly(length)
        if length:
            stream = int.from_bytes((mask * (length // 4 + 1))[:length], "big")
            data = (int.from_bytes(data, "big") ^ stream).to_bytes(length, "big")
        if kind == CLOSE:
            log("close", self.key, str(int.from_bytes(data[:2], "big")))
        else:
            log(NAMES.get(kind, str(kind)), self.key, data[:100].decode("utf-8", "replace"))
        return kind, data

    def echo(self):
        while True:
            kind, data = self.read()
            if kind in (TEXT, BINARY):
                self.send(frame(kind, data))
            elif kind == PING:
                self.send(frame(PONG, data))
            elif kind == CLOSE:
                self.send(frame(CLOSE, data))
                return

    def wait_for(self, wanted):
        while self.read()[0] != wanted:
            pass


def accept_line(head):
    key = header(head, "sec-websocket-key")
    digest = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
    return "Sec-WebSocket-Accept: " + base64.b64encode(digest).decode()


def header(head, name):
    for line in head.split("\r\n")[1:]:
        if line.lower().startswith(name + ":"):
            return line.partition(":")[2].strip()
    return ""


def switch(head, *more):
    lines = ["HTTP/1.1 101 Switching Protocols", "Upgrade: WebSocket", "Connection: keep-alive, Upgrade",
             accept_line(head), *more]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def refuse(peer, kind, head):
    accept = accept_line(head)
    upgrade, connection = "Upgrade: websocket", "Connection: Upgrade"
    switching = "HTTP/1.1 101 Switching Protocols"
    answers = {
        "401": ["HTTP/1.1 401 Unauthorized", "Content-Length: 12", "", "wrong token."],
        "302": ["HTTP/1.1 302 Found", "Location: http://127.0.0.1:1/elsewhere", "Content-Length: 0", "", ""],
        "204": ["HTTP/1.1 204 No Content", "", ""],
        "500-chunked": ["HTTP/1.1 500 Oops", "Transfer-Encoding: chunked", "", "5", "It is", "8;x=y", "  broken", "0",
                        "", ""],
        "403-close": ["HTTP/1.1 403 Forbidden", "", "go away"],
        "503-long": ["HTTP/1.1 503 Unavailable", "Content-Length: 100000", "", "x" * 100000],
        "400-slow": ["HTTP/1.1 400 Bad Request", "Content-Length: 100", "", "and then nothing"],
        "426-after-interim": ["HTTP/1.1 103 Early Hints", "Link: </a>", "", "HTTP/1.1 426 Upgrade Required",
                              "Content-Length: 3", "", "old"],
        "accept": [switching, upgrade, connection, "Sec-WebSocket-Accept: dGhlIHNhbXBsZSBub25jZQ==", "", ""],
        "no-accept": [switching, upgrade, connection, "", ""],
        "two-accepts": [switching, upgrade, connection, accept, accept, "", ""],
        "no-upgrade": [switching, connection, accept, "", ""],
        "other-upgrade": [switching, "Upgrade: h2c", connection, accept, "", ""],
        "no-connection": [switching, upgrade, accept, "", ""],
        "extension": [switching, upgrade, connection, accept, "Sec-WebSocket-Extensions: permessage-deflate", "", ""],
        "protocol": [switching, upgrade, connection, accept, "Sec-WebSocket-Protocol: chat", "", ""],
        "not-http": ["SSH-2.0-OpenSSH_9.2", ""],
        "long-head": [switching, "X-Long: " + "x" * (64 << 10), "", ""],
        "many-headers": [switching] + ["X-%d: y" % number for number in range(10000)] + ["", ""],
        "cut-head": ["HTTP/1.1 101 Switching"],
        "nothing": [""],
    }
    if kind != "silent":
        with contextlib.suppress(OSError):  # a client may have read enough
            peer.send("\r\n".join(answers[kind]).encode())
    if kind in ("403-close", "cut-head", "nothing"):
        return
    while True:
        peer.read()


def flood(peer):
    peer.sock.settimeout(1)
    for number in range(200):
        data = memoryview(frame(TEXT, str(number).ljust(1 << 20).encode()))
        while data:
            try:
                data = data[peer.sock.send(data):]
            except TimeoutError:
                log("blocked", peer.key, str(number))
        log("sent", peer.key, str(number))
    peer.sock.settimeout(None)


def cut(peer, kind):
    peer.say("before")
    if kind == "frame":
        peer.send(frame(TEXT, b"x" * 10, length=1000))
    elif kind == "reset":
        peer.wait_for(TEXT)
        peer.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def play(peer, scene, kind, head):
    if scene == "refuse":
        return refuse(peer, kind, head)
    if scene == "bytewise":
        for byte in switch(head) + frame(TEXT, b"slow"):
            peer.send(bytes([byte]))
        return peer.echo()
    if scene == "early":
        third = frame(TEXT, b"third")
        peer.send(switch(head) + frame(TEXT, b"first") + frame(TEXT, b"second") + third[:4])
        peer.send(third[4:])
        return peer.echo()
    if scene == "protocol":
        peer.send(switch(head, "Sec-WebSocket-Protocol: " + header(head, "sec-websocket-protocol").split(",")[0]))
        return peer.echo()
    peer.send(switch(head))
    if scene == "fragments":
        peer.send(frame(TEXT, b"one ", fin=False) + frame(PING, b"between") + frame(0, b"mess", fin=False))
        peer.send(frame(0, b"", fin=False) + frame(0, b"a", fin=False) + frame(0, b"ge"))
    elif scene == "many":
        peer.send(b"".join(frame(TEXT, str(number).encode()) for number in range(1000)))
    elif scene == "pings":
        pings = [b"", b"two", b"x" * 125]
        peer.send(b"".join(frame(PING, data) for data in pings))
        if [peer.read() for _ in pings] == [(PONG, data) for data in pings]:
            peer.say("answered")
    elif scene == "alive":
        for _ in range(3):
            peer.wait_for(PING)
            peer.send(frame(PONG))
        peer.say("still here")
    elif scene == "binary":
        peer.send(frame(BINARY, b"\xff\x00") + frame(BINARY, b"\xff", fin=False) + frame(0, b"\xfe"))
        peer.say("text")
    elif scene == "flood":
        flood(peer)
    elif scene == "cut":
        return cut(peer, kind)
    elif scene == "broken":
        peer.say("before")
        peer.send(BROKEN[kind])
        return peer.wait_for(CLOSE)
    elif scene == "goodbye":
        peer.send(frame(TEXT, b"last") + frame(CLOSE, (1001).to_bytes(2, "big") + b"bye"))
        return peer.wait_for(CLOSE)
    elif scene == "leave":
        return peer.send(frame(TEXT, b"last") + frame(CLOSE))
    elif scene in ("mute", "stay"):
        while True:
            peer.read()
    peer.echo()


def serve(sock):
    log("accept", text=str(sock.getpeername()[1]))
    peer = Peer(sock)
    try:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if options.certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(options.certificate, options.key)
            context.set_alpn_protocols(["h2", "http/1.1"])
            peer.sock = sock = context.wrap_socket(sock, server_side=True)
        head = peer.head()
        if head.startswith("CONNECT "):
            log("tunnel", text=head)
            peer.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
            head = peer.head()
        path = head.split(" ")[1].partition("?")[0].strip("/").split("/")
        peer.key = path[-1]
        log("request", peer.key, head)
        play(peer, path[0], path[1], head)
    except (OSError, EOFError, ValueError):
        pass
    finally:
        log("gone", peer.key)
        with contextlib.suppress(OSError):
            sock.close()


def leave_with_parent():
    while os.read(0, 4096):
        pass
    os._exit(0)


def main():
    global options
    parser = argparse.ArgumentParser(description="A WebSocket server for tests.")
    parser.add_argument("--log", required=True)
    parser.add_argument("--certificate")
    parser.add_argument("--key")
    options = parser.parse_args()
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    threading.Thread(target=leave_with_parent, daemon=True).start()
    print("ready %d" % listener.getsockname()[1], flush=True)
    for _ in itertools.count():
        sock, _ = listener.accept()
        threading.Thread(target=serve, args=(sock,), daemon=True).start()


if __name__ == "__main__":
    main()
