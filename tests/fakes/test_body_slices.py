"""What was accepted before is not judged again, and the verdict is the same as if it were, rule and words."""

import json
import random
from collections.abc import Callable, Iterator
from typing import Any
from unittest import mock

import pytest
from msgspec.structs import replace

from fake_providers import PROVIDERS, Request
from fake_providers.body_slices import LONGEST_PART, MOST_SCOPES, PartReader
from fake_providers.provider_facts import own_provider
from fake_providers.registry import wire_for, wire_named
from fake_providers.rule import Violation
from fake_providers.rulebook import NEEDS, READS, UNUSUAL, Precondition
from fake_providers.values.json_texts import STRICT, plain_parser
from fake_providers.verdict_cache import shown_of
from fake_providers.wire import Wire
from fake_providers.wires.bedrock_converse.shapes import shape_faults
from fake_providers.wires.cohere_chat.rules.shape import misfit
from fake_providers.wires.gemini_generate.proto_parser import mismatches
from fake_providers.wires.gemini_generate.request_validator import validate
from fake_providers.wires.ollama_chat.go_json_fields import REQUEST, mismatch
from fake_providers.wires.openai_shared.request_body import PARTS
from tests.fakes import tried_rules
from tests.fakes.mutated_bodies import mutated, oddly_written
from tests.fakes.usual_parts import conversation_of, part_of

PAIRS = [(provider, name) for provider, names in PROVIDERS.items() for name in names]
EVERY = pytest.mark.parametrize(("provider", "name"), PAIRS, ids=["-".join(pair) for pair in PAIRS])
SEED = 20261123


def judged_anew(wire: Wire, request: Request, provider: str) -> Violation | None:
    with mock.patch.object(PartReader, "read", return_value=None):
        return wire.judge(request, provider=provider)


def samples(wire: Wire, kind: str) -> list[Request]:
    return [
        Request(
            "POST",
            rule.path if tried_rules.is_routed(wire, rule.path) else tried_rules.PATHS[wire.name],
            {**tried_rules.HEADERS, **(rule.headers or {})},
            json.dumps(body).encode(),
        )
        for rule in wire.rules
        if isinstance(body := getattr(rule, kind), dict)
    ]


def check_both_orders(provider: str, name: str, first: list[Request], second: list[Request]) -> None:
    wire = wire_for(provider, name)
    anew = {id(request): judged_anew(wire, request, provider) for request in (*first, *second)}
    for one in first:
        for other in second:
            for request in (one, other, one):
                assert wire.judge(request, provider=provider) == anew[id(request)], (one.body, other.body)


@EVERY
def test_a_sample_gets_its_verdict_after_any_other(provider: str, name: str) -> None:
    wire, chance = wire_for(provider, name), random.Random(SEED)
    accepted, breaking = samples(wire, "accepted"), samples(wire, "breaking")

    check_both_orders(provider, name, chance.sample(accepted, min(4, len(accepted))), breaking)


def is_renamed(provider: str, name: str) -> bool:
    """Whether most of its rules are those of the wire's own provider, or of makers at a gateway, under other names."""
    own, rules = {id(rule.breaking) for rule in wire_named(name).rules}, wire_for(provider, name).rules
    renamed = [rule for rule in rules if id(rule.breaking) in own and rule.id.startswith(f"{provider}/")]
    return provider == "litellm" or (own_provider(name) != provider and len(renamed) > len(rules) / 2)


@pytest.mark.slow
@pytest.mark.parametrize(("provider", "name"), [pair for pair in PAIRS if not is_renamed(*pair)])
def test_every_sample_gets_its_verdict_after_every_other(provider: str, name: str) -> None:
    wire = wire_for(provider, name)

    check_both_orders(provider, name, samples(wire, "accepted"), samples(wire, "breaking"))


def mixtures(provider: str, name: str, seed: int, count: int) -> Iterator[Request]:
    for path, headers, body in tried_rules.bodies(wire_for(provider, name), random.Random(seed), count):
        yield Request("POST", path, headers, json.dumps(body).encode())


@EVERY
def test_mixtures_of_samples_get_the_verdict_of_the_whole(provider: str, name: str, fuzzing: tuple[int, int]) -> None:
    wire, (seed, count) = wire_for(provider, name), fuzzing
    for request in mixtures(provider, name, seed, count):
        assert wire.judge(request, provider=provider) == judged_anew(wire, request, provider), request.body


