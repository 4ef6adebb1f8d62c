# SPDX-License-Identifier: Apache-2.0
"""sandbox_cost.py CONCORD BACKEND PAIRS [OPTION ...]

Measures what the sandbox costs a run of smoke: PAIRS pairs of runs, one confined and one with `--sandbox
off`, in random order. Prints medians and quartiles of processor time (user and system, workers included)
and of wall time, and the medians of each pair's quotient. Other options, such as --shard, are handed on.
"""

import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time


def seconds_of(command):
    """Processor and wall time of a run that finds no failure."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    wall, after = time.monotonic() - begin, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        raise SystemExit(f"exit code {done.returncode}: {(done.stdout + done.stderr)[-300:]}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall


def quartiles(values):
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return f"{middle:.3f} ({low:.3f} to {high:.3f})"


def main():
    concord, backend, pairs = sys.argv[1], sys.argv[2], int(sys.argv[3])
    times = {"required": [], "off": []}
    with tempfile.TemporaryDirectory() as folder:
        command = [concord, "run", "--suite", "smoke", "--backend", backend, "--shrink", "0",
                   "--out", os.path.join(folder, "results.json"), *sys.argv[4:]]
        for level in times:  # once beforehand: files come into the machine's memory
            seconds_of([*command, "--sandbox", level])
        for _ in range(pairs):
            for level in random.sample(tuple(times), 2):
                times[level].append(seconds_of([*command, "--sandbox", level]))
    for column, name in enumerate(("processor", "wall")):
        confined, free = ([each[column] for each in times[level]] for level in times)
        print(f"{backend}, {name} time: {quartiles(confined)} s confined, {quartiles(free)} s not, "
              f"quotient {quartiles([one / other for one, other in zip(confined, free)])}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
