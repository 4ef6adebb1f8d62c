# SPDX-License-Identifier: Apache-2.0
"""The speed of backends from files of concord_bench: for the first screen of a report, and from release to release."""

import pathlib

from concord_report import bench_files, results, text

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
    """What `said` has of a backend; "not measured" if nothing."""
    return said.get(_name_of(backend), "not measured")


def _name_of(backend):
    """The plugin's name without its configuration."""
    spec = backend.data["backend"]
    name = spec if not spec.startswith("exec:") else backend.data["name"]
    return pathlib.PurePath(name.partition(":")[0]).stem


def rates(documents, backend):
    """Of each file of concord_bench, None where there is none: a backend's geometric mean in flop/s over the layers
    that all files measured of it; and how many layers these are. Refuses files that cannot be compared.
    """
    name = _name_of(backend)
    side = "concord" if name == ENGINE else name
    titles = dict.fromkeys(bench_files.title(document) for document in documents if document)
    if len(titles) > 1:
        raise results.Refusal(f"speeds of different settings are no trend: {'; '.join(titles)}")
    try:
        tables = [document and _rates_of(document, side) for document in documents]
        common = set.intersection(*(set(table) for table in tables if table), *[] if any(tables) else [set()])
        return [bench_files.geomean([table[each] for each in sorted(common)]) if table and common else None
                for table in tables], len(common)
    except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
        raise results.Refusal(f"not a file of concord_bench: {error!r}") from error


def _rates_of(document, side):
    """By the layer's problem; a layer that the side did not compute is left out."""
    return {layer["problem"]: layer["flops_valid"] / taken for layer in document["layers"]
            if (taken := bench_files.seconds(layer, side)) is not None}
