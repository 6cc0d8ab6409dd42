"""The playground is what the other tests believe to be Kamiwaza: it is held to the platform's own description."""

import base64
import concurrent.futures
import hashlib
import json
import re
import signal
import socket
import ssl
import subprocess
import sys
import time
import urllib.parse

import pytest

from openapi import problems
from tool_servers import Peer
from waiting import wait_until

PLAIN_ROUTES = [
    "/auth/pat-config", "/auth/users/me", "/auth/pats", "/auth/users/me/password-capability", "/serving/deployments",
    "/serving/health", "/models/", "/tool/discover", "/tool/deployments", "/tool/templates", "/apps/deployments",
    "/apps/app_templates", "/extensions", "/catalog/datasets/", "/config/routing", "/security/public/config",
    "/workrooms/",
]


def served_fingerprint(port):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with socket.create_connection(("127.0.0.1", port), timeout=60) as plain:
        with context.wrap_socket(plain) as secure:
            return "SHA256:" + hashlib.sha256(secure.getpeercert(binary_form=True)).hexdigest().upper()


def deployment(server, token, name):
    listed = server.api("GET", "/serving/deployments", token=token).json
    return next(one for one in listed if one["m_name"] == name)


# The way in


def test_the_root_is_a_page_and_the_api_is_below_it(playground):
    server = playground()
    assert server.ask("GET", "/").headers["Content-Type"].startswith("text/html")
    page = server.ask("GET", "/auth/health")
    assert page.status == 404 and "<html" in page.text
    assert server.api("GET", "/auth/health").json == {"status": "healthy", "KAMIWAZA_USE_AUTH": True}
    assert server.api("GET", "/nothing").json == {"detail": "Not Found"}
    assert server.api("GET", "/serving/active_deployments").status == 404


def test_a_missing_slash_is_redirected_to_where_the_api_is_not(playground):
    answer = playground("--tls", "--prefix", "/kz").api("GET", "/models?load_files=true")
    assert answer.status == 307
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/models/\?load_files=true", answer.headers["Location"])


def test_everything_moves_below_the_prefix(playground):
    server = playground("--prefix", "/kz")
    token = server.sign_in()["access_token"]
    assert deployment(server, token, "Qwen3-8B")["access_path"].startswith("/runtime/models/")
    server.prefix = ""
    assert server.api("GET", "/auth/health").status == 404


# Signing in


def test_wrong_locked_and_disabled_are_told_apart(playground):
    server = playground()

    def status(name, password):
        return server.api("POST", "/auth/token", form={"username": name, "password": password}).status

    assert [status("demo", "x"), status("nobody", "nobody"), status("locked", "locked"), status("locked", "x"),
            status("disabled", "disabled")] == [401, 401, 423, 401, 403]
    assert server.api("POST", "/auth/token", body={"username": "demo", "password": "demo"}).status == 422


def test_without_a_token_or_with_a_forged_one_nothing_is_told(playground):
    server = playground()
    token = server.sign_in()["access_token"]
    head, claims, signature = token.split(".")
    admin = json.loads(base64.urlsafe_b64decode(claims + "=="))
    admin["roles"] = ["admin"]
    forged = base64.urlsafe_b64encode(json.dumps(admin).encode()).decode().rstrip("=")
    for bad in (None, "", "x", f"{head}.{forged}.{signature}", token[:-2]):
        answer = server.api("GET", "/auth/users/me", token=bad)
        assert answer.status == 401 and "detail" in answer.json, bad
    assert server.api("GET", "/auth/users/me", token=token).json["username"] == "demo"


def test_an_access_token_ends_with_its_life(playground):
    server = playground("--token-life", 1)
    tokens = server.sign_in()
    assert tokens["expires_in"] == 1
    wait_until(lambda: server.api("GET", "/whoami", token=tokens["access_token"]).status == 401, "the token to expire")
    assert server.api("GET", "/whoami", token=tokens["access_token"]).json == {"detail": "token_expired"}


def test_a_refresh_token_is_good_once(playground):
    server = playground()
    first = server.sign_in()
    assert server.say("expire") == "ok"
    assert server.api("GET", "/whoami", token=first["access_token"]).status == 401

    def refresh(token):
        return server.api("POST", "/auth/refresh?" + urllib.parse.urlencode({"refresh_token": token}))

    second = refresh(first["refresh_token"])
    assert second.status == 200 and not problems("POST /auth/refresh", second.json)
    assert server.api("GET", "/whoami", token=second.json["access_token"]).status == 200
    assert refresh(first["refresh_token"]).status == 401
    assert refresh(second.json["access_token"]).status == 401
    assert server.counts["POST /auth/refresh"] == 3


