# SPDX-License-Identifier: Apache-2.0
"""kill_test.py CONCORD KILLS [SEED]

Kills runs with SIGKILL at random times and resumes them, until so many have been killed: each run that
comes to its end must have found what a run without a kill finds, every case once.
"""

import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "reports"))
from concord_report import results  # noqa: E402

FIELDS = ("case", "problem", "verdict", "tier", "reason", "class", "elements", "wrong", "margin", "resolution",
          "implementation")
# One that passes, one that fails and one that declines: results of every kind in the journal.
CASES = ("--backend", "reference", "--backend", "faulty:kernel_flip", "--filter", "boundary/*", "--dtype", "f32",
         "--shard", "1/4", "--jobs", "2", "--shrink", "0")


def found_in(path):
    """What each backend's cases found, without the times."""
    document = results.load(path).document
    return [[tuple(dict(each).get(field) for field in FIELDS) for each in backend["results"]]
            for backend in document["backends"]]


class Killer:
    """Runs, and how many of them were killed."""

    def __init__(self, concord, dice):
        self.concord, self.dice = concord, dice
        self.kills = self.runs = 0

    def start(self, out, *options):
        return subprocess.Popen([self.concord, "run", *CASES, "--out", out, *options], stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def whole(self, out):
        """Seconds that a run takes."""
        begin = time.monotonic()
        _, said = (run := self.start(out)).communicate()
        if run.returncode != 1:
            raise SystemExit(f"exit code {run.returncode}: {said}")
        return time.monotonic() - begin

    def killed_until_it_ends(self, out, seconds, most):
        """One run, killed again and again, at most so often."""
        options = ()
        while True:
            run = self.start(out, *options)
            if most > 0:
                try:
                    run.wait(self.dice.random() * seconds)
                except subprocess.TimeoutExpired:
                    run.kill()
                    most, self.kills = most - 1, self.kills + 1
            _, said = run.communicate()
            if run.returncode == 1:
                self.runs += 1
                return
            if run.returncode != -9:
                raise SystemExit(f"exit code {run.returncode}: {said}")
            # Before there is a journal a run has nothing to go on from.
            options = ("--resume", "--retry-killed") if os.path.exists(out + ".journal") else ()


def difference(want, got):
    for backend, (left, right) in enumerate(zip(want, got)):
        if len(left) != len(right):
            return f"backend {backend}: {len(right)} results, not {len(left)}"
        for one, other in zip(left, right):
            if one != other:
                return f"backend {backend}: {other}, not {one}"
    return None


def main():
    kills, seed = int(sys.argv[2]), sys.argv[3] if len(sys.argv) > 3 else "1"
    killer = Killer(os.path.abspath(sys.argv[1]), random.Random(seed))
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "results.json")
        seconds = killer.whole(out)
        want = found_in(out)
        while killer.kills < kills:
            os.remove(out)
            os.remove(out + ".journal")
            killer.killed_until_it_ends(out, seconds, min(20, kills - killer.kills))
            if wrong := difference(want, found_in(out)):
                raise SystemExit(f"after {killer.kills} kills, seed {seed}: {wrong}")
        left = [name for name in os.listdir(folder) if name not in ("results.json", "results.json.journal")
                and ".part-" not in name]
        if left:
            raise SystemExit(f"files are left: {left}")
    print(json.dumps({"kills": killer.kills, "runs": killer.runs, "cases": [len(each) for each in want],
                      "seconds_of_a_run": round(seconds, 2), "differences": 0}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
