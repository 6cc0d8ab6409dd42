"""The log of shims/history_files.c, and what a disk may hold of it when the power goes."""

import itertools
import pathlib
import struct
import subprocess

HEAD = struct.Struct("<cHIq")
SECTOR = 512

# What comes to the disk of what was not synced.
WAYS = ["nothing", "everything", "some writes", "some sectors"]


def build(folder):
    """The library to be preloaded."""
    library = folder / "history_files.so"
    source = pathlib.Path(__file__).parent / "shims/history_files.c"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-Wall", "-Werror", "-o", library, source, "-ldl", "-lpthread"],
                   check=True)
    return library


def records(log):
    """What was done, in order: the kind of it, the file's name, data, and the offset."""
    content, at = log.read_bytes() if log.exists() else b"", 0
    while at < len(content):
        what, name_size, data_size, offset = HEAD.unpack_from(content, at)
        middle = at + HEAD.size + name_size
        yield what.decode(), content[at + HEAD.size:middle].decode(), content[middle:middle + data_size], offset
        at = middle + data_size


def mark(log, text):
    """A note of the test's own, behind all that was done before: `!`."""
    with open(log, "ab", buffering=0) as file:
        file.write(HEAD.pack(b"!", 0, len(text.encode()), 0) + text.encode())


class Synced:
    """Changes in order, of which a sync has covered the first ones."""

    def __init__(self):
        self.covered = 0
        self.waiting = []
        self.begun = {}

    def begin(self, sync):
        self.begun[sync] = self.covered + len(self.waiting)

    def end(self, sync):
        """Gives what is on the disk from now on: what was done before the sync began."""
        count = max(0, self.begun.pop(sync) - self.covered)
        self.covered += count
        done, self.waiting = self.waiting[:count], self.waiting[count:]
        return done


class File(Synced):
    def __init__(self):
        super().__init__()
        self.content = bytearray()

    def end(self, sync):
        change(self.content, super().end(sync))

    def after(self, way, chance):
        content = bytearray(self.content)
        change(content, surviving(self.waiting, way, chance))
        return content


class Folder(Synced):
    def __init__(self):
        super().__init__()
        self.names = {}

    def end(self, sync):
        self.names.update(super().end(sync))

    def after(self, way, chance):
        """What names come to the disk in their order, as where a file system keeps a journal of them."""
        counts = {"nothing": 0, "everything": len(self.waiting)}
        return self.names | dict(self.waiting[:counts.get(way, chance.randint(0, len(self.waiting)))])


def change(content, changes):
    for data, offset in changes:
        if data is None:
            del content[offset:]
        content.extend(bytes(max(0, offset - len(content))))
        content[offset:offset + len(data or b"")] = data or b""


def surviving(changes, way, chance):
    if way == "nothing":
        return []
    if way == "some writes":
        return [one for one in changes if chance.randint(0, 1)]
    if way == "some sectors":
        return [one for whole in changes for one in sectors(*whole) if chance.randint(0, 1)]
    return changes


def sectors(data, offset):
    """A write in the parts that a disk writes whole or not at all."""
    if data is None:
        return [(data, offset)]
    end = offset + len(data)
    edges = [offset, *range(offset // SECTOR * SECTOR + SECTOR, end, SECTOR), end]
    return [(data[start - offset:stop - offset], start) for start, stop in itertools.pairwise(edges)]


class Disk:
    """A folder as it became by what a log tells."""

    def __init__(self):
        self.folder = Folder()
        self.files = {}

    def take(self, what, name, data, offset):
        if what == "s":
            self.synced(name).begin(offset)
        elif what == "S":
            self.synced(name).end(offset)
        elif what in "WT":
            self.file(name).waiting.append((data if what == "W" else None, offset))
        elif what in "CLRU":
            if what != "U":
                target = data.decode() or name
                self.files[target] = self.file(name)
                self.folder.waiting.append((target, self.files[target]))
            if what in "RU":
                self.files.pop(name, None)
                self.folder.waiting.append((name, None))

    def file(self, name):
        return self.files.setdefault(name, File())

    def synced(self, name):
        return self.folder if name == "." else self.file(name)

    def cut(self, path, way, chance):
        """Writes what the folder may hold when the power goes now."""
        for name, file in self.folder.after(way, chance).items():
            if file:
                (path / name).write_bytes(file.after(way, chance))
