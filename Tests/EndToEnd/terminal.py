"""A terminal that a person could look at: what a program writes to it is drawn, so tests speak of what is seen."""

import fcntl
import os
import re
import select
import struct
import subprocess
import termios
import time
import unicodedata

import pyte
from wcwidth import wcwidth

from waiting import PATIENCE

KEYS = {"enter": b"\r", "up": b"\x1b[A", "down": b"\x1b[B", "tab": b"\t", "ctrl-c": b"\x03", "ctrl-d": b"\x04",
        "ctrl-j": b"\n", "ctrl-r": b"\x12", "ctrl-z": b"\x1a", "ctrl-u": b"\x15", "ctrl-a": b"\x01", "escape": b"\x1b"}

PROMPT = re.compile(r">$")


def squeezed(text):
    """Text without its white space, in the form that pyte keeps."""
    return unicodedata.normalize("NFC", "".join(text.split()))


class Drawing(pyte.HistoryScreen):
    """A screen that keeps what scrolled away and whatever it was asked to answer."""

    def __init__(self, columns, rows):
        super().__init__(columns, rows, history=10000, ratio=0.001)
        self.answers = []
        # Lines that scrolled away longer ago than is kept.
        self.forgotten = 0

    @property
    def display(self):
        """The rows. What is left of a wide character that was written over is blank; pyte's own fails there."""
        def cells(line):
            is_wide = False
            for column in range(self.columns):
                data = line[column].data
                if not is_wide:
                    yield data or " "
                is_wide = not is_wide and bool(data) and wcwidth(data[0]) == 2
        return ["".join(cells(self.buffer[number])) for number in range(self.lines)]

    def index(self):
        _, bottom = self.margins or (0, self.lines - 1)
        if self.cursor.y == bottom:
            self.make_room()
        super().index()

    def make_room(self):
        """The place of a line is counted from the first that ever was, however many there were."""
        if len(self.history.top) == self.history.top.maxlen:
            self.forgotten += 1

    def write_process_input(self, data):
        self.answers.append(data)

    def select_graphic_rendition(self, *attributes, private=False):
        """With a private mark it asks about keys, or sets them, as vim does; pyte knows it as a colour alone."""
        if not private:
            super().select_graphic_rendition(*attributes)

    def resize(self, lines=None, columns=None):
        """As terminals do it, and pyte does not: what is above the cursor scrolls away only when there is no room."""
        for _ in range(max(0, self.cursor.y - lines + 1)):
            self.make_room()
            self.history.top.append(self.buffer[0])
            for y in range(self.lines - 1):
                self.buffer[y] = self.buffer[y + 1]
            del self.buffer[self.lines - 1]
            self.cursor.y -= 1
        for y in range(lines, self.lines):
            self.buffer.pop(y, None)
        for row in self.buffer.values():
            for x in range(columns, self.columns):
                row.pop(x, None)
        self.lines, self.columns = lines, columns
        self.cursor.x = min(self.cursor.x, columns - 1)
        self.set_margins()


