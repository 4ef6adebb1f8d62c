# SPDX-License-Identifier: Apache-2.0
"""bfloat16, which numpy does not have: its elements are the upper halves of float32."""

import numpy as np


def bf16_values(bits):
    """float32 with the values of these bits (uint16)."""
    return (bits.astype(np.uint32) << 16).view(np.float32)


def bf16_bits(values):
    """The bits of floating-point values, rounded once to nearest, ties to even."""
    values = np.asarray(values)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        narrow = values.astype(np.float32)
        if values.dtype == np.float64:
            # To odd: what float32 loses stays visible in its last bit, and decides no tie.
            error = values - narrow.astype(np.float64)
            even = (narrow.view(np.uint32) & 1) == 0
            toward = np.where(error > 0, np.inf, -np.inf).astype(np.float32)
            narrow = np.where((error != 0) & even & ~np.isnan(values) & ~np.isinf(values),
                              np.nextafter(narrow, toward), narrow)
    bits = narrow.view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    return np.where(np.isnan(narrow), 0x7FC0, rounded).astype(np.uint16)
