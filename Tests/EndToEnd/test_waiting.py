"""What is said while nothing comes: what is waited for, for how long, and how to stop."""

import contextlib
import re
import socket
import threading

import pytest


@pytest.mark.parametrize("locale, signs", [("C.UTF-8", "[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]"), ("C", r"[|/\\-]")])
def test_a_wait_says_what_for_and_how_to_stop(parley, scripted, locale, signs):
    url = scripted.url("nod-start")
    shell = parley.on_terminal("-s", url, env={"LC_ALL": locale})
    shell.wait_for_prompt()
    shell.type("hello")
    passing = re.compile(rf"^{signs} waiting for \S+ \d+ s, Ctrl-C stops$", re.MULTILINE)
    shell.wait_for(passing)
    scripted.nod(url)
    shell.wait_for_prompt()
    assert not any("Ctrl-C stops" in row for row in shell.scrolled + shell.lines)


def test_who_has_nothing_redrawn_is_told_once_of_a_long_wait(parley, scripted):
    url = scripted.url("nod-start")
    shell = parley.on_terminal("-s", url, env={"ACCESSIBLE": "1"})
    shell.wait_for_prompt()
    shell.type("hello")
    shell.wait_for("waiting for ")
    scripted.nod(url)
    shell.wait_for_prompt()
    assert shell.text.count("waiting for ") == 1
    assert b"\r\x1b[K" not in shell.raw


@contextlib.contextmanager
def listening(backlog=5):
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(backlog)
        yield server, f"http://127.0.0.1:{server.getsockname()[1]}/v1"


def request(connection):
    """Its head, and its body so far."""
    data = b""
    while b"\r\n\r\n" not in data:
        piece = connection.recv(4096)
        assert piece, "a request that was cut off"
        data += piece
    head, _, body = data.partition(b"\r\n\r\n")
    return head, body


def answer(connection, kind, body):
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: " + kind + b"\r\nConnection: close\r\n\r\n" + body)
    connection.close()


def test_a_large_message_on_its_way_has_a_bar(parley, tmp_path):
    # More than the buffers of a connection hold, so that it is seen on its way.
    (tmp_path / "large.txt").write_text("words " * 1_000_000)
    mayRead = threading.Event()
    with listening() as (server, url):
        def serve():
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                head, body = request(connection)
                if not head.startswith(b"POST"):
                    answer(connection, b"application/json", b'{"data":[{"id":"m"}]}')
                    continue
                mayRead.wait()
                length = int(re.search(rb"(?i)content-length: (\d+)", head)[1])
                while len(body) < length:
                    piece = connection.recv(1 << 20)
                    if not piece:
                        return
                    body += piece
                answer(connection, b"application/json", b'{"choices":[{"message":{"content":"All read."}}]}')
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        shell = parley.on_terminal("-s", url, "-m", "m", "--attach", str(tmp_path / "large.txt"), "what is it?",
                                   columns=80)
        shell.wait_for(re.compile(r"sending \S+ MB of 6.0 MB █*░+"))
        mayRead.set()
        assert shell.wait_for_exit() == 0
        assert "All read." in shell.text
        assert not any("sending" in row for row in shell.scrolled + shell.lines)
        shell.assert_restored()
        # Closed alone it would leave who accepts waiting.
        server.shutdown(socket.SHUT_RDWR)
        thread.join(60)
        assert not thread.is_alive()


def test_a_server_that_does_not_take_the_connection_is_named(parley):
    with listening(backlog=0) as (server, url), contextlib.ExitStack() as others:
        # A full queue: the next one waits for its connection.
        for _ in range(2):
            other = others.enter_context(socket.socket())
            other.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                other.connect(server.getsockname())
        shell = parley.on_terminal("-s", url, "-m", "m", "hello")
        shell.wait_for(re.compile("connecting to http"))
        shell.press("ctrl-c")
        assert shell.wait_for_exit() == 130
