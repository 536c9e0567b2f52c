"""pytest's own JUnit file: properties of each case, by which known findings and cases that were not verified differ."""

import xml.etree.ElementTree as ElementTree

import pytest

pytest_plugins = ["pytester"]


def properties(path):
    """Each case with its properties in order."""
    cases = ElementTree.parse(path).getroot().iter("testcase")
    return {
        f"{case.get('classname')}@{case.get('name')}": [
            (one.get("name"), one.get("value")) for one in case.iter("property")
        ]
        for case in cases
    }


@pytest.mark.parametrize("workers", [(), pytest.param(("-n2",), marks=pytest.mark.slow)])
def test_properties_say_what_was_found(corpus, baseline, workers):
    corpus.verdicts(
        "history/x@openai-chat+plain must:accepted:openai/tools-empty should:paired",
        "history/x@openai-chat+stream must:1.reply",
        "history/y@openai-chat+plain restore",
    )
    baseline.write_text("- finding: history/x@openai-chat+stream#1.reply\n  reason: upstream bug\n")

    corpus.run_process("corpus", "--junitxml=junit.xml", *workers)

    found = properties(corpus.path / "junit.xml")
    assert found["history.x@openai-chat+plain"] == [
        ("outcome", "fail"),
        ("wire", "openai-chat"),
        ("provider", "openai"),
        ("mode", "plain"),
        ("profile", "core"),
        ("finding", "accepted:openai/tools-empty"),
        ("state", "new"),
        ("level", "must"),
        ("law", "accepted"),
        ("rule", "openai/tools-empty"),
        ("finding", "paired"),
        ("state", "advice"),
        ("level", "should"),
        ("law", "paired"),
    ]
    assert found["history.x@openai-chat+stream"][0] == ("outcome", "known")
    assert found["history.x@openai-chat+stream"][5:] == [("finding", "1.reply"), ("state", "known"), ("level", "must")]
    assert found["history.y@openai-chat+plain"][0] == ("outcome", "not-verified")
    assert found["history.y@gemini-generate+stream"][0] == ("outcome", "pass")


def test_source_of_the_scenario_is_a_property(project):
    project.scenario("history/x", extra="source: https://example.org/7")

    project.run("corpus", "--junitxml=junit.xml")

    found = properties(project.path / "junit.xml")
    assert ("source", "https://example.org/7") in found["history.x@openai-chat+plain"]


def test_tests_of_others_have_no_property_of_ours(corpus):
    corpus.path.joinpath("test_own.py").write_text("def test_own(record_property):\n    record_property('mine', 1)\n")

    corpus.run("corpus", "test_own.py", "--junitxml=junit.xml", "-o", "junit_family=xunit1")

    assert properties(corpus.path / "junit.xml")["test_own@test_own"] == [("mine", "1")]
