#!/usr/bin/env python3
"""A TLS server for tests that tells what it was sent, and a proxy in front of it.

    python3 tls_server.py --certificate PEM --key PEM --log FILE [--version 1.2|1.3] [--http 1.1|2]
                          [--proxy http|socks5h] [--switch FILE]

It prints `ready PORT` and serves until its standard input closes. Every line of the log is a JSON object:

    {"event": "accept", "connection": 0}        a client has connected
    {"event": "handshake", "connection": 0, "resumed": false}
    {"event": "bytes", "connection": 0}         the first decrypted byte of this connection has come
    {"event": "request", "connection": 0, "text": ...}   a request, its headers as they came (HTTP/2: undecoded)
    {"event": "gone", "connection": 0}          the connection has ended, before or after its handshake
    {"event": "tunnel", "connection": 0, "text": ...}    with --proxy: what asked for a tunnel to this server

The answer is 200 with the body `ok`. A file named by --switch, once it is there, names the certificate and key
(one path each line) of all further handshakes.
"""
import argparse
import contextlib
import itertools
import json
import os
import socket
import ssl
import threading

options = None
lock = threading.Lock()


def log(event, connection, **more):
    line = json.dumps({"event": event, "connection": connection, **more}) + "\n"
    # The test may be over, and its folder gone, before the last connection has ended.
    with lock, contextlib.suppress(FileNotFoundError), open(options.log, "a") as file:
        file.write(line)


contexts = {}


def context():
    paths = [options.certificate, options.key]
    if options.switch and os.path.exists(options.switch):
        with open(options.switch) as file:
            paths = file.read().split("\n")[:2]
    with lock:
        if tuple(paths) not in contexts:
            contexts[tuple(paths)] = make(paths)
        return contexts[tuple(paths)]  # the same for all, or no session could be resumed


def make(paths):
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.set_ciphers("DEFAULT@SECLEVEL=0")  # weak keys and signatures are the client's to refuse
    version = ssl.TLSVersion.TLSv1_2 if options.version == "1.2" else ssl.TLSVersion.TLSv1_3
    tls.minimum_version = tls.maximum_version = version
    tls.load_cert_chain(*paths)
    tls.set_alpn_protocols(["h2"] if options.http == "2" else ["http/1.1"])
    return tls


class Bytes:
    """Decrypted bytes as they come; the first is logged."""

    def __init__(self, sock, number):
        self.sock, self.number, self.held, self.is_first = sock, number, b"", True

    def more(self):
        data = self.sock.recv(65536)
        if data and self.is_first:
            self.is_first = False
            log("bytes", self.number)
        self.held += data
        return bool(data)

    def exactly(self, count):
        while len(self.held) < count:
            if not self.more():
                raise EOFError
        taken, self.held = self.held[:count], self.held[count:]
        return taken

    def until(self, end):
        while end not in self.held:
            if not self.more():
                raise EOFError
        return self.exactly(self.held.index(end) + len(end))


def serve_http1(stream):
    while True:
        head = stream.until(b"\r\n\r\n").decode("latin-1")
        length = [line.split(":")[1] for line in head.split("\r\n") if line.lower().startswith("content-length:")]
        stream.exactly(int(length[0]) if length else 0)
        log("request", stream.number, text=head)
        stream.sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")


def frame(kind, flags, number, payload=b""):
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + number.to_bytes(4, "big") + payload


def serve_http2(stream):
    """As much of RFC 9113 as a request without a body needs."""
    stream.exactly(len(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
    stream.sock.sendall(frame(4, 0, 0))  # SETTINGS
    while True:
        head = stream.exactly(9)
        payload = stream.exactly(int.from_bytes(head[:3], "big"))
        kind, flags, number = head[3], head[4], int.from_bytes(head[5:], "big")
        if kind == 4 and not flags & 1:
            stream.sock.sendall(frame(4, 1, 0))
        elif kind == 6 and not flags & 1:
            stream.sock.sendall(frame(6, 1, 0, payload))
        elif kind == 1:
            log("request", stream.number, text=payload.decode("latin-1"))
            # 0x88 is `:status: 200` of the static table (RFC 7541, appendix A).
            stream.sock.sendall(frame(1, 4, number, b"\x88") + frame(0, 1, number, b"ok"))


def exactly(sock, count):
    data = b""
    while len(data) < count:
        more = sock.recv(count - len(data))
        if not more:
            raise EOFError
        data += more
    return data


def answer_socks(sock, number):
    """RFC 1928 without authentication, for a host name."""
    exactly(sock, exactly(sock, 2)[1])
    sock.sendall(b"\x05\x00")
    kind = exactly(sock, 4)[3]
    host = exactly(sock, exactly(sock, 1)[0] if kind == 3 else 4)
    exactly(sock, 2)
    log("tunnel", number, text="socks %d %s" % (kind, host.decode("latin-1")))
    sock.sendall(b"\x05\x00\x00\x01" + bytes(6))


def answer_tunnel(sock, number):
    head = b""
    while b"\r\n\r\n" not in head:
        head += exactly(sock, 1)
    log("tunnel", number, text=head.decode("latin-1"))
    sock.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")


def serve(sock, number):
    log("accept", number)
    try:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if options.proxy:
            (answer_socks if options.proxy == "socks5h" else answer_tunnel)(sock, number)
        sock = context().wrap_socket(sock, server_side=True)
        log("handshake", number, resumed=sock.session_reused)
        stream = Bytes(sock, number)
        (serve_http2 if sock.selected_alpn_protocol() == "h2" else serve_http1)(stream)
    except (OSError, EOFError):
        pass
    finally:
        log("gone", number)
        sock.close()


def leave_with_parent():
    while os.read(0, 4096):
        pass
    os._exit(0)


def main():
    global options
    parser = argparse.ArgumentParser(description="A TLS server for tests.")
    for name in ["--certificate", "--key", "--log"]:
        parser.add_argument(name, required=True)
    parser.add_argument("--switch")
    parser.add_argument("--version", default="1.3")
    parser.add_argument("--http", default="1.1")
    parser.add_argument("--proxy")
    options = parser.parse_args()
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(128)
    threading.Thread(target=leave_with_parent, daemon=True).start()
    print("ready %d" % listener.getsockname()[1], flush=True)
    for number in itertools.count():
        sock, _ = listener.accept()
        threading.Thread(target=serve, args=(sock, number), daemon=True).start()


if __name__ == "__main__":
    main()
