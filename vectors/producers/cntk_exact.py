# SPDX-License-Identifier: Apache-2.0
"""CNTK's Convolution in whole numbers.

Source: CNTK's manual page of Convolution, and docs/spec.md where it leaves things open. Tensors are
flat lists in CNTK's order: the first axis is the fastest, samples are last.
"""

import dataclasses
import itertools
import math


@dataclasses.dataclass
class Axis:
    extent: int
    kernel: int
    stride: int
    auto: bool
    lower: int
    upper: int
    sharing: bool = True
    maps: int = 1

    @property
    def padded(self):
        return self.extent + (self.kernel - 1 if self.auto else self.lower + self.upper)

    @property
    def positions(self):
        return (self.padded - self.kernel) // self.stride + 1

    @property
    def outputs(self):
        return self.positions * self.maps

    @property
    def start(self):
        """The input cell under the centre of the first window."""
        if self.auto:
            return (self.extent - 1 - (self.positions - 1) * self.stride) // 2
        return (self.kernel - 1) // 2 - self.lower

    @property
    def pads(self):
        """Cells before and after the input; where negative, cells of the input left out."""
        before = (self.kernel - 1) // 2 - self.start
        if not self.auto:
            return before, self.upper
        return before, (self.positions - 1) * self.stride + self.kernel - self.extent - before

    def system_accepts(self, last):
        """False where the system refuses what the manual page does not forbid."""
        if self.kernel > (self.extent if self.auto else self.padded):
            return False
        if last and self.pads[0] > 0 and self.stride < self.extent:
            return False
        explicit = not self.auto and (self.lower > 0 or self.upper > 0)
        reached = (self.positions - 1) * self.stride + self.kernel
        return not explicit or reached >= self.extent + self.lower


def indices(extents):
    """All indices, the first axis fastest."""
    return (index[::-1] for index in itertools.product(*map(range, reversed(extents))))


def place(extents, index):
    """The place of an index in a flat list."""
    result, step = 0, 1
    for extent, i in zip(extents, index):
        result, step = result + step * i, step * extent
    return result


def kernel_count(axes):
    return math.prod(a.maps if a.sharing else a.outputs for a in axes)


def kernel_of(axes, out):
    """Which kernel makes output `out`: axis by axis, the position, if it is not shared, before the
    map."""
    digits = []
    for a, o in zip(axes, out):
        m, p = divmod(o, a.positions)
        digits += ([] if a.sharing else [(a.positions, p)]) + [(a.maps, m)]
    return place(*zip(*digits))


def evaluate(axes, samples, src, weights):
    """dst; weights hold a run of cells for each kernel."""
    inputs, cells = [a.extent for a in axes], [a.kernel for a in axes]
    dst = []
    for sample in range(samples):
        for out in indices([a.outputs for a in axes]):
            run = kernel_of(axes, out) * math.prod(cells)
            corner = [a.start - (a.kernel - 1) // 2 + o % a.positions * a.stride
                      for a, o in zip(axes, out)]
            total = 0
            for k in indices(cells):
                at = [c + i for c, i in zip(corner, k)]
                if all(0 <= i < extent for i, extent in zip(at, inputs)):
                    total += (weights[run + place(cells, k)] *
                              src[sample * math.prod(inputs) + place(inputs, at)])
            dst.append(total)
    return dst


def workspace(axes, samples, most):
    """Elements that a matrix-product engine may keep for the columns of `most` samples."""
    n = min(samples, most) if most else samples
    maps = math.prod(a.maps for a in axes)
    cells = math.prod(a.kernel for a in axes)
    return math.prod(a.positions for a in axes) * n * (cells + (maps if n > 1 else 0))
