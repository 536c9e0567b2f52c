"""Requests out of `curl` commands, as a browser, an SDK or documentation shows them. Runs nothing and reads no file."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from agent_conformance.cassettes.exchange import Place, Problem, RecordedRequest
from agent_conformance.cassettes.http_keys import headers_without_keys, learn_key, url_without_keys
from agent_conformance.cassettes.shell_words import ShellCommand, UnclosedQuote, shell_commands

DATA = ("-d", "--data", "--data-ascii", "--data-raw", "--data-binary", "--json")
_VALUES = (
    "-A --user-agent -b --cookie -e --referer -o --output -m --max-time --connect-timeout -x --proxy -w --write-out"
    " --retry --retry-delay --retry-max-time -E --cert --key --cacert --capath -T --upload-file -F --form -K --config"
    " --resolve --interface --limit-rate -y -Y -z -c --cookie-jar -D --dump-header --max-redirs --ciphers --aws-sigv4"
    " --data-urlencode --url-query -r --range -t --trace --trace-ascii --proto --tls-max --unix-socket"
)
VALUES = frozenset(_VALUES.split())
"""Options with a value that says nothing of the request that is read here."""
ABBREVIATED = "XHduAbeomxwETFKyYzcDrt"
"""Options of one letter whose value may follow without a blank: `-XPOST`."""
NO_BODY = ("-F", "--form", "-T", "--upload-file", "--data-urlencode")


@dataclass(slots=True)
class _Options:
    """What the words of one command say."""

    url: str = ""
    method: str = ""
    headers: list[tuple[str, str]] = field(default_factory=list)
    data: list[str] = field(default_factory=list)
    problem: str = ""


def looks_like_curl(text: str) -> bool:
    first = text.lstrip("\ufeff \t\r\n$#>").split(None, 1)
    return bool(first) and first[0] in ("curl", "curl.exe") and len(first) > 1


def requests_of_curl(text: str, path: str) -> Iterator[RecordedRequest | Problem]:
    """The request of each `curl` command in the text; a problem for one that has no body that can be read here."""
    try:
        for command in shell_commands(text):
            words = list(command.words)
            while words and words[0] in ("$", "%", "time", "sudo"):
                words.pop(0)
            if words and words[0] in ("curl", "curl.exe"):
                yield _request(words[1:], command, Place(path, command.line))
    except UnclosedQuote as error:
        yield Problem(Place(path, 1), f"{error}. Copy the command as for bash, and whole.")


def _request(words: list[str], command: ShellCommand, place: Place) -> RecordedRequest | Problem:
    if "^" in words:
        return Problem(place, "this command is for Windows' cmd. Copy it as cURL (bash).")
    options = _options(words)
    if options.problem:
        return Problem(place, options.problem)
    if not options.url:
        return Problem(place, "this curl command has no address. Copy it whole.")
    data = [command.input if one == "@-" and command.input is not None else one for one in options.data]
    file = next((one for one in data if one.startswith("@") and options.data), None)
    if file is not None:
        return Problem(place, _about_file(file))
    if not data:
        return Problem(place, "this curl command sends no body. Expected one after -d, --data, --data-raw or --json.")
    url = options.url if "://" in options.url else f"https://{options.url}"
    body = "&".join(data).encode("utf-8", errors="surrogateescape")
    headers = headers_without_keys(options.headers)
    return RecordedRequest((options.method or "POST").upper(), url_without_keys(url), headers, body)


def _about_file(file: str) -> str:
    if file == "@-":
        return "the body comes from standard input, which is not in the command. Give the body itself."
    return f"the body is in the file {file[1:]}, which is not read from here. Check it: check-request {file[1:]}"


def _options(words: list[str]) -> _Options:
    options = _Options()
    waiting = list(reversed(words))
    while waiting and not options.problem:
        _take(options, waiting.pop(), waiting)
    return options


def _take(options: _Options, word: str, waiting: list[str]) -> None:
    name, value = _split(word)
    if name in NO_BODY:
        options.problem = f"`{name}` sends a form or a file, and no JSON. Expected a body after -d or --json."
    elif name in DATA:
        options.data.append(_value(value, waiting))
        if name == "--json":
            options.headers.append(("content-type", "application/json"))
    elif name in ("-H", "--header"):
        header, _, text = _value(value, waiting).partition(":")
        options.headers.append((header.strip(), text.strip()))
    elif name in ("-u", "--user"):
        learn_key("password", _value(value, waiting).partition(":")[2])
    elif name in ("-X", "--request"):
        options.method = _value(value, waiting)
    elif name == "--url":
        options.url = _value(value, waiting)
    elif name in VALUES:
        _value(value, waiting)
    elif not word.startswith("-"):
        options.url = options.url or word


def _split(word: str) -> tuple[str, str | None]:
    """`--data=x` and `-XPOST` have their value in the same word."""
    if word.startswith("--"):
        name, sign, value = word.partition("=")
        return name, value if sign else None
    if word.startswith("-") and len(word) > 2 and word[1] in ABBREVIATED:
        return word[:2], word[2:]
    return word, None


def _value(value: str | None, waiting: list[str]) -> str:
    return value if value is not None else waiting.pop() if waiting else ""
