"""One search finds all secrets, wherever they begin; those of an adapter are known as long as its case."""

import os
import random
import uuid
from collections.abc import Callable

import pytest

from agent_conformance.transcripts import redaction, secret_names
from agent_conformance.transcripts.redaction import FULL, GRAM, Key, Secrets
from agent_conformance.transcripts.secret_forms import STEPS, Form
from agent_conformance.transcripts.secret_names import Bound, secrets_in, secrets_of_members
from tests.tables import rows
from tests.transcripts.test_secret_forms import FORMS, VALUES

KEY = "sk-live-abcdefghijklmnop0123456789"


@pytest.fixture
def secrets() -> Secrets:
    """Of an environment without any."""
    known = Secrets()
    known._environment = dict(getattr(os.environ, "_data", os.environ))
    return known


@rows(
    "value, form",
    [(value, form) for value in VALUES for form in FORMS],
    ids=lambda row: f"{row[0]}, {row[1]}",
)
def test_search_hides_what_a_key_hides(value: str, form: str) -> None:
    known = Secrets()
    for number in range(30):
        known.learn("OTHER", uuid.UUID(int=number).hex)
    known.learn("MY_KEY", VALUES[value])
    text = f"before {FORMS[form](VALUES[value])} after"

    assert known.hidden(text) == Key("MY_KEY", VALUES[value]).hidden(text)
    assert "$MY_KEY" in known.hidden(text)


@pytest.mark.parametrize("before", range(2 * GRAM))
@pytest.mark.parametrize("end", ["a1b2c3d4", "a1b2c3d/", "a1b2c3+/", "a1b2+#%/", "a1b+#%&/", "+#%&/+#%"])
def test_secret_is_found_wherever_it_begins(before: int, end: str, secrets: Secrets) -> None:
    value = f"{end}-e5f6g7h8i9-{end}"
    secrets.learn("MY_KEY", value)

    assert secrets.hidden(f"{'x' * before}{value} and") == f"{'x' * before}$MY_KEY and"


def test_anchors_of_every_length_are_tried() -> None:
    ends = ("a1b2c3d4", "a1b2c3d/", "a1b2c3+/", "a1b2+#%/", "a1b+#%&/", "+#%&/+#%")
    lengths = {len(Form(f"{end}-e5f6g7h8i9-{end}", 8, 12).anchors[0]) for end in ends}

    assert {0, GRAM - 1, GRAM, FULL - 1, FULL} <= lengths


def test_secret_that_is_learned_later_is_found_in_words_that_had_none(secrets: Secrets) -> None:
    secrets.learn("FIRST_KEY", uuid.UUID(int=1).hex)

    assert secrets.hidden(f"it is {KEY}") == f"it is {KEY}"
    secrets.learn("MY_KEY", KEY)

    assert secrets.hidden(f"it is {KEY}") == "it is $MY_KEY"


def test_all_of_a_thousand_secrets_are_hidden(secrets: Secrets) -> None:
    values = [f"sk-{random.Random(number).randbytes(16).hex()}" for number in range(1000)]
    for number, value in enumerate(values):
        secrets.learn(f"KEY_{number}", value)

    assert [secrets.hidden(value) for value in values] == [f"$KEY_{number}" for number in range(1000)]
    assert not secrets.bounds


