# SPDX-License-Identifier: Apache-2.0
"""The picture of one file of concord_bench: for each layer a bar a library, as a part of what the machine
allows there. That is the lesser of the multiply-add peak and of what memory delivers if src, weights
and dst are moved once, both as the same run measured them.
"""

from concord_report import bench_files, svg_file

COLORS = {"concord": "#1a6fb0", "direct": "#74a9cf", "onednn": "#e08214", "xnnpack": "#7f7f7f"}
LEFT, WIDTH, BAR, GAP, TOP = 230, 560, 9, 7, 46  # pixels
MOST = 1.25  # of the limit: the right end of the picture


def limit(document, layer):
    """Operations a second that the machine allows the layer, and what it is that limits it."""
    streamed = layer["flops_valid"] / layer["bytes"] * document["triad_bytes"]
    peak = bench_files.peak(document, layer)
    if peak and peak <= streamed:
        return peak, "compute"
    return streamed, "memory"


def parts(document, layer):
    """[(library, operations a second as a part of the limit)]"""
    allowed, _ = limit(document, layer)
    return [(side["name"], layer["flops_valid"] / bench_files.seconds(layer, side["name"]) / allowed)
            for side in layer["competitors"]]


def _layer(document, layer, y):
    lines = [svg_file.text(LEFT - 8, y + BAR, f"{layer['name']} ({limit(document, layer)[1][0]})",
                   text_anchor="end")]
    for name, part in parts(document, layer):
        long = min(part, MOST) / MOST * WIDTH
        lines.append(f'<rect x="{LEFT}" y="{y:.0f}" width="{long:.1f}" height="{BAR - 1}" '
                     f'fill="{COLORS.get(name, "#999999")}"/>')
        lines.append(svg_file.text(LEFT + long + 4, y + BAR - 2, f"{100 * part:.0f}", font_size=8))
        y += BAR
    return lines, y + GAP


def render(document):
    """The picture of a document as bench_files.read() gives it, as SVG."""
    lines, y = [], TOP
    for layer in document["layers"]:
        drawn, y = _layer(document, layer, y)
        lines += drawn
    one = LEFT + WIDTH / MOST
    names = dict.fromkeys(side["name"] for layer in document["layers"] for side in layer["competitors"])
    legend = []
    for i, name in enumerate(names):
        legend.append(svg_file.text(LEFT + 90 * i, 34, f"■ {name}", fill=COLORS.get(name, "#999999")))
    return svg_file.whole(LEFT + WIDTH + 40, y + 8, [
        svg_file.text(8, 16, f"Per cent of the limit, (c)ompute or (m)emory: {bench_files.title(document)}",
                      font_weight="bold"),
        *legend,
        f'<line x1="{one:.0f}" y1="{TOP - 6}" x2="{one:.0f}" y2="{y}" stroke="#333333"/>',
        *lines])
