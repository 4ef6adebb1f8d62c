# SPDX-License-Identifier: Apache-2.0
"""The speed of backends, for the report's first screen, from a file of concord_bench."""

import pathlib

from concord_report import bench_files, text

ENGINE = "optimized"  # the backend that concord_bench calls concord, to which it compares the others


def said_of(document):
    """By the backend's name: how fast it was, in a sentence."""
    layers, setting = document["layers"], bench_files.title(document)
    rates = [layer["flops_valid"] / bench_files.seconds(layer, "concord") for layer in layers]
    said = {ENGINE: f"{bench_files.geomean(rates) / 1e9:.3g} Gflop/s over {text.plural(len(rates), 'layer')} ({setting})"}
    names = {side["name"] for layer in layers for side in layer["competitors"][1:]} - {bench_files.MOVING}
    for name in names:
        ratios = [1 / ratio for layer in layers if (ratio := bench_files.ratio(layer, name)) is not None]
        if ratios:
            said[name] = (f"{bench_files.geomean(ratios):.2f} of the speed of {ENGINE} over "
                          f"{text.plural(len(ratios), 'layer')} ({setting})")
    return said


def of_backend(said, backend):
    """What `said` has of a backend, by the plugin's name without its configuration; "not measured" if nothing."""
    spec = backend.data["backend"]
    name = spec if not spec.startswith("exec:") else backend.data["name"]
    return said.get(pathlib.PurePath(name.partition(":")[0]).stem, "not measured")