def test_a_cookie_alone_refreshes(playground):
    server = playground()
    cookie = {"Cookie": f"access_token={server.sign_in()['access_token']}"}
    server.say("expire")
    assert server.api("POST", "/auth/refresh", headers=cookie).status == 200
    assert server.api("POST", "/auth/refresh").status == 401


def test_logging_out_ends_the_session(playground):
    server = playground()
    tokens = server.sign_in()
    assert server.api("POST", "/auth/logout", token=tokens["access_token"], body={}).status == 200
    assert server.api("GET", "/whoami", token=tokens["access_token"]).status == 401
    answer = server.api("POST", "/auth/refresh?refresh_token=" + tokens["refresh_token"])
    assert answer.status == 401


def test_a_personal_access_token_outlives_the_process_and_ends_when_deleted(playground, tmp_path):
    server = playground("--state", tmp_path / "state")
    token = server.sign_in()["access_token"]
    made = server.api("POST", "/auth/pats?name=shell&ttl_seconds=3600&aud=kamiwaza-platform", token=token)
    assert not problems("POST /auth/pats", made.json) and made.json["pat"]["name"] == "shell"
    server.stop()

    server = playground("--state", tmp_path / "state")
    personal, jti = made.json["token"], made.json["pat"]["jti"]
    server.say("expire")
    listed = server.api("GET", "/auth/pats", token=personal).json
    assert not problems("GET /auth/pats", listed) and [one["jti"] for one in listed["pats"]] == [jti]
    assert server.api("DELETE", f"/auth/pats/{jti}", token=personal).status == 200
    assert server.api("GET", "/auth/pats", token=personal).status == 401
    for file in (tmp_path / "state").iterdir():
        assert file.stat().st_mode & 0o077 == 0, file


def test_a_personal_access_token_needs_its_audience_and_a_life_within_the_policy(playground):
    server = playground()
    token = server.sign_in()["access_token"]
    longest = server.api("GET", "/auth/pat-config", token=token).json["ttl"]["max_seconds"]
    assert server.api("POST", f"/auth/pats?ttl_seconds={longest + 1}", token=token).status == 400
    assert server.api("POST", "/auth/pats?ttl_seconds=soon", token=token).status == 422
    without = server.api("POST", "/auth/pats", token=token, body={"name": "x"}).json["token"]
    assert server.api("GET", "/whoami", token=without).json == {"detail": "token_missing_aud"}
    proper = server.api("POST", "/auth/pats?aud=kamiwaza-platform", token=token).json["token"]
    assert server.api("GET", "/whoami", token=proper).status == 200
    assert server.say("revoke") == "ok 2"
    assert server.api("GET", "/whoami", token=proper).status == 401


def test_where_no_sign_in_is_asked_for_nobody_is_signed_in(playground):
    server = playground("--no-auth")
    assert server.api("GET", "/auth/health").json["KAMIWAZA_USE_AUTH"] is False
    assert server.api("GET", "/serving/deployments").status == 200
    assert server.api("GET", "/auth/users/me").status == 401
    assert server.api("GET", "/whoami").status == 200


# What it tells


@pytest.mark.parametrize("route", PLAIN_ROUTES)
def test_an_answer_is_as_the_platform_describes_it(playground, route):
    server = playground("--consent")
    answer = server.api("GET", route, token=server.sign_in()["access_token"])
    assert answer.status == 200
    assert not problems(f"GET {route}", answer.json)


