"""What is drawn on a screen, and what tmux makes of the same: the rounds of `swift test`, for longer."""

import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]


@pytest.mark.long
@pytest.mark.skipif(not shutil.which("swift"), reason="swift is not on the path")
def test_whatever_is_drawn_stands_there_as_on_a_real_terminal():
    rounds = os.environ.get("PARLEY_ROUNDS", "200")
    result = subprocess.run(["swift", "test", "--filter", "RealScreenTests"], cwd=ROOT, capture_output=True, text=True,
                            env={**os.environ, "PARLEY_ROUNDS": rounds}, check=False)
    assert result.returncode == 0, (result.stdout + result.stderr)[-5000:]
