# SPDX-License-Identifier: Apache-2.0
"""hostile_test.py CONCORD DEEDS PLUGIN PAGE [--before | --update | --every N | NAME ...]

Runs a plugin that computes nonsense and attacks whoever judges it, once for each row of the table that
the program DEEDS prints, beside a backend that conforms. Whatever it does, its case gets the verdict of
the table and never PASS, the other backend's cases pass, the results are whole, and nothing outside is
changed. PAGE must have the same table. --update writes it there; --before also tries what the rows that it
calls not tried reach without a sandbox, where that harms no machine. --every N tries every N-th row of each
verdict, the first one too.
"""

import collections
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "reports"))
from concord_report import results, verdict  # noqa: E402

PROBLEM = "hostile: Convolution f32 src=1x2x6 weights=3x2x3 data_format=NCX weights_format=OIX\n"
MARK = re.compile(r"(<!-- deeds -->\n).*?(<!-- end of deeds -->)", re.DOTALL)
SKIPPED = 77
NOT_TRIED = "not tried"


class Row:
    """A deed, and what the table says of it."""

    def __init__(self, line):
        self.name, self.stage, self.verdict, self.needs, self.without = line.rstrip("\n").split("\t")


class Place:
    """What the deeds may attack: files, a process, programs behind sockets, shared memory."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.files = self.folder / "files"
        self.files.mkdir()
        self.treasure = self.files / "treasure"
        self.treasure.write_text("gold")
        self.results = self.files / "results.json"
        self.cases = self.folder / "cases.txt"
        self.cases.write_text(PROBLEM)
        self.name = f"concord_hostile_{os.getpid()}_{id(self):x}"
        self.bystander = subprocess.Popen(["sleep", "1000"])
        self.sockets = [socket.socket(socket.AF_UNIX), socket.socket(socket.AF_UNIX), socket.socket()]
        for each, address in zip(self.sockets, (str(self.folder / "s"), "\0" + self.name, ("127.0.0.1", 0))):
            each.bind(address)
            each.listen(8)

    def environment(self, row, vectors):
        return {**os.environ, "HOSTILE_DEED": row.name, "HOSTILE_BYSTANDER": str(self.bystander.pid),
                "HOSTILE_RESULTS": str(self.results), "HOSTILE_TREASURE": str(self.treasure),
                "HOSTILE_VECTORS": str(vectors), "HOSTILE_SOCKET": str(self.folder / "s"),
                "HOSTILE_NAME": self.name, "HOSTILE_PORT": str(self.sockets[2].getsockname()[1]),
                "HOSTILE_KEY": str(0x434f0000 + os.getpid() % 0xffff)}

    def harm(self):
        """What is no longer as it was, in words."""
        found = []
        state = pathlib.Path(f"/proc/{self.bystander.pid}/status").read_text().split("State:")[1].split()[0]
        if self.bystander.poll() is not None or state not in "SDR":
            found.append(f"the bystander is in state {state}")
        if self.treasure.read_text() != "gold":
            found.append("the treasure is another one")
        here = {path.name for path in self.files.iterdir()}
        if here - {"treasure", "results.json", "results.json.journal"}:
            found.append(f"there are new files: {here}")
        for folder in ("/tmp", "/dev/shm"):
            stayed = pathlib.Path(folder) / f"hostile_{self.name}"
            if stayed.exists():
                stayed.unlink()
                found.append(f"{stayed} is there")
        for each in self.sockets:
            each.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                each.accept()
                found.append("somebody called")
        return found

    def close(self):
        self.bystander.send_signal(signal.SIGCONT)
        self.bystander.kill()
        self.bystander.wait()
        for each in self.sockets:
            each.close()


def deadline_of(row):
    """Seconds: short where it is waited for, and long enough for the other backend on a busy machine."""
    return 10 if "HANG" in row.verdict or "no end" in row.name else 60


class Trial:
    """One deed tried in a run: the verdict of its case, whether it got through, and what was harmed."""

    def __init__(self, programs, row, *options):
        concord, plugin = programs
        with tempfile.TemporaryDirectory(prefix="hostile_") as folder:
            place = Place(folder)
            try:
                command = [concord, "run", "--backend", "reference", "--backend", plugin, "--problems", place.cases,
                           "--filter", "*/integers", "--out", place.results, "--deadline", deadline_of(row), "--shrink", "0",
                           "--memory-limit", "1", *options]
                # The shell becomes concord, whose process number the deeds so know beforehand.
                vectors = next((pathlib.Path(concord).resolve().parents[1] / "share/concord/vectors/literals").iterdir())
                done = subprocess.run(["/bin/sh", "-c", 'HOSTILE_HOST=$$ exec "$@"', "sh", *map(str, command)],
                                      env=place.environment(row, vectors), capture_output=True, text=True,
                                      stdin=subprocess.DEVNULL, timeout=300, errors="replace")
                self.code, self.said = done.returncode, done.stdout + done.stderr
                self.harm = place.harm()
                self.attacked = bool(self.harm)  # _read() adds to the harm what is wrong with the results
                self._read(place.results)
            finally:
                place.close()

    def _read(self, path):
        self.verdict, self.reason, self.level, self.bad_end = "none", "", "", False
        try:
            backends = results.load(path).document["backends"]
        except results.Refusal as refusal:
            self.harm.append(str(refusal))
            return
        good, hostile = ([dict(each) for each in backend["results"]] for backend in backends)
        if not good or any(each["verdict"] != verdict.PASS for each in good):
            self.harm.append("the other backend does not pass")
        if backends[1]["conforms"] not in ("no", "unknown"):
            self.harm.append("it conforms")
        self.level = backends[1]["sandbox"]["level"]
        self.verdict = ", ".join(each["verdict"] for each in hostile) or "not loaded"
        self.reason = " ".join(each["reason"] for each in hostile) or backends[1]["error"] or ""
        self.bad_end = "did not exit cleanly" in backends[1]["headline"]

    @property
    def got_through(self):
        return "got through" in self.reason


def wrong_with(row, trial):
    """What is wrong with a trial in the sandbox, in words."""
    found = list(trial.harm)
    if row.verdict == "bad end" and not (trial.verdict == verdict.FAIL and trial.bad_end):
        found.append(f"{trial.verdict}, and no bad end ({trial.reason})")
    if row.verdict != "bad end" and trial.verdict not in row.verdict.split(" or "):
        found.append(f"{trial.verdict}, not {row.verdict} ({trial.reason})")
    if trial.got_through:
        found.append("it got through")
    if trial.code not in (1, 2) or (trial.code == 2 and trial.verdict != "not loaded"):
        found.append(f"exit code {trial.code}: {trial.said[-300:]}")
    return found


def page_table(rows, before):
    lines = ["| what it does | when | without a sandbox | verdict |", "|---|---|---|---|"]
    lines += [f"| {row.name} | {row.stage} | {before.get(row.name, NOT_TRIED)} | {row.verdict} |" for row in rows]
    return "\n".join(lines) + "\n"


def known_before(page):
    """What the page says of each row without a sandbox."""
    cells = [[cell.strip() for cell in line.strip("|\n ").split(" | ")] for line in MARK.search(page).group(0).splitlines()
             if line.startswith("| ")]
    return {row[0]: row[2] for row in cells[1:]}


def word_for(row, trial):
    """What a row reached without a sandbox; None if the run itself went wrong, as on an overloaded machine."""
    if trial.got_through or trial.attacked:
        return "gets through"
    if row.verdict == verdict.FAIL and trial.verdict == verdict.FAIL and not trial.harm:
        return "refused"
    if trial.verdict == verdict.HANG != row.verdict:
        return "hangs"
    return "the same" if not wrong_with(row, trial) else None


def try_before(programs, row):
    try:
        trial = Trial(programs, row, "--sandbox", "off")
    except subprocess.TimeoutExpired:
        return "hangs"
    word = word_for(row, trial)
    if word is None:
        print(f"{row.name}: {trial.verdict} ({trial.reason}), {trial.harm}", flush=True)
    return word


def fill_before(programs, rows, page):
    """Tries the rows that the page calls not tried, but for those that would harm the machine; writes each word at once."""
    before = known_before(page.read_text(encoding="utf-8"))
    open_rows = [row for row in rows if row.without != "never" and before.get(row.name, NOT_TRIED) == NOT_TRIED]
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        for row, word in zip(open_rows, pool.map(lambda row: try_before(programs, row), open_rows)):
            if word is not None:
                before[row.name] = word
                write_table(page, rows, before)


def write_table(page, rows, before):
    text = page.read_text(encoding="utf-8")
    text = MARK.sub(lambda found: found.group(1) + page_table(rows, before) + found.group(2), text)
    page.write_text(text, encoding="utf-8")


def sample(rows, every):
    """Every n-th row of each verdict."""
    seen = collections.Counter()
    for row in rows:
        if seen[row.verdict] % every == 0:
            yield row
        seen[row.verdict] += 1


def main():
    concord, deeds, plugin = sys.argv[1:4]
    page = pathlib.Path(sys.argv[4])
    words = sys.argv[5:]
    programs = (os.path.abspath(concord), os.path.abspath(plugin))
    lines = subprocess.run([deeds], capture_output=True, text=True, check=True).stdout.splitlines()
    rows = [Row(line) for line in lines]
    text = page.read_text(encoding="utf-8")
    if words == ["--update"]:
        write_table(page, rows, known_before(text))
        return 0
    if words == ["--before"]:
        fill_before(programs, rows, page)
        return 0
    every = int(words[1]) if words[:1] == ["--every"] else 1
    names = [] if every > 1 else words
    failed = 0
    if page_table(rows, known_before(text)) not in text:
        print(f"{page} has another table: --update writes this one")
        failed += 1
    level = Trial(programs, rows[-1]).level
    chosen = [row for row in sample(rows, every) if not names or row.name in names]
    tried = [row for row in chosen if level == "namespaces+seccomp" or row.needs != "namespaces"]
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        for row, trial in zip(tried, pool.map(lambda row: Trial(programs, row), tried)):
            found = wrong_with(row, trial)
            failed += bool(found)
            for what in found:
                print(f"{row.name}: {what}", flush=True)
    print(json.dumps({"behaviours": len(chosen), "tried": len(tried), "wrong": failed, "sandbox": level}))
    if failed:
        return 1
    return 0 if tried else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
