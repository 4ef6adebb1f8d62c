# SPDX-License-Identifier: Apache-2.0
"""The picture of one file of concord_bench --scaling: the speedup of layers by the number of threads, both
axes logarithmic, with what is ideal. Each layer is a faint line, at 1 where threads make it slower; geometric
mean, quartiles and the 5th percentile are drawn over them, and a point where two threads were measured.
"""

import math

from concord_report import bench_files, results, svg_file

LEFT, TOP, SIDE, RIGHT, BOTTOM = 56, 70, 460, 150, 46  # pixels
NEEDED = ("scaling", "threads", "machine", "dtype", "data_format")
MEAN, UPPER, LOWER, LOW = "mean", "upper quartile", "lower quartile", "5th percentile"
STYLES = {MEAN: ("#1a6fb0", 3), UPPER: ("#1a6fb0", 1), LOWER: ("#1a6fb0", 1), LOW: ("#e08214", 2)}


def read(path):
    document = bench_files.read(path, NEEDED, "concord_bench --scaling")
    if not document["scaling"]:
        raise results.Refusal(f"{path}: it has no layer")
    return document


def percentile(values, part):
    ordered = sorted(values)
    return ordered[round(part * (len(ordered) - 1))]


def columns(document):
    """For one thread and each number beyond: the speedups of all layers."""
    layers = document["scaling"]
    return [[1.0] * len(layers)] + [[layer["simulated"][i] for layer in layers]
                                    for i in range(len(document["threads"]))]


def curves(document):
    """[(name, [speedup by number of threads])]: the lines over those of the layers."""
    every = columns(document)
    return [(MEAN, [bench_files.geomean(values) for values in every]),
            (UPPER, [percentile(values, 0.75) for values in every]),
            (LOWER, [percentile(values, 0.25) for values in every]),
            (LOW, [percentile(values, 0.05) for values in every])]


def assumptions(document):
    """Two lines."""
    machine = document["machine"]
    return ("Simulated from tasks measured on one core. Assumed: caches of a core as here;",
            f"a thread wakes two in {1e6 * machine['wake_seconds']:g} us, a task is taken in "
            f"{1e6 * machine['task_seconds']:g} us, memory serves {machine['memory_cores']:g} cores at "
            f"{1e-9 * machine['core_bytes']:.0f} GB/s each.")


class _Axes:
    def __init__(self, most):
        self.most = math.log2(most)

    def x(self, threads):
        return LEFT + SIDE * math.log2(threads) / self.most

    def y(self, speedup):
        return TOP + SIDE * (1 - math.log2(max(speedup, 1)) / self.most)

    def line(self, threads, speedups, color, width, opacity=1.0):
        points = " ".join(f"{self.x(t):.1f},{self.y(s):.1f}" for t, s in zip(threads, speedups))
        return (f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="{width}" '
                f'stroke-opacity="{opacity}"/>')

    def grid(self, threads):
        lines = []
        for t in threads:
            lines += [f'<line x1="{self.x(t):.1f}" y1="{TOP}" x2="{self.x(t):.1f}" y2="{TOP + SIDE}" stroke="#dddddd"/>',
                      f'<line x1="{LEFT}" y1="{self.y(t):.1f}" x2="{LEFT + SIDE}" y2="{self.y(t):.1f}" stroke="#dddddd"/>',
                      svg_file.text(self.x(t), TOP + SIDE + 16, str(t), text_anchor="middle"),
                      svg_file.text(LEFT - 8, self.y(t) + 4, str(t), text_anchor="end")]
        return lines


def _measured(document, axes):
    values = [layer["measured"] for layer in document["scaling"] if layer["measured"] > 0]
    if not values:
        return []
    mean = bench_files.geomean(values)
    x, y = axes.x(2), axes.y(mean)
    return [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="#b2182b"/>',
            svg_file.text(x + 8, y + 14, f"measured: {mean:.2f}", fill="#b2182b")]


def render(document):
    """The picture of a document as read() gives it, as SVG."""
    threads = [1] + document["threads"]
    axes = _Axes(threads[-1])
    parts = axes.grid(threads)
    parts += [axes.line(threads, [1.0] + layer["simulated"], "#777777", 0.6, 0.25)
              for layer in document["scaling"]]
    parts.append(axes.line(threads, threads, "#333333", 1))
    named = {}
    for name, speedups in curves(document):
        parts.append(axes.line(threads, speedups, *STYLES[name]))
        named[name] = speedups[-1]
    heights = sorted((axes.y(value), name) for name, value in named.items())
    last = -math.inf
    for y, name in heights:
        last = max(y, last + 14)
        parts.append(svg_file.text(LEFT + SIDE + 6, last + 4, f"{name} {named[name]:.1f}", fill=STYLES[name][0]))
    parts.append(svg_file.text(LEFT + SIDE + 6, axes.y(threads[-1]) + 4, f"ideal {threads[-1]}", fill="#333333"))
    parts += _measured(document, axes)
    title = f"Speedup by threads: {len(document['scaling'])} layers, {document['dtype']} {document['data_format']}"
    return svg_file.whole(LEFT + SIDE + RIGHT, TOP + SIDE + BOTTOM, [
        svg_file.text(8, 18, title, font_weight="bold"),
        *[svg_file.text(8, 36 + 14 * i, line, font_size=10) for i, line in enumerate(assumptions(document))],
        svg_file.text(LEFT + SIDE / 2, TOP + SIDE + 36, "threads", text_anchor="middle"),
        *parts])
