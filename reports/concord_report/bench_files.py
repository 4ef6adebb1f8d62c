# SPDX-License-Identifier: Apache-2.0
"""What concord_bench writes: reading a file, and what it says of its setting and of each layer."""

import math
import pathlib
import statistics

from concord_report import results

MOVING = "memory"  # the side that moves src and dst and computes nothing
NEEDED = ("layers", "peak_flops", "triad_bytes", "threads", "dtype", "data_format", "batch", "packed")


def read(path, needed=NEEDED, writer="concord_bench"):
    """The document of a file that `writer` wrote, with the keys that are needed."""
    try:
        text = pathlib.Path(path).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise results.Refusal(f"{path}: {error}") from error
    return checked(results.parse(path, text), needed, writer)


def checked(document, needed=NEEDED, writer="concord_bench"):
    for key in needed:
        if key not in document:
            raise results.Refusal(f"not a file of {writer}: it has no {key!r}")
    return document


def title(document):
    threads = document["threads"]
    words = [document["dtype"], document["data_format"], f"batch {document['batch'] or 'of each layer'}",
             f"{threads} thread{'' if threads == 1 else 's'}",
             "first call" if document.get("first_call") else
             "weights packed" if document["packed"] else "weights packed on the fly"]
    if document.get("winograd"):
        words.append(f"F({document['winograd']}x{document['winograd']}, 3x3)")
    return ", ".join(words)


def seconds(layer, name):
    """The median time of a side, or None if it took no part."""
    for side in layer["competitors"]:
        if side["name"] == name:
            return statistics.median(side["seconds"])
    return None


def ratio(layer, competitor):
    """The competitor's time over the engine's: the median over the rounds, or None."""
    for side in layer["competitors"]:
        if side["name"] == competitor:
            return side["ratio"][1]
    return None


def peak(document, layer):
    """Operations a second of multiply-adds alone: of the layer's own rounds, if they measured it."""
    return layer.get("peak_flops", document["peak_flops"])


def valid_part(document, layer):
    """The engine's rate of multiply-adds that read input, as a part of the peak; None if that is unknown."""
    allowed = peak(document, layer)
    return layer["flops_valid"] / seconds(layer, "concord") / allowed if allowed else None


def ratio_at_limit(document, layer, competitor):
    """What ratio() would be if the engine took no longer than the peak, or moving the data where that
    was measured; None where neither is known or the competitor took no part."""
    theirs, moving, allowed = seconds(layer, competitor), seconds(layer, MOVING), peak(document, layer)
    least = max(layer["flops_valid"] / allowed if allowed else 0, moving or 0)
    return theirs / least if theirs is not None and least > 0 else None


def geomean(values):
    return math.exp(statistics.fmean(map(math.log, values)))
