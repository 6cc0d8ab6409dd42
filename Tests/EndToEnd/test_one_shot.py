"""One message from a shell or a script: where it comes from, and what goes where."""

import json
import os
import re
import signal
import subprocess
import time

import pytest

HELLO = "Hello from the scripted server.\n"

# A style with a foreground or background colour in it.
COLOUR = re.compile(rb"\x1b\[(?:\d+;)*(?:3[0-8]|4[0-8]|9[0-7]|10[0-7])(?:;\d+)*m")


def test_a_piped_message_is_answered_on_standard_output(parley, scripted):
    result = parley.run("-s", scripted.url("ok"), input="2+2?\n")
    assert (result.status, result.out, result.err) == (0, HELLO, "")
    assert scripted.questions[-1]["messages"][-1] == {"role": "user", "content": "2+2?"}


def test_a_command_on_standard_input_is_sent_with_a_warning(parley, scripted):
    result = parley.run("-s", scripted.url("ok"), input="/models\r\n/quit\r\n")
    assert (result.status, result.out) == (0, HELLO)
    assert result.err == "standard input is sent as one message; to run its lines as commands, use parley -f -\n"
    # A path is not a command.
    assert parley.run("-s", scripted.url("ok"), input="/models/a.txt\n").err == ""


def test_words_are_one_message(parley, scripted):
    result = parley.run("-s", scripted.url("ok"), "what", "is", "2+2?")
    assert (result.status, result.out) == (0, HELLO)
    assert scripted.questions[-1]["messages"][-1]["content"] == "what is 2+2?"


def test_a_file_on_standard_input_follows_the_words_in_a_fenced_block(parley, scripted):
    notes = parley.file("notes.txt", "first line\nsecond line\n")
    with open(notes, "rb") as stdin:
        result = parley.run("-s", scripted.url("ok"), "sum", "this", "up", stdin=stdin)
    assert result.status == 0
    content = scripted.questions[-1]["messages"][-1]["content"]
    assert content.startswith("sum this up\n")
    assert "```\nfirst line\nsecond line\n```" in content


def test_a_fence_inside_the_piped_text_does_not_end_the_block(parley, scripted):
    text = "before\n```\ncode\n```\nafter\n"
    result = parley.run("-s", scripted.url("ok"), "explain", input=text)
    assert result.status == 0
    content = scripted.questions[-1]["messages"][-1]["content"]
    assert f"````\n{text}````" in content


def test_words_with_a_pipe_that_stays_silent_go_on_after_one_notice(parley, scripted):
    reader, writer = os.pipe()
    try:
        result = parley.run("-s", scripted.url("ok"), "hello", stdin=reader)
    finally:
        os.close(reader)
        os.close(writer)
    assert (result.status, result.out) == (0, HELLO)
    assert len(result.err.splitlines()) == 1
    assert "stdin" in result.err or "standard input" in result.err


def test_no_stdin_does_not_look_at_a_silent_pipe(parley, scripted):
    reader, writer = os.pipe()
    try:
        result = parley.run("--no-stdin", "-s", scripted.url("ok"), "hello", stdin=reader)
    finally:
        os.close(reader)
        os.close(writer)
    assert (result.status, result.out, result.err) == (0, HELLO, "")


def test_a_dash_waits_for_all_of_a_slow_pipe(parley, scripted):
    process = parley.start("-s", scripted.url("ok"), "explain", "-", stdin=subprocess.PIPE)
    time.sleep(2.5)  # timed: longer than the silence that is waited for without the dash
    out, err = process.communicate(b"late text\n", timeout=60)
    assert process.returncode == 0, err
    assert "late text" in scripted.questions[-1]["messages"][-1]["content"]


def test_empty_standard_input_sends_nothing_and_is_wrong_usage(parley, scripted):
    result = parley.run("-s", scripted.url("ok"), input="")
    assert (result.status, result.out) == (2, "")
    assert result.err.startswith("error: ")
    assert scripted.questions == []


