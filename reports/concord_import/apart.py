# SPDX-License-Identifier: Apache-2.0
"""A call in a process of its own, for libraries that crash on some files."""

import os
import signal


class Failed(Exception):
    """What the call raised, or the signal that ended its process."""


def call(function):
    """The bytes that function() returns. Raises Failed."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        _answer(function, reader, writer)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        answer = pipe.read()
    status = os.waitpid(child, 0)[1]
    if os.WIFSIGNALED(status):
        raise Failed(f"it crashed: {signal.strsignal(os.WTERMSIG(status))}")
    if answer[:1] != b"+":
        raise Failed(answer[1:].decode("utf-8", "replace") or "no answer")
    return answer[1:]


def _answer(function, reader, writer):
    """The child: writes + and the bytes, or - and the reason, and ends."""
    os.close(reader)
    try:
        try:
            answer = b"+" + function()
        except Exception as error:  # pylint: disable=broad-except
            answer = b"-" + str(error).encode("utf-8", "replace")
        with os.fdopen(writer, "wb") as pipe:
            pipe.write(answer)
    finally:
        os._exit(0)
