# SPDX-License-Identifier: Apache-2.0
"""What the scripts share as programs: one sentence and exit code 2 for whatever goes wrong."""

import argparse
import contextlib
import os
import stat
import sys

from concord_report import results, text

CANNOT_SAY = 2


def run(main):
    """main()'s exit code; a refusal is one sentence on standard error, never a traceback."""
    try:
        return main()
    except results.Refusal as refusal:
        print(f"concord: {text.visible(refusal)}", file=sys.stderr)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except MemoryError:
        print("concord: the files are too large for this machine's memory", file=sys.stderr)
    except KeyboardInterrupt:
        print("concord: interrupted", file=sys.stderr)
    return CANNOT_SAY


def write(path, content):
    """Writes the whole text to a file or none of it, "-" for standard output. Refuses with the reason."""
    data = content.encode("utf-8", errors="backslashreplace")
    try:
        if path == "-":
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
        elif os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe
            with open(path, "wb") as file:
                file.write(data)
        else:
            _replace(os.path.realpath(path), data)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise results.Refusal(f"{path}: cannot write: {error.strerror}") from error


def _replace(path, data):
    """Puts the data into the place of the file through a new one beside it, so that a write that fails
    leaves the old one.
    """
    beside = f"{path}.part-{os.getpid()}"
    try:
        with open(beside, "wb") as file:
            if os.path.exists(path):
                os.fchmod(file.fileno(), stat.S_IMODE(os.stat(path).st_mode))
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except OSError:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise


def positive(word):
    try:
        value = int(word)
    except ValueError:
        value = 0
    if value < 1:
        raise argparse.ArgumentTypeError(f"{word!r} is not a positive integer")
    return value