def test_single_things_are_as_the_platform_describes_them(playground):
    server = playground()
    tokens = server.sign_in()
    assert not problems("POST /auth/token", tokens)
    token = tokens["access_token"]

    def ask(path, route):
        answer = server.api("GET", path, token=token)
        assert answer.status == 200, answer
        assert not problems(f"GET {route}", answer.json)
        return answer.json

    for one in server.api("GET", "/serving/deployments", token=token).json:
        ask(f"/serving/deployment/{one['id']}", "/serving/deployment/{deployment_id}")
        ask(f"/serving/deployment/{one['id']}/logs", "/serving/deployment/{deployment_id}/logs")
        assert server.api("GET", f"/serving/deployment/{one['id']}/status", token=token).json == one["status"]
    for one in server.api("GET", "/models/", token=token).json:
        assert one["m_files"] == []
        ask(f"/models/{one['id']}", "/models/{model_id}")
        ask(f"/models/{one['id']}/configs", "/models/{model_id}/configs")
    assert any(one["m_files"] for one in server.api("GET", "/models/?load_files=true", token=token).json)
    urns = [one["urn"] for one in server.api("GET", "/catalog/datasets/", token=token).json]
    quoted = [urllib.parse.quote(urn, safe="") for urn in urns]
    for urn in quoted:
        ask(f"/catalog/datasets/by-urn?urn={urn}", "/catalog/datasets/by-urn")
    ask(f"/catalog/datasets/by-urn/schema?urn={quoted[0]}", "/catalog/datasets/by-urn/schema")
    assert server.api("GET", f"/catalog/datasets/by-urn/schema?urn={quoted[1]}", token=token).status == 404
    assert server.api("GET", "/catalog/datasets/by-urn", token=token).json["detail"][0]["loc"] == ["query", "urn"]
    assert "/serving/deployments" in server.api("GET", "/openapi.json").json["paths"]


def test_deployments_are_chosen_by_capability(playground):
    server = playground()
    token = server.sign_in()["access_token"]

    def names(query):
        return [one["m_name"] for one in server.api("GET", "/serving/deployments" + query, token=token).json]

    assert "bge-small-en-v1.5" in names("") and None in names("")
    assert names("?capability=embedding") == ["bge-small-en-v1.5"]
    assert "bge-small-en-v1.5" not in names("?capability=chat")
    assert server.api("GET", "/serving/deployments?capability=cooking", token=token).status == 422


def test_the_first_specification_has_its_own_shape(playground, scripted):
    server = playground("--seed-shape", "--oidc", "--model", scripted.url("ok"))
    assert server.ask("GET", "/auth/health").status == 200
    assert "display_name" in server.ask("GET", "/auth/idp/public/providers").json["providers"][0]
    tokens = server.ask("POST", "/auth/token", form={"username": "demo", "password": "demo"}).json
    token = tokens["access_token"]
    assert tokens["expires_in"] == 3600
    listed = server.ask("GET", "/serving/deployments", token=token).json
    assert {frozenset(one) for one in listed} == {
        frozenset(["id", "m_id", "m_name", "status", "requested_at", "deployed_at", "instances"])}
    active = server.ask("GET", "/serving/active_deployments", token=token).json
    assert active and {one["id"] for one in active} <= {one["id"] for one in listed}
    for one in active:
        assert one["endpoint"].startswith(server.address + "/inference/")
        assert server.ask("GET", f"/runtime/models/{one['id']}/v1/models", token=token).status == 404
    assert all("available_quantizations" in one for one in server.ask("GET", "/models/", token=token).json)
    made = server.ask("POST", "/auth/pats?name=query", token=token, body={"name": "body", "ttl_seconds": 8640000}).json
    assert made["pat"]["name"] == "body" and made["token"].startswith("pat_")
    assert server.ask("GET", "/auth/users/me", token=made["token"]).status == 200
    assert server.ask("GET", "/auth/pat-config", token=token).status == 404


# Chatting


QUESTION = {"model": "smollm2-135m-instruct", "stream": True, "temperature": 0, "max_tokens": 24,
            "messages": [{"role": "system", "content": "You are a helpful assistant."},
                         {"role": "user", "content": "What is the capital of France?"}]}


@pytest.mark.parametrize("options", [[], ["--tls"]], ids=["plain", "tls"])
def test_the_real_model_answers(playground, model, options):
    server = playground("--model", model, *options)
    token = server.sign_in()["access_token"]
    chosen = deployment(server, token, "SmolLM2-135M-Instruct")
    assert chosen["context_window"] > 0
    base = f"/runtime/models/{chosen['id']}/v1"
    assert server.ask("GET", base + "/models", token=token).json["data"][0]["id"] == "smollm2-135m-instruct"
    response = server.send("POST", base + "/chat/completions", token=token, body=QUESTION)
    assert response.status == 200 and response.headers["Content-Type"].startswith("text/event-stream")
    lines = [line[6:] for line in response.read().decode().split("\n") if line.startswith("data: ")]
    response.close()
    assert lines[-1] == "[DONE]"
    text = "".join(json.loads(line)["choices"][0]["delta"].get("content") or "" for line in lines[:-1])
    assert "Paris" in text


