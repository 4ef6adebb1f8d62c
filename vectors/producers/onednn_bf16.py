#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Golden vectors from oneDNN's convolutions in bf16, by a program of its own C++ interface.

Groups, dilations, strides and asymmetric pads, one to three dimensions, on one thread. Needs
libdnnl-dev 2.6.3, g++ and a processor with AVX512_BF16; the matrix instructions (AMX), with which
this version computes some problems wrongly (docs/findings.md), are switched off.
"""

import itertools
import os
import pathlib
import subprocess
import tempfile

import numpy

import problems
import writing

VERSION = "2.6.3"
ISA_NAME, ISA = "AVX512_CORE_BF16", 0xe7
# The bf16 instructions take subnormals for zero, before and after.
ARITHMETIC = "flush=yes"
PROGRAM = pathlib.Path(__file__).resolve().parent / "onednn/answer.cpp"


class OneDnn:
    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        binary = pathlib.Path(self.folder.name) / "answer"
        subprocess.run(["g++", "-std=c++20", "-O1", "-fopenmp", PROGRAM, "-ldnnl", "-o", binary],
                       check=True)
        self.process = subprocess.Popen([binary], env={**os.environ, "ONEDNN_MAX_CPU_ISA": ISA_NAME},
                                        text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, p, src, weights, bias):
        """dst, channels first, of values that are bf16."""
        begin, end = problems.explicit_pads(p)
        plane = problems.output_plane(p)
        kernel = p.weights[2:]
        words = [p.spatial, *p.src, p.weights[0], *kernel, *plane, *p.strides, *p.dilations,
                 *begin, *end, p.groups, int(bias is not None)]
        for tensor in (src, weights, bias):
            if tensor is not None:
                words += writing.encode("bf16", tensor).tolist()
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()
        version, isa, _, *elements = self.process.stdout.readline().split()
        assert version == VERSION, version
        assert int(isa) == ISA, f"{isa}: this processor has no {ISA_NAME}"
        dst = writing.decode("bf16", numpy.array(elements, "<u2"))
        return dst.reshape(p.src[0], p.weights[0], *plane)

    def close(self):
        self.process.stdin.close()
        assert self.process.wait() == 0
        self.folder.cleanup()


def main():
    out = writing.VectorSet("onednn_bf16", f"oneDNN, ONEDNN_MAX_CPU_ISA={ISA_NAME}", VERSION,
                            "2026-11-21")
    onednn = OneDnn()
    turn = itertools.count(3000)
    for spatial in (1, 2, 3):
        for label, fields in problems.patterns(spatial):
            seed = next(turn)
            operation = ("Convolution", "Convolution1")[seed % 2]
            p = problems.Problem(operation, "bf16", **fields, bias=seed % 3 != 0)
            for kind in ("integers", "reals"):
                src, weights, bias = getattr(problems, kind)(p, seed)
                dst = onednn.ask(p, src, weights, bias)
                tensors = {"src": src, "weights": weights, "bias": bias, "dst": dst}
                known = ("exact", None) if kind == "integers" else ("arithmetic", ARITHMETIC)
                out.add(f"{operation}/{label}-{kind}", p, tensors, *known)
    onednn.close()
    out.write()


if __name__ == "__main__":
    main()
