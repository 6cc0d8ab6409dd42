"""A real model, for what only a real one gives: a tokenizer's own cuts, real pauses, real ends."""

import pytest

# The same answer each time.
STEADY = ["-t", "0", "--set", "seed=1"]


def test_the_capital_of_france(parley, model):
    shell = parley.on_terminal("-s", model, *STEADY)
    shell.wait_for_prompt()
    before = shell.drawings
    shell.type("What is the capital of France?")
    shell.wait_for_prompt()
    assert "Paris" in shell.text
    assert shell.drawings - before > 1
    shell.type("And of Italy?")
    shell.wait_for_prompt()
    assert shell.text.strip()
    assert shell.leave() == 0


def test_ctrl_c_stops_a_real_answer_and_the_next_one_works(parley, model):
    shell = parley.on_terminal("-s", model, *STEADY)
    shell.wait_for_prompt()
    shell.type("Write a long story about a lighthouse keeper and the sea, with many chapters.")
    shell.wait_until(lambda: len(shell.text.split()) > 12, "the story to begin")
    shell.press("ctrl-c")
    shell.wait_for_prompt()
    assert "interrupted" in shell.text
    # What so small a model says next to half a story depends on where that was cut.
    shell.type("/new")
    shell.wait_for_prompt()
    shell.type("Say hello.")
    shell.wait_for_prompt()
    assert shell.text.strip()
    assert shell.leave() == 0


def test_a_question_in_a_pipe(parley, model):
    result = parley.run(*STEADY, "-s", model, input="What is the capital of France?")
    assert (result.status, result.err) == (0, "")
    assert "Paris" in result.out


def test_the_length_limit_is_told_and_can_be_gone_on_from(parley, model):
    url = ["-s", model, *STEADY]
    first = parley.run(*url, "--json", "--set", "max-tokens=8", "Write a long story about the sea.")
    assert (first.status, first.json["status"]) == (9, "length")
    assert first.json["usage"]["completionTokens"] == 8
    more = parley.run(*url, "-C", "--json", "--set", "max-tokens=8", "/continue")
    assert more.json["text"].startswith(first.json["text"]) and len(more.json["text"]) > len(first.json["text"])


def test_a_prompt_longer_than_the_context_is_refused_with_the_numbers(parley, model):
    # The server counts the message: without --yes it is not sent.
    result = parley.run("-s", model, input="word " * 20000)
    assert result.status == 2 and "tokens" in result.err
    result = parley.run("--yes", "-s", model, input="word " * 20000)
    assert result.status == 7
    assert "context" in result.err or "tokens" in result.err


@pytest.mark.parametrize("form", ["{}", "{}/", "{}/chat/completions"])
def test_an_address_is_understood_however_it_is_written(parley, model, form):
    result = parley.run("-s", form.format(model), "/models")
    assert (result.status, "smollm2" in result.out) == (0, True), result


def test_an_address_without_its_path_is_understood(parley, model):
    result = parley.run("-s", model.removesuffix("/v1").removeprefix("http://"), "/models")
    assert (result.status, "smollm2" in result.out) == (0, True), result


def test_an_answer_fits_the_schema_that_it_was_asked_for_with(parley, model):
    schema = parley.directory / "city.json"
    schema.write_text('{"type": "object", "properties": {"city": {"enum": ["Paris", "Rome"]}, "big": {"type": '
                      '"boolean"}}, "required": ["city", "big"], "additionalProperties": false}')
    result = parley.run("-s", model, *STEADY, "--schema", schema, "What is the capital of France?")
    assert (result.status, result.err) == (0, ""), result
    assert result.json["city"] in ("Paris", "Rome") and isinstance(result.json["big"], bool)
