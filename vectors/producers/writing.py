# SPDX-License-Identifier: Apache-2.0
"""Writes a set of golden vectors: data files of NumPy and one manifest. docs/vectors.md

The same calls write the same bytes.
"""

import fractions
import hashlib
import json
import math
import pathlib

import numpy

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
STORED = {"f32": "<f4", "f16": "<f2", "bf16": "<u2", "f64": "<f8"}
# Of the significand, implicit bit included; IEEE 754-2019, Table 3.5.
BITS = {"f32": 24, "f16": 11, "bf16": 8, "f64": 53}


class Refused(Exception):
    """What a system says when it does not compute a problem."""


def round_to_bits(values, bits):
    """float64 `values` with at most `bits` significant bits, ties to even."""
    fraction, exponent = numpy.frexp(values)
    return numpy.ldexp(numpy.rint(numpy.ldexp(fraction, bits)), exponent - bits)


def round_to(dtype, values):
    """float64 values of `dtype` nearest to `values`, whose exponents are normal ones of it."""
    values = numpy.asarray(values, numpy.float64)
    rounded = round_to_bits(values, BITS[dtype])
    if dtype == "f16":
        assert numpy.abs(rounded).max(initial=0) < 65520, "beyond f16"
    return rounded


def round_fraction(dtype, value):
    """The float nearest to a fractions.Fraction, ties to even; its exponent is a normal one."""
    if value == 0:
        return 0.0
    above = abs(value.numerator).bit_length() - value.denominator.bit_length()
    exponent = above if abs(value) >= fractions.Fraction(2) ** above else above - 1
    last = exponent + 1 - BITS[dtype]  # of the last significant bit
    return math.ldexp(round(value / fractions.Fraction(2) ** last), last)


def encode(dtype, values):
    """The elements of a data file. Every value is one of the dtype."""
    values = numpy.asarray(values, numpy.float64).ravel()
    if dtype == "bf16":
        stored = (values.astype("<f4").view("<u4") >> 16).astype("<u2")
    else:
        stored = values.astype(STORED[dtype])
    assert (decode(dtype, stored) == values).all(), f"a value is none of {dtype}"
    return stored


def decode(dtype, stored):
    if dtype == "bf16":
        stored = (stored.astype("<u4") << 16).view("<f4")
    return stored.astype(numpy.float64)


class Line:
    """A problem that is known by its line alone."""

    def __init__(self, dtype, text):
        self.dtype, self.text = dtype, text

    def line(self):
        return self.text


class VectorSet:
    """Collects vectors; write() leaves them in data/NAME."""

    def __init__(self, name, producer, version, date, licence="Apache-2.0"):
        self.name = name
        self.licence = licence
        self.producer = {"name": producer, "version": version,
                         "command": f"vectors/producers/{name}.py"}
        self.date = date
        self.pools = {}  # dtype -> arrays
        self.places = {}  # dtype and bytes -> offset, so that equal tensors are stored once
        self.sizes = {}
        self.vectors = []
        self.tables = {}  # name -> text

    def store(self, dtype, values):
        """Keeps a tensor of values of the dtype; what says where it is, for the manifest."""
        values = numpy.asarray(values)
        stored = encode(dtype, values)
        key = (dtype, stored.tobytes())
        if key not in self.places:
            self.places[key] = self.sizes.get(dtype, 0)
            self.sizes[dtype] = self.places[key] + stored.size
            self.pools.setdefault(dtype, []).append(stored)
        return {"file": f"{dtype}.npy", "offset": self.places[key], "shape": list(values.shape)}

    def add(self, name, problem, tensors, exactness="exact", arithmetic=None, source=None):
        """Adds the vector of a problems.Problem, or of another that has a dtype and a line().
        `tensors` holds src, weights, dst and maybe bias
        as values of the dtype; `arithmetic` is the class of exactness "arithmetic"."""
        dtype = problem.dtype
        vector = {"id": f"{name}/{dtype}", "problem": problem.line()}
        for role in ("src", "weights", "bias", "dst"):
            if tensors.get(role) is not None:
                vector[role] = self.store(dtype, tensors[role])
        vector["exactness"] = exactness
        if arithmetic:
            vector["arithmetic"] = arithmetic
        if source:
            vector["source"] = source
        self.vectors.append(vector)

    def add_table(self, name, rows):
        """Adds a file NAME.json of rows, which are no vectors."""
        self.tables[name] = "[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n"

    def write(self):
        folder = DATA / self.name
        folder.mkdir(parents=True, exist_ok=True)
        files, tables = [], []
        for dtype in sorted(self.pools):
            path = folder / f"{dtype}.npy"
            numpy.save(path, numpy.concatenate(self.pools[dtype]))
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
            files.append({"name": path.name, "dtype": dtype, "sha256": digest})
        for name, text in sorted(self.tables.items()):
            path = folder / f"{name}.json"
            path.write_text(text, encoding="utf-8")
            tables.append({"name": path.name, "sha256": hashlib.sha256(text.encode()).hexdigest()})
        head = {"schema": "concord-vectors-1", "set": self.name, "producer": self.producer,
                "date": self.date, "licence": self.licence, "files": files}
        if tables:
            head["tables"] = tables
        lines = ",\n".join("  " + json.dumps(vector) for vector in self.vectors)
        text = json.dumps(head, indent=1)[:-2] + ',\n "vectors": [\n' + lines + "\n ]\n}\n"
        (folder / "manifest.json").write_text(text)
        print(f"{self.name}: {len(self.vectors)} vectors")
