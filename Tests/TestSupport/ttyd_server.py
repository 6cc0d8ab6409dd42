#!/usr/bin/env python3
"""A stand-in for ttyd 1.7.7, where that is not installed: each connection starts a shell, and ends it.

    python3 ttyd_server.py [-c NAME:PASSWORD] [-m CLIENTS] COMMAND…

It prints `ready PORT` and serves until it is ended.
"""
import argparse
import asyncio
import base64
import contextlib
import fcntl
import http
import json
import os
import pty
import signal
import struct
import termios

from websockets.asyncio.server import serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Response

options = None
clients = 0


def token():
    return base64.b64encode(options.credential.encode()).decode() if options.credential else ""


def answer(connection, request):
    """What is no upgrade: `/token`, and 404 for all else. A refused upgrade is a connection that ends without a word."""
    allowed = not options.credential or request.headers.get("Authorization") == f"Basic {token()}"
    path = request.path.split("?")[0]
    if path == "/ws" and request.headers.get("Upgrade"):
        if allowed and (not options.clients or clients < options.clients):
            return None
        connection.transport.abort()
        return reply(http.HTTPStatus.FORBIDDEN, b"")
    if not allowed:
        return reply(http.HTTPStatus.UNAUTHORIZED, b"", ("WWW-Authenticate", 'Basic realm="ttyd"'))
    if path == "/token":
        return reply(http.HTTPStatus.OK, json.dumps({"token": token()}).encode(),
                     ("Content-Type", "application/json;charset=utf-8"))
    return reply(http.HTTPStatus.NOT_FOUND, b"<html><body><h1>404</h1></body></html>", ("Content-Type", "text/html"))


def reply(status, body, *headers):
    return Response(status, status.phrase, Headers([*headers, ("Content-Length", str(len(body)))]), body)


def resize(master, size):
    fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", size["rows"], size["columns"], 0, 0))


async def attend(socket):
    global clients
    if socket.subprotocol != "tty":
        await socket.wait_closed()
        return
    hello = json.loads(await socket.recv())
    if options.credential and hello.get("AuthToken") != token():
        await socket.close(1008)
        return
    clients += 1
    process, master = pty.fork()
    if process == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execvp(options.command[0], options.command)
    resize(master, hello)
    await socket.send(b"1" + " ".join(options.command).encode() + b" (here)")
    await socket.send(b"2{ }")
    output = asyncio.create_task(show(socket, master))
    status = None
    try:
        async for message in socket:
            message = message.encode() if isinstance(message, str) else message
            if message[:1] == b"0":
                os.write(master, message[1:])
            elif message[:1] == b"1":
                resize(master, json.loads(message[1:]))
    except ConnectionClosed:
        pass
    finally:
        clients -= 1
        if not output.done():
            os.kill(process, signal.SIGHUP)
        output.cancel()
        with contextlib.suppress(ChildProcessError):
            await asyncio.to_thread(os.waitpid, process, 0)
        os.close(master)


async def show(socket, master):
    loop = asyncio.get_running_loop()
    while True:
        ready = loop.create_future()
        loop.add_reader(master, lambda ready=ready: ready.done() or ready.set_result(None))
        try:
            await ready
        finally:
            loop.remove_reader(master)
        try:
            data = os.read(master, 65536)
        except OSError:
            data = b""
        if not data:
            break
        await socket.send(b"0" + data)
    # Of the ways in which an end is told, the one without a word is the hardest to read; the other is of exit status 0.
    if options.abrupt:
        socket.transport.abort()
    else:
        await socket.close(1000)


async def main():
    global options
    parser = argparse.ArgumentParser()
    parser.add_argument("-c", dest="credential")
    parser.add_argument("-m", dest="clients", type=int, default=0)
    parser.add_argument("--abrupt", action="store_true")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    async with serve(attend, "127.0.0.1", 0, process_request=answer, subprotocols=["tty"], compression=None,
                     ping_interval=5, ping_timeout=10, select_subprotocol=lambda _, offered: "tty" if "tty" in offered else None) as server:
        print(f"ready {server.sockets[0].getsockname()[1]}", flush=True)
        await asyncio.Future()


asyncio.run(main())
