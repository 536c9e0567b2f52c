"""Words of a shell script, as bash quotes them: enough for `curl` commands that somebody copied. Runs nothing.

A variable stays as it is written, and a command in `$(...)` too: nothing is expanded.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

ENDS = ("\n", ";", "|", "&", ">", "#")
_HERE_DOCUMENT = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b", "0": "\0"}
_CODE = re.compile(r"x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})")


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
            self._skip_blanks()
            char = self._text[self._at : self._at + 1]
            if char in ENDS or not char:
                self._end(char)
                break
            if (match := _HERE_DOCUMENT.match(self._text, self._at)) is not None:
                document = self._here_document(match)
                continue
            line = line or self._text.count("\n", 0, self._at) + 1
            words.append(self._word())
        return ShellCommand(tuple(words), line, document)

    def _skip_blanks(self) -> None:
        while self._text[self._at : self._at + 1] in (" ", "\t") or self._text[self._at : self._at + 2] == "\\\n":
            self._at += 2 if self._text[self._at] == "\\" else 1

    def _end(self, char: str) -> None:
        """Past the separator; past the rest of the line after a comment or where the output goes elsewhere."""
        if char in ("#", ">"):
            end = self._text.find("\n", self._at)
            self._at = len(self._text) if end < 0 else end
        self._at += 1

    def _here_document(self, match: re.Match[str]) -> str:
        """What stands between the next line and the line with the word; the rest of this line is left out."""
        begin = self._text.find("\n", match.end()) + 1
        lines = self._text[begin:].split("\n")
        ends = [number for number, line in enumerate(lines) if line.strip() == match[2]]
        if not begin or not ends:
            raise UnclosedQuote(f"the here-document has no line {match[2]}")
        self._at = begin + sum(len(line) + 1 for line in lines[: ends[0]]) + len(match[2])
        return "\n".join(lines[: ends[0]])

    def _word(self) -> str:
        parts: list[str] = []
        while self._at < len(self._text) and (char := self._text[self._at]) not in " \t\n;|&>":
            if self._text.startswith("$'", self._at):
                parts.append(self._escaped())
            elif char == "'":
                parts.append(self._to_quote())
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

    def _to_quote(self) -> str:
        begin = self._at + 1
        end = self._text.find("'", begin)
        if end < 0:
            raise UnclosedQuote(self._where("'"))
        self._at = end + 1
        return self._text[begin:end]

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
