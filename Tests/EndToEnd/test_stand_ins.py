"""The stand-ins for servers are what they say: their own tests, which ask them what clients ask."""

import pathlib
import subprocess
import sys

import pytest

from chatui import FORMS

SUPPORT = pathlib.Path(__file__).resolve().parents[1] / "TestSupport"
SELFTESTS = {f"chat-ui-{form}": ["chatui_server.py", "selftest", "--form", form] for form in FORMS} | {
    "gateways": ["gateway_server.py", "selftest"]}


@pytest.fixture(scope="module")
def selftests():
    """All of them, begun at once: most of their time they wait."""
    begun = {name: subprocess.Popen([sys.executable, SUPPORT / words[0], *words[1:]], stdin=subprocess.DEVNULL,
                                    stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
             for name, words in SELFTESTS.items()}
    yield begun
    for process in begun.values():
        process.kill()
        process.communicate()


@pytest.mark.parametrize("name", SELFTESTS)
def test_a_stand_in_answers_as_those_that_it_stands_for(selftests, name):
    said, _ = selftests[name].communicate(timeout=300)
    assert selftests[name].returncode == 0, said
