#!/usr/bin/env python3
"""Draws docs/pictures/*.svg: what runs of parley look like in a terminal emulator.

    .venv/bin/python scripts/pictures.py BINARY

The program is the real one; the model is played by the scripted server of the tests, so that the same pictures come out
each time.
"""

import collections
import html
import os
import pathlib
import re
import sys
import tempfile
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / "Tests/EndToEnd"))

import pyte  # noqa: E402
import servers  # noqa: E402
import terminal  # noqa: E402

ANSWER = """\
## The largest files

Ask `du` for every size, then sort:

```bash
du -ah "$HOME" | sort -rh | head -n 10   # ten of them
```

| part | what it does |
|---|---|
| `du -ah` | sizes of **all** files, for people |
| `sort -rh` | the largest first |
| `head -n 10` | ten lines of it |

- Folders are listed too; `find -type f` leaves them out.
- *Slow on a full disk:* it reads every folder.
"""
REVIEW = "Good. `len(values)` may be 0, though: say what the mean of nothing is."

# Name: what it shows, columns and rows, what is done.
Picture = collections.namedtuple("Picture", "title description columns rows play")


def chat(shell, url):
    """A question, its answer, and the next line in grey before it is typed."""
    shell.connect(url("says", ANSWER), "lab")
    shell.start()
    shell.wait_for_prompt()
    shell.type("Which files take the most room?")
    shell.wait_for_prompt()
    shell.send("Wh")
    shell.wait_for("Which files take the most room?")


def tab(shell, url):
    """What Tab offers."""
    shell.connect(url("ok"), "lab")
    shell.start()
    shell.wait_for_prompt()
    shell.send("/settings t\t")
    shell.wait_for(re.compile(r"^… \d+ more$", re.MULTILINE))


def pipe(shell, url):
    """A file in a pipe, an answer to a program, a failure."""
    shell.connect(url("says", REVIEW), "lab")
    (shell.folder / "mean.py").write_text("def mean(values):\n    return sum(values) / len(values)\n")
    shell.start_bash()
    shell.wait_for_prompt()
    for line in ['cat mean.py | parley "Review this."', 'parley --json "Is it quick?" | grep -o \'"status":"[a-z]*"\'',
                 'parley -s localhost:9 hi; echo "[$?]"']:
        shell.type(line)
        shell.wait_for_prompt()


PICTURES = {
    "chat": Picture("A chat with parley", "An answer with a heading, code in colours, a table and a list; below it a line "
                    "that is being typed, with an earlier one in grey behind it.", 76, 26, chat),
    "tab": Picture("Tab in parley", "Below the line /settings t stand the settings that begin so, each with what it is "
                   "now and what it is for.", 76, 12, tab),
    "pipe": Picture("parley in pipes", "In bash a file is handed to parley by a pipe and reviewed, an answer is had as "
                    "JSON, and a server that cannot be reached gives an error, a hint and an exit status.", 76, 12, pipe),
}

BACKGROUND, FOREGROUND = "#1d2021", "#dcd7cb"
COLOURS = {
    "black": "#1d2021", "red": "#ea6962", "green": "#a9b665", "brown": "#e0b05c", "blue": "#7daea3", "magenta": "#d3869b",
    "cyan": "#89b482", "white": FOREGROUND, "dim": "#928c7f", "brightblack": "#928c7f", "brightred": "#ef8a80",
    "brightgreen": "#bcc77c", "brightbrown": "#ecc27a", "brightblue": "#96c1b7", "brightmagenta": "#dfa0b2",
    "brightcyan": "#9dc597", "brightwhite": "#f2eee4", "cursor": "#5d594f",
}
# Of a cell, in the units of the picture; an advance of 0.6 is that of most fixed fonts.
SIZE, WIDTH, HEIGHT, MARGIN = 14, 8.4, 18, 16
# Which ways from its middle a sign of a frame goes: left, right, up, down.
FRAMES = {"─": "lr", "│": "ud", "┼": "lrud", "├": "rud", "┤": "lud", "┬": "lrd", "┴": "lru", "┌": "rd", "┐": "ld",
          "└": "ru", "┘": "lu"}


