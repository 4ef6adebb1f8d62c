# SPDX-License-Identifier: Apache-2.0
"""The problems that producers are asked, with their data.

Tensors are numpy arrays, channels first: src [N,IC,spatial], weights [OC,IC/G,spatial].
"""

import dataclasses
import itertools

import numpy

import writing


@dataclasses.dataclass
class Problem:
    operation: str
    dtype: str
    src: tuple
    weights: tuple
    strides: tuple
    dilations: tuple
    pads_begin: tuple
    pads_end: tuple
    auto_pad: str = "none"
    groups: int = 1
    bias: bool = False
    data_format: str = "NCX"
    weights_format: str = "OIX"

    @property
    def spatial(self):
        return len(self.strides)

    def to_own(self, role, tensor):
        """From channels first to the axis order of the problem's formats."""
        if role in ("src", "dst") and self.data_format == "NXC":
            return numpy.moveaxis(tensor, 1, -1)
        if role == "weights" and self.weights_format == "XIO":
            return numpy.moveaxis(tensor, (1, 0), (-2, -1))
        return tensor

    def from_own(self, role, tensor):
        """Back to channels first."""
        if role in ("src", "dst") and self.data_format == "NXC":
            return numpy.moveaxis(tensor, -1, 1)
        if role == "weights" and self.weights_format == "XIO":
            return numpy.moveaxis(tensor, (-2, -1), (1, 0))
        return tensor

    def line(self):
        def dims(role, shape):
            return "x".join(map(str, self.to_own(role, numpy.empty(shape)).shape))

        words = [self.operation, self.dtype, f"src={dims('src', self.src)}",
                 f"weights={dims('weights', self.weights)}"]
        if self.bias:
            words.append(f"bias={self.weights[0]}")
        if self.operation == "AtrousConv2d":
            assert self.dilations[0] == self.dilations[1] and set(self.strides) == {1}
            assert (self.data_format, self.weights_format) == ("NXC", "XIO")
            padding = {"same_upper": "SAME", "valid": "VALID"}[self.auto_pad]
            return " ".join(words + [f"rate={self.dilations[0]}", f"padding={padding}"])
        for name, none in (("strides", 1), ("pads_begin", 0), ("pads_end", 0), ("dilations", 1)):
            value = getattr(self, name)
            if any(v != none for v in value):
                words.append(f"{name}={','.join(map(str, value))}")
        if self.auto_pad != "none":
            words.append(f"auto_pad={self.auto_pad}")
        if self.groups != 1:
            words.append(f"groups={self.groups}")
        words.append(f"data_format={self.data_format}")
        key = "filter_format" if self.operation == "Convolution1" else "weights_format"
        return " ".join(words + [f"{key}={self.weights_format}"])


def parse(line):
    """The Problem of a line as Problem.line() writes it; None for another operation."""
    operation, dtype, *words = line.split()
    if operation not in ("Convolution", "Convolution1", "AtrousConv2d"):
        return None
    given = dict(word.split("=") for word in words)
    dims = {role: tuple(map(int, given[role].split("x"))) for role in ("src", "weights")}
    spatial = len(dims["src"]) - 2

    def numbers(key, default):
        return tuple(map(int, given[key].split(","))) if key in given else (default,) * spatial

    if operation == "AtrousConv2d":
        given |= {"dilations": ",".join([given["rate"]] * 2), "data_format": "NXC",
                  "auto_pad": {"SAME": "same_upper", "VALID": "valid"}[given["padding"]]}
    p = Problem(operation, dtype, dims["src"], dims["weights"], numbers("strides", 1),
                numbers("dilations", 1), numbers("pads_begin", 0), numbers("pads_end", 0),
                given.get("auto_pad", "none"), int(given.get("groups", 1)), "bias" in given,
                given["data_format"],
                given.get("weights_format") or given.get("filter_format", "XIO"))
    p.src, p.weights = (p.from_own(role, numpy.empty(dims[role])).shape for role in dims)
    return p


def output_extent(i, k, s, d, begin, end):
    return (i + begin + end - d * (k - 1) - 1) // s + 1


