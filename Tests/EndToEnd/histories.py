"""What the file of a history has, looked at without the program."""

import contextlib
import sqlite3


@contextlib.contextmanager
def opened(path):
    with contextlib.closing(sqlite3.connect(path, timeout=60, isolation_level=None)) as history:
        history.text_factory = lambda text: text.decode("utf-8", "replace")
        yield history


def check(path):
    """The file is sound, and its search index has what its messages say."""
    with opened(path) as history:
        verdict = history.execute("PRAGMA integrity_check").fetchall()
        assert verdict == [("ok",)], verdict
        # Without the 1 an index that does not match passes.
        history.execute("INSERT INTO message_index(message_index, rank) VALUES ('integrity-check', 1)")


def kept(path):
    """The text and the status of the answer of each question; of one that was asked twice the last."""
    with opened(path) as history:
        return {question: (text, status) for question, text, status in history.execute("""
            SELECT question.content, answer.content, answer.status FROM message AS question
            LEFT JOIN message AS answer ON answer.turn = question.turn AND answer.role = 'assistant'
            WHERE question.role = 'user' ORDER BY question.key""")}