@pytest.mark.parametrize("options", [[], ["--tls"]], ids=["plain", "tls"])
def test_an_answer_comes_as_it_is_written(playground, scripted, options):
    model = scripted.url("nod")
    server = playground("--model", model, *options)
    token = server.sign_in()["access_token"]
    chosen = deployment(server, token, "SmolLM2-135M-Instruct")
    response = server.send(
        "POST", f"/runtime/models/{chosen['id']}/v1/chat/completions", token=token, body=QUESTION)
    # Nothing more is written before the nod: what is held back would never come.
    came = b""
    while b"word5 " not in came:
        piece = response.read1(65536)
        assert piece, came
        came += piece
    assert b"word6 " not in came
    scripted.nod(model)
    assert b"word50 " in response.read()
    response.close()


def connections_to(port):
    """How many connections to that port of this machine stand."""
    with open("/proc/net/tcp", encoding="ascii") as table:
        rows = [line.split() for line in list(table)[1:]]
    return sum(row[2].endswith(f":{port:04X}") and row[3] == "01" for row in rows)


@pytest.mark.parametrize("options", [[], ["--tls"]], ids=["plain", "tls"])
def test_an_answer_that_nobody_reads_any_more_is_ended(playground, model, options):
    port = urllib.parse.urlsplit(model).port
    before = connections_to(port)
    server = playground("--model", model, *options)
    token = server.sign_in()["access_token"]
    path = f"/runtime/models/{deployment(server, token, 'SmolLM2-135M-Instruct')['id']}/v1/chat/completions"
    story = {"role": "user", "content": "Write a long story about a lighthouse keeper and the sea."}
    response = server.send("POST", path, token=token, body=QUESTION | {"max_tokens": 2000, "messages": [story]})
    assert response.read1(65536)
    assert connections_to(port) > before
    response.close()
    wait_until(lambda: connections_to(port) <= before, "the model to be left alone")
    assert server.api("GET", "/auth/health").status == 200


def test_a_model_goes_by_its_canonical_name_or_by_none(playground, model):
    server = playground("--model", model)
    token = server.sign_in()["access_token"]
    path = f"/runtime/models/{deployment(server, token, 'SmolLM2-135M-Instruct')['id']}/v1/chat/completions"
    question = QUESTION | {"stream": False, "max_tokens": 2}
    assert server.ask("POST", path, token=token, body=question | {"model": "SmolLM2-135M-Instruct"}).status == 404
    assert server.ask("POST", path, body=question).status == 401
    del question["model"]
    assert server.ask("POST", path, token=token, body=question).status == 200


def test_a_deployment_stops_starts_and_fails_as_told(playground, model):
    server = playground("--model", model)
    token = server.sign_in()["access_token"]
    name = "SmolLM2-135M-Instruct"
    path = f"/runtime/models/{deployment(server, token, name)['id']}/v1/models"
    assert server.say(f"stop {name}") == "ok"
    assert deployment(server, token, name)["status"] == "STOPPED"
    gone = server.ask("GET", path, token=token)
    assert (gone.status, gone.text) == (503, "no healthy upstream")
    assert server.say(f"fail {name}") == "ok"
    assert deployment(server, token, name)["last_error_code"] == "RUNTIME_ERROR"
    assert server.say(f"start {name}") == "ok"
    assert server.ask("GET", path, token=token).status == 200
    assert server.say("stop nothing").startswith("error")


def test_without_a_model_the_chat_deployments_say_why(playground):
    server = playground()
    failed = deployment(server, server.sign_in()["access_token"], "SmolLM2-135M-Instruct")
    assert (failed["status"], failed["last_error_message"]) == ("FAILED", "no local model was given")


def test_one_deployment_may_have_a_port_of_its_own(playground, model):
    server = playground("--model", model, "--lan-port", "--tls")
    token = server.sign_in()["access_token"]
    chosen = deployment(server, token, "SmolLM2-on-a-port")
    assert chosen["access_path"] is None and chosen["lb_port"] != server.port
    server.port = chosen["lb_port"]
    assert server.ask("GET", "/v1/models", token=token).json["data"][0]["id"] == chosen["canonical_model_id"]
    assert server.ask("GET", "/v1/models").status == 401
    assert server.ask("GET", "/api/auth/health").status == 404


