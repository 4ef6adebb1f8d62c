# SPDX-License-Identifier: Apache-2.0
"""The shell commands of a document: each is understood, and what takes seconds runs as it is printed."""

import functools
import os
import re
import shlex
import shutil
import subprocess

# Why a command is not run: by the beginning of its words. Options of the first four are checked by --help.
NOT_RUN = {
    "./conform.sh": "installs packages and builds: run by hand before a release",
    "./test.sh": "installs packages, builds, and runs this test",
    "cmake/aarch64.sh": "builds for another processor, under an emulator: minutes",
    "mutate/mutate.py": "builds and judges mutants, for minutes; the test mutate runs it",
    "concord_bench": "measures, for minutes; the test bench runs it",
    "concord_sweep": "measures, for minutes",
    "concord_continuous_bench": "measures, for minutes",
    "concord_experiments": "trains, for up to minutes; the test experiments runs the fast versions",
    "cmake": "configures and builds; a preset that it names has to exist",
    "ctest": "runs this test; a preset that it names has to exist",
    "ninja": "builds",
    "make": "the test template builds the template by its Makefile",
    "cp": "copies files that have to exist",
    "sudo": "installs packages",
    "git": "changes the sources",
    "oneDNN": "another project's program",
    "docs/findings/scipy_small_weights.py": "needs SciPy; the test finding_scipy_small_weights runs it",
    "conformance/command/sandbox_cost.py": "measures, for minutes",
    "conformance/command/kill_test.py": "kills runs, for minutes; the test kill does it fewer times",
    "reports/bench.py": "draws what concord_bench measured",
    "reports/scaling.py": "draws what concord_bench measured",
    "reports/bench_table.py": "draws what concord_bench measured",
    "reports/tests/grown.py": "reads results of the whole suite full",
}
# Options of `concord` that make a suite small, where the command has none of these itself.
FEW = "pairs/00?/*"
FEW_HUGE = "*/far-bias*"
SMALLER = {"run": ["--filter", FEW], "grade": ["--filter", FEW, "--bug", "kernel_flip"]}
# Programs of others, whose options prose may name.
FOREIGN_OPTIONS = {"--call-graph", "--cfg", "--component", "--conv", "--dir", "--dt", "--gtest_filter", "--install", "--mb", "--prefix", "--preset",
                   "--stag", "--workflow"}
START = re.compile(r"(?:[A-Z_]+=\S+ )*(?:\./|build/release/bin/|/usr/bin/)?"
                   r"(?:concord(?:_\w+)?|conform\.sh|test\.sh|cmake|ctest|ninja|make|cp|sudo|git|python3|"
                   r"cmake/\w+\.sh)(?= |$)")
PLACEHOLDER = re.compile(r"\.\.\.|\[--")
TIMEOUT = 120


