"""Waiting for what comes of something that is done elsewhere."""

import time

# Two busy cores and a debug build: long enough that only something stuck is late.
PATIENCE = 60


def wait_until(condition, what):
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, f"waited for {what}"
        time.sleep(0.02)  # timed: between looks
