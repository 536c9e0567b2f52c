"""Requests out of `curl` commands, as a browser, an SDK or documentation shows them. Runs nothing and reads no file."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from agent_conformance.cassettes.bodies import headers_without_keys, learn_key, url_without_keys
from agent_conformance.cassettes.recorded_exchange import Place, Problem, RecordedRequest

# Words of a shell script, as bash quotes them: enough for `curl` commands that somebody copied.

ENDS = ("\n", ";", "|", "&", ">", "#")
_HERE_DOCUMENT = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b", "0": "\0"}
_CODE = re.compile(r"x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})")
r"""Within `$'...'`, behind the backslash: `\x41`, `\u0041`, `\U0001F600`."""


class UnclosedQuote(ValueError):
    """A quote has no end."""


@dataclass(frozen=True, slots=True)
class ShellCommand:
    """One command: its words, the line where it begins, and the text of a here-document that it reads."""

    words: tuple[str, ...]
    line: int
    input: str | None = None


def shell_commands(text: str) -> Iterator[ShellCommand]:
    """Raises `UnclosedQuote`."""
    scanner = _Scanner(text)
    while (command := scanner.command()) is not None:
        if command.words:
            yield command


class _Scanner:
    def __init__(self, text: str) -> None:
        self._text = text.replace("\r\n", "\n")
        self._at = 0

    def command(self) -> ShellCommand | None:
        """The next command, without words where a separator follows another; None at the end."""
        if self._at >= len(self._text):
            return None
        words: list[str] = []
        line = 0
        document = None
        while self._at < len(self._text):
            while self._text[self._at : self._at + 1] in (" ", "\t") or self._text[self._at : self._at + 2] == "\\\n":
                self._at += 2 if self._text[self._at] == "\\" else 1
            char = self._text[self._at : self._at + 1]
            if char in ENDS or not char:
                # Past the separator; past the rest of the line after a comment or where the output goes elsewhere
                if char in ("#", ">"):
                    end = self._text.find("\n", self._at)
                    self._at = len(self._text) if end < 0 else end
                self._at += 1
                break
            if (match := _HERE_DOCUMENT.match(self._text, self._at)) is not None:
                # What stands between the next line and the line with the word; the rest of this line
                # is left out.
                begin = self._text.find("\n", match.end()) + 1
                lines = self._text[begin:].split("\n")
                ends = [number for number, line in enumerate(lines) if line.strip() == match[2]]
                if not begin or not ends:
                    raise UnclosedQuote(f"the here-document has no line {match[2]}")
                self._at = begin + sum(len(line) + 1 for line in lines[: ends[0]]) + len(match[2])
                document = "\n".join(lines[: ends[0]])
                continue
            line = line or self._text.count("\n", 0, self._at) + 1
            words.append(self._word())
        return ShellCommand(tuple(words), line, document)

    def _word(self) -> str:
        parts: list[str] = []
        while self._at < len(self._text) and (char := self._text[self._at]) not in " \t\n;|&>":
            if self._text.startswith("$'", self._at):
                parts.append(self._escaped())
            elif char == "'":
                begin = self._at + 1
                end = self._text.find("'", begin)
                if end < 0:
                    raise UnclosedQuote(self._where("'"))
                self._at = end + 1
                parts.append(self._text[begin:end])
            elif char == '"':
                parts.append(self._double())
            elif char == "\\":
                parts.append(
                    "" if self._text[self._at + 1 : self._at + 2] == "\n" else self._text[self._at + 1 : self._at + 2]
                )
                self._at += 2
            else:
                parts.append(char)
                self._at += 1
        return "".join(parts)

    def _double(self) -> str:
        begin = self._at
        parts: list[str] = []
        self._at += 1
        while self._at < len(self._text):
            char = self._text[self._at]
            following = self._text[self._at + 1 : self._at + 2]
            if char == '"':
                self._at += 1
                return "".join(parts)
            if char == "\\" and following in ('"', "\\", "$", "`", "\n"):
                parts.append("" if following == "\n" else following)
                self._at += 2
            else:
                parts.append(char)
                self._at += 1
        self._at = begin
        raise UnclosedQuote(self._where('"'))

    def _escaped(self) -> str:
        """Text in `$'...'`, as browsers copy what has quotes or line ends."""
        begin = self._at
        parts: list[str] = []
        self._at += 2
        while self._at < len(self._text):
            char = self._text[self._at]
            if char == "'":
                self._at += 1
                return "".join(parts)
            if char != "\\":
                parts.append(char)
                self._at += 1
            elif (code := _CODE.match(self._text, self._at + 1)) is not None:
                parts.append(_character(int(code[1] or code[2] or code[3], 16)))
                self._at = code.end()
            else:
                following = self._text[self._at + 1 : self._at + 2]
                parts.append(_ESCAPES.get(following, following))
                self._at += 2
        self._at = begin
        raise UnclosedQuote(self._where("$'"))

    def _where(self, quote: str) -> str:
        return f"the quote {quote} in line {self._text.count(chr(10), 0, self._at) + 1} has no end"


def _character(code: int) -> str:
    return chr(code) if code < 0x110000 else "\N{REPLACEMENT CHARACTER}"


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
    options = _Options()
    waiting = list(reversed(words))
    while waiting and not options.problem:
        word = waiting.pop()
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
