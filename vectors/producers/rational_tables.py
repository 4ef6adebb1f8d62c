# SPDX-License-Identifier: Apache-2.0
"""The geometry of CNTK's and of the continuous convolution, as tables of exact numbers."""

import itertools
from fractions import Fraction

import numpy

import cntk_exact
import continuous_exact as exact

SCALES = tuple(map(Fraction, "1 1/2 1/3 1/4 2/3 3/4 3/5 7/5 4/3 3/2 2 3 9/10 17/20 13/10 75/98".split()))
TIES = ("half_open", "open", "closed")
BOUNDARIES = ("zero", "replicate", "reflect", "symmetric")
# Table 4, one row an axis of an example: scales of layers 1 to 8, sizes after them.
TABLE_4 = (
    ("1 5/6 5/6 8/9 189/250 6/7 5/6 3/4", "32 27 23 20 15 13 11 8"),
    ("1 7/9 4/5 5/6 3/4 6/7 7/8 6/7", "32 25 20 17 13 11 10 8"),
    ("1 75/98 4/5 4/5 7/8 5/6 7/9 9/10", "32 25 20 16 14 12 9 8"),
    ("1 7/8 2/3 3/4 5/6 5/6 864/875 5/6", "32 28 19 14 12 10 10 8"),
)


def axis_row(extent, out, scale, K, ties, boundary):
    grid = [exact.grid_point(extent, out, scale, n) for n in range(out)]
    around = [exact.neighbours(g, K, ties) for g in grid]
    first = [exact.first_neighbour(g, K, ties) for g in grid]
    slots = K + (ties == "closed")
    return {
        "in": extent, "out": out, "scale": str(scale), "K": K, "ties": ties, "boundary": boundary,
        "grid": list(map(str, grid)), "neighbours": around,
        "distances": [[str(g - m) for m in ms] for g, ms in zip(grid, around)],
        "pixels": [[exact.pixel(boundary, extent, m) for m in ms] for ms in around],
        "phases": exact.phases(extent, out, scale, slots, first),
    }


def axis_rows():
    """Every scale with sizes that Eq. 2 is given and others, in turn with supports, ties and
    boundaries."""
    turn = itertools.count()
    for scale, extent, K in itertools.product(SCALES, (1, 4, 9), (1, 2, 3, 4)):
        n = next(turn)
        out = exact.size_of(extent, scale) + (0, 0, 1, 0, -1)[n % 5]
        if out > 0:
            yield axis_row(extent, out, scale, K, TIES[n % 3], BOUNDARIES[n // 3 % 4])


def chain_rows():
    for scales, sizes in TABLE_4:
        scales = list(map(Fraction, scales.split()))
        found = exact.chain_sizes(32, scales, Fraction(1, 4))
        assert found == list(map(int, sizes.split())), (scales, found)
        yield {"in": 32, "scales": list(map(str, scales)), "target": "1/4", "sizes": found}
    rng = numpy.random.Generator(numpy.random.PCG64(1))
    for extent, target in ((48, Fraction(1, 4)), (24, Fraction(1, 2)), (12, Fraction(3, 2))):
        scales = [Fraction(int(rng.integers(5, 14)), 10) for _ in range(6)]
        product = Fraction(1)
        for scale in scales:
            product *= scale
        scales.append(target / product)
        yield {"in": extent, "scales": list(map(str, scales)), "target": str(target),
               "sizes": exact.chain_sizes(extent, scales, target)}


def random_axis(rng):
    extent = int(rng.integers(1, 8))
    return cntk_exact.Axis(extent=extent, kernel=int(rng.integers(1, min(extent, 4) + 1)),
                           stride=int(rng.integers(1, 4)), auto=bool(rng.integers(2)),
                           lower=int(rng.integers(0, 3)), upper=int(rng.integers(0, 3)),
                           sharing=bool(rng.integers(3)), maps=int(rng.integers(1, 3)))


def small(axes):
    return all(a.positions > 0 for a in axes) and cntk_exact.kernel_count(axes) <= 40


def cntk_problems():
    """(axes, samples, most, reading): one to four axes, drawn; documented where the system refuses
    what the manual page allows."""
    rng = numpy.random.Generator(numpy.random.PCG64(2))
    for rank in (1, 2, 3, 4):
        count = 0
        while count < 30:
            axes = [random_axis(rng) for _ in range(rank)]
            samples, most = int(rng.integers(1, 4)), int(rng.integers(0, 5))
            if not small(axes):
                continue
            count += 1
            accepted = all(a.system_accepts(j == rank - 1) for j, a in enumerate(axes))
            yield axes, samples, most, "implemented" if accepted else "documented"


def cntk_row(axes, samples, most, reading):
    outputs = [a.outputs for a in axes]
    return {
        "input": [a.extent for a in axes], "samples": samples, "kernel": [a.kernel for a in axes],
        "map_count": [a.maps for a in axes], "stride": [a.stride for a in axes],
        "sharing": [int(a.sharing) for a in axes], "auto_padding": [int(a.auto) for a in axes],
        "lower_pad": [a.lower for a in axes], "upper_pad": [a.upper for a in axes],
        "max_temp_mem_size_in_samples": most, "reading": reading,
        "kernels": cntk_exact.kernel_count(axes), "positions": [a.positions for a in axes],
        "pads": [a.pads for a in axes], "start": [a.start for a in axes],
        "kernel_of": [cntk_exact.kernel_of(axes, out) for out in cntk_exact.indices(outputs)],
        "workspace": cntk_exact.workspace(axes, samples, most),
    }