# The front


def test_twenty_connections_at_once_are_served(playground):
    server = playground("--tls")
    token = server.sign_in()["access_token"]
    with concurrent.futures.ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda _: server.api("GET", "/serving/deployments", token=token).status, range(200)))
    assert answers == [200] * 200
    assert server.counts["GET /serving/deployments"] == 200


def test_a_large_body_gets_through_whole(playground, model):
    server = playground("--tls", "--model", model)
    token = server.sign_in()["access_token"]
    path = f"/runtime/models/{deployment(server, token, 'SmolLM2-135M-Instruct')['id']}/v1/chat/completions"
    body = QUESTION | {"model": "another", "messages": [{"role": "user", "content": "x" * 3_000_000}]}
    assert server.ask("POST", path, token=token, body=body).status == 404


def test_the_certificate_stays_until_it_is_swapped(playground, tmp_path):
    server = playground("--tls", "--state", tmp_path)
    first = server.fingerprint
    assert served_fingerprint(server.port) == first
    server.stop()
    server = playground("--tls", "--state", tmp_path)
    assert server.fingerprint == first
    word, fresh = server.say("swap-certificate").split()
    assert word == "ok" and fresh != first and served_fingerprint(server.port) == fresh
    server.stop()
    assert playground("--tls", "--state", tmp_path).fingerprint == fresh


def test_open_connections_are_cut(playground):
    server = playground("--tls")
    connection = server.connection()
    connection.request("GET", "/api/auth/health")
    assert connection.getresponse().read()
    assert server.say("drop") == "ok 1"
    assert connection.sock.recv(1) == b""
    connection.close()
    assert server.api("GET", "/auth/health").status == 200


# A browser, and another device


def form_fields(page):
    return {name: value.replace("&amp;", "&") for name, value in
            re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)">', page)}


def test_a_browser_comes_back_with_a_code_for_the_one_who_asked(playground):
    server = playground("--oidc", "--tls")
    where = server.ask("GET", "/realms/kamiwaza/.well-known/openid-configuration").json
    path, token_path = (where[name].removeprefix(server.address) for name in ("authorization_endpoint", "token_endpoint"))
    verifier = "v" * 64
    challenge = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).decode().rstrip("=")
    query = {"response_type": "code", "client_id": "kamiwaza-platform", "redirect_uri": "http://127.0.0.1:5/callback",
             "state": "a&b", "scope": "openid", "code_challenge": challenge, "code_challenge_method": "S256"}
    for bad in ({"redirect_uri": "http://127.0.0.1.example.com/callback"}, {"redirect_uri": "http://127.0.0.1:5/x"},
                {"redirect_uri": "https://127.0.0.1:5/callback"}, {"code_challenge_method": "plain"},
                {"client_id": "x"}, {"redirect_uri": ""}):
        assert server.ask("GET", path + "?" + urllib.parse.urlencode(query | bad)).status == 400, bad

    page = server.ask("GET", path + "?" + urllib.parse.urlencode(query)).text
    fields = form_fields(page)
    assert fields["state"] == "a&b"
    assert server.ask("POST", path, form=fields | {"username": "demo", "password": "x"}).status == 401
    exchange = {"grant_type": "authorization_code", "client_id": "kamiwaza-platform",
                "redirect_uri": query["redirect_uri"], "code_verifier": verifier}

    def code():
        back = server.ask("POST", path, form=fields | {"username": "demo", "password": "demo"})
        assert back.status == 302 and back.headers["Location"].startswith("http://127.0.0.1:5/callback?")
        given = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(back.headers["Location"]).query))
        assert given["state"] == "a&b"
        return given["code"]

    assert server.ask("POST", token_path, form=exchange | {"code": code(), "code_verifier": "w" * 64}).status == 400
    good = code()
    tokens = server.ask("POST", token_path, form=exchange | {"code": good})
    assert tokens.status == 200
    assert server.api("GET", "/auth/users/me", token=tokens.json["access_token"]).json["username"] == "demo"
    assert server.ask("POST", token_path, form=exchange | {"code": good}).json["error"] == "invalid_grant"


