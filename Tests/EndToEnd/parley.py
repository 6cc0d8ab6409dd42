"""The program as its user starts it."""

import atexit
import json
import os
import pathlib
import shutil
import subprocess
import tempfile

from terminal import Terminal


class Result:
    """What a finished run left behind."""

    def __init__(self, returncode, out, err):
        # A shell counts a death by signal so, and docs/shell.md 2 is about what a shell sees.
        self.status = 128 - returncode if returncode < 0 else returncode
        self.out_bytes, self.err_bytes = out, err
        self.out, self.err = out.decode("utf-8"), err.decode("utf-8")

    @property
    def json(self):
        return json.loads(self.out)

    @property
    def json_lines(self):
        return [json.loads(line) for line in self.out.splitlines()]

    def __repr__(self):
        return f"<status {self.status}\n--- stdout\n{self.out}\n--- stderr\n{self.err}>"


# The terminals of whoever runs the tests are none of theirs. The path of a socket has to be short.
TMUX_FOLDER = tempfile.mkdtemp(prefix="tmux-none-")
atexit.register(shutil.rmtree, TMUX_FOLDER, ignore_errors=True)


class Parley:
    def __init__(self, binary, directory):
        self.binary = binary
        self.home = directory / "home"
        self.directory = directory / "work"
        self.directory.mkdir()
        self.started = []
        # Nothing of the person who runs the tests gets in: no proxies, no keys, no files.
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": str(directory), "PARLEY_HOME": str(self.home),
            "TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "TZ": "UTC", "SHELL": "/bin/bash", "PAGER": "cat",
            "TMPDIR": str(directory), "TMUX_TMPDIR": TMUX_FOLDER,
        }

    def start(self, *arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env=None):
        """Starts it away from any terminal and does not wait."""
        process = subprocess.Popen([self.binary, *map(str, arguments)], stdin=stdin, stdout=stdout,
                                   stderr=subprocess.PIPE, cwd=self.directory, env=self.environment | (env or {}),
                                   start_new_session=True)
        self.started.append(process)
        return process

    def run(self, *arguments, input=None, stdin=subprocess.DEVNULL, env=None, timeout=60):
        """Runs it to its end away from any terminal; `input` comes through a pipe."""
        if input is not None:
            stdin = subprocess.PIPE
            input = input.encode() if isinstance(input, str) else input
        process = self.start(*arguments, stdin=stdin, env=env)
        out, err = process.communicate(input, timeout=timeout)
        return Result(process.returncode, out, err)

    def finish(self, process, timeout=60):
        out, err = process.communicate(timeout=timeout)
        return Result(process.returncode, out or b"", err or b"")

    def on_terminal(self, *arguments, env=None, columns=80, rows=24):
        """Runs it, or another program given as a full command line, on a terminal."""
        terminal = Terminal([str(self.binary), *map(str, arguments)], env=self.environment | (env or {}),
                            cwd=self.directory, columns=columns, rows=rows)
        self.started.append(terminal.process)
        return terminal

    def bash(self, columns=80, rows=24):
        """An interactive bash, as what a person starts the program from; $PARLEY is the program."""
        env = self.environment | {"PS1": "bash$ ", "PARLEY": str(self.binary), "HISTFILE": ""}
        terminal = Terminal(["/bin/bash", "--norc", "--noprofile"], env=env, cwd=self.directory, columns=columns,
                            rows=rows)
        self.started.append(terminal.process)
        terminal.wait_for("bash$")
        return terminal

    def stop_all(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.wait()
            for stream in (process.stdin, process.stdout, process.stderr):
                if stream:
                    stream.close()

    def file(self, name, text):
        path = self.directory / name
        path.write_text(text)
        return path

    @property
    def written_files(self):
        return [path for path in pathlib.Path(self.home).rglob("*") if path.is_file()]
