"""What a server is told, and what it is not."""

import pytest


def authorizations(server):
    return [request["headers"].get("authorization") for request in server.requests]


def test_only_what_was_set_is_sent(parley, scripted):
    url = scripted.url("ok")
    parley.run("-s", url, "hello")
    question = scripted.questions[-1]
    assert question["stream"] is True
    assert question["stream_options"] == {"include_usage": True}
    assert not {"max_tokens", "max_completion_tokens", "top_p", "seed", "stop", "tools"} & set(question)

    parley.run("-s", url, "-t", "0.25", "--set", "seed=7", "--set", "max-tokens=20", "hello")
    question = scripted.questions[-1]
    assert (question["temperature"], question["seed"]) == (0.25, 7)
    assert question.get("max_tokens", question.get("max_completion_tokens")) == 20


def test_the_temperature_is_the_setting_unless_this_run_has_its_own(parley, scripted):
    parley.run("-s", scripted.url("ok"), "hello")
    assert scripted.questions[-1]["temperature"] == 0.7
    parley.run("/settings", "temperature", "1.5")
    parley.run("-s", scripted.url("ok"), "hello")
    assert scripted.questions[-1]["temperature"] == 1.5
    parley.run("-s", scripted.url("ok"), "-t", "0", "hello")
    assert scripted.questions[-1]["temperature"] == 0


def test_the_system_prompt_comes_first_and_can_be_another_for_one_run(parley, scripted):
    parley.run("-s", scripted.url("ok"), "-S", "Answer in Latin.", "hello")
    assert scripted.questions[-1]["messages"] == [
        {"role": "system", "content": "Answer in Latin."}, {"role": "user", "content": "hello"}]


def test_an_unfinished_answer_is_context_for_the_next_question(parley, scripted):
    parley.run("-s", scripted.url("drop"), "first")
    parley.run("-s", scripted.url("ok"), "-C", "second")
    contents = [message["content"] for message in scripted.questions[-1]["messages"]]
    assert contents[-3:] == ["first", "One two three", "second"]


def test_a_rate_limited_question_is_asked_again(parley, scripted):
    assert parley.run("-s", scripted.url("429-now"), "hello").status == 0
    assert len(scripted.questions) == 3


def test_a_question_is_not_asked_twice_when_its_answer_was_cut_off(parley, scripted):
    parley.run("-s", scripted.url("drop"), "hello")
    assert len(scripted.questions) == 1


def test_a_key_goes_to_the_server_of_this_run_and_never_to_the_screen(parley, scripted):
    result = parley.run("-v", "-s", scripted.url("needs-key"), "hello", env={"PARLEY_TOKEN": "secret-key"})
    assert result.status == 0, result
    assert "Bearer secret-key" in authorizations(scripted)
    assert "secret-key" not in result.out + result.err
    assert [path for path in parley.written_files if b"secret-key" in path.read_bytes()] == []


@pytest.mark.parametrize("what", ["400", "html", "text", "json", "location", "error", "model"])
def test_a_key_that_a_server_repeats_is_neither_shown_nor_kept(parley, scripted, what):
    env = {"PARLEY_TOKEN": "sk-canary-0123456789"}
    answers, all_of_it = (scripted.url(scene, what) for scene in ("repeats-answer", "repeats"))
    runs = [("-s", answers, "hello"), ("--json", "-s", answers, "hello"), ("-v", "-s", all_of_it, "hello"),
            ("/connect", all_of_it), ("-s", all_of_it, "/models"), ("-s", all_of_it, "/doctor")]
    for words in runs:
        result = parley.run(*words, env=env)
        assert "canary" not in result.out + result.err, result
    assert "Bearer sk-canary-0123456789" in authorizations(scripted)
    assert [path for path in parley.written_files if b"canary" in path.read_bytes()] == []


def test_the_key_for_one_address_is_not_sent_to_another(parley, scripted):
    env = {"OPENAI_BASE_URL": scripted.url("needs-key"), "OPENAI_API_KEY": "secret-key"}
    assert parley.run("hello", env=env).status == 0
    scripted.forget()

    # The same program on another port is another server.
    env["OPENAI_BASE_URL"] = "http://127.0.0.1:9/v1"
    assert parley.run("-s", scripted.url("ok"), "hello", env=env).status == 0
    assert set(authorizations(scripted)) == {None}


def test_a_line_end_behind_a_key_is_none_of_it(parley, scripted):
    env = {"PARLEY_TOKEN": "secret-key\r\n"}
    assert parley.run("-s", scripted.url("needs-key"), "hello", env=env).status == 0
    assert "Bearer secret-key" in authorizations(scripted)


def test_with_a_key_that_cannot_be_sent_nothing_is_asked_as_somebody_else(parley, scripted):
    result = parley.run("-s", scripted.url("ok"), "hello", env={"PARLEY_TOKEN": "two words"})
    assert result.status == 2
    assert "PARLEY_TOKEN" in result.err and "two words" not in result.err
    assert scripted.requests == []


def test_a_key_that_cannot_be_sent_stops_only_what_would_have_sent_it(parley, scripted):
    url = scripted.url("ok")
    elsewhere = {"PARLEY_SERVER": "http://127.0.0.1:9", "PARLEY_TOKEN": "two words"}
    assert parley.run("-s", url, "hello", env=elsewhere).status == 0
    assert parley.run("-s", url, "hello", env={"KAMIWAZA_API_KEY": "two words"}).status == 0
    assert parley.run("/help", env={"PARLEY_SERVER": url, "PARLEY_TOKEN": "two words"}).status == 0
    named = {"PARLEY_SERVER": "http://127.0.0.1:9", "OPENAI_BASE_URL": url, "OPENAI_API_KEY": "two words"}
    assert parley.run("-s", url, "hello", env=named).status == 2


def test_a_key_for_this_machine_is_not_shown_to_a_proxy(parley, scripted):
    # Whoever is behind this address gets nothing.
    env = {"PARLEY_TOKEN": "secret-key", "http_proxy": "http://127.0.0.1:9"}
    assert parley.run("-s", scripted.url("needs-key"), "hello", env=env).status == 0


def test_a_redirect_is_not_followed_with_the_key(parley, scripted):
    result = parley.run("-s", scripted.url("redirect-other"), "hello", env={"PARLEY_TOKEN": "secret-key"})
    assert result.status == 7
    elsewhere = [request for request in scripted.requests if request["headers"]["host"].startswith("localhost")]
    assert elsewhere == []


def test_a_wrong_key_is_a_matter_of_signing_in(parley, scripted):
    result = parley.run("-s", scripted.url("needs-key"), "hello", env={"PARLEY_TOKEN": "wrong"})
    assert result.status == 4
    assert "wrong" not in result.err.replace("wrong key", "")
