"""Ways out of its folder, and past the person, that an agent might try. None may succeed.

Each has a number, so that one that is ever found open can be named and stays closed; those onto the terminal follow in
test_smuggling.py.
"""

import os
import threading

import pytest

from puppet import Puppet, diff, permission, read, run, write

TREASURE = "the treasure of the other folder"


class Grounds:
    """The agent's folder, another beside it, and what leads from the one to the other."""

    def __init__(self, parley):
        self.folder = parley.directory
        self.outside = parley.directory.with_name("work-other")
        (self.folder / "sub").mkdir()
        self.outside.mkdir()
        self.secret = self.outside / "secret.txt"
        self.secret.write_text(TREASURE)
        (self.folder / "notes.txt").write_text("notes\n")
        (self.folder / ".env").write_text(TREASURE)
        (self.folder / "link.txt").symlink_to(self.secret)
        (self.folder / "linked").symlink_to(self.outside)
        (self.folder / "again").symlink_to("linked")
        (self.folder / "dangling").symlink_to(self.outside / "new.txt")
        os.link(self.secret, self.folder / "hard.txt")
        os.mkfifo(self.folder / "pipe")
        self.before = self.seen()

    def seen(self):
        """All that is outside, and what of the folder says what programs run."""
        kept = {path.name: path.read_bytes() for path in self.outside.iterdir()}
        return kept | {name: (self.folder / name).exists() for name in (".git", ".bashrc", ".vscode", "canary")}


@pytest.fixture
def grounds(parley):
    return Grounds(parley)


# Out of the folder, where nobody is asked and the person has allowed everything that can be


READS = {
    "01-absolute": lambda g: g.secret,
    "02-dots": lambda g: f"{g.folder}/../work-other/secret.txt",
    "03-dots-behind-a-folder": lambda g: f"{g.folder}/sub/../../work-other/secret.txt",
    "04-relative": lambda g: "../work-other/secret.txt",
    "05-link": lambda g: g.folder / "link.txt",
    "06-folder-that-is-a-link": lambda g: g.folder / "linked" / "secret.txt",
    "07-link-to-a-link": lambda g: g.folder / "again" / "secret.txt",
    "08-root-of-a-process": lambda g: f"/proc/self/root{g.secret}",
    "09-folder-of-a-process": lambda g: "/proc/self/cwd/../work-other/secret.txt",
    "10-environment": lambda g: "/proc/self/environ",
    "11-standard-input": lambda g: "/dev/stdin",
    "12-zero-byte": lambda g: f"{g.folder}/notes.txt\0/../../work-other/secret.txt",
    "13-address": lambda g: f"file://{g.secret}",
    "14-home": lambda g: "~/work-other/secret.txt",
    "15-escaped-dots": lambda g: f"{g.folder}/%2e%2e/work-other/secret.txt",
    "16-servers-of-the-program": lambda g: g.folder.with_name("home") / "servers.json",
    "17-secrets-in-the-folder": lambda g: g.folder / ".env",
    "18-pipe": lambda g: g.folder / "pipe",
}
WRITES = {
    "19-absolute": lambda g: g.outside / "new.txt",
    "20-dots": lambda g: f"{g.folder}/sub/../../work-other/new.txt",
    "21-link-to-nothing": lambda g: g.folder / "dangling",
    "22-folder-that-is-a-link": lambda g: g.folder / "linked" / "new.txt",
    "23-other-name-of-a-file": lambda g: g.folder / "hard.txt",
    "24-hook": lambda g: g.folder / ".git" / "hooks" / "pre-commit",
    "25-start-of-a-shell": lambda g: g.folder / ".bashrc",
    "26-tasks-of-an-editor": lambda g: g.folder / ".vscode" / "tasks.json",
    "27-servers-of-the-program": lambda g: g.folder.with_name("home") / "servers.json",
}


def test_01_to_27_no_file_out_of_the_folder_is_read_or_written(parley, tmp_path, grounds):
    scenes = {name: [read(path(grounds))] for name, path in READS.items()}
    scenes |= {name: [write(path(grounds))] for name, path in WRITES.items()}
    scenes |= {"inside": [read(grounds.folder / "notes.txt"), write(grounds.folder / "new.txt")]}
    puppet = Puppet(parley, tmp_path, scenes)
    servers = (parley.home / "servers.json").read_bytes()
    result = parley.run("--set", "tools.approval=always", *(word for scene in scenes for word in ("-c", scene)),
                        input="what stands on standard input")
    for scene in scenes:
        assert f"{scene} was played." in result.out, result
    # What is refused is so by a rule: what is inside is not.
    assert puppet.answers("inside") == [{"result": {"content": "notes\n"}}, {"result": {}}]
    for scene in READS | WRITES:
        answer, = puppet.answers(scene)
        assert answer.keys() == {"error"}, (scene, answer)
    assert grounds.seen() == grounds.before
    assert (parley.home / "servers.json").read_bytes() == servers
    assert TREASURE not in result.out + result.err