@EVERY
def test_a_broken_rule_finds_what_it_needs(provider: str, name: str, fuzzing: tuple[int, int]) -> None:
    seed, count = fuzzing

    assert not tried_rules.unmet(provider, wire_for(provider, name), random.Random(seed), count)


def test_a_need_that_is_none_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(NEEDS, "openai/role-unknown", Precondition(frozenset((b"tool_calls",))))
    monkeypatch.setitem(NEEDS, "openai/content-type", Precondition(traits=frozenset(("no-such-trait",))))

    found = tried_rules.unmet("openai", wire_for("openai", "openai-chat"), random.Random(SEED), 0)

    assert found == {"openai/role-unknown", "openai/content-type"}


def test_what_a_rule_needs_is_taken_away_to_see_whether_it_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(NEEDS, "cohere/arguments-not-object", Precondition(frozenset((b"get_weather",))))

    found = tried_rules.unmet("cohere", wire_for("cohere", "cohere-chat"), random.Random(SEED), 0)

    assert found == {"cohere/arguments-not-object"}


def test_what_usual_parts_and_known_parameters_break_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    parameter, said, tool = (Precondition(unusual=frozenset((kind,))) for kind in UNUSUAL.values())
    monkeypatch.setitem(NEEDS, "openai/role-unknown", parameter)
    monkeypatch.setitem(NEEDS, "openai/unknown-parameter", said)
    monkeypatch.setitem(NEEDS, "openai/tool-call-name-missing", tool)

    found = tried_rules.unmet("openai", wire_for("openai", "openai-chat"), random.Random(SEED), 0)

    assert found == {"openai/role-unknown", "openai/unknown-parameter", "openai/tool-call-name-missing"}


