"""What every story needs: the program in an empty home, servers to talk to, a terminal to look at."""

import os
import pathlib
import signal
import subprocess
import sys

import pytest

import file_log
from jupyter import TOKEN, Jupyter, Road
from parley import Parley
from playground import Playground
from servers import LocalModel, ScriptedServer

ROOT = pathlib.Path(__file__).resolve().parents[2]

# A runner that was started in the background, or with nohup, hands on signals that are ignored; a person's shell does
# not, and what is ignored from the start stays so.
for ignored in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
    if signal.getsignal(ignored) == signal.SIG_IGN:
        signal.signal(ignored, signal.SIG_DFL)


@pytest.fixture(scope="session")
def binary():
    path = pathlib.Path(os.environ.get("PARLEY", ROOT / ".build/debug/parley")).absolute()
    if not path.exists():
        pytest.exit(f"{path} is not there: swift build --product parley", returncode=1)
    return path


@pytest.fixture
def parley(binary, tmp_path):
    """The program with a home of its own; whatever it started is stopped afterwards."""
    program = Parley(binary, tmp_path)
    yield program
    program.stop_all()


@pytest.fixture(scope="session")
def scripted_server(tmp_path_factory):
    with ScriptedServer(ROOT, tmp_path_factory.mktemp("scripted")) as server:
        yield server


@pytest.fixture
def scripted(scripted_server):
    """A server that does what its scene says; its log starts anew with each test."""
    scripted_server.forget()
    return scripted_server


@pytest.fixture(scope="session")
def shim(tmp_path_factory):
    """What is preloaded to note what is done to the files of a history, or to have it fail."""
    return file_log.build(tmp_path_factory.mktemp("shim"))


@pytest.fixture(scope="session")
def local_model(tmp_path_factory):
    installed = subprocess.run([sys.executable, "-c", "import xllamacpp"], capture_output=True, text=True)
    if installed.returncode != 0:
        reason = (installed.stderr.strip().splitlines() or ["it does not run here"])[-1]
        pytest.skip(f"the local model is not installed: {reason}")
    with LocalModel(ROOT, tmp_path_factory.mktemp("model")) as model:
        yield model


@pytest.fixture
def model(local_model):
    """The address of a real model."""
    return local_model.url


@pytest.fixture(scope="session")
def playground_binary():
    path = pathlib.Path(os.environ.get("PLAYGROUND", ROOT / ".build/debug/playground")).absolute()
    if not path.exists():
        pytest.exit(f"{path} is not there: swift build --product playground", returncode=1)
    return path


@pytest.fixture
def playground(playground_binary):
    """Starts playgrounds with the options given; they are stopped afterwards."""
    started = []

    def start(*options):
        started.append(Playground(playground_binary, *options))
        return started[-1]

    yield start
    for one in started:
        one.stop()


@pytest.fixture(scope="module")
def jupyter_server(tmp_path_factory):
    one = Jupyter(tmp_path_factory.mktemp("jupyter"))
    yield one
    one.close()


@pytest.fixture
def jupyter(jupyter_server):
    """A real Jupyter Server, without terminals."""
    for name in jupyter_server.names:
        jupyter_server.ask("DELETE", f"/api/terminals/{name}")
    return jupyter_server


@pytest.fixture
def lab(parley, jupyter):
    """The server, kept as `lab`, and signed in to."""
    assert parley.run("/connect", f"{jupyter.url}/lab?token={TOKEN}", "lab").status == 0
    return jupyter


@pytest.fixture
def work(parley, lab, tmp_path):
    """The name of a terminal there."""
    assert parley.run("/terminal", "new", "lab/work", str(tmp_path)).status == 0
    return "lab/work"


@pytest.fixture
def road(lab):
    """A way to that server which can be cut."""
    one = Road(lab.port)
    yield one
    one.close()
