"""A Kamiwaza platform, from the certificate question to the sign-out."""

import base64
import contextlib
import itertools
import json
import re
import time
import urllib.parse

import pytest

from playground import FORMS, Playground

# So small a model is steady only so, and would go on for minutes.
STEADY = ("-t", "0", "--set", "max-tokens=40")


@pytest.fixture
def start(playground_binary, local_model, tmp_path):
    """Starts platforms, with the real model behind them."""
    with contextlib.ExitStack() as stack:
        number = itertools.count(1)

        def begin(*options):
            state = tmp_path / f"platform{next(number)}"
            return stack.enter_context(
                Playground(playground_binary, "--state", state, "--model", local_model.url, *options))

        yield begin


@pytest.fixture
def platform(start):
    """A platform with a certificate of its own."""
    return start("--tls")


@pytest.fixture
def signed_in(parley, platform):
    """The platform, trusted, connected as `kz` and signed in to."""
    return sign_in(parley, platform)


@pytest.fixture(params=FORMS)
def each_form(parley, start, request):
    """The same of each form that platforms have."""
    return sign_in(parley, start("--tls", *FORMS[request.param]))


def sign_in(parley, platform):
    connect(parley, platform)
    assert parley.run("/login", "demo", "--password-stdin", input="demo\n").status == 0
    return platform


def connect(parley, platform):
    assert parley.run("/server", "trust", platform.address, platform.fingerprint).status == 0
    assert parley.run("/connect", platform.address, "kz").status == 0


def personal_token(platform):
    """A token that somebody made on the platform's own pages."""
    query = "?name=mine&ttl_seconds=86400&aud=kamiwaza-platform"
    answer = platform.api("POST", "/auth/pats" + query, token=platform.sign_in()["access_token"])
    return answer.json["token"]


def approve(platform, code):
    """On another machine, somebody types the code on the provider's page."""
    person = {"username": "demo", "password": "demo", "user_code": code}
    assert platform.ask("POST", "/realms/kamiwaza/device", form=person).status == 200


# A browser with somebody in front of it: it opens the page, fills in the form, and goes where it is sent. It has no
# business with keys.
BROWSER = """#!/usr/bin/env python3
import html, os, re, ssl, sys, urllib.parse, urllib.request
assert not any(name.startswith(("PARLEY_T", "KAMIWAZA_", "OPENAI_")) for name in os.environ)
context = ssl._create_unverified_context()
page = urllib.request.urlopen(sys.argv[1], context=context)
text = page.read().decode()
fields = dict(re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', text))
fields = {name: html.unescape(value) for name, value in fields.items()} | {"username": "demo", "password": "demo"}
urllib.request.urlopen(page.url, data=urllib.parse.urlencode(fields).encode(), context=context).read()
"""


def names_of(parley):
    return {path.name for path in parley.written_files}


@pytest.mark.parametrize("form", FORMS)
def test_a_newcomer_connects_trusts_signs_in_chats_browses_and_leaves(parley, start, form):
    password = "a-secret-of-carols"
    platform = start("--tls", "--user", f"carol:{password}", *FORMS[form])
    shell = parley.on_terminal(*STEADY)
    shell.wait_for_prompt()
    shell.type(f"/connect {platform.address} kz")
    shell.wait_for_question("Type yes to trust it")
    assert "not signed by a recognized certificate authority" in " ".join(shell.text.split())
    assert platform.fingerprint[7:11] in shell.text
    shell.type("yes")
    shell.wait_for_question("user name")
    shell.type("carol")
    shell.wait_for_question("password of carol")
    shell.send(password + "\r")
    shell.wait_for("Remember this device?")
    shell.wait_for_question("[y/N]")
    shell.type("y")
    shell.wait_for_prompt()
    assert "this device is remembered until" in shell.text
    shell.type("What is the capital of France?")
    shell.wait_for_prompt()
    assert "Paris" in shell.text
    shell.type("/browse apps")
    shell.wait_for_prompt()
    assert "NAME" in shell.text and "STATUS" in shell.text
    shell.type("/logout")
    shell.wait_for_prompt()
    assert "the token of this device is revoked" in shell.text
    assert shell.leave() == 0
    assert password.encode() not in shell.raw