class Shell:
    """Runs commands of the documents in a folder where the files that they name are."""

    def __init__(self, programs, root, folder):
        self.programs, self.root = programs, root
        self.folder = folder / "concord"  # a reader's library lies beside it
        self.not_run = {}
        self._ready = self._has_results = False

    def run(self, words, timeout=TIMEOUT):
        """Exit code, standard output and standard error."""
        self._prepare()
        words = [str(self.programs / words[0]) if (self.programs / words[0]).is_file() else words[0],
                 *words[1:]]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=timeout)
        return done.returncode, done.stdout, done.stderr

    @functools.lru_cache(maxsize=None)
    def output(self, command):
        """What a command of a mark prints. Raises ValueError with the reason if it fails."""
        name, *rest = shlex.split(command)
        if name == "lines":
            text = (self.root / rest[0]).read_text(encoding="utf-8")
            return "".join(f"{line}\n" for line in text.split("\n") if line and not line.startswith("#"))
        if name == "files":
            return "".join(f"{path}\n" for path in sorted(self.root.glob(rest[0])))
        code, out, err = self.run([name, *rest], timeout=3600)
        if code not in (0, 1) or err.startswith("concord:"):
            raise ValueError(f"{command!r} ends with {code}: {err.strip()[:200]}")
        return out

    @functools.lru_cache(maxsize=None)
    def help(self, *words):
        """What `words` --help prints; empty if there is no such program or subcommand."""
        try:
            code, out, _ = self.run([*words, "--help"])
        except OSError:
            return ""
        return out if code == 0 else ""

    def subcommand(self, words):
        """How many words name the subcommand: 1 of run, 2 of vectors add."""
        nested = len(words) > 1 and words[0] == "vectors"
        return 2 if nested and not words[1].startswith("-") else 1

    def _prepare(self):
        """Makes the files that examples name: the sources and plugins."""
        if self._ready:
            return
        self._ready = True
        self.folder.mkdir()
        for path in self.root.iterdir():
            if path.name not in ("build", ".git"):
                os.symlink(path, self.folder / path.name)
        plugin = self.programs.parent / "plugins" / "reference.so"
        (self.folder.parent / "mylib").mkdir()
        for name in ("mylib.so", "../mylib/template.so", "libvendor.so", "vendor.so"):
            shutil.copy(plugin, self.folder / name)

    def prepare_results(self):
        """Makes the results of runs and of shards that examples read."""
        if self._has_results:
            return
        self._has_results = True
        run = ["concord", "run", "--backend", "reference", *SMALLER["run"]]
        for name in ("results", "old", "new"):
            self.run([*run, "--out", f"{name}.json"])
        for number, name in enumerate("abc", 1):
            self.run(["concord", "run", "--backend", "reference", "--filter", "*resnet50/conv1/*",
                      "--shard", f"{number}/3", "--out", f"{name}.json"])


def wrong_commands(document, shell):
    """Complaints of the commands in code blocks."""
    for number, line in document.blocks():
        line = re.sub(r"\s+#\s.*$", "", line.removeprefix("$ ").strip())
        for command in re.split(r" && | \| ", line):
            if START.match(command):
                for complaint in _wrong(command, shell):
                    yield f"{document.name}:{number}: {complaint}"


def _wrong(command, shell):
    try:
        words = shlex.split(command.replace("$PWD", "."))
    except ValueError as error:
        return [f"{command}: {error}"]
    while words and re.fullmatch(r"[A-Z_]+=\S+", words[0]):
        words.pop(0)
    if words[0].endswith("python3"):
        words.pop(0)
    words[0] = words[0].removeprefix("build/release/bin/").removeprefix("./build/release/bin/")
    if words[0] == "concord":
        return _wrong_concord(command, words[1:], shell)
    reason = next((why for start, why in NOT_RUN.items() if words[0] == start), None)
    if reason is None:
        return [f"{command}: neither run nor listed in NOT_RUN"]
    shell.not_run[command[:60]] = reason
    return _wrong_elsewhere(command, words, shell)


def _wrong_elsewhere(command, words, shell):
    """What can be said of a command that is not run."""
    if any("PREFIX" in word for word in words):
        return []  # where the reader installed it
    program = words[0].removeprefix("./")
    if "/" in words[0] and not (shell.root / program).exists():
        return [f"{command}: there is no {program}"]
    if words[0] == "cp" and not (shell.root / words[-2]).exists():
        return [f"{command}: there is no {words[-2]}"]
    presets = (shell.root / "CMakePresets.json").read_text(encoding="utf-8")
    for option, value in zip(words, words[1:]):
        if option == "--preset" and value != "NAME" and f'"name": "{value}"' not in presets:
            return [f"{command}: there is no preset {value}"]
    if program.startswith(("concord_", "reports/")):
        path = shell.root / program
        said = shell.help("/usr/bin/python3", "-B", str(path)) if path.exists() else shell.help(program)
        if said:
            return [f"{command}: {program} has no {word}" for word in _options(words[1:])
                    if not _has(said, word)]
    return []


