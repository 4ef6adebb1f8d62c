# SPDX-License-Identifier: Apache-2.0
"""How a number went from release to release, as an SVG in a page."""

import math

from concord_report import plot, text, verdict

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 420, 190, 56, 96, 14, 34
LETTER = 7  # about the width of one


def of(history):
    """[(what, the picture)] of the numbers of a history that any release has"""
    versions = _names([release.backend.data["version"] for release in history.releases])
    told = [release.backend.data["error"] is None for release in history.releases]
    passed, broken = ([number if known else None for number, known in zip(numbers, told)] for numbers in (
        [release.tally[verdict.PASS] for release in history.releases],
        [release.tally.broken for release in history.releases]))
    bits = [(dtype, [_finite(release.bits.get(dtype)) for release in history.releases]) for dtype in history.dtypes]
    bits = [(dtype, line) for dtype, line in bits if any(number is not None for number in line)]
    rates = [release.rate and release.rate / 1e9 for release in history.releases]
    fast = f"Speed in Gflop/s over {text.plural(history.layers, 'layer')}"
    return [(what, render(what, versions, lines, digits)) for what, lines, digits in (
        ("Cases passed", [("", passed)], 0), ("Cases failed", [("", broken)], 0), (fast, [("", rates)], 1),
        ("Effective bits", bits, 1))
        if any(number is not None for _, line in lines for number in line)]


def _finite(number):
    """None in the place of an exact backend's bits, which have no end."""
    return number if number is not None and math.isfinite(number) else None


def _names(versions):
    """What releases are called in a picture: short, and each otherwise than all others."""
    short = [text.visible(name if len(name) <= 16 else f"{name[:15]}…") for name in versions]
    return [f"{name} ({at})".strip() if short.count(name) > 1 or not name else name for at, name in enumerate(short, 1)]


def render(said, releases, lines, digits=0):
    """said: what the numbers are. releases: their names, the oldest first. lines: [(name, [number of each
    release or None])]; a name may be empty where there is one line. digits: of a number behind the point.
    """
    numbers = [number for _, line in lines for number in line if number is not None]
    spread = _Spread(len(releases), numbers, digits)
    parts = [*spread.axes(releases)]
    ends = [max(at for at, number in enumerate(line) if number is not None) for _, line in lines]
    heights = plot.apart([(spread.y(line[end]), index) for index, ((_, line), end) in enumerate(zip(lines, ends))],
                         HEIGHT - BOTTOM, gap=14)
    for index, ((name, line), end) in enumerate(zip(lines, ends)):
        parts += _line(spread, index, releases, name, line, digits)
        last = f"{name} {_shown(line[end], digits)}".strip()
        parts.append(plot.label(WIDTH - RIGHT + 10, heights[index] + 3, last, css=plot.series(index)))
    return plot.picture(f"{said}: " + "; ".join(_told(name, line, digits) for name, line in lines), WIDTH, HEIGHT, parts)


def _shown(number, digits):
    return f"{number:,.{digits}f}"


def _told(name, line, digits):
    known = [number for number in line if number is not None]
    return (f"{name} from {_shown(known[0], digits)} to {_shown(known[-1], digits)}, between "
            f"{_shown(min(known), digits)} and {_shown(max(known), digits)}").strip()


class _Spread:
    """Where a release and a number lie in the picture."""

    def __init__(self, releases, numbers, digits):
        low, high = min(numbers), max(numbers)
        least = 10.0 ** -digits  # no two marks of the axis read alike
        self.digits = digits
        self.step = max(_nice((high - low) / 3), least)
        if low == high:  # a flat line lies in the middle, unless it is at 0
            low, high = max(low - self.step, 0), high + self.step
        self.low = math.floor(low / self.step) * self.step
        self.high = math.ceil(high / self.step) * self.step
        self.last = max(releases - 1, 1)

    def x(self, release):
        return LEFT + (WIDTH - LEFT - RIGHT) * release / self.last

    def y(self, number):
        return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * (number - self.low) / (self.high - self.low)

    def axes(self, releases):
        for at in range(round((self.high - self.low) / self.step) + 1):
            number = self.low + at * self.step
            yield plot.rule(LEFT, self.y(number), WIDTH - RIGHT, self.y(number))
            yield plot.label(LEFT - 6, self.y(number) + 3, _shown(number, self.digits), anchor="end")
        free = math.inf  # to the left of this nothing is written yet: the newest has its name always
        for at in reversed(range(len(releases))):
            half = LETTER * len(releases[at]) / 2
            if self.x(at) + half < free:
                yield plot.label(self.x(at), HEIGHT - BOTTOM + 16, releases[at], anchor="middle")
                free = self.x(at) - half - LETTER


def _nice(step):
    """The least of 1, 2, 5, 10, ... times a power of ten that is not below the step."""
    if step <= 0:
        return 0
    power = 10.0 ** math.floor(math.log10(step))
    return next(factor * power for factor in (1, 2, 5, 10, 20) if factor * power >= step * (1 - 1e-9))


def _line(spread, index, releases, name, line, digits):
    """Joined where releases with a number follow each other."""
    run = []
    for at, number in enumerate([*line, None]):
        if number is not None:
            run.append((spread.x(at), spread.y(number)))
        elif run:
            yield plot.line(index, run)
            run = []
    for at, number in enumerate(line):
        if number is not None:
            said = f"{releases[at]}: {name} {_shown(number, digits)}".replace("  ", " ")
            yield plot.mark(index, spread.x(at), spread.y(number), said)
