# SPDX-License-Identifier: Apache-2.0
"""Counts mutants: results.json, and a table in Markdown."""

import math

# What can become of a mutant before any suite runs it; and what no suite found.
NOT_JUDGED = ("invalid", "same", "repeated", "unreached")


def wilson(found, of):
    """The Wilson interval of 95 % of a share, in per cent."""
    if of == 0:
        return 0.0, 100.0
    z, share = 1.959964, found / of
    middle = (share + z * z / (2 * of)) / (1 + z * z / of)
    half = z / (1 + z * z / of) * math.sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return 100 * max(0.0, middle - half), 100 * min(1.0, middle + half)


def count(mutants, suites):
    """How many of `mutants` came to what; of each suite how many it and those before it found."""
    counts = {"mutants": len(mutants)}
    for state in NOT_JUDGED:
        counts[state] = sum(one["state"] == state for one in mutants)
    counts["serves less"] = sum(serves_less(one) for one in mutants)
    judged = [one for one in mutants if one["state"] == "judged" and not serves_less(one)]
    counts["judged"] = len(judged)
    for suite in suites:
        found = sum(found_by(one, suites, suite) for one in judged)
        waiting = sum(is_survivor(one) and suite not in one["suites"] for one in judged)
        counts[suite] = {"found": found, "waiting": waiting,
                         "interval": wilson(found, len(judged))}
    counts["survived"] = sum(map(is_survivor, judged))
    return counts


def found_by(mutant, suites, last):
    """True if `last`, or a suite before it, found the mutant."""
    return any(mutant["suites"].get(suite, {}).get("found", False)
               for suite in suites[:suites.index(last) + 1])


def is_survivor(mutant):
    """True if the mutant was judged, and no suite found it."""
    return (mutant["state"] == "judged" and
            not any(suite["found"] for suite in mutant["suites"].values()))


def serves_less(mutant):
    """True if no suite found the mutant, and it declines cases that the plugin serves unmutated. To
    serve less is legal."""
    return is_survivor(mutant) and any(suite.get("declines", 0) > 0
                                       for suite in mutant["suites"].values())


def score_text(score, judged):
    """"96.0 % (92.3 to 98.0)"; how many mutants wait for the suite, if any."""
    if judged == 0:
        return "-"
    if score["waiting"]:
        return f"{score['waiting']} not judged yet"
    low, high = score["interval"]
    return f"{100 * score['found'] / judged:.1f} % ({low:.1f} to {high:.1f})"


def by_source(mutants):
    """The mutants of each source, and of all if there are several."""
    groups = {}
    for one in mutants:
        groups.setdefault(one["source"], []).append(one)
    if len(groups) > 1:
        groups["all"] = mutants
    return groups


def markdown(mutants, suites):
    """The table, and a line per survivor."""
    head = ["source", "mutants", "invalid", "the same code", "repeated", "not executed",
            "serve less", "judged",
            *(f"found by {suite}" for suite in suites), "survived",
            *(f"score of {suite}, % (95 %)" for suite in suites)]
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for source, group in by_source(mutants).items():
        counts = count(group, suites)
        cells = [source, counts["mutants"], *(counts[state] for state in NOT_JUDGED),
                 counts["serves less"], counts["judged"], *(counts[suite]["found"] for suite in suites),
                 counts["survived"],
                 *(score_text(counts[suite], counts["judged"]) for suite in suites)]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    lines += ["", "Survivors:", ""]
    lines += [f"- `{one['id']}` {one['file']}:{one['line']}:{one['column']} "
              f"`{one['function']}`: {one['kind']}, {one['what']}"
              for one in mutants if is_survivor(one) and not serves_less(one)]
    return "\n".join(lines) + "\n"
