# SPDX-License-Identifier: Apache-2.0
"""What the pictures of lines share, as SVG in a page."""

import math

import markupsafe

# Lines are told apart by dashes and marks as well as by colour.
DASHES = ("", "6 3", "2 3", "8 3 2 3", "12 4", "1 2")
MARKS = ("M-3 0A3 3 0 1 0 3 0A3 3 0 1 0 -3 0", "M-3 -3H3V3H-3Z", "M0 -4L4 3H-4Z", "M0 -4L4 0L0 4L-4 0Z",
         "M-4 -3H4L0 4Z", "M-4 -1H-1V-4H1V-1H4V1H1V4H-1V1H-4Z")


def series(index):
    return f"series{index % len(DASHES)}"


def picture(said, width, height, parts):
    """said: what the picture shows, for those who do not see it"""
    return markupsafe.Markup('<svg class="plot" role="img" aria-label="{}" viewBox="0 0 {} {}">{}</svg>').format(
        said, width, height, markupsafe.Markup("").join(parts))


def rule(x1, y1, x2, y2):
    return markupsafe.Markup('<line class="rule" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>').format(x1, y1, x2, y2)


def label(x, y, said, anchor="start", css="", title=""):
    whole = markupsafe.Markup("<title>{}</title>").format(title) if title else ""
    return markupsafe.Markup('<text x="{:.1f}" y="{:.1f}" text-anchor="{}" class="{}">{}{}</text>').format(
        x, y, anchor, css, whole, said)


def line(index, points):
    """points: [(x, y)]"""
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return markupsafe.Markup('<polyline class="{}" points="{}" stroke-dasharray="{}"/>').format(
        series(index), joined, DASHES[index % len(DASHES)])


def mark(index, x, y, said, css=""):
    return markupsafe.Markup('<path class="mark {}{}" transform="translate({:.1f} {:.1f})" d="{}"><title>{}</title></path>'
                             ).format(series(index), css, x, y, MARKS[index % len(MARKS)], said)


def apart(places, lowest, gap=12):
    """By index: the heights of labels at `places`, [(y, index)], moved down where they would be closer than `gap`."""
    found, last = {}, -math.inf
    for y, index in sorted(places):
        last = found[index] = max(y, last + gap)
    over = max(0, last - lowest)
    return {index: y - over for index, y in found.items()}
