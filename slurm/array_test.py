# SPDX-License-Identifier: Apache-2.0
"""A job array on a real Slurm whose nodes are lost and come back finds what one machine finds.

Run as: array_test.py path/to/concord. Needs the packages slurm-wlm and munge, and root; exits with 77,
which CTest counts as skipped, where one of them is missing."""

import collections
import os
import pathlib
import shlex
import subprocess
import sys
import tempfile
import time
import unittest

import cluster

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "reports"))
from concord_report import results  # noqa: E402

CONCORD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else "concord"
SCRIPT = pathlib.Path(__file__).with_name("concord-array.sh")
SKIPPED = 77
TASKS = 5
# Two backends: one conforms, one fails in some cases. One job, so that a task lasts long enough to be lost.
RUN = ["--backend", "reference", "--backend", "faulty:kernel_flip", "--suite", "smoke", "--filter", "[br]*/*",
       "--jobs", "1", "--shrink", "0"]


def verdicts(path):
    """Of each backend and case the verdict and the tier that decided it."""
    document = results.load(str(path)).document
    return {(backend["backend"], result["case"]): (result["verdict"], result.get("tier"))
            for backend in document["backends"] for result in backend["results"]}


def lines_of(journal):
    """How long a journal is, if there is one: two lines for each case that has ended."""
    try:
        text = journal.read_text(encoding="utf-8", errors="replace")
    except FileNotFoundError:
        return 0
    return text.count("\n")


class JobArray(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="concord-slurm-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.out = self.folder / "out"
        self.slurm = cluster.Cluster(self.folder / "slurm", ["n1", "n2", "n3"])

    def submit(self):
        """The array, and behind it the merge; their numbers."""
        options = ["sbatch", "--parsable", f"--array=1-{TASKS}", "--export=ALL,CONCORD=" + CONCORD,
                   "-D", self.folder, "-o", self.folder / "task.%a.log"]
        job = self.slurm.run(*options, SCRIPT, self.out, *RUN).strip()
        # A task that found a failure exits with 1: afterany.
        merge = f"{shlex.quote(CONCORD)} merge {self.out}/[0-9]*.json -o {self.folder}/all.json"
        merging = self.slurm.run("sbatch", "--parsable", f"--dependency=afterany:{job}", "-D", self.folder,
                                 "-o", self.folder / "merge.log", f"--wrap={merge}").strip()
        return job, merging

    def lose_a_node_in_its_work(self, job, besides):
        """Ends a node while a task of its journal has begun; the node, and the task."""
        found = []

        def works():
            for task in self.slurm.tasks(job):
                node, number = task.get("BatchHost"), task.get("ArrayTaskId")
                if task["JobState"] != "RUNNING" or node in besides or number is None:
                    continue
                if lines_of(self.out / f"{number}.json.journal") > 60:
                    found[:] = [node, number]
            return bool(found)

        self.slurm.wait_for(works, "a task in its work", 300)
        node, number = found
        self.slurm.lose_node(node)
        return node, number

    def states(self, job):
        return collections.Counter(task["JobState"] for task in self.slurm.tasks(job))

    def test_tasks_whose_nodes_are_lost_go_on_elsewhere_and_all_find_what_one_machine_finds(self):
        whole = self.folder / "whole.json"
        self.assertEqual(subprocess.run([CONCORD, "run", *RUN, "--out", whole], check=False,
                                        capture_output=True).returncode, 1)
        (self.folder / "slurm").mkdir()
        with self.slurm:
            job, merging = self.submit()
            lost = []
            for _ in range(2):
                node, number = self.lose_a_node_in_its_work(job, [node for node, _, _ in lost])
                journal = self.out / f"{number}.json.journal"
                lost.append((node, number, lines_of(journal)))
                print(f"node {node} lost: task {number}, {lost[-1][2]} lines in its journal", flush=True)
            self.slurm.wait_for(lambda: sum(state.startswith("down")
                                            for state in self.slurm.node_states().values()) == 2,
                                "Slurm to see that two nodes are lost")
            self.slurm.start_node(lost[0][0])
            begin = time.monotonic()
            self.slurm.wait_for(lambda: self.slurm.tasks(merging)[0]["JobState"] == "COMPLETED",
                                "the merge", 900)
            print(f"{self.states(job)} after {time.monotonic() - begin:.0f} s", flush=True)
            tasks = {task.get("ArrayTaskId"): task for task in self.slurm.tasks(job)}
        for node, number, lines in lost:
            self.assertGreaterEqual(int(tasks[number]["Restarts"]), 1, number)
            log = (self.folder / f"task.{number}.log").read_text(encoding="utf-8")
            self.assertEqual(log.count("the run begins anew"), 1, log)  # at its first start alone
            self.assertGreater(lines_of(self.out / f"{number}.json.journal"), lines, node)
        self.assertEqual(verdicts(self.folder / "all.json"), verdicts(whole))
        counted = collections.Counter(verdict for verdict, _ in verdicts(whole).values())
        self.assertGreater(min(counted["PASS"], counted["FAIL"]), 20, counted)
        print(dict(counted), flush=True)


if __name__ == "__main__":
    missing = cluster.missing_programs() + (["root"] if os.getuid() != 0 else [])
    if missing:
        print("skipped: there is no", ", ".join(missing))
        sys.exit(SKIPPED)
    unittest.main()
