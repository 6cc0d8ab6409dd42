"""A server that does one thing after the other, as those at home do: who comes next waits until the one before is done."""

import json
import select
import socket
import threading


class OneSlot:
    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.listener.getsockname()[1]}/v1"
        # What was asked, and who hung up, in order: one thread notes it, and looks at no connection before its turn.
        self.events = []
        self.titles = 0
        self.waking, self.waker = socket.socketpair()
        self.thread = threading.Thread(target=self.serve, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.waker.close()
        self.listener.shutdown(socket.SHUT_RDWR)
        self.thread.join()
        self.listener.close()
        self.waking.close()

    def name_it(self):
        """Lets the request for a title that is under way have its answer."""
        self.waker.send(b"!")

    def serve(self):
        while True:
            try:
                sock, _ = self.listener.accept()
            except OSError:
                return
            with sock:
                self.answer(sock)

    def answer(self, sock):
        reader = sock.makefile("rb")
        line = reader.readline()
        headers = dict(field.decode().lower().rstrip().split(": ", 1) for field in iter(reader.readline, b"\r\n") if field)
        if not line.startswith(b"POST"):
            return self.reply(sock, {"object": "list", "data": [{"id": "small", "object": "model"}]})
        asked = json.loads(reader.read(int(headers["content-length"])))["messages"][-1]["content"]
        if "Write a title" not in asked:
            self.events.append(asked)
            return self.reply(sock, self.completion(f"The answer to {asked}."))
        self.events.append("a title")
        # It thinks until it is told to be done.
        if self.waking in select.select([sock, self.waking], [], [])[0]:
            self.waking.recv(1)
            return self.reply(sock, self.completion('Title: "The first of all"'))
        self.events.append("hung up" if sock.recv(1) == b"" else "more")

    @staticmethod
    def completion(text):
        message = {"role": "assistant", "content": text}
        return {"object": "chat.completion", "model": "small",
                "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}

    @staticmethod
    def reply(sock, value):
        body = json.dumps(value).encode()
        head = (f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n"
                "Connection: close\r\n\r\n")
        try:
            sock.sendall(head.encode() + body)
        except OSError:
            pass  # it hung up