def test_28_a_link_that_changes_between_the_look_and_the_act(parley, tmp_path, grounds):
    """The agent asks again and again while the link leads in and out."""
    changing, other = grounds.folder / "changing", grounds.folder / "changed"
    changing.symlink_to(grounds.folder / "sub")
    (grounds.folder / "sub" / "secret.txt").write_text("harmless")
    steps = [step for _ in range(200) for step in (read(changing / "secret.txt"), write(changing / "new.txt"))]
    puppet = Puppet(parley, tmp_path, {"race": steps})
    over = threading.Event()

    def swap():
        while not over.is_set():
            for place in (grounds.outside, grounds.folder / "sub"):
                other.symlink_to(place)
                other.rename(changing)

    swapping = threading.Thread(target=swap)
    swapping.start()
    try:
        result = parley.run("--set", "tools.approval=always", "race")
    finally:
        over.set()
        swapping.join()
    assert "race was played." in result.out, result
    assert len(puppet.answers("race")) == 400
    assert TREASURE not in puppet.answers_file.read_text()
    assert grounds.seen() == grounds.before


# Past the person, who says no to what they would not want if they see it


@pytest.fixture
def asked(parley, tmp_path, grounds):
    """Plays scenes on a terminal: `asked(SCENES)` is the agent and the shell."""
    shells = []

    def get(scenes, **more):
        puppet = Puppet(parley, tmp_path, scenes, **more)
        shell = parley.on_terminal(columns=160)
        shells.append(shell)
        shell.wait_for_prompt()
        return puppet, shell

    yield get
    for shell in shells:
        shell.close()
    assert grounds.seen() == grounds.before


def wait_for_leave(shell):
    """Waits for a question below what was looked at last."""
    shell.wait_until(lambda: "allow?" in shell.typed and shell.cursor_line >= shell.seen_from, "a question")


def play(shell, scene, *rounds):
    """Types the scene's name, and for each question what it has to show and the answer."""
    shell.type(scene)
    for shows, answer in rounds:
        wait_for_leave(shell)
        missing = [words for words in shows if words not in shell.text]
        assert not missing, (missing, shell.text)
        shell.look_from_here()
        shell.send(answer)
        shell.press("enter")
    shell.wait_for(f"{scene} was played.")
    shell.wait_for_prompt()


def test_29_what_was_allowed_in_the_folder_is_no_leave_for_outside(grounds, asked):
    path = grounds.folder / "linked" / "new.txt"
    puppet, shell = asked({"one": [write(grounds.folder / "a.txt")], "two": [write(path)]})
    play(shell, "one", (["a.txt"], "a"))
    # It is shown where it really leads.
    play(shell, "two", ([str(grounds.outside / "new.txt"), "outside of the folder"], ""))
    assert "error" in puppet.answers("two")[0]


def test_30_a_change_that_was_shown_is_no_leave_for_another(grounds, asked):
    path, other = grounds.folder / "a.txt", grounds.folder / "sub" / "b.txt"
    shown = permission(kind="edit", title="Write a.txt", content=[diff(path, "good\n")])
    puppet, shell = asked({"text": [shown, write(path, "bad\n")], "file": [shown, write(other, "good\n")]})
    play(shell, "text", (["+ good"], "y"), (["+ bad"], ""))
    play(shell, "file", (["+ good"], "y"), ([str(other)], ""))
    assert not path.exists() and not other.exists()


def test_31_a_change_that_lies_about_what_is_there_is_asked_about_as_it_is(grounds, asked):
    path = grounds.folder / "notes.txt"
    shown = permission(kind="edit", title="Add a line",
                       content=[diff(path, "empty\nmore\n", oldText="empty\n")])
    puppet, shell = asked({"lie": [shown, write(path, "empty\nmore\n")]})
    play(shell, "lie", (["+ more"], "y"), (["- notes", "+ empty"], ""))
    assert path.read_text() == "notes\n"


def test_32_a_command_that_was_shown_is_no_leave_for_another(asked):
    shown = permission(kind="execute", title="List files", rawInput={"command": "ls"})
    puppet, shell = asked({"other": [shown, run("touch", "canary")], "longer": [shown, run("ls", ";touch canary")],
                           "line": [shown, run("ls;touch canary")]})
    play(shell, "other", (["ls"], "y"), (["touch", "canary"], ""))
    play(shell, "longer", (["ls"], "y"), ([";touch canary"], ""))
    play(shell, "line", (["ls"], "y"), (["shell", "ls;touch canary"], ""))
    assert all("error" in puppet.answers(scene)[1] for scene in ("other", "longer", "line"))


