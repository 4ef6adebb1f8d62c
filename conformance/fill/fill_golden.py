#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Computes the hashes that fill_test.cpp compares with, from the fills' definitions alone."""
import struct
from fractions import Fraction

MASK = (1 << 64) - 1


def splitmix64(state):
    state = (state + 0x9E3779B97F4A7C15) & MASK
    z = state
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return state, z ^ (z >> 31)


class Random:
    """xoshiro256**, as its authors publish it."""

    def __init__(self, seed, stream):
        state = seed ^ splitmix64(stream)[1]
        self.s = []
        for _ in range(4):
            state, word = splitmix64(state)
            self.s.append(word)

    def next(self):
        s = self.s
        rotl = lambda x, k: ((x << k) | (x >> (64 - k))) & MASK
        result = rotl(s[1] * 5 & MASK, 7) * 9 & MASK
        t = s[1] << 17 & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotl(s[3], 45)
        return result

    def below(self, bound):
        while True:
            draw = self.next()
            if draw >= (1 << 64) % bound:
                return draw % bound

    def between(self, first, last):
        return first + self.below(last - first + 1)

    def unit(self):
        return (self.next() >> 11) / 2**53

    def sign(self, ups=1, of=2):
        return 1 if self.below(of) < ups else -1


def narrow(dtype, value):
    bits, least = {"f32": (24, -126), "f16": (11, -14), "bf16": (8, -126)}[dtype]
    if abs(value) < 2.0**-1000:
        return 0.0
    exact = Fraction(value)
    exponent = least
    while abs(exact) >= Fraction(2) ** (exponent + 1):
        exponent += 1
    step = Fraction(2) ** (exponent - bits + 1)
    rounded = float(round(exact / step) * step)  # Python rounds ties of fractions to even
    return 0.0 if abs(rounded) < 2.0**least else rounded


def uniform(dtype, sizes, seed):
    return [[narrow(dtype, 2 * r.unit() - 1) for _ in range(n)]
            for r, n in ((Random(seed, k), n) for k, n in enumerate(sizes))]


def wide(dtype, sizes, seed):
    least, most = (-6, 0) if dtype == "f16" else (-20, 20)
    tensors = []
    for stream, size in enumerate(sizes):
        r = Random(seed, stream)
        values = []
        for _ in range(size):
            exponent = r.between(least, most)
            sign = r.sign()
            values.append(narrow(dtype, sign * (1 + r.unit()) * 2.0**exponent))
        tensors.append(values)
    return tensors


def integers(sizes, products, seed):
    """f32, strict, every tap in use: 2^24 = products * src * weights + bias at most."""
    total = 1 << 24
    bias = total // 16
    each = (total - bias) // products
    src = int(each**0.5)
    while src * src > each:
        src -= 1
    weights = each // src
    r = Random(seed, 0)
    xs = [float(r.sign(3, 4) * r.between(1, src)) for _ in range(sizes[0])]
    r = Random(seed, 1)
    ws = []
    for _ in range(sizes[1] // products):
        channel = r.sign()
        ws += [float(channel * r.sign(3, 4) * r.between(1, weights)) for _ in range(products)]
    r = Random(seed, 2)
    return [xs, ws, [float(r.sign() * r.between(1, bias)) for _ in range(sizes[2])]]


def fnv1a(tensors):
    state = 0xCBF29CE484222325
    for values in tensors:
        for byte in struct.pack(f"<{len(values)}d", *values):
            state = (state ^ byte) * 0x100000001B3 & MASK
    return state


if __name__ == "__main__":
    strided = (2 * 4 * 9 * 10, 6 * 2 * 3 * 2, 6)
    print("uniform f32 42 :", fnv1a(uniform("f32", strided, 42)))
    print("uniform bf16 7 :", fnv1a(uniform("bf16", (2 * 5 * 17, 7 * 5 * 4, 7), 7)))
    print("wide f16 42    :", fnv1a(wide("f16", strided, 42)))
    print("integers f32 42:", fnv1a(integers(strided, 2 * 3 * 2, 42)))