def test_standard_input_that_is_no_text_is_refused(parley, scripted):
    result = parley.run("-s", scripted.url("ok"), "what is it?", input="\x89PNG\0\0\0")
    assert (result.status, result.out) == (2, "")
    assert result.err == ("error: standard input is not text\n"
                          'hint: parley --attach FILE "…" sends an image along\n')
    assert scripted.questions == []


def test_standard_input_that_is_not_utf8_is_sent_with_a_warning(parley, scripted):
    result = parley.run("-s", scripted.url("ok"), "what is it?", input=b"caf\xe9\n")
    assert result.status == 0
    assert result.err.startswith("standard input is not UTF-8")
    assert "caf\ufffd" in scripted.questions[-1]["messages"][-1]["content"]


@pytest.mark.parametrize("lines, status, sent, words", [
    ("/expect\r\nhello\r\n".encode("utf-16"), 2, 0, "cannot read standard input (it is not text)"),
    (b"hello\nse\0cond\nthird\n", 2, 1, "cannot read standard input (it is not text)"),
    (b"caf\xe9\ncaf\xe9\n", 0, 2, "standard input is not UTF-8"),
])
def test_lines_of_standard_input_that_are_not_text_end_the_script(parley, scripted, lines, status, sent, words):
    result = parley.run("-s", scripted.url("ok"), "-f", "-", input=lines)
    assert result.status == status and result.err.count(words) == 1, result
    assert len(scripted.questions) == sent


def test_a_message_on_standard_input_may_be_utf16(parley, scripted):
    assert parley.run("-s", scripted.url("ok"), input="Grüße\r\n".encode("utf-16")).status == 0
    assert scripted.questions[-1]["messages"][-1]["content"] == "Grüße"


def test_standard_input_that_is_a_terminal_is_left_to_whom_it_belongs(parley, scripted):
    shell = parley.bash()
    shell.type(f'$PARLEY -s {scripted.url("slow-start", 1)} hello; read -r line; echo "got: $line"')
    shell.wait_until(lambda: scripted.questions, "the question to be asked")
    shell.send("typed meanwhile\r")
    shell.wait_for("got: typed meanwhile")
    assert HELLO.strip() in shell.text


def test_a_word_that_starts_with_a_dash_follows_two_dashes(parley, scripted):
    assert parley.run("-s", scripted.url("ok"), "--", "-x", "means", "what?").status == 0
    assert scripted.questions[-1]["messages"][-1]["content"] == "-x means what?"


def test_json_is_one_object_with_the_promised_keys(parley, scripted):
    result = parley.run("--json", "-s", scripted.url("reasoning"), "hello")
    answer = result.json
    assert result.status == 0
    assert set(answer) == {
        "text", "reasoning", "status", "model", "server", "session", "turn", "usage", "timing", "toolCalls"}
    assert (answer["text"], answer["reasoning"]) == ("Hello from the scripted server.", "Let me think.")
    assert (answer["status"], answer["model"], answer["turn"]) == ("complete", "scripted", 1)
    assert set(answer["usage"]) == {"promptTokens", "completionTokens", "cost"}
    assert set(answer["timing"]) == {"firstTokenMs", "totalMs"}
    assert answer["usage"]["promptTokens"] == 7
    assert 0 <= answer["timing"]["firstTokenMs"] <= answer["timing"]["totalMs"]
    assert (answer["toolCalls"], result.err) == ([], "")


def test_json_lines_tell_each_event_and_end_with_the_whole(parley, scripted):
    events = parley.run("--jsonl", "-s", scripted.url("reasoning"), "hello").json_lines
    names = [event["event"] for event in events]
    assert names[0] == "start" and names[-1] == "finish" and names.count("finish") == 1
    assert set(names) <= {"start", "text", "reasoning", "notice", "usage", "finish"}
    assert "".join(event["text"] for event in events if event["event"] == "text") == events[-1]["text"]
    assert events[-1]["status"] == "complete"


def test_json_lines_come_while_the_answer_is_written(parley, scripted):
    process = parley.start("--jsonl", "-s", scripted.url("slow"), "hello")
    seen = []
    for line in process.stdout:
        seen.append(json.loads(line)["event"])
        if seen.count("text") == 2:
            break
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    assert parley.finish(process).status == 130