class Drawing(terminal.Drawing):
    """pyte knows nothing of dim."""

    def select_graphic_rendition(self, *attributes, private=False):
        super().select_graphic_rendition(*attributes, private=private)
        if 2 in attributes and not private:
            self.cursor.attrs = self.cursor.attrs._replace(fg="dim")
        elif 22 in attributes and self.cursor.attrs.fg == "dim":
            self.cursor.attrs = self.cursor.attrs._replace(fg="default")


class Shell(terminal.Terminal):
    """A terminal with nothing on it yet: what was set up before is not seen."""

    def __init__(self, binary, folder, columns, rows):
        self.binary, self.folder, self.size = binary, folder, (columns, rows)
        (folder / "bin").mkdir()
        (folder / "bin/parley").symlink_to(binary)
        self.environment = {
            "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "HOME": str(folder), "PARLEY_HOME": str(folder / "home"),
            "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "TZ": "UTC", "PS1": "$ ", "HISTFILE": "",
            "TMPDIR": str(folder), "TMUX_TMPDIR": str(folder)}

    def open(self, *command):
        super().__init__(command, self.environment, self.folder, *self.size)
        self.screen = Drawing(*self.size)
        self.stream = pyte.ByteStream(self.screen)

    def start(self):
        self.open("parley")

    def start_bash(self):
        self.open("/bin/bash", "--norc", "--noprofile")

    def connect(self, address, name):
        terminal.subprocess.run([self.binary, "/connect", address, name], env=self.environment, check=True,
                                capture_output=True)

    @property
    def at_prompt(self):
        return super().at_prompt or self.typed == "$"


def picture(screen, title, description):
    """The screen as SVG, without the blank rows at its end. What is on it becomes text and nothing else."""
    rows = [[screen.buffer[y][x] for x in range(screen.columns)] for y in range(screen.lines)]
    while len(rows) > screen.cursor.y + 1 and not "".join(cell.data for cell in rows[-1]).strip():
        rows.pop()
    width, height = screen.columns * WIDTH + 2 * MARGIN, len(rows) * HEIGHT + 2 * MARGIN
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {number(width)} {number(height)}"'
           f' width="{number(width)}" height="{number(height)}" role="img" aria-labelledby="title description">',
           f'<title id="title">{escaped(title)}</title>', f'<desc id="description">{escaped(description)}</desc>',
           f'<rect width="100%" height="100%" rx="8" fill="{BACKGROUND}"/>',
           '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, \'DejaVu Sans Mono\', monospace"'
           f' font-size="{SIZE}" fill="{FOREGROUND}">']
    for y, row in enumerate(rows):
        out += backgrounds(row, y)
    if not screen.cursor.hidden:
        out.append(box(screen.cursor.x, screen.cursor.y, 1, f' fill="{COLOURS["cursor"]}"'))
    for y, row in enumerate(rows):
        out += frames(row, y) + words(row, y)
    return "\n".join(out + ["</g>", "</svg>", ""])


def escaped(text):
    """Without the characters that XML has no place for, also escaped ones."""
    return html.escape("".join(character if character.isprintable() else "\ufffd" for character in text))


def number(value):
    return f"{value:.1f}".removesuffix(".0")


def colours(cell):
    """Of the sign, and of what is behind it."""
    colour = COLOURS.get(cell.fg) or (f"#{cell.fg}" if re.fullmatch("[0-9a-f]{6}", cell.fg) else FOREGROUND)
    behind = COLOURS.get(cell.bg) or (f"#{cell.bg}" if re.fullmatch("[0-9a-f]{6}", cell.bg) else BACKGROUND)
    return (behind, colour) if cell.reverse else (colour, behind)


