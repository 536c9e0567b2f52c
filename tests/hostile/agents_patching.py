"""Kinds that replace what many programs share, in a process of their own: the next case has a new one."""

import builtins
import email.message
import functools
import gc
import json.encoder
import logging
import pathlib
import queue
import re
import sys
import types
from typing import Any

import httpcore2
import httpx2

from tests.hostile.agents_isolated import ISOLATED
from tests.hostile.right_agent import Right
from tests.hostile.right_agent import weekly_kind as kind


def broken(*arguments: Any, **named: Any) -> Any:
    raise RuntimeError("patched")


class Patching(Right):
    """Right in all its turns; what it leaves behind is patched."""

    def close(self) -> None:
        if self.is_hostile:
            self.patch()

    def patch(self) -> None: ...


@kind("passed", options=ISOLATED, when="slow")
class PatchesTheClient(Patching):
    def patch(self) -> None:
        httpx2.Client.post = broken  # type: ignore[method-assign]


@kind("passed", options=ISOLATED)
class PatchesThePool(Patching):
    def patch(self) -> None:
        httpx2.HTTPTransport.__init__ = httpcore2.ConnectionPool.__init__ = broken  # type: ignore[method-assign]


@kind("passed", options=ISOLATED)
class PatchesQueues(Patching):
    def patch(self) -> None:
        queue.Queue.get = queue.SimpleQueue = broken  # type: ignore[method-assign, assignment, misc]


@kind("passed", options=ISOLATED)
class PatchesPaths(Patching):
    def patch(self) -> None:
        pathlib.Path = broken  # type: ignore[misc, assignment]
        pathlib.PurePath.__truediv__ = broken  # type: ignore[method-assign]


@kind("passed", options=ISOLATED)
class AddsAnAuditHook(Patching):
    def patch(self) -> None:
        def refuse(event: str, arguments: object) -> None:
            if event == "socket.__new__":
                raise RuntimeError("refused by a hook")

        sys.addaudithook(refuse)


@kind("passed", options=ISOLATED)
class ReplacesAModule(Patching):
    def patch(self) -> None:
        sys.modules["json"] = types.ModuleType("json")


@kind("error", "the adapter's close did not return", options=ISOLATED)
class PatchesAnEncoder(Patching):
    """`json.dumps` is as it was, and what it uses is not: its own worker cannot speak any more."""

    def patch(self) -> None:
        json.encoder.encode_basestring_ascii = json.JSONEncoder.iterencode = broken  # type: ignore[method-assign]
        json._default_encoder = None  # type: ignore[attr-defined]


@kind("passed", options=ISOLATED)
class PatchesRegularExpressions(Patching):
    def patch(self) -> None:
        re.compile = re.Pattern = broken  # type: ignore[assignment, misc]


@kind("passed", options=ISOLATED)
class AddsABuiltin(Patching):
    def patch(self) -> None:
        builtins.len = functools.partial(broken)


@kind("passed", options=ISOLATED)
class PatchesWithWhatEqualsAll(Patching):
    def patch(self) -> None:
        class Equal:
            __call__ = broken

            def __eq__(self, other: object) -> bool:
                return True

            __hash__ = None  # type: ignore[assignment]

        httpx2.Client.post = Equal()  # type: ignore[method-assign, assignment]


@kind("passed", options=ISOLATED)
class PatchesHeaders(Patching):
    def patch(self) -> None:
        email.message.Message.get = httpx2.Headers.get = broken  # type: ignore[method-assign]


@kind("passed", options=ISOLATED)
class TurnsLogsIntoErrors(Patching):
    def patch(self) -> None:
        class Broken(logging.Handler):
            emit = broken

        logging.root.addHandler(Broken())
        logging.root.setLevel(0)


@kind("passed", options=ISOLATED)
class LeavesACallbackOfTheCollector(Patching):
    def patch(self) -> None:
        gc.callbacks.append(broken)


@kind("passed", options=ISOLATED)
class HidesAnImport(Patching):
    def patch(self) -> None:
        class Refusing:
            find_spec = broken

        sys.meta_path.insert(0, Refusing())  # type: ignore[arg-type]
