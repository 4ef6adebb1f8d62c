#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""optional_test.py CONCORD SOURCE SHARD BACKEND...: judges an optional backend, in each of its configurations, on a
part of smoke, I/N; 1/1 is all of it.

It passes if cases were judged and docs/findings/rules.py explains every failure. Exit code 77, which ctest
reports as skipped, if the backend is not built here.
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
# What smoke must judge at least: a backend that declines nearly everything has lost its library.
LEAST_PASSED = 100
# In seconds, of each request: the compiler of an OpenCL device takes more than the default on a busy machine.
DEADLINE = "60"


def available(concord):
    lines = subprocess.run([concord, "list", "--backends"], check=True, text=True,
                           stdout=subprocess.PIPE).stdout.splitlines()
    return {line for line in lines if ":" not in line}, lines


def unexplained(finding_of, backend):
    """What is wrong with the results of one backend, as lines; and the findings that they show."""
    if backend["error"]:
        return [f"cannot be judged: {backend['error']}"], {}
    if backend["counts"]["PASS"] < LEAST_PASSED:
        return [f"only {backend['counts']['PASS']} cases passed"], {}
    wrong, shown = [], collections.Counter()
    for result in backend["results"]:
        if result["verdict"] in ("PASS", "DECLINED", "VACUOUS"):
            continue
        finding = finding_of(backend["backend"], result)
        if finding is None:
            wrong.append(f"{result['verdict']} {result['case']}: {result['reason']}\n  {result['replay']}")
        else:
            shown[finding] += 1
    wrong += [f"statistics of {each['dtype']} do not pass" for each in backend["statistics"]
              if not each["passed"] and not shown]
    return wrong, shown


def main(arguments):
    if len(arguments) < 5:
        print(__doc__, file=sys.stderr)
        return 2
    concord, source, shard, backends = arguments[1], pathlib.Path(arguments[2]), arguments[3], arguments[4:]
    names, lines = available(concord)
    if backends[0].split(":")[0] not in names:
        print(next((line for line in lines if line.startswith(backends[0] + ":")), "not built"))
        return SKIPPED
    sys.path.insert(0, str(source / "docs" / "findings"))
    from rules import finding_of  # pylint: disable=import-outside-toplevel,import-error
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "results.json"
        chosen = [word for backend in backends for word in ("--backend", backend)]
        subprocess.run([concord, "run", "--suite", "smoke", "--shard", shard, "--shrink", "0", "--deadline", DEADLINE,
                        "--max-failures", "0", *chosen, "--out", path], check=False, stdout=subprocess.DEVNULL)
        results = json.loads(path.read_text(encoding="utf-8"))
    code = 0
    for backend in results["backends"]:
        wrong, shown = unexplained(finding_of, backend)
        print(f"{backend['backend']} {backend['version']}: {backend['counts']['PASS']} passed, "
              f"{sum(shown.values())} failed as findings say: {dict(shown)}, {len(wrong)} otherwise")
        for line in wrong[:20]:
            print(line)
        code |= bool(wrong)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv))
