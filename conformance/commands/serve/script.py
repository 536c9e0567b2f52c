"""Reading the scripts of `serve`: a YAML list of replies, written as in a scenario's `model`."""

from pathlib import Path

from fakes import Reply


def read_script(path: Path) -> tuple[Reply, ...]:
    """The replies of a YAML file. Raises `ValueError` with file and line."""
    from pydantic import TypeAdapter, ValidationError

    from conformance.run.model_script import reply_of
    from conformance.scenario.data_files import read_data
    from conformance.scenario.model import ReplySpec
    from conformance.scenario.reading import read

    document = read(read_data(path))
    if document.mistakes:
        raise ValueError("\n".join(f"{path}:{mistake.line}: {mistake.message}" for mistake in document.mistakes))
    if not isinstance(document.value, list):
        raise ValueError(f"{path}:1: a script is a list of replies, each as in a scenario's `model`.")
    try:
        specs = TypeAdapter(list[ReplySpec]).validate_python(document.value)
    except ValidationError as error:
        first = error.errors()[0]
        place = (int(first["loc"][0]),) if first["loc"] else ()
        raise ValueError(f"{path}:{document.lines.get(place, 1)}: {first['msg']} at {first['loc']}") from None
    return tuple(reply_of(spec, repetition, names={})[0] for spec in specs for repetition in range(1, spec.times + 1))