def _wrong_concord(command, words, shell):
    if not words or words[0].startswith("-"):
        code, _, err = shell.run(["concord", *words])
        return [] if code == 0 else [f"{command}: exit code {code}: {err.strip()}"]
    size = shell.subcommand(words)
    said = shell.help("concord", *words[:size])
    if not said:
        return [f"{command}: there is no concord {' '.join(words[:size])}"]
    if wrong := [f"{command}: concord {words[0]} has no {word}" for word in _options(words[size:])
                 if not _has(said, word)]:
        return wrong
    if PLACEHOLDER.search(command):
        shell.not_run[command[:60]] = "holds a placeholder: its options were checked"
        return []
    return _run_small(command, words, shell)


def _run_small(command, words, shell):
    words = ["reference" if word == "NAME" else word for word in words]
    if words[0] in SMALLER and "--list" not in words and "--problems" not in words:
        chosen = {"--bug", "--family", "--backend"} & set(words)
        smaller = ["--filter", FEW_HUGE] if "huge" in words else SMALLER[words[0]]
        words += [] if "--filter" in words else smaller[:2 if chosen else None]
        words = [word for word in words if not re.fullmatch(r"--suite=\w+", word)]
        shell.not_run[command[:60]] = "run on a few cases only"
    for option in ("--choose", "--time-budget"):
        if option in words:
            words[words.index(option) + 1] = "made" if option == "--choose" else "3"
    for place, word in enumerate(words[1:], 1):
        if word.startswith("-") or not re.fullmatch(r"[\w./]+\.(txt|onnx)|bench-[\w.]+\.json", word) or (shell.folder / word).exists():
            continue
        shell.not_run[command[:60]] = f"{words[place]} is the reader's own file: its options were checked"
        return []
    if any(word.endswith(".json") for word in words):
        shell.prepare_results()
    try:
        code, out, err = shell.run(["concord", *words])
    except subprocess.TimeoutExpired:
        return [f"{command}: not done after {TIMEOUT} s, although made small: {shlex.join(words)}"]
    if code == 2 and "new namespaces" in err:
        shell.not_run[command[:60]] = "this machine's kernel gives no namespaces: its options were checked"
        return []
    if code in (0, 1) or (words[0] in ("run", "replay") and "conforms" in out):
        return []
    return [f"{command}: exit code {code}: {err.strip()[:200]}"]


def _options(words):
    return [word.partition("=")[0].rstrip("],") for word in words if re.match(r"--?[a-z]", word)]


def _has(said, option):
    return re.search(rf"(?<![\w-]){re.escape(option)}(?![\w-])", said) is not None


@functools.lru_cache(maxsize=1)
def _all_help(shell):
    """What every program says of its options."""
    said = shell.help("concord")
    for name in re.findall(r"^  (\w+) ", said, re.MULTILINE):
        said += shell.help("concord", name)
    for name in "verify", "list", "add", "table":
        said += shell.help("concord", "vectors", name)
    for script in sorted(shell.root.glob("reports/*.py")):
        said += shell.help("/usr/bin/python3", "-B", str(script))
    for script in (*shell.root.glob("bench/*.cpp"), *shell.root.glob("experiments/main.cpp"), *shell.root.glob("vectors/producers/*.py"), *shell.root.glob("conformance/**/*.py"),
                   *shell.root.glob("docs/*.py"), *shell.root.glob("*.sh")):
        said += script.read_text(encoding="utf-8")
    return said


def unknown_options(document, shell):
    """Options that prose names and no program has."""
    for number, span in document.spans():
        for option in re.findall(r"(?:^|\s)(--[a-z][\w-]*)", span):
            if option not in FOREIGN_OPTIONS and not _has(_all_help(shell), option):
                yield f"{document.name}:{number}: `{option}` is an option of no program"
        words = span.split()
        if len(words) > 1 and words[0] == "concord" and re.fullmatch(r"[a-z]+", words[1]):
            if not shell.help("concord", words[1]):
                yield f"{document.name}:{number}: there is no `concord {words[1]}`"
