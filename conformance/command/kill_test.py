# SPDX-License-Identifier: Apache-2.0
"""kill_test.py CONCORD KILLS [SEED [SHARD]]

Kills runs and processes of their sandboxes with SIGKILL at random times, half of each, and resumes the
runs, until there were so many kills. Each run that comes to its end must have found what a run without a
kill finds, every case once; and nothing that a killed run started lives on. SHARD, 1/4 by default, is the
part of the cases.
"""

import contextlib
import json
import os
import pathlib
import random
import re
import signal
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
         "--jobs", "2", "--shrink", "0", "--max-failures", "0")
# What a case says besides when its process was killed, and it was tried again.
OUTSIDE = re.compile(r"(; |^)a signal from outside ended \d of \d tries \(in [\w ]+: SIGKILL(?: \([^)]*\))?\), but not the last, alone"
                     r"(?: and after \S+)?$")


def found_in(path):
    """What each backend's cases found, without the times and without signals from outside."""
    def found(result):
        return tuple(OUTSIDE.sub("", result["reason"] or "") if field == "reason" else result[field] for field in FIELDS)

    return [[found(result) for result in backend["results"]] for backend in results.load(path).document["backends"]]


def parent_and_start(process):
    """The parent of a process and when it began, or None if it has ended."""
    try:
        words = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return None if words[0] in "ZX" else (int(words[1]), words[19])


def family(process):
    """The processes that it started, and those that these did, with the times when they began."""
    known = {int(each): parent_and_start(each) for each in filter(str.isdigit, os.listdir("/proc"))}
    running = {each: facts for each, facts in known.items() if facts}
    found, new = set(), {process}
    while new:
        new = {each for each, (parent, _) in running.items() if parent in new}
        found |= new
    return {(each, running[each][1]) for each in found}


def alive(processes):
    """Those of `processes` that have not ended: a number may be given to another one later."""
    return {(process, time) for process, time in processes if (parent_and_start(process) or (0, ""))[1] == time}


class Killer:
    """Runs, and how many of them, and of their processes, were killed."""

    def __init__(self, concord, dice, shard):
        self.command = [concord, "run", *CASES, "--shard", shard]
        self.dice = dice
        self.hosts = self.workers = self.runs = 0

    @property
    def kills(self):
        return self.hosts + self.workers

    def start(self, out, *options):
        return subprocess.Popen([*self.command, "--out", out, *options], stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def whole(self, out):
        """Seconds that a run takes."""
        begin = time.monotonic()
        _, said = (run := self.start(out)).communicate()
        if run.returncode != 1:
            raise SystemExit(f"exit code {run.returncode}: {said}")
        return time.monotonic() - begin

    def kill_host(self, run):
        others = family(run.pid)
        run.kill()
        self.hosts += 1
        end = time.monotonic() + 20
        while left := alive(others):
            if time.monotonic() > end:
                raise SystemExit(f"processes outlive the run: {left}")
            time.sleep(0.01)

    def kill_worker(self, run):
        """One process of a sandbox: keeper, process 1 or worker."""
        if others := sorted(family(run.pid)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.dice.choice(others)[0], signal.SIGKILL)
                self.workers += 1

    def killed_until_it_ends(self, out, seconds, most):
        """One run, killed again and again, at most so often."""
        options, most = (), self.kills + most
        while True:
            run = self.start(out, *options)
            while self.kills < most:
                try:
                    run.wait(self.dice.random() * seconds)
                    break
                except subprocess.TimeoutExpired:
                    (self.kill_host if self.dice.random() < 0.5 else self.kill_worker)(run)
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
    kills = int(sys.argv[2])
    seed, shard = (*sys.argv[3:], *("1", "1/4")[len(sys.argv) - 3:])
    killer = Killer(os.path.abspath(sys.argv[1]), random.Random(seed), shard)
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
            print(f"{killer.hosts} runs and {killer.workers} processes killed", file=sys.stderr, flush=True)
        left = [name for name in os.listdir(folder) if name not in ("results.json", "results.json.journal")
                and ".part-" not in name]
        if left:
            raise SystemExit(f"files are left: {left}")
    print(json.dumps({"killed_runs": killer.hosts, "killed_processes": killer.workers, "runs": killer.runs,
                      "cases": [len(each) for each in want], "seconds_of_a_run": round(seconds, 2), "differences": 0}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
