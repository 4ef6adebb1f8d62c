# SPDX-License-Identifier: Apache-2.0
"""Files of concord_bench as two tables in Markdown: a row a file and competitor with the geometric means, and a
row a layer with a column a file and competitor. Files are numbered from 1.
"""

from concord_report import bench_files, markdown, results


def _competitors(document):
    names = (side["name"] for layer in document["layers"] for side in layer["competitors"][1:])
    return [name for name in dict.fromkeys(names) if name != bench_files.MOVING]


def _said(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def _percent(value):
    return "-" if value is None else f"{100 * value:.0f}"


def _rows(head, rows):
    return ["| " + " | ".join(row) + " |" for row in (head, ["---"] * len(head), *rows)]


def _summary(number, document, competitor):
    ratios = {layer["name"]: value for layer in document["layers"]
              if (value := bench_files.ratio(layer, competitor)) is not None}
    limits = [value for layer in document["layers"] if layer["name"] in ratios
              and (value := bench_files.ratio_at_limit(document, layer, competitor)) is not None]
    least = min(ratios, key=ratios.get)
    return [f"{number}: {bench_files.title(document)}", competitor, str(len(ratios)), _said(bench_files.geomean(ratios.values())),
            f"{_said(ratios[least])} ({markdown.code(least, cell=True)})",
            str(sum(value < 0.93 for value in ratios.values())),
            _said(bench_files.geomean(limits) if limits else None)]


def _only_threads_differ(one, other):
    same = ("dtype", "data_format", "batch", "packed", "first_call", "winograd", "isa")
    return all(one.get(key) == other.get(key) for key in same) and one["threads"] != other["threads"]


class _Column:
    """A heading, and what it says of a layer."""

    def __init__(self, heading, of_layer):
        self.heading, self.of_layer = heading, of_layer


def _columns(number, document, before):
    yield _Column(f"{number}: % of peak", lambda layer: _percent(bench_files.valid_part(document, layer)))
    for competitor in _competitors(document):
        yield _Column(f"{number}: over {competitor}",
                      lambda layer, competitor=competitor: _said(bench_files.ratio(layer, competitor)))
    for earlier, base in enumerate(before, 1):
        if _only_threads_differ(base, document):
            times = {layer["name"]: bench_files.seconds(layer, "concord") for layer in base["layers"]}
            yield _Column(f"{number}: engine over run {earlier}",
                          lambda layer, times=times: _said(
                              times[layer["name"]] / bench_files.seconds(layer, "concord")
                              if layer["name"] in times else None))


def render(documents):
    """The tables of documents as bench_files.read() gives them, in their order."""
    if not any(document["layers"] for document in documents):
        raise results.Refusal("no file has a layer")
    lines = _rows(["run", "competitor", "layers", "geometric mean", "least", "under 0.93", "mean at the limit"],
                  [_summary(number, document, competitor) for number, document in enumerate(documents, 1)
                   for competitor in _competitors(document)])
    names = dict.fromkeys(layer["name"] for document in documents for layer in document["layers"])
    head, cells = ["layer"], {name: [markdown.code(name, cell=True)] for name in names}
    for number, document in enumerate(documents, 1):
        layers = {layer["name"]: layer for layer in document["layers"]}
        for column in _columns(number, document, documents[:number - 1]):
            head.append(column.heading)
            for name, row in cells.items():
                row.append(column.of_layer(layers[name]) if name in layers else "-")
    return "\n".join([*lines, "", *_rows(head, cells.values()), ""])