def test_key_of_the_environment_is_hidden_after_thousands_of_tokens(
    secrets: Secrets, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(2500):
        secrets.begin_case()
        secrets.learn("session_token", f"st-{uuid.UUID(int=number).hex}", of_case=True)
    monkeypatch.setenv("LATE_API_KEY", KEY)

    assert secrets.hidden(f"bad key {KEY}") == "bad key $LATE_API_KEY"
    monkeypatch.delenv("LATE_API_KEY")
    secrets.begin_case()
    assert secrets.hidden(f"bad key {KEY}") == "bad key $LATE_API_KEY"
    assert not secrets.bounds


def test_token_of_a_case_is_known_until_the_next_begins(secrets: Secrets) -> None:
    secrets.learn("session_token", KEY, of_case=True)

    assert secrets.hidden(KEY) == "$session_token"
    secrets.begin_case()
    assert secrets.hidden(KEY) == KEY


def test_token_stays_known_where_something_of_its_case_goes_on(secrets: Secrets) -> None:
    secrets.learn("session_token", KEY, of_case=True)

    secrets.begin_case(keep=True)
    secrets.begin_case()

    assert secrets.hidden(KEY) == "$session_token"


def test_key_of_the_environment_stays_where_an_adapter_has_it_too(secrets: Secrets) -> None:
    secrets.learn("MY_API_KEY", KEY)
    secrets.learn("api_key", KEY, of_case=True)

    secrets.begin_case()

    assert secrets.hidden(KEY) == "$MY_API_KEY"


def test_bound_that_is_met_is_said_once(secrets: Secrets, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redaction, "MOST", 2)
    secrets.forget()
    heard: list[str] = []
    secrets.bound_observer = heard.append
    for number in range(4):
        secrets.learn("A_KEY", uuid.UUID(int=number).hex)

    assert [*secrets.bounds] == heard == ["more than 2 secrets are known: those that came later are shown as they are"]


def test_value_that_is_too_long_is_looked_at_as_far_as_the_bound_says(
    secrets: Secrets, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(secret_names, "MOST", 50)
    secrets.learn_all(secrets_in("LONG_KEY", "a1b2c3d4e5" * 6))
    secrets.learn_all(secrets_in("LONG_TEXT", "plain words " * 6))

    bounds = [bound.split(" were ")[0] for bound in secrets.bounds]
    assert bounds == ["the first 50 characters of LONG_KEY", "the first 50 characters of LONG_TEXT"]
    assert secrets.hidden("a1b2c3d4e5" * 5) == "$LONG_KEY"


class Settings:
    def __init__(self, count: int) -> None:
        for number in range(count):
            setattr(self, f"member_{number}", number * 1.5 + 1j)


def test_attributes_of_an_adapter_are_looked_at_before_those_of_what_it_holds() -> None:
    adapter = Settings(0)
    adapter.held = Settings(2000)  # type: ignore[attr-defined]
    adapter.api_key = KEY  # type: ignore[attr-defined]

    found = [*secrets_of_members(adapter)]

    assert found[0] == ("api_key", KEY)
    assert [type(value) for _, value in found[1:]] == [Bound]
    assert "attributes of the adapter Settings" in found[1][1]


def test_adapter_of_the_usual_size_meets_no_bound() -> None:
    adapter = Settings(50)
    adapter.held = Settings(500)  # type: ignore[attr-defined]

    assert [*secrets_of_members(adapter)] == []


@pytest.mark.parametrize(
    "before",
    ["%20", "%2520", "\\u200b", "\\U0001f511", "\\x0b", "\\v", "\\033", "\\\\n", "&nbsp;", " ", "/", "\\u00e9"],
)
def test_end_of_a_key_behind_an_escape_is_hidden(before: str) -> None:
    value = "[23]-mK4$pQ9_wT:r.Bn~Gh@Yd#Ps7Jw"

    assert Key("K", value).hidden(f"x{before}r.Bn~Gh@Yd%23Ps7Jw?key") == f"x{before}$K?key"


@pytest.mark.parametrize("blank", [" ", "%20", "%2520", "+"])
def test_end_of_a_key_that_begins_with_a_blank_is_hidden_behind_a_word(blank: str) -> None:
    value = "[23]-mK4$pQ9_wT r.Bn~Gh@Yd#Ps7Jw"

    assert Key("K", value).hidden(f"x{blank}r.Bn~Gh@Yd%23Ps7Jw?key") == "x$K?key"


@pytest.mark.parametrize("before", ["0", "a", "_", "20"])
def test_end_of_a_key_within_a_longer_word_stays(before: str) -> None:
    text = f"x{before}r.Bn~Gh@Yd%23Ps7Jw?key"

    assert Key("K", "[23]-mK4$pQ9_wT r.Bn~Gh@Yd#Ps7Jw").hidden(text) == text


@pytest.mark.parametrize("form", [name for name in FORMS if name != "entities of entities"])
def test_backslashes_beside_each_other_are_hidden_in_each_form(form: str) -> None:
    value = "\\\\server\\share\\new-a1b2c3d4\\\\\n\\end-0123456789"

    hidden = Key("K", value).hidden(f"before {FORMS[form](value)} after")

    assert "$K" in hidden
    assert "a1b2c3d4" not in hidden
    assert "0123456789" not in hidden


def compared(form: Form, text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many characters of the secret are compared with the text."""
    counts: list[int] = []

    def counting(method: Callable[..., tuple[int, int]]) -> Callable[..., tuple[int, int]]:
        def counted(*arguments: object) -> tuple[int, int]:
            found = method(*arguments)
            counts.append(found[0])
            return found

        return counted

    with monkeypatch.context() as patch:
        for name in ("_extended", "_extended_back"):
            patch.setattr(Form, name, counting(getattr(Form, name)))
        [*form.spans(text)]
    return sum(counts)


@pytest.mark.parametrize("value", ['"/' * 1000, "deadbeef01" * 300, "a" * 500, "\\" * 100 + "a1", "a\\" * 300])
def test_as_many_steps_are_taken_as_the_text_is_long(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    form = Form(value, 8, 12)
    for size in (1000, 4000, 16_000):
        text = (value[:-1] * (size // len(value) + 1))[:size] + "!" + value[:-1]

        steps = compared(form, text, monkeypatch)

        assert steps <= 2 * (STEPS + 1) * len(text) + 2 * len(value)


def test_long_text_of_letters_has_no_address_with_a_password() -> None:
    assert [*secrets_in("BLOB", "deadbeef01" * 100_000)] == []


@pytest.mark.parametrize(
    "text", ["a://" * 50_000, "://x:" * 50_000, "://x:y" * 50_000, "a" * 200_000 + "://", ":" * 200_000]
)
def test_text_of_beginnings_of_addresses_has_no_password(text: str) -> None:
    assert [*secrets_in("BLOB", text)] == []