def runs(row, look):
    """The pieces of a row that look the same: where each begins and ends, and how it looks."""
    start = 0
    for x in range(1, len(row) + 1):
        if x == len(row) or look(row[x]) != look(row[start]):
            yield start, x, look(row[start])
            start = x


def box(x, y, cells, style):
    return (f'<rect x="{number(MARGIN + x * WIDTH)}" y="{MARGIN + y * HEIGHT}" width="{number(cells * WIDTH)}"'
            f' height="{HEIGHT}"{style}/>')


def backgrounds(row, y):
    return [box(start, y, end - start, f' fill="{behind}"')
            for start, end, behind in runs(row, lambda cell: colours(cell)[1]) if behind != BACKGROUND]


def frames(row, y):
    """Drawn, not written: so lines join, whatever the font."""
    top, out = MARGIN + y * HEIGHT, []
    for start, end, (colour, is_frame) in runs(row, lambda cell: (colours(cell)[0], cell.data in FRAMES)):
        if is_frame:
            out.append(f'<path stroke="{colour}" d="{"".join(strokes(row, start, end, top))}"/>')
    return out


def strokes(row, start, end, top):
    middle = top + HEIGHT / 2
    # In halves of a cell, counted from the row's begin; those beside each other are one stroke.
    halves = [2 * x + right for x in range(start, end) for right in (0, 1) if "lr"[right] in FRAMES[row[x].data]]
    for place, half in enumerate(halves):
        if place == 0 or halves[place - 1] != half - 1:
            yield f"M{number(MARGIN + half * WIDTH / 2)} {number(middle)}"
        if place == len(halves) - 1 or halves[place + 1] != half + 1:
            yield f"H{number(MARGIN + (half + 1) * WIDTH / 2)}"
    for x in range(start, end):
        ways = FRAMES[row[x].data]
        if "u" in ways or "d" in ways:
            yield (f"M{number(MARGIN + (x + 0.5) * WIDTH)} {number(top if 'u' in ways else middle)}"
                   f"V{number(top + HEIGHT if 'd' in ways else middle)}")


def words(row, y):
    """Each text has its place and its length: so columns line up, whatever the font."""
    out = []
    for start, end, style in runs(row, style_of):
        # A wide sign is followed by a cell of no text, which keeps its place as a mark that is taken out again.
        text = "".join(" " if cell.data in FRAMES else cell.data[:1] or "\0" for cell in row[start:end])
        for piece in re.finditer(r"[^ ]+(?: [^ ]+)*", text):
            written = "".join(cell.data for cell in row[start + piece.start():start + piece.end()])
            out.append(f'<text x="{number(MARGIN + (start + piece.start()) * WIDTH)}" y="{MARGIN + y * HEIGHT + 13}"'
                       f' textLength="{number(len(piece[0]) * WIDTH)}"{style}>{escaped(written)}</text>')
    return out


def style_of(cell):
    colour = colours(cell)[0]
    lines = " ".join(name for name, on in (("underline", cell.underscore), ("line-through", cell.strikethrough)) if on)
    return "".join([
        f' fill="{colour}"' if colour != FOREGROUND else "", ' font-weight="bold"' if cell.bold else "",
        ' font-style="italic"' if cell.italics else "", f' text-decoration="{lines}"' if lines else ""])


def main():
    binary = pathlib.Path(sys.argv[1]).resolve()
    folder = ROOT / "docs/pictures"
    folder.mkdir(exist_ok=True)
    for name, (title, description, columns, rows, play) in PICTURES.items():
        with tempfile.TemporaryDirectory() as home:
            home = pathlib.Path(home)
            with servers.ScriptedServer(ROOT, home) as server, Shell(binary, home, columns, rows) as shell:
                play(shell, lambda scene, says=None: server.url(scene, says and urllib.parse.quote(says, safe="")))
                drawn = picture(shell.screen, title, description)
        file = folder / f"{name}.svg"
        file.write_text(drawn, encoding="utf-8")
        print(f"{file.relative_to(ROOT)}: {len(drawn.encode()):,} bytes")


if __name__ == "__main__":
    main()