def test_the_platforms_own_sign_in_ends_with_a_cookie(playground):
    server = playground("--oidc")
    first = server.api("GET", "/auth/login")
    assert first.status == 302
    path = first.headers["Location"].removeprefix(server.address)
    page = server.ask("GET", path).text
    back = server.ask("POST", path, form=form_fields(page) | {"username": "demo", "password": "demo"})
    done = server.ask("GET", back.headers["Location"].removeprefix(server.address))
    assert done.status == 302 and done.bytes == b""
    cookie = done.headers["Set-Cookie"].split(";")[0]
    assert server.api("POST", "/auth/refresh", headers={"Cookie": cookie}).status == 200
    assert playground().api("GET", "/auth/login").status == 503


def test_a_device_is_let_in_by_its_code(playground):
    server = playground("--oidc")
    connect = "/realms/kamiwaza/protocol/openid-connect"
    client = {"client_id": "kamiwaza-platform"}

    def start():
        return server.ask("POST", connect + "/auth/device", form=client).json

    def ask(device):
        grant = {"grant_type": "urn:ietf:params:oauth:grant-type:device_code", "device_code": device["device_code"]}
        return server.ask("POST", connect + "/token", form=client | grant)

    device = start()
    assert ask(device).json["error"] == "authorization_pending"
    page = device["verification_uri_complete"].removeprefix(server.address)
    assert device["user_code"] in server.ask("GET", page).text
    person = {"username": "demo", "password": "demo", "user_code": device["user_code"].lower()}
    assert server.ask("POST", page, form=person | {"user_code": "AAAA-AAAA"}).status == 401
    assert server.ask("POST", page, form=person).status == 200
    assert ask(device).status == 200
    assert ask(device).json["error"] == "invalid_grant"
    other = start()
    server.ask("POST", page, form={"user_code": other["user_code"], "deny": "1"})
    assert ask(other).json["error"] == "access_denied"


# Its end


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            return stat.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.parametrize("end", ["term", "stdin", "quit"])
def test_it_ends_when_told(playground, end):
    server = playground("--tls")
    connection = server.connection()
    connection.request("GET", "/api/auth/health")
    connection.getresponse().read()
    if end == "term":
        server.process.send_signal(signal.SIGTERM)
    elif end == "stdin":
        server.process.stdin.close()
    else:
        assert server.say("quit") == "ok"
    assert server.process.wait(timeout=60) == 0
    connection.close()


def test_it_goes_with_the_program_that_started_it(playground_binary):
    script = """import subprocess, sys, time
child = subprocess.Popen([sys.argv[1], "--while-stdin-open"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
child.stdout.readline()
print(child.pid, flush=True)
time.sleep(600)  # timed: never ends by itself"""
    parent = subprocess.Popen([sys.executable, "-c", script, playground_binary], stdout=subprocess.PIPE, text=True)
    child = int(parent.stdout.readline())
    assert is_alive(child)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    wait_until(lambda: not is_alive(child), "the playground to go")


def test_a_port_that_is_taken_is_named(playground, playground_binary):
    port = playground().port
    run = subprocess.run([playground_binary, "--port", str(port)], stdin=subprocess.DEVNULL, capture_output=True,
                         text=True, timeout=60)
    assert run.returncode == 1 and f"cannot listen on 127.0.0.1:{port}" in run.stderr and run.stdout == ""


# Tools


MODERN = "2026-07-28"


@pytest.fixture
def behind(playground, tmp_path):
    """Playgrounds with a real tool server of that package behind them; its place there, and the server."""
    started = []

    def start(name, transport=None):
        server = Peer(name, tmp_path, transport=transport)
        started.append(server)
        platform = playground("--tool", f"peer={server.address}")
        platform.token = platform.sign_in()["access_token"]
        found = platform.api("GET", "/tool/discover", token=platform.token).json["servers"]
        url = next(one["url"] for one in found if one["name"] == "peer")
        return platform, url.removeprefix(platform.address), server

    yield start
    for server in started:
        server.stop()