def test_a_failure_is_in_the_json_object_too(parley, scripted):
    result = parley.run("--json", "-s", scripted.url("500"), "hello")
    assert result.status == 7
    assert result.json["status"] == "failed"
    assert set(result.json["error"]) == {"code", "message", "hint"}
    assert result.json["error"]["code"] == 7


def test_lines_given_with_c_run_in_order_in_one_session(parley, scripted):
    result = parley.run("-s", scripted.url("ok"), "-c", "/models", "-c", "first", "-c", "second")
    assert result.status == 0
    assert result.out.splitlines()[0].split("\t")[0] == "scripted"
    assert result.out.endswith(HELLO + HELLO)
    assert [message["role"] for message in scripted.questions[-1]["messages"]][-3:] == ["user", "assistant", "user"]


def test_a_file_of_lines_runs_as_if_typed(parley, scripted):
    script = parley.file("script", '/models\n"""\ntwo\nlines\n"""\n')
    result = parley.run("-s", scripted.url("ok"), "-f", script)
    assert result.status == 0
    assert result.out.endswith(HELLO)
    assert scripted.questions[-1]["messages"][-1]["content"] == "two\nlines"


def test_what_is_no_file_is_refused_and_not_waited_for(parley, scripted):
    os.mkfifo(parley.directory / "fifo")
    server = ["-s", scripted.url("ok")]
    for words in (["-f", "fifo"], ["--schema", "fifo", "hi"], ["/import", "fifo"], ["/snippets", "import", "fifo"],
                  ["/tools", "import", "fifo"], ["-c", "/run fifo"]):
        result = parley.run(*server, *words)
        assert result.status != 0 and "cannot read fifo (named pipes are not read" in result.err, (words, result)
    assert "cannot read /dev/zero (it is a device)" in parley.run(*server, "-f", "/dev/zero").err
    # /dev/null is an empty file.
    for name in ("/dev/null", "/dev/stdin"):
        result = parley.run(*server, "-f", name)
        assert (result.status, result.err) == (0, ""), (name, result)
    assert scripted.questions == []


def test_a_pipe_that_the_shell_opened_is_read_and_ctrl_c_ends_the_wait(parley, scripted):
    bash = parley.bash()
    # With bash as a writer that never writes.
    bash.type(f"mkfifo gate; exec 9<>gate; $PARLEY -s {scripted.url('ok')} -f /dev/fd/9")
    bash.wait_for("reading /dev/fd/")
    bash.press("ctrl-c")
    bash.wait_for("interrupted")
    bash.type(f"$PARLEY -s {scripted.url('ok')} -f <(echo hello there)")
    bash.wait_for(HELLO.strip())
    assert scripted.questions[-1]["messages"][-1]["content"] == "hello there"


def test_lines_are_read_from_standard_input_with_f_and_a_dash(parley, scripted):
    result = parley.run("-s", scripted.url("ok"), "-f", "-", input="one\ntwo\n")
    assert (result.status, result.out) == (0, HELLO + HELLO)
    assert len(scripted.questions) == 2


def test_a_command_works_from_the_shell_with_the_words_it_takes_inside(parley, scripted):
    result = parley.run("-s", scripted.url("ok"), "/models")
    assert (result.status, result.err) == (0, "")
    assert "scripted" in result.out
    assert scripted.questions == []


def test_a_listing_in_json_is_an_array_of_objects(parley, scripted):
    result = parley.run("--json", "-s", scripted.url("ok"), "/models")
    assert result.status == 0
    assert isinstance(result.json, list) and isinstance(result.json[0], dict)


def test_reasoning_goes_to_standard_error_and_the_answer_to_standard_output(parley, scripted):
    result = parley.run("-s", scripted.url("reasoning"), "hello")
    assert result.out == HELLO
    assert "Let me think." in result.err


def test_quiet_leaves_only_the_answer(parley, scripted):
    result = parley.run("-q", "-s", scripted.url("reasoning"), "hello")
    assert (result.out, result.err) == (HELLO, "")


