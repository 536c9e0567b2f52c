"""Each promise of SECURITY.md, with a test that fails where it is broken."""

import re

import pytest

from tests.hostile.runs import ROOT

EXITS = "hostile/test_sentences_on_exits.py::test_process_that_an_agent_wants_to_end"
BROKEN = "run/test_broken_process.py"
NAMES = "transcripts/test_secret_names.py"
FORMS = "transcripts/test_secret_forms.py"
SEARCH = "transcripts/test_secret_search.py"
OUTPUT = "hostile/test_captured_output.py"
RECORD = "commands/record/test_record_command.py"
BROWSERS = "commands/test_serve_browsers.py"

TESTS = {
    "Files are data": "hostile/test_hostile_files.py::test_file_is_refused_in_time_with_a_place",
    "The fakes listen on loopback only.": f"{BROWSERS}::test_names_that_lead_here_are_refused",
    "They need no key": "run/test_keys_of_the_machine.py::test_placeholder_is_not_a_key",
    "With `--host`": "commands/test_serve_other_machines.py::test_client_without_the_key_is_refused_on_every_path",
    "`agent-conformance serve` otherwise": f"{BROWSERS}::test_page_of_another_machine_is_refused_on_every_path",
    "What one API key sets there": "commands/test_serve_control.py::test_secrets_are_not_in_the_list",
    "`agent-conformance record` listens": f"{BROWSERS}::test_recording_is_for_this_machine_alone",
    "A cassette has no header": f"{RECORD}::test_keys_never_reach_the_file_or_the_terminal",
    "What people and models said": f"{RECORD}::test_clients_beside_each_other_are_all_recorded",
    "The time for which a fake judges": (
        "fakes/load/test_growing_requests.py::test_calls_of_functions_grow_as_the_request_does"
    ),
    "A body has at most 50 MB.": "fakes/transport/test_request_bodies.py::test_body_at_the_limit_is_accepted",
    "An agent's thread that is left behind": (
        "fakes/transport/test_after_the_end.py::test_thread_that_was_left_behind_does_not_spin"
    ),
    "Text from models and agents": f"{OUTPUT}::test_text_of_an_agent_is_printable_and_no_command",
    "No line of it is a command": f"{OUTPUT}::test_output_is_printable_and_no_command",
    "So is what scenarios, file names": (
        "plugin/test_bounds_of_secrets.py::test_output_of_an_import_and_of_the_end_is_printable"
    ),
    "Of what an agent prints in one case": f"{OUTPUT}::test_shown_output_is_bounded",
    "What the suite prints or writes": "plugin/test_ways_out.py::test_each_way_out_names_the_secrets",
    "That holds for the terminal": "hostile/test_secrets_in_files.py::test_no_part_of_a_key_is_in_a_file",
    "Secrets are replaced in what was recorded": (
        "run/test_keys_of_the_machine.py::test_key_is_hidden_before_ids_and_times_are_replaced"
    ),
    "`os._exit` and `os.exec*`": EXITS,
    "In a case they fail it": EXITS,
    "What an agent has left for the end": EXITS,
    "So it is for `_exit`": EXITS,
    "A handler of a signal": EXITS,
    "What an agent in pytest's process replaces": f"{BROKEN}::test_patch_that_nothing_trips_over_is_put_back",
    "Where the suite has failed by it": f"{BROKEN}::test_function_that_the_suite_trips_over_is_named",
    "`os.close` and `os.closerange`": f"{BROKEN}::test_descriptor_of_the_run_stays_open",
    "With `--agent-isolate`": (
        "isolated/test_hostile_agents.py::test_harm_to_python_itself_is_the_verdict_of_its_case_alone"
    ),
    "These values are secrets": f"{NAMES}::test_long_value_is_a_secret",
    "Of one value, or one `.env` file": f"{SEARCH}::test_value_that_is_too_long_is_looked_at_as_far_as_the_bound_says",
    "A run that meets such a bound": f"{SEARCH}::test_bound_that_is_met_is_said_once",
    "Environment variables": f"{NAMES}::test_name_of_a_secret_is_recognised",
    "They count at any time": "run/test_keys_of_the_machine.py::test_key_that_an_agent_reveals_is_replaced_by_its_name",
    "Passwords in addresses": f"{NAMES}::test_secrets_within_a_variable_are_found",
    "Variables with such names in `.env`": f"{NAMES}::test_dotenv_file_is_read",
    "`NAME=VALUE`": f"{NAMES}::test_key_in_a_command_is_found",
    "Attributes of an adapter": f"{NAMES}::test_settings_of_an_adapter_are_found_without_its_code",
    "Those that an adapter has only as an object": f"{SEARCH}::test_token_of_a_case_is_known_until_the_next_begins",
    "Those of its class": f"{SEARCH}::test_key_of_the_environment_stays_where_an_adapter_has_it_too",
    "The key of the set-up": "plugin/test_ways_out.py::test_no_way_out_shows_a_secret",
    "They are recognised as they are": f"{FORMS}::test_secret_is_hidden_in_each_form",
    "Of a text that an agent has cut": f"{FORMS}::test_eight_characters_beside_a_mark_of_the_cut_are_hidden",
    "Pieces of a stream": "run/test_keys_of_the_machine.py::test_key_in_pieces_of_a_stream_is_hidden",
    "The time for it grows": f"{SEARCH}::test_as_many_steps_are_taken_as_the_text_is_long",
    "Paths, numbers and addresses": (
        f"{NAMES}::test_placeholder_path_number_and_address_of_this_machine_are_no_secrets"
    ),
}
"""The beginnings of sentences in the chapters "What holds" and "Secrets"."""
LIMIT = "Not recognised are secrets"
"""No promise."""


def sentences() -> list[str]:
    text = ROOT.joinpath("SECURITY.md").read_text(encoding="utf-8")
    found = []
    for chapter in ("What holds", "Secrets"):
        body = text.partition(f"## {chapter}\n")[2].partition("\n## ")[0]
        for item in re.split(r"\n(?=- |\n)", body):
            line = " ".join(item.split()).removeprefix("- ")
            found += [one for one in re.split(r"(?<=[a-z0-9)`*]\.) (?=[A-Z`])", line) if one]
    return found


def test_each_sentence_has_a_test() -> None:
    without = [one for one in sentences() if not one.startswith((*TESTS, LIMIT))]
    gone = [begin for begin in TESTS if not any(one.startswith(begin) for one in sentences())]

    assert (without, gone) == ([], [])


@pytest.mark.parametrize("named", sorted({*TESTS.values()}))
def test_test_of_a_sentence_is_there(named: str) -> None:
    file, _, name = named.partition("::")

    assert f"def {name}(" in ROOT.joinpath("tests", file).read_text(encoding="utf-8")
