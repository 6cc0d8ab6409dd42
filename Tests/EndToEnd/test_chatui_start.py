"""The beginning with a chat-ui server: what it has arrives behind the prompt, and a browser signs in."""

import socket

import pytest

from chatui import FORMS, ChatUI
from test_chatui import form, know  # noqa: F401
from waiting import wait_until

# What is asked for at a start, whatever the server's generation; who is signed in besides who they are.
LISTS = ("models", "conversations", "settings")


def lists_asked_of(server):
    return {word for word in LISTS for request in server.requests if request["path"].rstrip("/").endswith("/" + word)}


def test_the_prompt_waits_for_no_list_and_tab_knows_them_once_they_are_there(parley, tmp_path, form):
    with ChatUI(form, tmp_path / "chat-ui") as server:
        know(parley, server)
        assert parley.run("title Quinces for the winter").status == 0
        server.forget()
        server.test(hold_lists=True)
        with parley.on_terminal() as shell:
            # The prompt is there while the server says nothing at all, and all of them were asked for side by side.
            shell.wait_for_prompt()
            wait_until(lambda: lists_asked_of(server) == set(LISTS), "all lists to be asked for")
            shell.type("/history")
            shell.wait_for_prompt()
            server.test(hold_lists=False)
            shell.send("/sessions open Qu")
            shell.wait_until(lambda: "open Qu" in shell.typed, "what was typed")

            def completes():
                shell.press("tab")
                shell.read(0.2)
                return "Quinces" in shell.typed

            wait_until(completes, "Tab to know the conversation")
            shell.press("enter")
            shell.wait_for("resumed \"")
            shell.wait_for_prompt()
            assert shell.leave() == 0
        assert server.faults == []


def test_who_leaves_while_the_lists_are_awaited_leaves_at_once(parley, tmp_path):
    with ChatUI("current", tmp_path / "chat-ui") as server:
        know(parley, server)
        server.test(hold_lists=True)
        with parley.on_terminal() as shell:
            shell.wait_for_prompt()
            wait_until(lambda: lists_asked_of(server) == set(LISTS), "all lists to be asked for")
            assert shell.leave() == 0
        server.test(hold_lists=False)


def test_a_server_that_is_not_there_is_no_reason_to_say_anything_at_a_start(parley, tmp_path):
    with ChatUI("current", tmp_path / "chat-ui") as server:
        know(parley, server)
    with parley.on_terminal() as shell:
        shell.wait_for_prompt()
        shell.say("/history", until="no sessions")
        assert "cannot" not in shell.text and "refused" not in shell.text
        assert shell.leave() == 0


# Signing in with a browser


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


@pytest.fixture
def browser(tmp_path):
    """It goes where it is sent, and asks nobody anything."""
    path = tmp_path / "browser"
    path.write_text('#!/bin/sh\nexec curl --silent --show-error --location --output /dev/null "$1"\n')
    path.chmod(0o755)
    return str(path)


def test_a_browser_comes_back_to_the_port_that_the_administrator_listed(parley, tmp_path, form, browser):
    port = free_port()
    with ChatUI(form, tmp_path / "chat-ui", "--login", "--redirect-url",
                f"http://127.0.0.1:{port}/callback") as server:
        know(parley, server)
        with parley.on_terminal(env={"BROWSER": browser, "PARLEY_CALLBACK_PORT": str(port)}) as shell:
            shell.wait_for_prompt()
            shell.type("/login")
            shell.wait_for_question("which (1 to 2)")
            shell.type("1")
            shell.wait_for("signed in as")
            shell.wait_for_prompt()
            shell.say("echo one", until="one")
            assert shell.leave() == 0
        # Nobody had said anything yet in the session that a stranger was given.
        assert [fault for fault in server.faults if fault["what"] != "session cookie lost"] == []
        assert "signed in" in server.merits
        assert parley.run("-C", "echo two").out == "two\n"


@pytest.mark.parametrize("port, said", [
    ("", "the server sends nobody back to http://127.0.0.1:"), ("quince", "PARLEY_CALLBACK_PORT is no port: quince"),
    ("0", "PARLEY_CALLBACK_PORT is no port: 0"), ("taken", "of PARLEY_CALLBACK_PORT is taken")])
def test_why_no_browser_can_come_back_is_said(parley, tmp_path, browser, port, said):
    with socket.socket() as one, ChatUI("current", tmp_path / "chat-ui", "--login") as server:
        one.bind(("127.0.0.1", 0))
        one.listen()
        know(parley, server)
        wanted = str(one.getsockname()[1]) if port == "taken" else port
        with parley.on_terminal(env={"BROWSER": browser, "PARLEY_CALLBACK_PORT": wanted}, columns=200) as shell:
            shell.wait_for_prompt()
            shell.type("/login")
            shell.wait_for_question("which (1 to 2)")
            shell.type("1")
            shell.wait_for(said)
            shell.wait_for_prompt()
            assert shell.leave() == 0


def test_a_sign_in_that_has_ended_is_told_behind_the_prompt(parley, tmp_path):
    with ChatUI("current", tmp_path / "chat-ui", "--login", "--user-cookie", "the-cookie-of-ada") as server:
        know(parley, server)
        with parley.on_terminal() as shell:
            shell.wait_for_prompt()
            shell.type("/login")
            shell.wait_for_question("which (1 to 2)")
            shell.type("2")
            shell.wait_for_question("(not shown)")
            shell.send("the-cookie-of-ada\r")
            shell.wait_for("signed in as")
            shell.wait_for_prompt()
            assert shell.leave() == 0
        server.test(login_lost=True)
        server.forget()
        with parley.on_terminal() as shell:
            shell.wait_for_prompt()

            def is_told():
                shell.press("enter")
                shell.read(0.2)
                return "you are not signed in to there any more: /login" in shell.text

            wait_until(is_told, "the end of the sign-in to be told")
            shell.wait_for_prompt()
            assert shell.leave() == 0