def same_pads(i, k, s, d, lower=False):
    """Padding of SAME as TensorFlow and ONNX define it: the output has ceil(i/s) elements."""
    total = max(((i + s - 1) // s - 1) * s + d * (k - 1) + 1 - i, 0)
    small = total // 2
    return (total - small, small) if lower else (small, total - small)


def explicit_pads(p):
    """pads_begin, pads_end with auto_pad worked out."""
    if p.auto_pad == "none":
        return p.pads_begin, p.pads_end
    if p.auto_pad == "valid":
        return (0,) * p.spatial, (0,) * p.spatial
    pads = [same_pads(*each, lower=p.auto_pad == "same_lower")
            for each in zip(p.src[2:], p.weights[2:], p.strides, p.dilations)]
    return tuple(b for b, _ in pads), tuple(e for _, e in pads)


def output_plane(p):
    """The spatial extents of dst."""
    return tuple(output_extent(*each) for each in
                 zip(p.src[2:], p.weights[2:], p.strides, p.dilations, *explicit_pads(p)))


# A pattern has one row for each axis: extent of src, kernel, stride, dilation, pad begin, pad end.
PATTERNS = {
    "plain": [(9, 3, 1, 1, 0, 0), (7, 2, 1, 1, 0, 0), (5, 3, 1, 1, 0, 0)],
    "stride": [(11, 3, 2, 1, 1, 0), (8, 2, 3, 1, 0, 1), (7, 3, 2, 1, 1, 1)],
    "dilated": [(10, 3, 1, 2, 2, 2), (9, 2, 1, 3, 0, 3), (6, 2, 1, 2, 1, 0)],
    "both": [(13, 3, 2, 2, 1, 3), (10, 2, 3, 2, 2, 0), (7, 3, 2, 2, 2, 1)],
    "wide_pads": [(5, 2, 1, 1, 3, 1), (4, 3, 2, 1, 4, 2), (3, 2, 1, 1, 0, 3)],
    "pointwise": [(6, 1, 1, 1, 0, 0), (5, 1, 2, 1, 0, 0), (4, 1, 1, 1, 0, 0)],
    "skipping": [(11, 2, 5, 1, 0, 0), (7, 1, 3, 1, 1, 0), (8, 2, 4, 1, 1, 1)],
    "large_kernel": [(6, 7, 1, 1, 4, 3), (4, 5, 2, 1, 2, 2), (3, 4, 1, 1, 2, 1)],
}
# groups, input channels and output channels of a group
CHANNELS = {"full": (1, 3, 4), "grouped": (2, 2, 3), "depthwise": (5, 1, 1), "multiplier": (3, 1, 2)}


def patterns(spatial, channels=CHANNELS, auto_pads=("none",), names=tuple(PATTERNS)):
    """Yields a name and the fields of Problem for every combination."""
    for name, group, auto_pad in itertools.product(names, channels, auto_pads):
        G, ICG, OCG = CHANNELS[group]
        axes = list(zip(*PATTERNS[name][:spatial]))
        I, K, S, D, begin, end = axes
        if auto_pad != "none":
            begin = end = (0,) * spatial
            if auto_pad == "valid" and any(d * (k - 1) + 1 > i for i, k, d in zip(I, K, D)):
                continue
        batch = 2 if group == "grouped" else 1
        fields = {"src": (batch, G * ICG, *I), "weights": (G * OCG, ICG, *K), "strides": S,
                  "dilations": D, "pads_begin": begin, "pads_end": end, "auto_pad": auto_pad,
                  "groups": G}
        label = f"{spatial}d/{name}-{group}" + ("" if auto_pad == "none" else f"-{auto_pad}")
        yield label, fields


def integers(p, seed):
    """Inputs so small that every sum of products is an integer which the dtype holds."""
    rng = numpy.random.Generator(numpy.random.PCG64(seed))
    products = int(numpy.prod(p.weights[1:])) + 1
    limit = 2 ** writing.BITS[p.dtype]
    largest = max(1, min(15, int((limit / products) ** 0.5)))
    sparse = min(1.0, limit / (products * largest * largest))  # of bf16: most weights are 0

    def draw(shape, density=1.0):
        values = rng.integers(-largest, largest, shape, endpoint=True)
        return values * (rng.random(shape) < density)

    src, weights = draw(p.src), draw(p.weights, sparse)
    bias = draw((p.weights[0],)) if p.bias else None
    return src, weights, bias


def reals(p, seed):
    """Random numbers in [-1, 1) of the dtype."""
    rng = numpy.random.Generator(numpy.random.PCG64(seed))

    def draw(shape):
        # On a grid of 2^-10, so that no value is subnormal in f16.
        bits = min(writing.BITS[p.dtype], 24)
        return writing.round_to_bits(rng.integers(-2**20, 2**20, shape) / 2.0**20 +
                                     2.0**-21, bits)

    return draw(p.src), draw(p.weights), draw((p.weights[0],)) if p.bias else None


def fits(dtype, dst):
    """True if the integers of dst are values of the dtype."""
    return bool((writing.round_to(dtype, dst) == dst).all())
