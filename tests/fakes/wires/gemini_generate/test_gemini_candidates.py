"""Several candidates and log probabilities of Gemini: read by the vendor's SDK, plain and streamed."""

from typing import Any

import pytest
from google import genai
from google.genai import types

from fake_providers import Call, Reply, serve

OLDER = "gemini-2.0-flash"


def ask(provider: str, reply: Reply, *, stream: bool = False, model: str = OLDER, **config: Any) -> Any:
    with serve(provider, replies=[reply]) as fake:
        options = types.HttpOptions(base_url=fake.base_url)
        client = genai.Client(api_key="k", vertexai=provider == "vertex", http_options=options)
        asked: Any = {"model": model, "contents": "Hi.", "config": types.GenerateContentConfig(**config)}
        if stream:
            found = list(client.models.generate_content_stream(**asked))
        else:
            found = client.models.generate_content(**asked)  # type: ignore[assignment]
        client.close()
    return found


@pytest.mark.parametrize("provider", ["gemini", "vertex"])
def test_each_candidate_has_its_text(provider: str) -> None:
    reply = Reply(text="Rain.", alternatives=("Sun, and more of it, and still more.", "Mist."))
    plain = ask(provider, reply, candidate_count=4)
    chunks = ask(provider, reply, candidate_count=4, stream=True)
    said = {0: "Rain.", 1: "Sun, and more of it, and still more.", 2: "Mist.", 3: "Mist."}

    assert {(one.index or 0): one.content.parts[0].text for one in plain.candidates} == said
    streamed = dict.fromkeys(said, "")
    for chunk in chunks:
        for one in chunk.candidates:
            streamed[one.index or 0] += "".join(part.text or "" for part in one.content.parts or ())
    assert streamed == said
    assert len({chunk.response_id for chunk in chunks}) == 1
    ends = [one.finish_reason for chunk in chunks for one in chunk.candidates if one.finish_reason]
    assert ends == ["STOP"] * 4
    usage = plain.usage_metadata
    assert usage.total_token_count == usage.prompt_token_count + usage.candidates_token_count
    assert usage.candidates_token_count > ask(provider, reply).usage_metadata.candidates_token_count


def test_one_candidate_is_sent_where_no_more_are_asked_for() -> None:
    assert [one.index for one in ask("gemini", Reply(text="Rain."), candidate_count=1).candidates] == [0]
    assert len(ask("gemini", Reply(text="Rain.", alternatives=("Sun.",))).candidates) == 1


@pytest.mark.parametrize("provider", ["gemini", "vertex"])
@pytest.mark.parametrize("asked", [None, 3])
def test_log_probabilities_are_those_of_the_text(provider: str, asked: int | None) -> None:
    found = ask(provider, Reply(text="It rains in Oslo, and it will."), response_logprobs=True, logprobs=asked)

    [candidate] = found.candidates
    result = candidate.logprobs_result
    assert "".join(one.token for one in result.chosen_candidates) == "It rains in Oslo, and it will."
    assert {len(one.candidates or ()) for one in result.top_candidates} == {asked or 0}
    assert all(one.log_probability <= 0 for one in result.chosen_candidates)
    assert (result.log_probability_sum is None) == (provider == "vertex")
    assert candidate.avg_logprobs is not None


def test_log_probabilities_that_are_not_asked_for_are_not_sent() -> None:
    assert ask("gemini", Reply(text="Rain.")).candidates[0].logprobs_result is None
    reply = Reply(calls=(Call("f", {}),))
    tool = types.Tool(function_declarations=[types.FunctionDeclaration(name="f")])
    assert ask("gemini", reply, tools=[tool], response_logprobs=True).candidates[0].logprobs_result is None
