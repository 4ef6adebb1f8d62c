# SPDX-License-Identifier: Apache-2.0
"""The errors of several tensors added up and judged together, as concord run does.

docs/numerics.md#statistical-tier derives the limits.
"""

import math

MOST_MEAN_SQUARE = 256
BIAS_LIMIT = 16
SELF_NORMALISED_LIMIT = 7.5
SHRINKING = 3
UNIT_ROUNDOFF = {"f32": 2.0 ** -24, "f16": 2.0 ** -11, "bf16": 2.0 ** -8}
FALSE_ALARM = 1e-6
MOST_BITS = 53

SUMS = ("elements", "squares", "by_scale", "biased", "drift", "growth", "channels",
        "channel_squares")


def pools(results):
    """The `statistics` of a backend with these results."""
    found = {}
    for result in results:
        errors = result["errors"]
        if result["verdict"] != "PASS" or errors is None:
            continue
        for length in (-1, (max(errors["products"], 1) - 1).bit_length()):
            key = tuple(UNIT_ROUNDOFF).index(result["dtype"]), result["class"], length
            found.setdefault(key, []).append(result)
    return [_pool(key[2] < 0, members) for key, members in sorted(found.items())]


def _pool(all_lengths, members):
    total = {name: sum(float(member["errors"][name]) for member in members) for name in SUMS}
    products = [member["errors"]["products"] for member in members]
    elements = total["elements"]
    # math.fsum is not used: the sums are those of the members in their order, as in a single run.
    mean_square = total["squares"] / elements if elements else 0
    limit = MOST_MEAN_SQUARE
    if elements:
        limit = min(limit, 1 + 3 / math.sqrt(FALSE_ALARM * elements))
    root = math.sqrt(total["biased"])
    drift, growth = (abs(total[name]) / root if root else 0 for name in ("drift", "growth"))
    growth_limit = _growth_limit(members[0], mean_square, root)
    squares = total["channel_squares"]
    channels = abs(total["channels"]) / math.sqrt(squares) if squares > 0 else 0
    off = math.sqrt(total["by_scale"] / elements) if elements else 0
    return {"dtype": members[0]["dtype"], "class": members[0]["class"], "all_lengths": all_lengths,
            "products": [min(products), max(products)], "tensors": len(members),
            "elements": elements, "mean_square": mean_square, "mean_square_limit": limit,
            "drift": drift, "drift_limit": BIAS_LIMIT, "growth": growth,
            "growth_limit": growth_limit, "channels": channels,
            "channels_limit": SELF_NORMALISED_LIMIT,
            "effective_bits": min(MOST_BITS, -math.log2(off)) if off else MOST_BITS,
            "passed": (mean_square <= limit and drift <= BIAS_LIMIT and growth <= growth_limit
                       and channels <= SELF_NORMALISED_LIMIT)}


def _growth_limit(member, mean_square, root):
    limit = BIAS_LIMIT
    if not root:
        return limit
    if member["dtype"] == "f32" and "flush=yes" not in member["class"]:
        limit = min(limit, SELF_NORMALISED_LIMIT * math.sqrt(mean_square))
    return limit + SHRINKING * UNIT_ROUNDOFF[member["dtype"]] * root
