# SPDX-License-Identifier: Apache-2.0
"""A picture of errors by the length of a sum, with the largest that is allowed, as SVG in a page."""

import math

import markupsafe

from concord_report import plot, text

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 560, 260, 54, 150, 14, 40
LETTER = 8  # the most width of a digit, which style.css draws largest on narrow screens
LONGEST_NAME = 22  # characters that fit to the right of the lines
LEAST = 2.0 ** -6  # errors below are drawn there: an exact backend has 0


def render(dtype, lines):
    """lines: [(backend, class, its pools of `statistics` by length)]. The root of the mean square of error over
    its expected size, by the most products of a sum; both axes are logarithms to base 2.
    """
    pools = [pool for _, _, members in lines for pool in members]
    spread = _Spread(pools)
    parts = [*spread.axes(), spread.limit(pools)]
    backends = [backend for backend, _, _ in lines]
    labels = plot.apart([(spread.y(_root(members[-1]["mean_square"])), index)
                         for index, (_, _, members) in enumerate(lines)], HEIGHT - BOTTOM)
    for index, (label, arithmetic, members) in enumerate(lines):
        members = sorted(members, key=length)
        parts += _line(spread, index, members)
        whole = text.visible(f"{label}, {arithmetic}")
        name = whole if backends.count(label) > 1 else text.visible(label)
        parts.append(plot.label(WIDTH - RIGHT + 8, labels[index] + 3, _fitting(name), css=plot.series(index), title=whole))
    said = f"Errors of {dtype} by length of sum, of {text.plural(len(lines), 'backend and class', 'backends and classes')}"
    return plot.picture(said, WIDTH, HEIGHT, parts)


def _fitting(name):
    """Its beginning and its end: names of files differ in either."""
    half = LONGEST_NAME // 2
    return name if len(name) <= LONGEST_NAME else f"{name[:half]}…{name[-(LONGEST_NAME - half - 1):]}"


def length(pool):
    return max(pool["products"][1], 1)


def _root(square):
    return max(math.sqrt(square), LEAST) if math.isfinite(square) else math.inf


class _Spread:
    """Where a length and an error lie in the picture."""

    def __init__(self, pools):
        self.lengths = max(1.0, *(math.log2(length(pool)) for pool in pools))
        roots = [_root(pool[key]) for pool in pools for key in ("mean_square", "mean_square_limit")]
        finite = [math.log2(root) for root in roots if math.isfinite(root)] or [0]
        self.low, self.high = math.floor(min(finite)), math.ceil(max(finite)) + 1

    def x(self, products):
        return LEFT + (WIDTH - LEFT - RIGHT) * math.log2(products) / self.lengths

    def y(self, root):
        share = (min(math.log2(root), self.high) - self.low) / (self.high - self.low) if root < math.inf else 1
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share

    def axes(self):
        for power in range(self.low, self.high + 1, max(1, (self.high - self.low) // 6)):
            yield plot.rule(LEFT, self.y(2.0 ** power), WIDTH - RIGHT, self.y(2.0 ** power))
            yield plot.label(LEFT - 6, self.y(2.0 ** power) + 3, f"{2.0 ** power:.3g}", anchor="end")
        whole, widest = math.floor(self.lengths), len(text.grouped(2 ** math.floor(self.lengths)))
        room = (WIDTH - LEFT - RIGHT) / self.lengths  # of a factor of two
        for power in range(0, whole + 1, max(1, whole // 6, math.ceil(LETTER * (widest + 1) / room))):
            yield plot.label(self.x(2 ** power), HEIGHT - BOTTOM + 15, text.grouped(2 ** power), anchor="middle")
        yield plot.label((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 6, "products of a sum", anchor="middle")

    def limit(self, pools):
        """The largest error that is allowed at each length, of all pools the least."""
        least = {}
        for pool in pools:
            least[length(pool)] = min(least.get(length(pool), math.inf), _root(pool["mean_square_limit"]))
        points = " ".join(f"{self.x(at):.1f},{self.y(root):.1f}" for at, root in sorted(least.items()))
        return markupsafe.Markup('<polyline class="bound" points="{}"><title>largest allowed</title></polyline>').format(points)


def _line(spread, index, pools):
    points = [(spread.x(length(pool)), spread.y(_root(pool["mean_square"])), pool) for pool in pools]
    yield plot.line(index, [(x, y) for x, y, _ in points])
    for x, y, pool in points:
        title = (f"{text.grouped(length(pool))} products: {math.sqrt(pool['mean_square']):.3g}, allowed "
                 f"{math.sqrt(pool['mean_square_limit']):.3g}{'' if pool['passed'] else '; fails'}")
        yield plot.mark(index, x, y, title, "" if pool["passed"] else " fails")
