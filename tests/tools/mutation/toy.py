"""What the tests of this folder mutate."""

LIMIT = 3


def is_many(number: int, *, more: int = 0) -> bool:
    return number + more >= LIMIT


def kept(words: list[str]) -> list[str]:
    found = []
    for word in words:
        if not word:
            continue
        found.append(word)
    return found


def never_called() -> int:
    return 1


def doubled(word: str) -> str:
    return word * 2


TWICE = doubled("a")
