# SPDX-License-Identifier: Apache-2.0
"""The problems of a batch file or a command line of benchdnn, oneDNN's test driver.

--conv --dir=FWD_B,FWD_I --dt=f32 mb1ic16ih10oc16oh10kh3ph1n"name"
"""

import itertools
import re

from concord_import import descriptor
from concord_import.convolution import NotHandled

DESCRIPTOR = re.compile(r"(?:_*(?:mb|ic|oc|g|[iokspd][dhw])[0-9]+)+_*(?:n.*)?", re.DOTALL)
TYPE = re.compile(r"bf16|f16|f32|f64|tf32|f8_e5m2|f8_e4m3|[us](?:4|8|32)")
DEFAULTS = {"dir": "FWD_B", "dt": "f32", "stag": "any", "mb": "0"}
BIASED = {"FWD_B": True, "FWD_D": False, "FWD_I": False}
DRIVERS = ("binary", "bnorm", "brgemm", "concat", "deconv", "eltwise", "gnorm", "graph", "ip", "lnorm", "lrn", "matmul",
           "pool", "prelu", "reduction", "reorder", "resampling", "rnn", "sdpa", "self", "shuffle", "softmax", "sum", "zeropad")


def is_batch(text):
    """True if a word looks like a descriptor."""
    return any(DESCRIPTOR.fullmatch(word) and "ic" in word and "oc" in word
               for line in text.split("\n") if not line.lstrip().startswith("#") for word in line.split())


def read(text, collection):
    """Adds the problems, each with every combination of the options before it."""
    options, driver = dict(DEFAULTS), "conv"
    for number, line in _lines(text):
        for word in line.split():
            name, _, value = word.lstrip("-").partition("=")
            if not word.startswith("-"):
                if not (word.endswith("benchdnn") or word.isdigit()):
                    _add(word, number, driver, options, collection)
            elif name in ("conv", *DRIVERS):
                driver = name
            elif name == "reset":
                options = dict(DEFAULTS)
            elif name in DEFAULTS:
                options[name] = value or DEFAULTS[name]
            elif name == "cfg":
                options["dt"] = ",".join(":".join(TYPE.findall(each)) or each for each in value.split(","))
            elif name == "batch":
                collection.leave("file of --batch", f"line {number}", "it is a file of its own", value)
            elif name in ("match", "strides") or (name.startswith("attr-") and value and name != "attr-scratchpad"):
                collection.remark(f"option that was left out: {word}")


def _lines(text):
    """Numbered lines without comments; those that end in a backslash go on in the next."""
    kept, start = "", None
    for number, line in enumerate(text.split("\n"), 1):
        line = line.rpartition("__REPRO:")[2]  # benchdnn's verdicts end with what to run again
        line = re.sub(r"(^|\s)#.*", "", line).strip()
        if not line:
            continue
        start = start or number
        if line.endswith("\\"):
            line = line[:-1].rstrip()
            kept += line if line.endswith(",") else line + " "
            continue
        yield start, kept + line
        kept, start = "", None
    if kept:
        yield start, kept


def _add(word, number, driver, options, collection):
    where = f"line {number}"
    if not DESCRIPTOR.fullmatch(word):
        collection.leave("word", where, "neither an option nor a problem descriptor", f"'{word[:80]}'")
        return
    if driver != "conv":
        collection.leave(f"problem of --{driver}", where, "only --conv is a Convolution")
        return
    shape, _, name = word.partition("n")
    name = name.strip("\"'") or f"conv-line{number}"
    combinations = itertools.product(*(options[key].split(",") for key in ("dir", "dt", "stag", "mb")))
    for direction, dtype, tag, batch in combinations:
        collection.add("problem", name, lambda: _convolution(shape, direction.upper(), dtype, tag, batch), where)


def _convolution(shape, direction, dtype, tag, batch):
    if direction not in BIASED:
        raise NotHandled("not a forward convolution", f"--dir={direction}")
    words = dtype.split(":")
    if len(words) not in (1, 3):
        raise NotHandled("its types are not one or three words", dtype)
    numbers = descriptor.numbers_of(shape)
    if not batch.isdigit():
        raise NotHandled("its --mb is not a number", batch)
    if int(batch):
        numbers["mb"] = int(batch)
    axes = _complete(numbers)
    types = dict(zip(("src", "wei", "dst"), words * 3 if len(words) == 1 else words))
    return descriptor.convolution_of(numbers, axes, types, BIASED[direction], tag in descriptor.CHANNELS_LAST)


def _complete(numbers):
    """Fills in what a descriptor leaves out by benchdnn's rules; the axes that the problem has."""
    for axis in descriptor.AXES:
        stated = [numbers.get(key + axis, 0) for key in "ikod"]
        if not any(stated) and numbers.get("s" + axis, 1) == 1 and numbers.get("p" + axis, 0) == 0:
            continue
        _complete_axis(numbers, axis)
    axes = [axis for axis in descriptor.AXES if numbers.get("o" + axis)]
    if not axes:
        raise NotHandled("its problem descriptor is not complete", "no spatial axis")
    # Square and cubic forms state one axis for those behind it.
    first = descriptor.AXES.index(axes[0])
    for axis in descriptor.AXES[first + 1:]:
        if len(axes) == 1:
            numbers.update({key + axis: numbers[key + axes[0]] for key in "ioksdp"})
        elif axis not in axes:
            raise NotHandled("its problem descriptor is not complete", f"no i{axis}")
    return descriptor.AXES[first:]


def _complete_axis(numbers, axis):
    extent, kernel = numbers.get("i" + axis, 0), numbers.get("k" + axis, 0)
    if not extent or not kernel:
        raise NotHandled("its problem descriptor is not complete", f"no {'k' if extent else 'i'}{axis}")
    stride, dilation = numbers.setdefault("s" + axis, 1), numbers.setdefault("d" + axis, 0)
    if stride < 1:
        raise NotHandled("its strides are below 1", f"s{axis}{stride}")
    dilated = (kernel - 1) * (dilation + 1) + 1
    if not numbers.get("o" + axis):
        pad = numbers.setdefault("p" + axis, 0)
        numbers["o" + axis] = (extent - dilated + 2 * pad) // stride + 1
    elif "p" + axis not in numbers:
        numbers["p" + axis] = max(0, ((numbers["o" + axis] - 1) * stride - extent + dilated) // 2)
    if numbers["o" + axis] <= 0:
        raise NotHandled("its filter is longer than its padded input", f"{dilated} on {extent}")
