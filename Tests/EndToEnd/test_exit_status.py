"""What a script can rely on when things go wrong: the exit status, and that partial answers are printed."""

import signal
import socket
import subprocess

import pytest

from conftest import ROOT
from servers import ScriptedServer

THREE_WORDS = "One two three\n"


@pytest.mark.parametrize("scene, status, out", [
    ("ok", 0, "Hello from the scripted server.\n"),
    ("no-usage", 0, "Hello from the scripted server.\n"),
    ("no-done", 0, "Hello from the scripted server.\n"),
    ("close", 0, "Hello from the scripted server.\n"),
    ("crlf", 0, None),
    ("split", 0, None),
    ("comments", 0, "Hello from the scripted server.\n"),
    ("json", 0, None),
    ("no-stream", 0, None),
    ("no-options", 0, None),
    ("429-now", 0, "Hello from the scripted server.\n"),
    ("drop", 8, THREE_WORDS),
    ("drop-clean", 8, THREE_WORDS),
    ("reset", 8, THREE_WORDS),
    ("length", 9, THREE_WORDS),
    ("filter", 9, THREE_WORDS),
    ("401", 4, ""),
    ("403", 7, ""),
    ("404-model", 7, ""),
    ("context", 7, ""),
    ("500", 7, ""),
    ("html", 7, ""),
    ("html-502", 7, ""),
    ("redirect", 7, ""),
    ("not-http", 7, ""),
    ("error-in-stream", 7, THREE_WORDS),
    ("event-error", 7, THREE_WORDS),
])
def test_the_exit_status_tells_how_it_went(parley, scripted, scene, status, out):
    result = parley.run("-s", scripted.url(scene), "hello")
    assert result.status == status, result
    if out is not None:
        assert result.out == out
    if status:
        assert result.err.startswith("error: ") or "\nerror: " in result.err


def test_an_answer_that_stops_coming_is_stalled(parley, scripted):
    result = parley.run("--json", "--set", "timeout.idle=1", "-s", scripted.url("stall"), "hello")
    assert (result.status, result.json["status"], result.json["text"]) == (8, "stalled", "One two three")


@pytest.mark.parametrize("scene, name", [("drop", "cut-off"), ("drop-clean", "cut-off"), ("length", "length"),
                                         ("filter", "filtered"), ("error-in-stream", "failed")])
def test_the_status_in_json_says_the_same(parley, scripted, scene, name):
    assert parley.run("--json", "-s", scripted.url(scene), "hello").json["status"] == name


def test_an_early_end_can_be_allowed(parley, scripted):
    result = parley.run("--lenient", "-s", scripted.url("length"), "hello")
    assert (result.status, result.out) == (0, THREE_WORDS)


def test_a_server_that_never_answers_is_given_up(parley, scripted):
    result = parley.run("--set", "timeout.first-token=1", "-s", scripted.url("silent"), "hello")
    assert (result.status, result.out) == (5, "")


def test_a_rate_limit_is_waited_for_and_can_be_interrupted(parley, scripted):
    process = parley.start("--jsonl", "-s", scripted.url("429-forever"), "hello")
    for line in process.stdout:
        if b'"notice"' in line:
            break
    process.send_signal(signal.SIGINT)
    assert parley.finish(process).status in (7, 130)


def test_nobody_listens_there(parley):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        result = parley.run("-s", f"http://127.0.0.1:{port}/v1", "hello")
    assert result.status == 5
    assert f"127.0.0.1:{port}" in result.err


def test_nobody_has_that_name(parley):
    result = parley.run("-s", "http://parley-test.invalid/v1", "hello")
    assert result.status == 5
    assert "parley-test.invalid" in result.err


def test_no_server_is_known_yet(parley):
    result = parley.run("hello")
    assert result.status == 2
    assert "/connect" in result.err


@pytest.fixture(scope="module")
def self_signed(tmp_path_factory):
    directory = tmp_path_factory.mktemp("tls")
    certificate, key = directory / "certificate.pem", directory / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                    "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1",
                    "-keyout", key, "-out", certificate], check=True, capture_output=True)
    with ScriptedServer(ROOT, directory, "--certificate", certificate, "--key", key) as server:
        yield server


def test_a_certificate_that_nobody_vouches_for_is_not_talked_to(parley, self_signed):
    result = parley.run("-s", self_signed.url("ok"), "a secret", env={"PARLEY_TOKEN": "secret-key"})
    assert result.status == 6, result
    assert self_signed.requests == []


