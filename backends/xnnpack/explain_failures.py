#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Are all of XNNPACK's failures in smoke the one defect of docs/findings.md, NaN become -Inf?

Runs XNNPACK, and in its classes of arithmetic two planted bugs that are right but for that defect:
`clamp_swallows_nan` leaves padding out, `clamp_swallows_nan_of_padding` multiplies it as zeros; both
are right. Every case that XNNPACK fails is compared with theirs: the tier, how many elements are
wrong, and the one that is furthest off.

usage: explain_failures.py path/to/concord      exits with 0 if all are
"""

import json
import os
import subprocess
import sys
import tempfile

KEYS = "tier", "elements", "wrong", "failure"
PASSING = "PASS", "DECLINED", "VACUOUS"
PLANTED = "faulty:clamp_swallows_nan", "faulty:clamp_swallows_nan_of_padding"


def results_of(path, concord, *options):
    """The results of a run by case."""
    subprocess.run([concord, "run", "--suite", "smoke", "--out", path, *options],
                   stdout=subprocess.DEVNULL, check=False)
    with open(path, encoding="utf-8") as file:
        return {one["case"]: one for one in json.load(file)["backends"][0]["results"]}


def main(arguments):
    if len(arguments) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "results.json")
        met = results_of(path, arguments[1], "--backend", "xnnpack")
        failed = {case: one for case, one in met.items() if one["verdict"] not in PASSING}
        planted = {(name, arithmetic): results_of(path, arguments[1], "--filter", "*/special",
                                                  "--backend", name, "--class", arithmetic)
                   for name in PLANTED for arithmetic in {one["class"] for one in failed.values()}}
    other = 0
    for case, one in sorted(failed.items()):
        twins = [name for name in PLANTED
                 if all(one[key] == planted[name, one["class"]].get(case, {}).get(key)
                        for key in KEYS)]
        other += not twins
        print(f"{one['wrong']:>6} of {one['elements']:>6}  {case}  {twins[0] if twins else 'OTHER'}")
    print(f"{len(failed)} failures, {len(failed) - other} of them NaN that became -Inf")
    return 1 if other else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
