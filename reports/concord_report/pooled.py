# SPDX-License-Identifier: Apache-2.0
"""The errors of several tensors added up and judged together, as concord run does.

docs/numerics.md#statistical-tier derives the limits.
"""

import math

MOST_MEAN_SQUARE = 484
BIAS_LIMIT = 22
SELF_NORMALISED_LIMIT = 7.5
SHRINKING = 3
UNIT_ROUNDOFF = {"f32": 2.0 ** -24, "f16": 2.0 ** -11, "bf16": 2.0 ** -8, "f64": 2.0 ** -53}
FALSE_ALARM = 1e-9
MOST_BITS = 53

SUMS = ("elements", "squares", "by_scale", "biased", "drift", "growth", "channels",
        "channel_squares", "growth_squares", "shared")


def pools(parts):
    """The `statistics` of all parts of a run together, of those of each part."""
    found = {}
    for pool in (pool for statistics in parts for pool in statistics):
        length = -1 if pool["all_lengths"] else (max(pool["products"][0], 1) - 1).bit_length()
        key = tuple(UNIT_ROUNDOFF).index(pool["dtype"]), pool["class"], length
        found.setdefault(key, []).append(pool)
    return [_pool(members) for _, members in sorted(found.items())]


def of_tensor(dtype, arithmetic, errors):
    """The `statistics` of a run whose only random data are one tensor's."""
    sums = {name: errors[name] for name in SUMS}
    one = {"dtype": dtype, "class": arithmetic, "products": [errors["products"]] * 2, "tensors": 1,
           "sums": sums}
    return pools([[dict(one, all_lengths=True), dict(one, all_lengths=False)]])


def _pool(members):
    total = {name: sum(float(member["sums"][name]) for member in members) for name in SUMS}
    products = [end for member in members for end in member["products"]]
    elements = total["elements"]
    mean_square = total["squares"] / elements if elements else 0
    limit = MOST_MEAN_SQUARE
    if elements:
        limit = min(limit, 1 + 3 / math.sqrt(FALSE_ALARM * elements))
    root = math.sqrt(total["biased"])
    drift, growth = (abs(total[name]) / root if root else 0 for name in ("drift", "growth"))
    drift_limit, growth_limit = _bias_limits(members[0], total, root)
    squares = total["channel_squares"]
    channels = abs(total["channels"]) / math.sqrt(squares) if squares > 0 else 0
    off = math.sqrt(total["by_scale"] / elements) if elements else 0
    return {"dtype": members[0]["dtype"], "class": members[0]["class"], "all_lengths": members[0]["all_lengths"],
            "products": [min(products), max(products)],
            "tensors": sum(member["tensors"] for member in members), "elements": elements,
            "sums": total, "mean_square": mean_square, "mean_square_limit": limit,
            "drift": drift, "drift_limit": drift_limit, "growth": growth,
            "growth_limit": growth_limit, "channels": channels,
            "channels_limit": SELF_NORMALISED_LIMIT,
            "effective_bits": min(MOST_BITS, -math.log2(off)) if off else MOST_BITS,
            "passed": (mean_square <= limit and drift <= drift_limit and growth <= growth_limit
                       and channels <= SELF_NORMALISED_LIMIT)}


def _bias_limits(member, total, root):
    if not root:
        return BIAS_LIMIT, BIAS_LIMIT
    varied = member["dtype"] in ("f32", "f64") and "flush=yes" not in member["class"]
    absolute = BIAS_LIMIT + total["shared"] / root
    drift, growth = ((min if varied else max)(
        absolute, SELF_NORMALISED_LIMIT * math.sqrt(total[squares]) / root)
                     for squares in ("channel_squares", "growth_squares"))
    return drift, growth + SHRINKING * UNIT_ROUNDOFF[member["dtype"]] * root