def test_the_second_start_goes_straight_to_the_prompt(parley, each_form):
    shell = parley.on_terminal(*STEADY)
    shell.wait_for_prompt()
    shell.type("Say hello.")
    shell.wait_for_prompt()
    assert "error" not in shell.text and "password" not in shell.text
    assert shell.leave() == 0


def test_without_a_terminal_nobody_is_asked_and_nothing_is_written(parley, platform):
    run = parley.run("/connect", platform.address, "kz")
    assert run.status == 6
    assert platform.fingerprint in run.err
    assert f"parley /server trust 127.0.0.1:{platform.port} {platform.fingerprint}" in run.err
    assert "known_servers" not in names_of(parley)


def test_a_swapped_certificate_is_refused_with_both_fingerprints_until_the_person_says_so(parley, signed_in):
    known = parley.home / "known_servers"
    before, old = known.read_bytes(), signed_in.fingerprint
    requests = signed_in.counts
    signed_in.swap_certificate()
    run = parley.run(*STEADY, "What is the capital of France?")
    assert run.status == 6
    assert old in run.err and signed_in.fingerprint in run.err and old != signed_in.fingerprint
    assert known.read_bytes() == before
    assert signed_in.counts == requests

    shell = parley.on_terminal(*STEADY)
    shell.wait_for_prompt()
    shell.type("What is the capital of France?")
    shell.wait_for_question("Type trust new to trust it")
    assert "has changed since you last connected" in " ".join(shell.text.split())
    shell.type("yes")
    shell.wait_for("please type 'trust new', 'no' or the fingerprint")
    shell.wait_for_question("Type trust new to trust it")
    shell.type("no")
    shell.wait_for_prompt()
    assert known.read_bytes() == before
    shell.press("ctrl-u")
    shell.type("What is the capital of France?")
    shell.wait_for_question("Type trust new to trust it")
    shell.type("trust new")
    shell.wait_for_prompt()
    assert "Paris" in shell.text
    assert known.read_bytes() != before
    shell.leave()


def test_ctrl_c_at_the_question_ends_a_run_as_interrupted(parley, signed_in):
    signed_in.swap_certificate()
    shell = parley.on_terminal("hello")
    shell.wait_for_question("Type trust new to trust it")
    shell.press("ctrl-c")
    assert shell.wait_for_exit() == 130


def test_tokens_that_expire_every_five_seconds_are_renewed_once_each_and_nobody_notices(parley, start):
    platform = start("--tls", "--token-life", "5")
    connect(parley, platform)
    assert parley.run("/login", "demo", "--password-stdin", input="demo\n").status == 0
    shell = parley.on_terminal("-t", "0", "--set", "max-tokens=10", "--lenient")
    shell.wait_for_prompt()
    asked = 0
    while platform.counts.get("POST /auth/refresh", 0) < 3:
        asked += 1
        shell.type(f"Name {asked} colours.")
        shell.wait_for_prompt()
        assert "sign" not in shell.text and "401" not in shell.text
    assert shell.leave() == 0
    # A token is renewed shortly before its end, by the first request that is due: a second renewal would spend it twice,
    # which the platform takes for a theft.
    assert platform.counts["POST /auth/refresh"] <= asked


def test_many_shells_at_once_renew_a_token_once(parley, signed_in):
    signed_in.say("expire")
    before = signed_in.counts.get("POST /auth/refresh", 0)
    started = [parley.start("/whoami", "--json") for _ in range(6)]
    for process in started:
        assert parley.finish(process).json["name"] == "demo"
    assert signed_in.counts["POST /auth/refresh"] == before + 1


def test_a_revoked_device_signs_in_again_and_then_does_what_was_wanted(parley, platform):
    connect(parley, platform)
    assert parley.run("/login", "demo", "--password-stdin", "--remember", input="demo\n").status == 0
    platform.say("revoke")
    assert parley.run("/whoami").status == 4
    shell = parley.on_terminal(*STEADY)
    shell.wait_for_prompt()
    shell.type("What is the capital of France?")
    shell.wait_for_question("user name")
    shell.type("demo")
    shell.wait_for_question("password of demo")
    shell.send("demo\r")
    shell.wait_for_question("[y/N]")
    shell.type("n")
    shell.wait_for_prompt()
    assert "Paris" in shell.text
    shell.leave()