def test_33_what_a_command_is_given_beside_its_words_is_shown(grounds, asked):
    shown = permission(kind="execute", title="Test", rawInput={"command": "make test"})
    variables = [{"name": "LD_PRELOAD", "value": "/tmp/evil.so"}]
    puppet, shell = asked({"set": [shown, run("make", "test", env=variables)],
                           "in": [shown, run("make", "test", cwd=str(grounds.folder / "linked"))]})
    play(shell, "set", (["make test"], "y"), (["LD_PRELOAD=/tmp/evil.so"], ""))
    play(shell, "in", (["make test"], "y"), ([str(grounds.outside)], ""))


def test_34_an_option_is_what_it_does_and_not_what_it_is_called(asked):
    swapped = [{"optionId": "really-yes", "name": "No, reject it", "kind": "allow_once"},
               {"optionId": "really-no", "name": "Yes, allow it", "kind": "reject_once"}]
    twice = [{"optionId": "same", "name": "Allow", "kind": "allow_once"},
             {"optionId": "same", "name": "Reject", "kind": "reject_once"}]
    call = {"kind": "execute", "title": "Delete all", "rawInput": {"command": "rm -r ."}}
    puppet, shell = asked({"swapped": [permission(swapped, **call)], "twice": [permission(twice, **call)]})
    play(shell, "swapped", (["No, reject it: allows it once", "Yes, allow it: does not allow it"], "n"))
    assert puppet.answers("swapped") == [{"result": {"outcome": {"outcome": "selected", "optionId": "really-no"}}}]
    play(shell, "twice")
    assert puppet.answers("twice") == [{"result": {"outcome": {"outcome": "cancelled"}}}]


def test_35_words_are_not_hidden_from_the_question(asked):
    """Behind many blanks, in a second line, before a carriage return, from right to left."""
    hidden = ["x" + " " * 4000 + "HIDDEN-1", "x\nHIDDEN-2", "HIDDEN-3\rx", "x\u202eHIDDEN-4", "x\x1b[8mHIDDEN-5",
              "x\u200b\x00HIDDEN-6"]
    puppet, shell = asked({"hide": [run("echo", word) for word in hidden]})
    shell.type("hide")
    for number in range(1, 7):
        wait_for_leave(shell)
        if "[v]iew" in shell.typed:
            shell.type("v")
            shell.wait_for("HIDDEN-1")
            while not shell.typed.startswith("allow?"):
                shell.press("enter")
                shell.read(0.1)
        assert f"HIDDEN-{number}" in shell.text
        shell.look_from_here()
        shell.press("enter")
    shell.wait_for("hide was played.")
    shell.wait_for_prompt()


def test_36_what_is_put_in_place_while_the_person_thinks_is_not_what_they_allowed(grounds, asked):
    (grounds.folder / "place").mkdir()
    path = grounds.folder / "place" / "new.txt"
    puppet, shell = asked({"wait": [write(path)], "command": [run("touch", "canary", cwd=str(path.parent))]})
    for scene in ("wait", "command"):
        shell.type(scene)
        wait_for_leave(shell)
        os.rename(path.parent, grounds.folder / "aside")
        path.parent.symlink_to(grounds.outside)
        shell.say("y", until=f"{scene} was played.")
        path.parent.unlink()
        os.rename(grounds.folder / "aside", path.parent)
    assert "error" in puppet.answers("command")[0]


def test_37_the_folder_itself_is_not_exchanged(grounds, asked):
    puppet, shell = asked({"first": [read(grounds.folder / "notes.txt")],
                           "exchanged": [read(grounds.folder / "secret.txt"), write(grounds.folder / "new.txt")]})
    play(shell, "first")
    aside = grounds.folder.with_name("aside")
    os.rename(grounds.folder, aside)
    grounds.folder.symlink_to(grounds.outside)
    shell.type("exchanged")
    while "was played" not in shell.text:
        shell.wait_until(lambda: "allow?" in shell.typed or "was played" in shell.text, "a question or the end")
        if "allow?" in shell.typed:
            shell.look_from_here()
            shell.press("enter")
            shell.wait_until(lambda: "allow?" not in shell.typed, "the next")
    shell.wait_for_prompt()
    assert all("error" in answer for answer in puppet.answers("exchanged"))
    grounds.folder.unlink()
    os.rename(aside, grounds.folder)