class Terminal:
    def __init__(self, command, env, cwd, columns=80, rows=24):
        self.screen = Drawing(columns, rows)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = bytearray()
        self.unfinished = b""
        self.drawings = 0
        self.seen_from = 0
        self.master, self.slave = os.openpty()
        self.resize(columns, rows, tell=False)
        self.settings_before = termios.tcgetattr(self.slave)
        self.modes_before = set(self.screen.mode)
        # The slave end stays open here: what the program left on the terminal can be looked at after it is gone.
        self.process = subprocess.Popen(
            command, stdin=self.slave, stdout=self.slave, stderr=self.slave, env=env, cwd=cwd,
            start_new_session=True, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for end in (self.master, self.slave):
            os.close(end)

    # What is seen

    @property
    def scrolled(self):
        return [self._row(row) for row in self.screen.history.top]

    @property
    def lines(self):
        """The screen, without blank lines at its end and blanks at the ends of lines."""
        rows = [row.rstrip() for row in self.screen.display]
        while rows and not rows[-1]:
            rows.pop()
        return rows

    @property
    def text(self):
        """All that was ever on the screen, from the last `look_from_here` on."""
        return "\n".join((self.scrolled + self.lines)[max(0, self.seen_from - self.screen.forgotten):])

    def look_from_here(self):
        """Only what comes below the line that the cursor is on counts from now."""
        self.seen_from = self.cursor_line + 1

    @property
    def cursor_line(self):
        """The line that the cursor is on, counted from the first that ever was."""
        return self.screen.forgotten + len(self.screen.history.top) + self.screen.cursor.y

    @property
    def typed(self):
        """The line that the cursor is on, up to the cursor."""
        return self._row(self.screen.buffer[self.screen.cursor.y], 0, self.screen.cursor.x)

    def _row(self, row, start=0, end=None):
        return "".join(row[column].data for column in range(start, end or self.screen.columns)).rstrip()

    @property
    def at_prompt(self):
        row, x = self.screen.buffer[self.screen.cursor.y], self.screen.cursor.x
        return x > 0 and bool(PROMPT.search(self._row(row, 0, x))) and not self._row(row, x)

    # What is done

    def send(self, text):
        """Types text or bytes as they are."""
        os.write(self.master, text.encode() if isinstance(text, str) else text)

    def press(self, *keys):
        for key in keys:
            self.send(KEYS[key])

    def type(self, line):
        """Types a line and Enter; from now on only what comes after it is looked at."""
        self.send(line)
        if line:
            # Wherever the screen breaks the line.
            end = squeezed(line)[-10:]
            self.wait_until(lambda: end in squeezed("".join(self.lines)), f"{line!r} to be echoed")
        self.look_from_here()
        self.press("enter")

    def say(self, line, until):
        """Types a line, and waits for what comes of it and for the next prompt."""
        self.type(line)
        self.wait_for(until)
        self.wait_for_prompt()

    def paste(self, text):
        self.send("\x1b[200~" + text + "\x1b[201~")

    def resize(self, columns, rows, tell=True):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        if tell:
            self.screen.resize(rows, columns)

    def signal(self, number):
        self.process.send_signal(number)

    # What is waited for

    def read(self, seconds):
        """Draws what has come, waiting so long for the first of it; whether there was any."""
        if not select.select([self.master], [], [], seconds)[0]:
            return False
        data = os.read(self.master, 65536)
        self.raw += data
        self.stream.feed(self._without_commands(data))
        self.drawings += 1
        return True

    def _without_commands(self, data):
        """Without application program commands, which terminals pass over that know none, and pyte draws."""
        data = re.sub(rb"\x1b_[^\x1b]*\x1b\\", b"", self.unfinished + data)
        start = data.find(b"\x1b_")
        # The first byte of one may have come alone.
        start = start if start >= 0 else len(data) - data.endswith(b"\x1b")
        self.unfinished = data[start:]
        return data[:start]

    def wait_until(self, condition, what, seconds=PATIENCE):
        end = time.monotonic() + seconds
        while not condition():
            left = end - time.monotonic()
            if left <= 0:
                raise AssertionError(f"waited {seconds} s for {what}; the screen is\n{self}")
            self.read(min(left, 0.1))

    def wait_for(self, wanted, seconds=PATIENCE):
        """Waits until text, or a compiled pattern, is seen."""
        if isinstance(wanted, str):
            self.wait_until(lambda: wanted in self.text, repr(wanted), seconds)
        else:
            self.wait_until(lambda: wanted.search(self.text), repr(wanted.pattern), seconds)

    def wait_for_prompt(self, seconds=PATIENCE):
        """Waits for a new, empty prompt below what was typed last."""
        below = self.seen_from
        self.wait_until(
            lambda: self.at_prompt and self.cursor_line >= below,
            "a prompt", seconds)

    def wait_for_question(self, words, seconds=PATIENCE):
        """Waits until a question with these words stands before the cursor: what is typed earlier is no answer to it."""
        self.wait_until(lambda: words in self.typed, f"the question {words!r}", seconds)

    def wait_for_exit(self, seconds=PATIENCE):
        """The exit status as a shell counts it."""
        self.wait_until(lambda: self.process.poll() is not None, "the program to leave", seconds)
        while self.read(0):
            pass
        status = self.process.returncode
        return 128 - status if status < 0 else status

    def leave(self):
        """Ctrl-D at the prompt: the program leaves, and the terminal is as it was."""
        self.press("ctrl-d")
        status = self.wait_for_exit()
        self.assert_restored()
        return status

    def assert_restored(self):
        assert termios.tcgetattr(self.slave) == self.settings_before, "the terminal's settings changed"
        self.assert_undisturbed()

    def assert_undisturbed(self):
        """No mode, title or question to the terminal was left behind, or came from outside."""
        assert set(self.screen.mode) == self.modes_before
        assert not self.screen.cursor.hidden
        assert self.screen.answers == [], "the terminal was made to answer"

    def __str__(self):
        width = self.screen.columns
        rows = [f"|{row[:width].ljust(width)}|" for row in self.screen.display]
        cursor = f"cursor at line {self.screen.cursor.y + 1}, column {self.screen.cursor.x + 1}"
        return "\n".join([f"+{'-' * width}+", *rows, f"+{'-' * width}+", cursor, f"(came: {bytes(self.raw[-400:])!r})"])