@EVERY
def test_no_rule_that_needs_another_form_finds_anything_in_usual_ones(
    provider: str, name: str, fuzzing: tuple[int, int]
) -> None:
    seed, count = fuzzing
    wire, chance = wire_for(provider, name), random.Random(seed)
    own = {rule.id for one in (wire, wire_named(name)) for rule in one.rules}
    messages, tools = tried_rules.USUAL[name]
    accepted = samples(wire, "accepted")
    with tried_rules.every_breach() as found:
        trier = tried_rules.Trier(provider, wire, found)
        for _ in range(count // 4 if accepted else 0):
            request = chance.choice(accepted)
            body = json.loads(request.body)
            body[tried_rules.CONVERSATIONS[name]] = (
                conversation_of(messages, chance)
                if chance.random() < 0.5
                else [part_of(messages, chance) for _ in range(chance.randint(1, 4))]
            )
            if tools is not None and chance.random() < 0.5:
                body = tried_rules.with_tools(name, body, [part_of(tools, chance)])

            assert not own & trier.with_needs_unmet(request.path, dict(request.headers), body)[1], body


@EVERY
def test_a_usual_conversation_that_was_changed_gets_the_verdict_of_the_whole(
    provider: str, name: str, fuzzing: tuple[int, int]
) -> None:
    (seed, count), wire = fuzzing, wire_for(provider, name)
    conversation, (messages, tools) = tried_rules.CONVERSATIONS[name], tried_rules.USUAL[name]
    accepted, chance = samples(wire, "accepted"), random.Random(f"{seed} {provider} {name} usual")
    for _ in range(count // 8 if accepted else 0):
        request = chance.choice(accepted)
        body = json.loads(request.body)
        if isinstance(tried_rules.around_tools(name, body).get("tools"), list) and tools is not None:
            body = tried_rules.with_tools(name, body, [part_of(tools, chance) for _ in range(chance.randint(1, 3))])
        said = [*conversation_of(messages, chance), *conversation_of(messages, chance)[chance.randint(0, 1) :]]
        for changed in (said[: len(said) // 2], said, *(changed_order(said, chance) for _ in range(3))):
            one = replace(request, body=json.dumps({**body, conversation: changed}).encode())

            assert wire.judge(one, provider=provider) == judged_anew(wire, one, provider), one.body


def changed_order(said: list[dict[str, Any]], chance: random.Random) -> list[dict[str, Any]]:
    """The messages with one left out, one twice, or two in each other's place."""
    if len(said) < 2:
        return said
    (first, second), changed = sorted(chance.sample(range(len(said)), 2)), [*said]
    match chance.choice(("left out", "twice", "exchanged")):
        case "left out":
            del changed[first]
        case "twice":
            changed.insert(second, said[first])
        case "exchanged":
            changed[first], changed[second] = said[second], said[first]
    return changed


def test_a_schema_in_a_new_parameter_is_judged_beside_usual_parts() -> None:
    wire, said = wire_for("anthropic", "anthropic-messages"), {"role": "user", "content": "Is it warm?"}
    count = {"type": "object", "properties": {"n": {"type": "integer"}}, "additionalProperties": False}
    bounded = {**count, "properties": {"n": {"type": "integer", "minimum": 1}}}
    found = []
    for schema in (count, bounded):
        form = {"type": "json_schema", "schema": schema}
        body = {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [said], "output_config": {"format": form}}
        request = Request("POST", "/v1/messages", dict(tried_rules.HEADERS), json.dumps(body).encode())
        violation = wire.judge(request, provider="anthropic")
        assert violation == judged_anew(wire, request, "anthropic")
        found.append(violation and violation.rule)

    assert found == [None, "anthropic/strict-keyword"]


WALKERS: dict[str, Callable[[Any], Any]] = {
    "gemini-generate": lambda said: (
        mismatches({"contents": [said]}, version="v1beta", vertex=False) or validate({"contents": [said]})
    ),
    "ollama-chat": lambda said: mismatch({"messages": [said]}, REQUEST),
    "bedrock-converse": lambda said: shape_faults({"modelId": "m", "messages": [said]}, "converse"),
    "cohere-chat": lambda said: misfit({"messages": [said]}),
}
"""By wire what looks through a whole request, and is not asked where nothing is unusual."""


@pytest.mark.parametrize("name", list(WALKERS))
def test_what_looks_through_requests_finds_nothing_in_usual_messages(name: str) -> None:
    chance = random.Random(SEED)
    for _ in range(200):
        message = part_of(tried_rules.USUAL[name][0], chance)

        assert not WALKERS[name](message), message

    assert WALKERS[name]({"role": 7})


def changed_samples(provider: str, name: str, seed: int, count: int) -> Iterator[Request]:
    """Samples with up to three values changed; some in a conversation that goes on for long before them, as they are
    and then with the changes."""
    wire, conversation, rounds = wire_for(provider, name), tried_rules.CONVERSATIONS[name], tried_rules.ROUND[name]
    chance = random.Random(f"{seed} {provider} {name}")
    made = [*samples(wire, "accepted"), *samples(wire, "breaking")]
    for _ in range(count if made else 0):
        request = chance.choice(made)
        body = json.loads(request.body)
        said = body.get(conversation)
        if isinstance(said, list) and chance.random() < 0.4:
            body[conversation] = [*rounds[1:], *rounds * 6, *said]
            yield replace(request, body=json.dumps(body).encode())
        yield replace(request, body=json.dumps(mutated(body, chance)).encode())


@EVERY
def test_changed_samples_get_the_verdict_and_the_view_of_the_whole(
    provider: str, name: str, fuzzing: tuple[int, int]
) -> None:
    seed, count = fuzzing
    wire = wire_for(provider, name)
    for request in changed_samples(provider, name, seed, count // 4):
        assert wire.judge(request, provider=provider) == judged_anew(wire, request, provider), request.body
        with mock.patch.object(PartReader, "read", return_value=None):
            anew = wire.view(request)
        assert wire.view(request) == anew, request.body


@EVERY
def test_oddly_written_bodies_get_the_verdict_of_the_whole(provider: str, name: str, fuzzing: tuple[int, int]) -> None:
    seed, count = fuzzing
    wire, chance = wire_for(provider, name), random.Random(f"{seed} {provider} {name} odd")
    for request in changed_samples(provider, name, seed, count // 8):
        odd = replace(request, body=oddly_written(json.loads(request.body), chance))
        for one in (request, odd, odd, request):
            assert wire.judge(one, provider=provider) == judged_anew(wire, one, provider), one.body


@EVERY
def test_a_conversation_that_has_grown_gets_the_verdict_of_the_whole(provider: str, name: str) -> None:
    wire, conversation, rounds = wire_for(provider, name), tried_rules.CONVERSATIONS[name], tried_rules.ROUND[name]
    shown = 0
    for request in samples(wire, "breaking"):
        body = json.loads(request.body)
        said = body.get(conversation)
        if not isinstance(said, list):
            continue
        for split in {0, min(1, len(said)), len(said) // 2}:
            accepted = [*(said[:split] or rounds[1:]), *rounds * 8]
            before, after = (
                replace(request, body=json.dumps({**body, conversation: messages}).encode())
                for messages in (accepted, [*accepted, *said[split:]])
            )
            shown += wire.judge(before, provider=provider) is None
            assert wire.judge(after, provider=provider) == judged_anew(wire, after, provider), after.body

    assert shown > 3 or provider != own_provider(name), "hardly a conversation was accepted before it had grown"


def test_a_message_at_another_place_is_seen_there() -> None:
    wire, user = wire_for("openai", "openai-chat"), {"role": "user", "content": "Is it warm?"}
    said = {"role": "assistant", "content": "7 degrees."}
    for messages, places in (([user, said], (0, 1)), ([said, user], (1, 0)), ([user, user, said], (0, 2))):
        body = json.dumps({"model": "gpt-4.1", "messages": messages}).encode()
        seen = {message.role: message.at for message in wire.view(Request("POST", "/", {}, body)).messages}

        assert seen == {"user": f"messages[{places[0]}]", "assistant": f"messages[{places[1]}]"}


@pytest.mark.parametrize("name", list(tried_rules.CONVERSATIONS))
def test_a_conversation_that_grows_is_seen_as_the_whole(name: str) -> None:
    wire, list_name, [said, asked] = (
        wire_for(own_provider(name), name),
        tried_rules.CONVERSATIONS[name],
        tried_rules.ROUND[name],
    )
    chance = random.Random(SEED)
    for _ in range(5):
        messages = [asked] * 20
        for _ in range(8):
            messages = [*messages, *chance.choices([said, asked], k=chance.randint(1, 3))]
            request = Request("POST", tried_rules.PATHS[name], {}, json.dumps({list_name: messages}).encode())
            seen = wire.view(request)
            with mock.patch.object(PartReader, "read", return_value=None):
                anew = wire.view(request)

            assert seen == anew
            assert seen.text_length == anew.text_length == len(seen.texts)


def test_of_a_grown_conversation_the_beginning_the_last_exchange_and_what_is_new_are_shown() -> None:
    user, calls, result = {"role": "user"}, {"role": "assistant", "tool_calls": []}, {"role": "tool"}
    accepted = [{"role": "system"}, user, *[calls, result] * 9]

    assert shown_of([*accepted, calls, result], len(accepted)) == accepted[:2] + [calls, result] * 2
    assert shown_of([*accepted, result], len(accepted)) == [*accepted[:2], calls, result, result], "of the same calls"
    assert shown_of([*accepted[:4], calls], 4) == [*accepted[:4], calls], "nothing can be left out"


@pytest.mark.weekly
def test_no_mixture_contradicts_what_a_rule_looks_at(fuzzing: tuple[int, int]) -> None:
    seed, count = fuzzing
    trials = tried_rules.all_trials(seed, count // 2)
    # A rule on parameters is checked of none that were accepted before, whatever is beside them.
    of_parameters = {rule for rule, needs in NEEDS.items() if needs.unusual == {UNUSUAL["parameter"]}}
    table = {rule: reads for rule, reads in READS.items() if rule not in of_parameters}

    wrong = {rule for trial in trials for rule in tried_rules.contradicted(trial, table)}

    # What is missing is found by what has looked through the whole request by then, and told to the rule.
    assert wrong <= {"gemini/contents-missing"}, f"seed {seed}: what these rules look at says too little"


PARSE = plain_parser(STRICT)
READER = PartReader(PARSE, "messages", "tools")


@pytest.mark.parametrize(
    "body",
    [
        b"[]",
        b'"text"',
        b"{",
        b"{}}",
        b'\xef\xbb\xbf{"messages": []}',
        b'{"messages": [NaN]}',
        b'{"messages": [null]}',
        b'{"tools": ["get_weather"]}',
        b'{"temperature": Infinity}',
        b'{"messages": ["\xff"]}',
        b'{"messages": ["a\nb"]}',
        b'{"messages": [' + b"[" * 61 + b"]" * 61 + b"]}",
        b'{"messages": [' + b"[" * 5000 + b"]" * 5000 + b"]}",
        b'{"messages": [' + b'{"]": ' * 61 + b"1" + b"}" * 61 + b"]}",
        b'{"messages": [{"a": ' + b"[" * 61 + b"]" * 61 + b', "a": 1}]}',
        b'{"messages": [{"id": 1234567890123456789, "a": "\\ud800"}]}',
    ],
)
def test_what_parsers_take_in_different_ways_is_left_to_the_wire(body: bytes) -> None:
    assert READER.read(body) is None


@pytest.mark.parametrize(
    "value",
    [
        {},
        {"messages": []},
        {"messages": None, "tools": {}},
        {"messages": [{"a": [1, 1.5, "a", None, True, [], {}]}, {}], "model": "m", "tools": [{"a": [1]}]},
        {"messages": [{"content": "x" * (LONGEST_PART + 1)}]},
        {"messages": [{"content": "[" * 61}, {"a": [[]] * 61}, {"a": {"b": [{}, {}]}, "]": [["]"]] * 61}]},
        {"messages": [{"id": 1234567890123456789}]},
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_a_plain_body_has_the_value_of_any_parser(value: Any, indent: int | None) -> None:
    found = READER.read(json.dumps(value, indent=indent).encode())

    assert found is not None
    assert found.value == value


@pytest.mark.parametrize("escaped", [False, True])
@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": "), (" , ", ":")])
@pytest.mark.parametrize("dropped", ["9" * 5000, '"a"', "0", '{"a": 1}'])
def test_a_member_that_is_named_twice_is_left_to_the_wire(
    dropped: str, separators: tuple[str, str], escaped: bool
) -> None:
    body = json.dumps({"model": "m", "messages": [{"role": "user"}], "stop": "x"}, separators=separators)
    name = "\\u0073top" if escaped else "stop"

    assert READER.read(body.encode()) is not None
    assert READER.read(f'{{"{name}":{dropped},{body[1:]}'.encode()) is None


def test_parts_that_are_kept_are_bounded() -> None:
    reader = PartReader(PARSE, "messages")
    with mock.patch("fake_providers.body_slices.MOST_BYTES", 1000):
        for number in range(500):
            reader.read(json.dumps({"messages": [{"content": f"{number:050}"}]}).encode())

    assert len(reader._young) + len(reader._old) < 60


@pytest.mark.parametrize("alike", [True, False], ids=["of one beginning", "of many"])
def test_bodies_and_lists_of_tools_that_are_kept_are_bounded(alike: bool) -> None:
    reader = PartReader(PARSE, "messages", "tools")
    with mock.patch("fake_providers.body_slices.MOST_BYTES", 20_000):
        for number in range(500):
            first = {"content": "x" * 600 if alike else f"{number:0600}"}
            body = {"messages": [first, {"content": str(number)}], "tools": [{"name": str(number), "about": "x" * 600}]}
            reader.read(json.dumps(body).encode())

    kept = [found for bodies in reader._bodies.values() for found in bodies]
    assert 0 < len(kept) < 40
    assert sum(len(found.head) for found in kept) <= 20_000
    assert 0 < sum(map(len, reader._tools)) <= 20_000


AROUND = {
    "messages last": '{"model": "m", "messages": %s}',
    "messages first": '{"messages": %s, "model": "m"}',
    "between": '{"model": "m", "messages": %s, "tools": [{"a": ["]}"]}]}',
    "twice": '{"messages": [{"b": 1}], "messages": %s}',
    "the name in another member": '{"metadata": {"messages": [{"b": 1}]}, "messages": %s}',
    "the name with an escape": '{"messages": %s, "m\\u0065ssages": [{"b": 1}]}',
    "the name of another with an escape": '{"t\\u006fols": [{"b": 1}], "messages": %s}',
}


@pytest.mark.parametrize("form", AROUND.values(), ids=list(AROUND))
def test_a_body_whose_messages_go_on_is_read_as_any_other(form: str) -> None:
    reader, chance = PartReader(PARSE, "messages", "tools"), random.Random(SEED)
    said = [{"content": "x" * 600}]
    for number in range(30):
        said = [*said, *chance.choices([{"content": f"]{number}["}, {}, {"a": [{"messages": []}]}], k=2)]
        for indent in (None, 2):
            body = form % json.dumps(said, indent=indent)
            found = reader.read(body.encode())
            if found is None:
                assert form not in list(AROUND.values())[:3]
                continue
            assert list(found.value.items()) == list(json.loads(body).items())
            assert not found.head or found.head + found.tail == body.encode()


def test_of_a_conversation_that_grows_the_last_body_is_kept_and_only_what_is_new_is_read() -> None:
    read: list[bytes] = []
    reader = PartReader(lambda text: read.append(text) or PARSE(text), "messages", "tools")  # type: ignore[func-returns-value]
    said = [{"content": "x" * 600}]
    for number in range(50):
        said.append({"content": str(number)})
        read.clear()
        found = reader.read(json.dumps({"model": "m", "messages": said, "tools": [{"a": "y" * 600}]}).encode())
        assert found is not None
        assert found.value["messages"] == said
        assert number == 0 or read == [json.dumps(said[-1]).encode()]

    [[kept]] = reader._bodies.values()
    assert kept is found


@pytest.mark.parametrize(
    "ending", ["]}", " ]}", ", {}]}", ",{}]}", "\n, {} ]}", ', {}], "stream": true}', '], "a": [1]}']
)
def test_a_body_is_found_at_the_beginning_of_one_however_it_goes_on(ending: str) -> None:
    reader, begun = PartReader(PARSE, "messages"), '{"messages": [{"content": "' + "x" * 600 + '"}'
    reader.read(f"{begun}]}}".encode())
    found = reader.read(f"{begun}{ending}".encode())

    assert found is not None
    assert found.value == json.loads(begun + ending)


@pytest.mark.parametrize("middle", [", ", ", {} {}", ", [", "{}", ', "a"', ", {}]", ", {}}", ", NaN", ',{"a": "\xff"}'])
def test_what_is_no_further_message_is_left_to_the_wire(middle: str) -> None:
    reader, begun = PartReader(PARSE, "messages"), '{"messages": [{"content": "' + "x" * 600 + '"}'
    assert reader.read(f"{begun}]}}".encode()) is not None

    assert reader.read(f"{begun}{middle}]}}".encode("latin-1")) is None


def test_a_part_forgets_in_which_of_many_scopes_it_was_accepted() -> None:
    wire, path = wire_for("openai", "openai-chat"), "/v1/chat/completions"
    for number in range(3 * MOST_SCOPES):
        body = {"model": "gpt-4.1", "user": f"user {number}", "messages": [{"role": "user", "content": "Always so."}]}
        request = Request("POST", path, dict(tried_rules.HEADERS), json.dumps(body).encode())
        assert wire.judge(request, provider="openai") is None

    parts = PARTS.read(request.body)
    assert parts is not None
    assert len(parts.lists["messages"].parts[0].accepted) <= MOST_SCOPES


@pytest.mark.parametrize(
    ("around", "tools", "beside"),
    [
        ('{"tools": [{"a": 1}], "toolChoice": {"auto": {}}}', [{"a": 1}], b'{"toolChoice":{"auto": {}}}'),
        ('{"tools": []}', [], b"{}"),
        ('{"tools": {"a": 1}}', None, b'{"tools": {"a": 1}}'),
        ("{}", None, b"{}"),
    ],
)
def test_tools_within_a_member_are_parts_and_what_is_beside_them_is_a_parameter(
    around: str, tools: list[Any] | None, beside: bytes
) -> None:
    body = f'{{"messages": [], "toolConfig": {around}}}'.encode()
    found = PartReader(PARSE, "messages", around_tools="toolConfig").read(body)

    assert found is not None
    assert found.value == json.loads(body)
    assert found.parameters == ("toolConfig", beside)
    assert (found.lists["tools"].values if "tools" in found.lists else None) == tools


@pytest.mark.parametrize(
    "around", ["null", "[]", '{"tools": [], "tools": [{}]}', '{"tools": [1]}', '{"\\u0074ools": [], "tools": []}']
)
def test_tools_within_a_member_that_are_not_sure_are_left_to_the_wire(around: str) -> None:
    reader = PartReader(PARSE, "messages", around_tools="toolConfig")

    assert reader.read(f'{{"toolConfig": {around}}}'.encode()) is None