def test_wrong_passwords_and_tokens_are_refused_in_words(parley, platform):
    connect(parley, platform)
    run = parley.run("/login", "demo", "--password-stdin", input="wrong\n")
    assert run.status == 4 and "Invalid username or password." in run.err
    run = parley.run("/login", "--token-stdin", input="nonsense\n")
    assert run.status == 4 and "nonsense" not in run.err
    run = parley.run("/login", "locked", "--password-stdin", input="locked\n")
    assert run.status == 4 and "locked" in run.err


def test_a_model_that_goes_away_is_said_and_others_are_offered(parley, each_form):
    shell = parley.on_terminal(*STEADY)
    shell.wait_for_prompt()
    shell.type("Say hello.")
    shell.wait_for_prompt()
    listed = parley.run("/models", "--json").json
    current = next(model["name"] for model in listed if model["current"])
    each_form.say(f"stop {current}")
    shell.type("Say it again.")
    shell.wait_for_prompt()
    text = " ".join(shell.text.split())
    assert "The model is no longer available. Please select a different model." in text
    other = next(model["name"] for model in listed if model["isReady"] and not model["current"])
    assert other in shell.text
    shell.press("ctrl-u")
    shell.type(f"/model {other}")
    shell.wait_for_prompt()
    shell.type("/retry")
    shell.wait_for_prompt()
    assert "error" not in shell.text
    shell.leave()


def test_models_are_listed_with_their_states_and_the_oldest_is_asked(parley, each_form):
    listed = parley.run("/models", "--json").json
    assert any(not model["isReady"] and model["note"] for model in listed)
    assert not any("embed" in model["name"].lower() for model in listed)
    assert [model["isReady"] for model in listed] == sorted((model["isReady"] for model in listed), reverse=True)
    run = parley.run("--json", *STEADY, "What is the capital of France?", timeout=90)
    assert "Paris" in run.json["text"]
    assert listed[0]["current"]


@pytest.mark.parametrize("topic", ["models", "catalog", "apps", "tools", "templates"])
def test_everything_can_be_browsed_also_when_the_platform_is_away(parley, each_form, topic):
    rows = parley.run("/browse", topic, "--json").json
    assert rows and all(row["name"] for row in rows)
    detail = parley.run("/browse", topic, rows[0]["name"], "--json")
    assert detail.status == 0 and rows[0]["name"] in detail.out
    each_form.stop()
    away = parley.run("/browse", topic, "--json")
    assert away.status == 5 and len(away.json) == len(rows)


def test_the_doctor_says_what_is_wrong_and_what_to_do(parley, each_form):
    checks = parley.run("/doctor", "--json", timeout=90)
    assert checks.status == 0, checks
    states = {check["check"]: check["state"] for check in checks.json}
    assert set(states.values()) == {"ok"}
    each_form.stop()
    run = parley.run("/doctor", "--json")
    assert run.status == 5
    failed = next(check for check in run.json if check["state"] == "failed")
    assert failed["hint"]


def test_the_document_that_the_platform_was_built_from_works_as_well(parley, start):
    platform = start("--seed-shape")
    assert parley.run("/connect", platform.address, "kz").status == 0
    run = parley.run("/login", "demo", "--password-stdin", "--remember", input="demo\n")
    assert run.status == 0 and "remembered" in run.err
    run = parley.run(*STEADY, "What is the capital of France?", timeout=90)
    assert "Paris" in run.out
    assert parley.run("/browse", "models", "--json").json
    assert parley.run("/logout").status == 0


def test_a_prefix_no_sign_in_and_a_consent_page(parley, start):
    platform = start("--prefix", "/kz", "--no-auth")
    run = parley.run("/connect", platform.address, "open")
    assert run.status == 0, run
    assert "Paris" in parley.run(*STEADY, "What is the capital of France?", timeout=90).out
    platform = start("--consent")
    assert parley.run("/connect", platform.address, "stern").status == 0
    assert parley.run("/login", "demo", "--password-stdin", input="demo\n").status == 4
    shell = parley.on_terminal("/login", "demo")
    shell.wait_for_question("[y/N]")
    shell.type("y")
    shell.wait_for_question("password of demo")
    shell.send("demo\r")
    shell.wait_for_question("[y/N]")
    shell.type("n")
    assert shell.wait_for_exit() == 0