@pytest.mark.parametrize("scene", ["ok", "markdown", "reasoning", "length", "500"])
def test_no_escape_byte_reaches_a_pipe(parley, scripted, scene):
    result = parley.run("-v", "-s", scripted.url(scene), "hello", env={"CLICOLOR_FORCE": "1"})
    assert b"\x1b" not in result.out_bytes + result.err_bytes
    assert b"\r" not in result.out_bytes + result.err_bytes


def test_markdown_is_verbatim_in_a_pipe(parley, scripted):
    result = parley.run("-s", scripted.url("markdown"), "hello")
    assert result.out.startswith("# A heading\n\nSome *emphasis*, **strength** and `code`.\n")
    assert result.out.endswith("\nThe end.\n") and not result.out.endswith("\n\n")


def test_colour_is_shown_on_a_terminal_and_not_with_no_color(parley, scripted):
    def escapes(**env):
        terminal = parley.on_terminal("-s", scripted.url("500"), "hello", env=env)
        assert terminal.wait_for_exit() == 7
        assert "error:" in terminal.text
        return bytes(terminal.raw)

    assert COLOUR.search(escapes())
    assert not COLOUR.search(escapes(NO_COLOR="1"))
    assert b"\x1b" not in escapes(TERM="dumb")


def test_a_single_message_leaves_the_terminal_as_it_was(parley, scripted):
    terminal = parley.on_terminal("-s", scripted.url("ok"), "hello")
    assert terminal.wait_for_exit() == 0
    assert HELLO.strip() in terminal.text
    terminal.assert_restored()


def test_private_leaves_nothing_on_disk(parley, scripted):
    assert parley.run("--private", "-s", scripted.url("ok"), "a secret plan").status == 0
    kept = [path for path in parley.written_files if b"secret plan" in path.read_bytes()]
    assert kept == []
    assert json.loads(parley.run("/history", "--json").out) == []


def test_the_last_session_is_gone_on_with(parley, scripted):
    url = scripted.url("ok")
    parley.run("-s", url, "first")
    parley.run("-s", url, "-C", "second")
    contents = [message["content"] for message in scripted.questions[-1]["messages"]]
    assert contents[-3:] == ["first", "Hello from the scripted server.", "second"]


def test_a_session_is_found_by_its_title_or_the_start_of_its_id(parley, scripted):
    url = scripted.url("ok")
    session = parley.run("--json", "-s", url, "about whales").json["session"]
    parley.run("-s", url, "about trains")
    parley.run("-s", url, "-r", session[:8], "how big?")
    assert "about whales" in [message["content"] for message in scripted.questions[-1]["messages"]]


def test_the_demo_server_answers_without_a_network(parley):
    result = parley.run("-s", "demo:", "hello")
    assert result.status == 0
    assert "demo" in (result.out + result.err).lower()


def test_the_version_and_the_help_need_no_server(parley):
    version = parley.run("--version")
    assert version.status == 0 and version.out.strip()
    usage = parley.run("--help")
    assert usage.status == 0 and "--server" in usage.out
    assert parley.written_files == []


def test_help_is_help_without_a_slash_and_without_a_server(parley):
    shown = parley.run("help", "exit-codes")
    assert shown.status == 0 and "130" in shown.out and shown.err == ""
    shown = parley.run("help")
    assert shown.status == 0 and "/model" in shown.out and shown.err == ""
    sent = parley.run("--", "help", "exit-codes")
    assert sent.status == 2 and "no server yet" in sent.err


def test_a_question_that_could_not_be_asked_is_asked_again(parley, scripted):
    lost = parley.run("who are you?")
    assert lost.status == 2 and lost.err.endswith("hint: then parley /retry asks again\n")
    found = parley.run("-s", scripted.url("ok"), "/retry")
    assert found.status == 0 and found.out == "Hello from the scripted server.\n"
    turns = parley.run("/history", "show", "--json").json["turns"]
    assert [(turn["question"], turn["status"]) for turn in turns] == [("who are you?", "complete")]
