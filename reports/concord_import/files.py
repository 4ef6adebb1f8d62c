# SPDX-License-Identifier: Apache-2.0
"""A file's format, found by what it holds, and its reader."""

import gzip
import zlib

from concord_import import benchdnn, onednn_verbose, onnx_model, pytorch_trace
from concord_import.collection import Collection
from concord_report.results import Refusal

TITLES = {"onnx": "an ONNX model", "onednn": "verbose output of oneDNN", "benchdnn": "problems of benchdnn",
          "pytorch": "a trace of torch.profiler"}


def collect(path, wanted, batch, inputs):
    """The format and the Collection of a file. Refuses what cannot be read."""
    data = _bytes(path)
    chosen = wanted or _format(path, data)
    if chosen != "onnx" and (batch is not None or inputs):
        raise Refusal(f"{path}: {'--batch' if batch is not None else '--input'}: only ONNX models have unknown extents, "
                      f"and this is {TITLES[chosen]}")
    collection = Collection()
    if chosen == "onnx":
        onnx_model.read(path, data, batch, inputs, collection)
    elif chosen == "pytorch":
        pytorch_trace.read(path, _text(path, data), collection)
    else:
        reader = {"onednn": onednn_verbose, "benchdnn": benchdnn}[chosen]
        reader.read(_text(path, data), collection)
    return chosen, collection


def _bytes(path):
    try:
        with open(path, "rb") as file:
            data = file.read()
        return gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise Refusal(f"{path}: not a whole gzip file: {error}") from error
    except OSError as error:
        raise Refusal(f"{path}: cannot read: {error.strerror}") from error


def _format(path, data):
    """One of TITLES. Refuses what is none."""
    if not data:
        raise Refusal(f"{path}: the file is empty")
    if path.endswith(".onnx"):
        return "onnx"
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return "onnx"
    if "\0" in text:
        return "onnx"
    if onednn_verbose.is_verbose(text):
        return "onednn"
    if text.lstrip()[:1] in ("{", "["):
        return "pytorch"
    if benchdnn.is_batch(text):
        return "benchdnn"
    raise Refusal(f"{path}: neither an ONNX model nor verbose output of oneDNN, problems of benchdnn or a trace of "
                  "torch.profiler; --format says what it is")


def _text(path, data):
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Refusal(f"{path}:{line}: byte {error.start} is not UTF-8") from error