def spellings(secret):
    """A secret as it may have been written down."""
    raw = secret.encode()
    return {raw, base64.b64encode(raw).rstrip(b"="), base64.urlsafe_b64encode(raw).rstrip(b"="),
            urllib.parse.quote(secret, safe="").encode(), raw.hex().encode()}


def test_no_secret_is_left_anywhere_but_in_the_store(parley, start):
    """The password and every token that was ever given out, looked for in all files, outputs and process lists."""
    password = "Pa55-w0rd-canary-7c1e"
    platform = start("--tls", "--user", f"carol:{password}")
    connect(parley, platform)
    seen = bytearray()

    def run(*arguments, **options):
        process = parley.start("-v", *arguments, stdin=-1 if "input" in options else -3)
        if options.get("input"):
            process.stdin.write(options["input"].encode())
            process.stdin.close()
            process.stdin = None
        while process.poll() is None:
            for name in ("cmdline", "environ"):
                try:
                    seen.extend(open(f"/proc/{process.pid}/{name}", "rb").read())
                except OSError:
                    pass
            time.sleep(0.01)  # timed: between looks
        out, err = process.stdout.read(), process.stderr.read()
        seen.extend(out + err)
        return process.returncode

    assert run("/login", "carol", "--password-stdin", input=password + "\n") == 0
    stored = json.loads((parley.home / "credentials.json").read_text())
    assert run(*STEADY, "Say hello.") == 0
    platform.say("expire")
    assert run("/whoami") == 0
    assert run("/browse", "apps") == 0
    assert run("/login", "carol", "--password-stdin", "--remember", input=password + "\n") == 0
    assert run("/doctor") == 0
    assert run("/login", "carol", "--password-stdin", input="wrong-" + password + "\n") == 4
    assert run("/logout") == 0
    given = platform.given
    assert len(given) >= 5
    files = b"".join(path.read_bytes() for path in parley.written_files)
    for secret in [password, *given]:
        for spelling in spellings(secret):
            assert spelling not in seen, "a secret was shown"
            assert spelling not in files, "a secret was left behind"
    assert stored and not re.search(r"eyJ", (parley.home / "credentials.json").read_text())


def test_a_key_in_the_environment_goes_to_its_server_alone_and_not_to_children(parley, platform, scripted):
    connect(parley, platform)
    token = personal_token(platform)
    run = parley.run("/whoami", "--json", env={"KAMIWAZA_API_KEY": token})
    assert run.status == 0 and run.json["name"]
    wrong = parley.run("/whoami", env={"KAMIWAZA_API_KEY": "eyJnothing"})
    assert wrong.status == 4 and "does not take the key of the environment" in wrong.err
    parley.run("-s", scripted.url("ok"), "hi", env={"KAMIWAZA_API_KEY": token, "KAMIWAZA_BASE_URL": platform.address})
    assert not any(token in json.dumps(request) for request in scripted.requests)
    shown = parley.run("-c", "!env", env={"KAMIWAZA_API_KEY": token})
    assert token not in shown.out


def test_signing_in_with_a_provider_on_a_page_in_the_browser(parley, start):
    platform = start("--tls", "--oidc")
    connect(parley, platform)
    browser = parley.file("browser", BROWSER)
    browser.chmod(0o755)
    shell = parley.on_terminal("/login", "--with", "google", "--no-remember", 
                               env={"BROWSER": str(browser), "OPENAI_API_KEY": "sk-nothing"})
    assert shell.wait_for_exit() == 0, shell
    assert "signed in as" in shell.text
    assert parley.run("/whoami").status == 0


def test_signing_in_with_a_code_on_another_machine(parley, start):
    platform = start("--tls", "--oidc")
    connect(parley, platform)
    shell = parley.on_terminal("/login", "--with", "google", "--no-remember")
    shell.wait_for("type the code")
    code = re.search(r"type the code (\S+)", shell.text).group(1)
    approve(platform, code)
    assert shell.wait_for_exit() == 0, shell
    assert "signed in as" in shell.text
