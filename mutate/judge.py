# SPDX-License-Identifier: Apache-2.0
"""Asks `concord grade` which mutants a suite finds."""

import json
import pathlib
import subprocess
import tempfile

ALL = 1000000


class Judge:
    """One suite on the mutants of one plugin."""

    def __init__(self, concord, cases, config, threads, deadline, memory, written):
        """`cases` are the options of concord that choose the suite's cases; `written` is the file
        that plugins write."""
        self._command = [str(concord), "grade", *cases, "--threads", str(threads), "--deadline",
                         str(deadline), "--memory-limit", str(memory), "--sandbox-allow",
                         str(written)]
        self._config = f":{config}" if config else ""

    def finds(self, plugins, most, without=()):
        """Of each plugin what `concord grade --out` writes: its verdict, the case that found it, and
        up to `most` cases that fail; the cases `without` are left out. Raises RuntimeError if the
        command does not come to a result."""
        with tempfile.TemporaryDirectory() as folder:
            out = pathlib.Path(folder, "finds.json")
            command = [*self._command, "--finds", str(most), "--out", str(out)]
            for name in without:
                command += ["--without", name]
            for plugin in plugins:
                command += ["--backend", f"{plugin}{self._config}"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode not in (0, 1) or not out.exists():
                raise RuntimeError(f"{' '.join(command[:4])}: exit code {done.returncode}: "
                                   f"{done.stderr[-2000:]}")
            return json.loads(out.read_text())["bugs"]