def test_a_yes_that_was_typed_before_its_question_trusts_nothing(parley, scripted, self_signed):
    shell = parley.on_terminal("-s", scripted.url("slow-start", 1))
    shell.wait_for_prompt()
    # All in one go, the last line while an answer streams.
    shell.send(f"hello\r/connect {self_signed.url('ok')}\ryes\r")
    shell.wait_for_question("Type yes to trust it")
    shell.send("no\r")
    shell.wait_until(lambda: len(scripted.questions) == 2, "the yes to be sent, as a message")
    shell.wait_for_prompt()
    assert scripted.questions[-1]["messages"][-1]["content"] == "yes"
    assert self_signed.requests == [] and not (parley.home / "known_servers").exists()
    assert shell.leave() == 0


@pytest.mark.parametrize("arguments", [
    ["--nonsense"], ["-t", "9", "hello"], ["--set", "nonsense=1", "hello"], ["--set", "temperature=hot", "hello"],
    ["-r", "nosuchsession", "hello"], ["-f", "/nowhere/at/all"], ["-s"], ["/nonsense"],
])
def test_wrong_usage_is_2_and_sends_nothing(parley, scripted, arguments):
    if "-s" not in arguments:
        arguments = ["-s", scripted.url("ok")] + arguments
    result = parley.run(*arguments)
    assert result.status == 2, result
    assert result.err and result.out == ""
    assert scripted.questions == []


def test_a_model_that_is_not_there_is_2(parley, scripted):
    result = parley.run("-s", scripted.url("ok"), "-m", "nosuchmodel", "hello")
    assert result.status == 2, result
    assert "nosuchmodel" in result.err
    assert scripted.questions == []


def test_a_script_stops_at_the_first_error_when_told_to(parley, scripted):
    result = parley.run("--set", "on-error=stop", "-s", scripted.url("ok"), "-c", "/nonsense", "-c", "hello")
    assert result.status == 3, result
    assert scripted.questions == []


def test_a_script_goes_on_after_an_error_and_its_status_is_the_first(parley, scripted):
    result = parley.run("-s", scripted.url("ok"), "-c", "/settings nonsense", "-c", "hello")
    assert (result.status, result.out) == (2, "Hello from the scripted server.\n")


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_a_page_that_cannot_be_written_is_an_error(parley, option):
    with open("/dev/full", "wb") as full:
        process = parley.start(option, stdout=full)
        err = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 1 and err.startswith("error: standard output could not be written"), err


@pytest.mark.parametrize("number, status", [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_it_and_what_came_is_printed_and_kept(parley, scripted, number, status):
    process = parley.start("-s", scripted.url("slow"), "hello")
    assert process.stdout.read(6) == b"word1 "
    process.send_signal(number)
    result = parley.finish(process, timeout=60)
    assert result.status == status, result
    history = parley.run("--json", "/history").json
    assert len(history) == 1
    shown = parley.run("/history", "show", history[0]["id"])
    assert "word1" in shown.out


def test_a_reader_that_goes_away_ends_it(parley, scripted):
    pipeline = f"{parley.binary} -s {scripted.url('many', 20000)} hello | head -c 1; echo \" ${{PIPESTATUS[0]}}\""
    result = subprocess.run(["/bin/bash", "-c", pipeline], env=parley.environment, cwd=parley.directory,
                            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    assert result.stdout.split()[-1] == "141", result
    assert result.stderr == ""


def test_a_store_that_cannot_be_made_does_not_stop_the_answer(parley, scripted):
    parley.home.write_text("a file where the folder should be\n")
    result = parley.run("-s", scripted.url("ok"), "hello")
    assert result.out == "Hello from the scripted server.\n"
    assert result.status in (0, 10)
    assert result.err


def test_sign_ins_that_others_can_read_end_a_run_that_might_need_them(parley, scripted):
    url = scripted.url("ok")
    assert parley.run("-s", url, "hello").status == 0
    parley.home.mkdir(parents=True, exist_ok=True)
    kept = parley.home / "credentials.json"
    kept.write_text("{}")
    kept.chmod(0o644)
    result = parley.run("-s", url, "hello")
    assert result.status == 10 and str(kept) in result.err
    assert parley.run("-s", url, "hello", env={"PARLEY_TOKEN": "k"}).status == 0
    kept.chmod(0o600)
    assert parley.run("-s", url, "hello").status == 0


def test_without_room_for_open_files_it_says_so(parley):
    words = ["bash", "-c", 'ulimit -n 8; exec "$0" hello', str(parley.binary)]
    result = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=parley.environment)
    assert result.returncode == 1
    assert "files may be open" in result.stderr and "ulimit -n" in result.stderr