def call(platform, path, tool, **arguments):
    meta = {"io.modelcontextprotocol/protocolVersion": MODERN, "progressToken": 1,
            "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {}}
    return platform.send(
        "POST", path, token=platform.token,
        headers={"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": MODERN,
                 "Mcp-Method": "tools/call", "Mcp-Name": tool},
        body={"jsonrpc": "2.0", "id": 1, "method": "tools/call",
              "params": {"name": tool, "arguments": arguments, "_meta": meta}})


def test_a_tool_server_answers_below_its_deployment(behind):
    platform, path, _ = behind("mcp2")
    assert platform.ask("POST", path + "/mcp", body={}).status == 401
    response = call(platform, path + "/mcp", "wire_info")
    assert response.status == 200
    seen = json.loads(response.read())["result"]["structuredContent"]
    seen = seen.get("result", seen)["headers"]
    assert "authorization" not in seen and seen["mcp-method"] == "tools/call"
    assert call(platform, path, "add", a=1, b=2).status == 404
    assert platform.counts["POST /runtime/tools/{deployment_id}/{path...}"] == 3


def test_a_session_is_begun_and_ended_through_it(behind):
    platform, path, _ = behind("mcp1")
    accepts = {"Accept": "application/json, text/event-stream"}
    answer = platform.ask(
        "POST", path + "/mcp", token=platform.token, headers=accepts,
        body={"jsonrpc": "2.0", "id": 1, "method": "initialize",
              "params": {"protocolVersion": "2025-06-18", "capabilities": {},
                         "clientInfo": {"name": "test", "version": "1"}}})
    assert answer.status == 200 and '"2025-06-18"' in answer.text
    session = accepts | {"Mcp-Session-Id": answer.headers["Mcp-Session-Id"]}
    initialized = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    assert platform.ask("POST", path + "/mcp", token=platform.token, headers=session, body=initialized).status == 202
    assert platform.ask("DELETE", path + "/mcp", token=platform.token, headers=session).status == 200
    assert platform.ask("POST", path + "/mcp", token=platform.token, headers=session, body=initialized).status == 404


def test_the_events_of_a_tool_come_one_by_one_and_its_work_ends_with_the_reader(behind):
    platform, path, server = behind("mcp2")
    response = call(platform, path + "/mcp", "slow", seconds=60, steps=60)
    seen = b""
    while b"step 1 of 60" not in seen:
        seen += response.read1(4096)
    response.close()
    wait_until(lambda: "slow: cancelled" in server.errors, "the tool to be told")


def test_a_server_of_the_older_kind_is_behind_it_too(behind):
    platform, path, _ = behind("mcp1", "sse")
    stream = platform.send("GET", path + "/sse", token=platform.token, headers={"Accept": "text/event-stream"})
    assert stream.status == 200
    lines = iter(stream.readline, b"")
    # Its path begins at its own root, and not at the platform's.
    place = next(line for line in lines if line.startswith(b"data:"))[5:].strip().decode()
    assert place.startswith("/messages/")
    ping = {"jsonrpc": "2.0", "id": 7, "method": "ping"}
    assert platform.ask("POST", path + place, token=platform.token, body=ping).status == 202
    stream.close()


def test_the_scripted_responder_calls_tools_in_both_ways(playground):
    server = playground("--tools", "http://127.0.0.1:9")
    token = server.sign_in()["access_token"]
    path = deployment(server, token, "Tool-Demo")["access_path"] + "/v1/chat/completions"

    def say(*messages, **rest):
        roles = ("system", "user", "assistant", "user")
        body = {"messages": [{"role": role, "content": text} for role, text in zip(roles, messages)], **rest}
        return server.ask("POST", path, token=token, body=body).json["choices"][0]

    tool = {"name": "calculate", "parameters": {"type": "object", "properties": {"expression": {"type": "string"}}}}
    choice = say("", "What is 12 * (3 + 4)?", tools=[{"type": "function", "function": tool}])
    assert choice["finish_reason"] == "tool_calls"
    function = choice["message"]["tool_calls"][0]["function"]
    assert (function["name"], json.loads(function["arguments"])) == ("calculate", {"expression": "12 * (3 + 4)"})

    prompt = f"<tool>\n{json.dumps(tool)}\n</tool>"
    text = say(prompt, "What is 12 * 7?")["message"]["content"]
    assert json.loads(re.fullmatch(r"<tool_call>\n(.*)\n</tool_call>", text)[1])["arguments"] == {"expression": "12 * 7"}
    result = '<tool_result>\n{"name": "calculate", "result": "84"}\n</tool_result>'
    assert "84" in say(prompt, "What is 12 * 7?", text, result)["message"]["content"]
    assert "not a model" in say("", "What is 12 * 7?")["message"]["content"]
